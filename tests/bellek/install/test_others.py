"""The clients beside Claude Code: bound, bound again, unbound, with what belongs to others left as it was."""

import json
import os
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import rows

import bellek
from bellek.context import sections
from bellek.doctor_clients import clients
from bellek.install import agent_files, laid, others
from bellek.install.command import program_command, wanted_hooks
from bellek.install.others import CLIENTS
from bellek.install.target import Target, hook_file
from bellek.kg import queue
from bellek.schemas.errors import Refused
from bellek.schemas.queue import Sighting

FOREIGN = "{\n  // a person's comment is no JSON\n}"
HOOKS = '{\n    "theme": "koyu",\n    "hooks": {\n        "Stop": [ {"hooks": [{"type": "command", "command": "say done"}]} ]\n    }\n}\n'


@pytest.fixture
def target(tmp_path):
    """A machine with blanks and letters beyond ASCII in its paths."""
    return Target(tmp_path / "klasör", tmp_path / "veri evi ş", Path(sys.executable), hook_file(), bellek.__version__)


def tree(folder):
    """Every file below a folder with its bytes."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", CLIENTS)
def test_bound_once_and_taken_back(target, name):
    """Each client: a dry run writes nothing, an install is whole, a second one changes nothing, uninstall leaves what was there."""
    client = CLIENTS[name]
    target.config_dir.mkdir()
    for file in (client.hooks or client.entry or ())[:1]:
        (target.config_dir / file).write_text(HOOKS, encoding="utf-8")
    before = tree(target.config_dir)
    assert others.install(client, target, dry_run=True).changed
    assert tree(target.config_dir) == before
    others.install(client, target)
    assert others.bound(client, target.config_dir)
    held = tree(target.config_dir)
    assert all(str(target.home) in "".join(map(bytes.decode, held.values())) for _ in held)
    if client.hooks:
        data = json.loads((target.config_dir / client.hooks[0]).read_bytes())
        assert set(client.hooks[1]) <= set(data["hooks"])
        assert "say done" in json.dumps(data["hooks"])
    assert others._plan(client, target)[0][0].before == others._plan(client, target)[0][0].after, (
        "a second run changes nothing"
    )
    assert others.uninstall(client, target.config_dir, target.home).changed
    assert tree(target.config_dir) == before
    assert not others.bound(client, target.config_dir)


def test_a_file_that_a_person_edited_is_kept(target):
    """An extension that somebody changed is neither overwritten nor removed, and both are told."""
    client = CLIENTS["pi"]
    others.install(client, target)
    path = target.config_dir / client.files[0][1]
    path.write_text(path.read_text(encoding="utf-8").replace("5000", "9000"), encoding="utf-8")
    assert "edited by hand" in others.install(client, target).notes[0]
    assert "edited by hand" in others.uninstall(client, target.config_dir, target.home).notes[0]
    assert "9000" in path.read_text(encoding="utf-8")


def test_another_home_or_interpreter_is_replaced(target):
    """The extension of an earlier install is ours whatever it starts, and is written anew."""
    client = CLIENTS["opencode"]
    others.install(client, replace(target, home=target.home / "eski"))
    others.install(client, target)
    assert others.rendered(client, client.files[0][0], target) == (target.config_dir / client.files[0][1]).read_bytes()


@pytest.mark.parametrize("name", ["codex", "gemini"])
@pytest.mark.parametrize("text", ["{ broken", FOREIGN, "[]", '{"hooks": []}', '{"hooks": {"SessionStart": {}}}'])
def test_a_file_that_cannot_be_edited_is_refused_with_the_snippet(target, name, text):
    """Broken or odd settings are left as they are; the error names the file and what to enter by hand."""
    client = CLIENTS[name]
    path = target.config_dir / client.hooks[0]
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Refused, match="cannot be edited safely") as told:
        others._plan(client, target)
    assert "--client" in told.value.hint
    assert path.read_text(encoding="utf-8") == text


def test_a_hook_that_does_not_answer_binds_nothing(target, tmp_path):
    """Where the program does not run, no client's file is written."""
    dead = tmp_path / "bellek" / "hook.py"
    dead.parent.mkdir()
    dead.write_text("raise SystemExit(3)\n", encoding="utf-8")
    with pytest.raises(Refused, match="self-test"):
        others.install(CLIENTS["codex"], replace(target, hook=dead))
    assert not target.config_dir.exists()


def test_of_several_files_all_are_written_or_none(target):
    """Where one file cannot be written, those before it are taken back, with the folders that were made for them."""
    client = CLIENTS["openclaw"]
    last = target.config_dir / client.files[-1][1]
    last.parent.mkdir(parents=True)
    last.symlink_to(target.config_dir / "yok" / "hedef")
    with pytest.raises(Refused, match="could not write"):
        others.install(client, target)
    assert [path for path in target.config_dir.rglob("*") if path.is_file()] == []


def test_folders_follow_the_clients_variables(monkeypatch, tmp_path):
    """CODEX_HOME and its like are followed; else the place below the home folder."""
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "c"))
    assert CLIENTS["codex"].folder(os.environ) == tmp_path / "c"
    assert CLIENTS["pi"].folder({"HOME": "/h"}) == Path("/h/.pi/agent")
    assert CLIENTS["omp"].folder({"HOME": "/h", "PI_CODING_AGENT_DIR": "/p"}) == Path("/p")
    assert CLIENTS["gemini"].folder({"HOME": "/h", "GEMINI_CLI_HOME": "/g"}) == Path("/g/.gemini")
    assert CLIENTS["opencode"].folder({"HOME": "/h", "XDG_CONFIG_HOME": "/x"}) == Path("/x/opencode")


def test_doctor_names_what_is_bound(target, monkeypatch, tmp_path):
    """A bound client is named; one that another data home bound, and plugin and settings together, are warnings with the next command."""
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "pi"))
    here = replace(target, config_dir=tmp_path / "claude")
    assert list(clients(here)) == []
    others.install(CLIENTS["pi"], replace(target, config_dir=tmp_path / "pi"))
    assert [(f.name, f.state) for f in clients(here)] == [("client-pi", "OK")]
    (moved,) = clients(replace(here, home=target.home / "yeni"))
    assert (moved.state, moved.next) == ("WARN", "bellek install pi")
    hooks = {event: [{"hooks": [hook]}] for event, hook in wanted_hooks(here).items()}
    here.config_dir.mkdir()
    here.settings.write_text(json.dumps({"hooks": hooks, "enabledPlugins": {"bellek@bellek": True}}), encoding="utf-8")
    both = next(f for f in clients(here) if f.name == "plugin")
    assert (both.state, "keep silent" in both.why) == ("WARN", True)
    here.settings.write_text("{ broken", encoding="utf-8")
    assert [f.name for f in clients(here)] == ["client-pi"]


@pytest.mark.parametrize("name", ["omp", "codex", "gemini", "opencode"])
def test_agents_are_laid_in_the_clients_own_form(target, name):
    """R30: both agents lie where the client looks, with its head, the same instructions as Claude Code's and the command of this
    machine; one that a person edited is kept, by install and uninstall.
    """
    client = CLIENTS[name]
    others.install(client, target)
    for own, there in zip(laid.AGENTS, agent_files.of(client.agents, target.config_dir), strict=True):
        text = there.path.read_text(encoding="utf-8")
        body = laid.shipped(own).split("---\n", 2)[2].strip().replace(laid.COMMAND, program_command(target))
        assert laid.COMMAND not in text
        if there.path.suffix == ".toml":
            told = tomllib.loads(text)
            assert (told["name"], told["developer_instructions"].strip()) == (own, body)
        else:
            _, head, told_body = text.split("---\n", 2)
            told = {line.split(":")[0] for line in head.splitlines() if line[0].isalpha()}
            assert told_body.strip() == body
            assert ("name" in told) == (name != "opencode")
        assert "description" in told
    there.path.write_text(text + "\nbenim ekim\n", encoding="utf-8")
    assert any(str(there.path) in note for note in others.install(client, target).notes)
    others.uninstall(client, target.config_dir, target.home)
    assert [path for path in tree(target.config_dir) if "memory-" in path.name] == [there.path]


def test_the_curator_is_asked_for_only_where_it_can_work(home, tmp_path):
    """R27: a signal names the agent for a client for which an install said so, for no other, and no other client's row counts."""
    here = rows.project(home, tmp_path / "proje")
    with home.memory.transaction():
        queue.enqueue(
            home.memory, Sighting(here, "opencode", "s", "learning", "x çünkü y", "agent", "m1", 0, rows.AT, 0)
        )
        home.memory.run("INSERT INTO settings (key, value) VALUES ('curator:opencode', 'memory-curator')")
    told = {
        client: sections.signals(home.memory, here, rows.AT, client)[0].text
        for client in ("opencode", "codex", "claude-code")
    }
    assert ["start the agent memory-curator" in text for text in told.values()] == [True, False, False]
    assert [client.name for client in CLIENTS.values() if client.agents and client.agents.drains] == ["opencode"]
