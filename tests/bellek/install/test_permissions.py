"""The client's permission rules: laid once, taken back exactly, and never one that stood there before."""

import json

import pytest

from bellek.install import permissions
from bellek.install.claude_code import install, uninstall
from bellek.install.command import program_command
from bellek.schemas.errors import Refused
from bellek.schemas.gate import GATE, needs_person

THEIRS = '{\n  "permissions": {\n    "deny": ["Bash(bellek promote:*)", "Read(.env)"],\n    "allow": [ ],\n    "ask": ["Bash(rm:*)"]\n  }\n}\n'


def rules(stage, name):
    """A list of the client's, as it stands."""
    return json.loads(stage.settings.read_bytes())["permissions"].get(name, [])


def test_a_persons_verbs_are_denied_and_the_agents_commands_allowed(stage):
    """R122, R30: every verb that needs a person is denied, by our program and by name; our agents may run what their files say."""
    install(stage.target)
    program = program_command(stage.target)
    for verb in (verb for verb in GATE if needs_person(verb)):
        for start in (program, "bellek", "python -m bellek", "python3 -m bellek"):
            assert f"Bash({start} {verb}:*)" in rules(stage, "deny")
    assert rules(stage, "allow") == [f"Bash({program} {verb}:*)" for verb in permissions.AGENTS_RUN]
    allowed = " ".join(rules(stage, "allow"))
    assert not any(f" {verb}:" in allowed for verb in GATE if needs_person(verb))


def test_agents_run_nothing_that_is_not_allowed(stage):
    """R30: each command in the files of our agents begins as one of the allowed ones."""
    install(stage.target)
    program = program_command(stage.target)
    texts = [path.read_text("utf-8") for path in (stage.target.config_dir / "agents").glob("*.md")]
    commands = [part for text in texts for part in text.split(program + " ")[1:]]
    assert len(commands) >= 6
    assert all(command.startswith(permissions.AGENTS_RUN) for command in commands)


@pytest.mark.parametrize(
    "raw", ["{}\n", '{ "permissions" : { } }', '{"permissions":{"deny":[]}}', '{"model": "opus"}\n', THEIRS]
)
def test_a_second_run_changes_nothing_and_uninstall_gives_back_the_bytes(stage, raw):
    """R63: rules that stood there before stay when ours go, and every byte is as it was."""
    before = stage.put(raw)
    install(stage.target)
    again = install(stage.target)
    assert not again.changed
    uninstall(stage.target.config_dir, stage.target.home)
    assert stage.settings.read_bytes() == before


def test_rules_of_theirs_are_not_doubled(stage):
    """R63: a rule that stood there is not written a second time, and not counted as ours."""
    stage.put(THEIRS)
    install(stage.target)
    assert rules(stage, "deny").count("Bash(bellek promote:*)") == 1
    assert rules(stage, "deny")[:2] == ["Bash(bellek promote:*)", "Read(.env)"]


def test_rules_taken_out_by_hand_are_laid_again(stage):
    """R63: what a person took out is laid again by the next install, and uninstall then takes all of it back."""
    before = stage.put('{"model": "opus"}\n')
    install(stage.target)
    data = json.loads(stage.settings.read_bytes())
    data["permissions"]["deny"] = data["permissions"]["deny"][3:]
    stage.put(json.dumps(data))
    assert install(stage.target).changed
    assert "Bash(bellek promote:*)" in rules(stage, "deny")
    uninstall(stage.target.config_dir, stage.target.home)
    assert json.loads(stage.settings.read_bytes()) == json.loads(before)


@pytest.mark.parametrize("raw", ['{"permissions": []}', '{"permissions": {"deny": "all"}}'])
def test_an_odd_shape_is_refused(stage, raw):
    """R63: where rules cannot be entered nothing is written, and the place is named."""
    before = stage.put(raw)
    with pytest.raises(Refused, match="permissions"):
        install(stage.target)
    assert stage.settings.read_bytes() == before
