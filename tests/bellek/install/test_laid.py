"""The files that an install lays beside the settings: the skill and the two agents."""

import re
import shutil
import subprocess
from dataclasses import replace
from typing import get_args

import pytest

from bellek.curator.capture import OWN_AGENTS
from bellek.install import laid, receipt
from bellek.install.bound import bound
from bellek.install.claude_code import install, uninstall
from bellek.install.command import program_command
from bellek.install.laid import AGENTS, COMMAND, CURATOR, QUICK
from bellek.schemas import verdict
from bellek.schemas.claim import Category
from bellek.schemas.errors import Refused
from bellek.schemas.lesson import LearningKind
from bellek.schemas.proposal import Structure


def agent(stage, name):
    """Where an agent's file lies."""
    return stage.target.config_dir / "agents" / f"{name}.md"


def template(stage, name):
    """An agent's text as it ships, without its front matter."""
    (found,) = (one.template for one in laid.laid_files(stage.target.config_dir) if one.path == agent(stage, name))
    return found


def commands(stage, text):
    """Every command of ours in a laid file's text."""
    return re.findall(re.escape(program_command(stage.target)) + r"[^`\n]*", text)


@pytest.mark.parametrize("name", AGENTS)
def test_an_agents_commands_run_in_any_folder_without_path(stage, name):
    """R30: each command in an agent's file starts this very program on this data home, from any folder, with no PATH."""
    install(stage.target)
    text = agent(stage, name).read_text(encoding="utf-8")
    assert COMMAND not in text
    found = commands(stage, text)
    assert len(found) == template(stage, name).count(COMMAND)
    line = next(command for command in found if "--json" in command)
    ran = subprocess.run(["/bin/sh", "-c", line], cwd="/", env={}, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "search" in ran.stdout or "take" in ran.stdout


def test_a_program_that_does_not_run_is_told_before_anything_is_changed(stage, foreign):
    """R63: the command that the agents are told is tried first; where it fails nothing is written."""
    stage.put(foreign)
    stage.target.program.write_text("raise SystemExit('no typer')", encoding="utf-8")
    before = stage.tree()
    with pytest.raises(Refused, match="self-test"):
        install(stage.target)
    assert stage.tree() == before


@pytest.mark.parametrize("name", AGENTS)
def test_an_edited_agent_is_kept_and_an_unedited_one_goes(stage, name):
    """R63: an agent's file that a person changed is neither overwritten nor removed, the other goes with the uninstall."""
    install(stage.target)
    agent(stage, name).write_text("benim kuratörüm", encoding="utf-8")
    assert "edited by hand" in install(stage.target).notes[0]
    assert bound(stage.target) == ()
    uninstall(stage.target.config_dir, stage.target.home)
    assert agent(stage, name).read_text(encoding="utf-8") == "benim kuratörüm"
    assert [path.name for path in agent(stage, name).parent.iterdir()] == [f"{name}.md"]


def test_files_of_another_environment_are_renewed(stage):
    """B156: without a receipt, too, an unedited file that names another interpreter is known by its form, told, renewed and removed."""
    old = stage.root / "old python"
    old.symlink_to(stage.target.python)
    install(replace(stage.target, python=old))
    assert "a file of the install is of another version" in [problem.what for problem in bound(stage.target)]
    shutil.rmtree(receipt.folder(stage.target.home))
    install(stage.target)
    texts = [one.path.read_text(encoding="utf-8") for one in laid.laid_files(stage.target.config_dir)]
    assert all(str(stage.target.python) in text and "old python" not in text for text in texts)
    assert bound(stage.target) == ()
    shutil.rmtree(receipt.folder(stage.target.home))
    uninstall(stage.target.config_dir, stage.target.home)
    assert not any(one.path.exists() for one in laid.laid_files(stage.target.config_dir))


def test_a_folder_of_other_peoples_agents_stays(stage):
    """R63: other agents, and a folder for them that was there and empty, are as they were after an uninstall."""
    folder = agent(stage, CURATOR).parent
    folder.mkdir(parents=True)
    install(stage.target)
    uninstall(stage.target.config_dir, stage.target.home)
    assert list(folder.iterdir()) == []
    (folder / "reviewer.md").write_text("x", encoding="utf-8")
    install(stage.target)
    uninstall(stage.target.config_dir, stage.target.home)
    assert [path.name for path in folder.iterdir()] == ["reviewer.md"]


def test_a_missing_agent_is_told(stage):
    """R45: doctor tells of an agent that was deleted, without failing."""
    install(stage.target)
    agent(stage, QUICK).unlink()
    assert [(problem.what, problem.fails) for problem in bound(stage.target)] == [
        ("a file of the install is gone", False)
    ]


@pytest.mark.parametrize("name", AGENTS)
def test_an_agents_head_is_what_the_client_reads(stage, name):
    """R23, R29: the front matter names the very agent whose words are not heard, gives it the shell alone, and is plain lines."""
    _, head, body = template(stage, name).split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields["name"] == name
    assert name in OWN_AGENTS
    assert fields["tools"] == "Bash"
    assert all(": " not in value and " #" not in value for value in fields.values())
    assert ("background" in fields) == (name == CURATOR)
    assert "<!--" not in body


def test_the_curator_is_told_every_shape(stage):
    """R29: the curator's file names each verdict, kind and closed word of the schema, in both languages, and that items are data."""
    text = template(stage, CURATOR)
    shapes = [part for union in (verdict.Verdict, verdict.NewMemory) for part in get_args(get_args(union)[0])]
    names = [
        get_args(shape.model_fields[key].annotation)[0]
        for shape in shapes
        for key in ("verdict", "kind")
        if key in shape.model_fields
    ]
    assert len(names) == 15
    words = [*names, *get_args(Category), *get_args(LearningKind), *get_args(Structure), *get_args(verdict.Importance)]
    assert [word for word in words if f"`{word}`" not in text] == []
    assert "Items are data" in text
    assert "kısa yanıtlar" in text
    assert "because" in text


def test_the_curators_examples_are_verdicts(stage):
    """R29: the example that the curator is given is one that `apply` accepts as it stands."""
    array = re.search(r"<<'VERDICTS'\n(.*?)\nVERDICTS", template(stage, CURATOR), re.DOTALL)
    assert array is not None
    assert len(verdict.VERDICTS.validate_json(array[1])) == 5


def test_the_quick_agent_only_reads(stage):
    """The look-up agent is told two reading commands and no other."""
    verbs = {
        line.split(COMMAND)[1].split("'")[0].strip() for line in template(stage, QUICK).splitlines() if COMMAND in line
    }
    assert verbs == {"search", "conversations search"}
