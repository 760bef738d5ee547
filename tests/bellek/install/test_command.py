"""How the hook line is written, known again, and which interpreter it names."""

import os
import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.install.command import OwnCommand, hook_command, quoted, recognised
from bellek.install.target import Target, claude_config_dir, hook_file, real_interpreter
from bellek.schemas.errors import Refused

names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=12)


@settings(deadline=None)
@given(names)
def test_quoting_survives_the_shells_rules(name):
    """B155: any path is one shell word, whatever signs are in it."""
    assert shlex.split(quoted(name)) == [name]


@settings(deadline=None)
@given(names, names)
def test_a_written_command_is_known_again(folder, home):
    """Whatever the paths are, a command that we wrote is recognised with its parts, with and without `|| true`."""
    python, hook = Path("/", folder, "python3"), Path("/", folder, "bellek", "hook.py")
    command = hook_command(python, hook, "Stop", Path("/", home))
    assert recognised(command) == OwnCommand(python, hook, "Stop", Path("/", home), fails_open=True)
    bare = recognised(command.removesuffix(" || true"))
    assert bare == OwnCommand(python, hook, "Stop", Path("/", home), fails_open=False)


def test_the_form_is_the_agreed_one():
    """The command has the form that clients, doctor and uninstall agree on, quoted even where it need not be."""
    command = hook_command(Path("/p/python3"), Path("/b/bellek/hook.py"), "SessionStart", Path("/h"))
    assert command == "'/p/python3' -I '/b/bellek/hook.py' SessionStart --client claude-code --home '/h' || true"


@pytest.mark.parametrize(
    "command",
    [
        "",
        "'",
        "python3 hook.py Stop",
        "'/p' -I '/other/hook.py' Stop --client claude-code --home '/h' || true",
        "'/p' -I '/b/bellek/hook.py' Stop --client codex --home '/h' || true",
        "'/p' -I '/b/bellek/hook.py' Stop --client claude-code --home '/h' || true; rm -f x",
        "echo '/p' -I '/b/bellek/hook.py' Stop --client claude-code --home '/h'",
    ],
)
def test_foreign_commands_are_not_ours(command):
    """A command that only resembles ours, or was extended by a person, is foreign and is left alone."""
    assert recognised(command) is None


def test_a_path_that_is_not_utf8_is_refused():
    """A path that JSON cannot hold is refused by name rather than written wrong."""
    with pytest.raises(Refused, match="not UTF-8"):
        quoted(os.fsdecode(b"/k\xff"))


def test_relative_paths_are_refused():
    """A hook runs in any folder, so each path has to be whole."""
    with pytest.raises(Refused, match="not an absolute path"):
        Target(Path("/c"), Path("veri"), Path("/p"), Path("/h"), "1")


def test_a_shim_is_followed_to_its_interpreter(tmp_path):
    """A pyenv-like script is asked for the binary it starts; the script's path is not written."""
    shim = tmp_path / "python3"
    shim.write_text(f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
    shim.chmod(0o700)
    assert real_interpreter(str(shim)) == Path(sys.executable)


def test_a_venvs_link_is_not_followed(tmp_path):
    """An interpreter that is a link keeps its path: a virtual environment is known by it."""
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    assert real_interpreter(str(link)) == link


@pytest.mark.parametrize("body", [None, "#!/bin/sh\nexit 3\n", "#!/bin/sh\necho not/absolute\n"])
def test_what_leads_to_no_interpreter_is_refused(tmp_path, body):
    """A missing interpreter, or a script that answers with none, is refused."""
    shim = tmp_path / "python3"
    if body is not None:
        shim.write_text(body)
        shim.chmod(0o700)
    with pytest.raises(Refused):
        real_interpreter(str(shim))
    with pytest.raises(Refused):
        real_interpreter("")


def test_the_config_folder_comes_from_the_environment():
    """CLAUDE_CONFIG_DIR wins; without it, it is .claude in HOME; always absolute."""
    assert claude_config_dir({"CLAUDE_CONFIG_DIR": "/x/y", "HOME": "/h"}) == Path("/x/y")
    assert claude_config_dir({"CLAUDE_CONFIG_DIR": "", "HOME": "/h"}) == Path("/h/.claude")
    assert claude_config_dir({"CLAUDE_CONFIG_DIR": "y"}) == Path.cwd() / "y"
    assert claude_config_dir({}).is_absolute()


def test_the_hook_file_is_the_packages_own():
    """The hook file is the one beside the running package's start."""
    assert (hook_file().name, hook_file().parent.name) == ("hook.py", "bellek")
