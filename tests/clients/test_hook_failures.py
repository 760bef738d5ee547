"""What a hook of ours that is missing, broken or slow costs the user: never the prompt.

The commands are the ones that the installer wrote, with the program in them replaced and the wrapping left as it is.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from lab.product import packets
from lab.rules import reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.lab import Lab, Result
    from lab.product import Bellek

pytestmark = [pytest.mark.node, pytest.mark.client, pytest.mark.usefixtures("bellek")]

WRAPPING = " || true"  # how each command that we install ends
PROMPT = "merhaba istek"


def rewrite_hooks(lab: Lab, change: Callable[[str], str], timeout: float | None = None) -> None:
    """Pass each of our commands in the client's settings, as the installer wrote them, through ``change``.

    ``timeout``, in seconds, replaces what the installer allows each command.
    """
    settings: dict[str, Any] = json.loads((lab.config / "settings.json").read_text(encoding="utf-8"))
    entries = [hook for groups in settings["hooks"].values() for group in groups for hook in group["hooks"]]
    assert entries
    for hook in entries:
        assert hook["command"].endswith(WRAPPING)
        changed = change(hook["command"])
        assert changed != hook["command"], "nothing was replaced: the scene would test the working hook"
        hook["command"] = changed
        if timeout is not None:
            hook["timeout"] = timeout
    lab.write_settings(settings)


def ask(lab: Lab) -> Result:
    """One turn with ``PROMPT``."""
    return lab.claude(PROMPT, [reply("selam", PROMPT)])


def assert_went_through(result: Result) -> None:
    """The model got the prompt with no packet beside it, the user got the answer, the client ended well."""
    assert (result.rc, result.answer()) == (0, "selam"), result.err
    asked = [request for request in result.requests if PROMPT in request.messages_text()]
    assert len(asked) == 1
    assert packets(asked[0]) == []


def interpreter_gone(command: str) -> str:
    """As after a deleted virtual environment: the shell exits 127."""
    return re.sub(r"^('[^']*'|\S+)", "'/nonexistent/bin/python'", command)


def file_gone(command: str) -> str:
    """As half way through an upgrade: Python exits 2 for a file that it cannot open."""
    return re.sub(r"'[^']*hook\.py'|\S+hook\.py", "'/nonexistent/hook.py'", command)


@pytest.mark.parametrize("change", [interpreter_gone, file_gone])
def test_program_missing(lab: Lab, change: Callable[[str], str]) -> None:
    """B156: With the interpreter or our file gone the prompt goes through, with no packet and no complaint."""
    rewrite_hooks(lab, change)
    assert_went_through(ask(lab))


@pytest.mark.parametrize("status", [1, 2])
def test_hook_fails(lab: Lab, status: int) -> None:
    """With a hook that fails with 1 or with 2 the prompt goes through."""
    rewrite_hooks(lab, lambda _: f"sh -c 'echo broken >&2; exit {status}'{WRAPPING}")
    assert_went_through(ask(lab))


def test_hook_hangs(lab: Lab) -> None:
    """With a hook that does not answer within its timeout the prompt goes through."""
    rewrite_hooks(lab, lambda _: f"sleep 3{WRAPPING}", timeout=0.5)
    assert_went_through(ask(lab))


def test_store_damaged(lab: Lab, bellek: Bellek) -> None:
    """B168: With a store that is no database our own, working hook stays silent and the prompt goes through."""
    (bellek.home / "memory.db").write_text("not a database\n" * 1000, encoding="utf-8")
    assert_went_through(ask(lab))


def unwrapped(command: str) -> str:
    """Our command as it would be without care."""
    return command.removesuffix(WRAPPING)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda _: "sh -c 'exit 2'", id="exit-2"),
        pytest.param(lambda command: unwrapped(file_gone(command)), id="file-gone"),
        pytest.param(lambda command: f"'{command}", id="quote-left-open"),
    ],
)
def test_without_the_wrapping_the_prompt_is_lost(lab: Lab, change: Callable[[str], str]) -> None:
    """Why we wrap, and why the installer tries the very form it writes: exit status 2 makes the client drop the prompt
    and still report success, and 2 is also Python's for a missing file and the shell's for a quote that is left open.
    """
    rewrite_hooks(lab, change)
    result = ask(lab)
    assert (result.rc, json.loads(result.out)["is_error"]) == (0, False)
    assert [request for request in result.requests if PROMPT in request.messages_text()] == []
