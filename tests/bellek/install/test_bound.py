"""What doctor is told about the binding."""

import json
import shutil
from dataclasses import replace

import pytest

from bellek.install import receipt
from bellek.install.bound import bound
from bellek.install.claude_code import install
from bellek.install.command import EVENTS


def whats(stage, **changes) -> list[str]:
    """The problems' first sentences; each problem has a cause and a next step."""
    problems = bound(replace(stage.target, **changes))
    assert all(problem.why and problem.next for problem in problems)
    return [problem.what for problem in problems]


def edited(stage, edit) -> None:
    """Let a person edit the settings."""
    data = json.loads(stage.settings.read_bytes())
    edit(data)
    stage.put(json.dumps(data))


def test_a_fresh_install_has_no_problem(stage):
    """R45: after an install the hooks are bound and answer."""
    install(stage.target)
    assert bound(stage.target) == ()


def test_never_bound_is_one_problem_that_does_not_fail(stage):
    """R45: without any install there is one problem, and memory by hand is not called broken."""
    (problem,) = bound(stage.target)
    assert (problem.what, problem.fails) == ("the hooks are not bound", False)
    assert problem.next == "bellek install claude-code"
    assert not stage.target.home.exists()


def test_broken_settings_are_named_with_their_place(stage):
    """R45: settings the client cannot read are a failure with line and column."""
    stage.put('{\n "a": 1,\n}')
    (problem,) = bound(stage.target)
    assert problem.fails
    assert "line 3, column 1" in problem.why


def test_b156_orphans_are_seen(stage):
    """B156: hooks whose interpreter or file is gone are failures that say which path is missing."""
    old = stage.root / "old python"
    old.symlink_to(stage.target.python)
    install(replace(stage.target, python=old))
    old.unlink()
    problems = bound(replace(stage.target, python=old))
    assert [(problem.what, str(old) in problem.why) for problem in problems] == [
        ("hooks start an interpreter that is not there", True)
    ]
    install(stage.target)
    shutil.rmtree(stage.target.hook.parent)
    assert whats(stage) == ["hooks start a file that is not there"]


def test_b155_the_command_is_run_once_in_a_shell(stage):
    """B155: a hook file that is there but fails is found by running it."""
    install(stage.target)
    stage.target.hook.write_text("import sys; sys.exit('kırık')", encoding="utf-8")
    (problem,) = bound(stage.target)
    assert problem.what == "the hook command does not answer"
    assert "exit status 1" in problem.why


def test_another_version_is_told(stage):
    """R45: hooks that answer as another version than the one that asks are told, without failing."""
    install(stage.target)
    assert whats(stage, version="10.0") == ["the hooks run another version of bellek"]


def test_missing_doubled_and_foreign_home(stage):
    """R45: each event has our hook exactly once, for this data home."""
    install(stage.target)
    edited(stage, lambda data: data["hooks"].pop("Stop"))
    assert whats(stage)[0] == "no hook is bound to Stop"
    install(stage.target)
    edited(stage, lambda data: data["hooks"]["Stop"].append(data["hooks"]["Stop"][0]))
    assert whats(stage) == ["2 hooks are bound to Stop"]
    install(stage.target)
    assert "the hook of Stop feeds another data home" in whats(stage, home=stage.root / "başka")


@pytest.mark.parametrize(
    ("edit", "what"),
    [
        (lambda data: data.update(disableAllHooks=True), "all hooks of the client are switched off"),
        (
            lambda data: data["hooks"]["Stop"][0]["hooks"][0].update(timeout=5000),
            "the timeout of Stop is not sensible",
        ),
        (lambda data: data["hooks"]["Stop"][0].update(matcher="Bash"), "the hook of Stop runs only sometimes"),
        (
            lambda data: data["hooks"].update(PreCompact=data["hooks"]["Stop"]),
            "the hook of PreCompact answers to another event",
        ),
    ],
)
def test_edits_that_disable_a_hook_are_told(stage, edit, what):
    """R45, B157: switched-off hooks, timeouts in milliseconds, matchers and misplaced hooks are told."""
    install(stage.target)
    edited(stage, edit)
    assert what in whats(stage)


def test_a_pasted_line_without_its_guard_is_told(stage):
    """R119: a hook of ours that does not fail open can cost a prompt, and doctor says so."""
    install(stage.target)
    raw = stage.settings.read_text(encoding="utf-8")
    stage.put(raw.replace(" || true", ""))
    assert "the hook of UserPromptSubmit can cost a prompt" in whats(stage)


def test_receipt_trouble_is_told_without_failing(stage):
    """R45: a missing or damaged receipt and a missing skill file are told; memory works meanwhile."""
    install(stage.target)
    stage.target.skill.unlink()
    assert whats(stage) == ["a file of the install is gone"]
    receipt.path(stage.target.home).write_text("{")
    problems = bound(stage.target)
    assert [(problem.what, problem.fails) for problem in problems] == [("the hooks are bound without a receipt", False)]
    receipt.path(stage.target.home).unlink()
    assert whats(stage) == ["the hooks are bound without a receipt"]


def test_doctors_look_changes_nothing(stage):
    """Looking writes nothing, whatever it finds."""
    install(stage.target)
    edited(stage, lambda data: data["hooks"].pop(EVENTS[0]))
    before = stage.tree()
    bound(stage.target)
    assert stage.tree() == before
