"""Who wrote a user line of Claude Code: a person at the keyboard, a program, or the client itself.

What it is for: the rules of origin in one place, read from the marks that the client leaves. It must never take a
missing mark for a person's: where two marks contradict each other, nobody typed.
"""

from typing import Any

from bellek.clients.loose import as_dict

# What the client itself puts into the user's slot. Only at the start: a prompt may quote any of them.
HOOK_ECHOES = ("<user-prompt-submit-hook>", "<session-start-hook>")  # 1.0.128
NOTICES = (
    *HOOK_ECHOES,
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "[SYSTEM NOTIFICATION",
    "[Request interrupted by user",
)


def is_not_the_user(data: dict[str, Any]) -> bool:
    """Whether the client, not a person or program outside it, wrote the line: notes, summaries, notices, tool results.

    Text beside a tool's result is the client's too: a person's words get a line of their own.
    """
    flags = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
    return (
        any(data.get(flag) for flag in flags)
        or data.get("promptSource") == "system"
        or as_dict(data.get("origin")).get("kind") == "task-notification"
        or _answers_a_tool(data)
    )


def _answers_a_tool(data: dict[str, Any]) -> bool:
    content = as_dict(data.get("message")).get("content")
    return any(
        isinstance(block, dict) and block.get("type") == "tool_result"
        for block in (content if isinstance(content, list) else ())
    )


def is_typed(data: dict[str, Any]) -> bool:
    """Whether the client marks a plain user line as typed by a person; signs that contradict each other count as no.

    2.1.112 writes no promptSource: there the terminal's entrypoint tells. Later versions write rowSource into the lines
    they make themselves, and promptSource into a person's: a line with the first and without the second is not typed.
    """
    source = data.get("promptSource")
    by_terminal = data.get("entrypoint") == "cli" and "rowSource" not in data
    marked = by_terminal if source is None else source == "typed"
    return marked and _turn_source(data) <= {"human"}


def is_machine(data: dict[str, Any]) -> bool:
    """Whether a program sent the prompt: `-p`, an SDK, another agent. False where the client does not tell."""
    source, entrypoint = data.get("promptSource"), data.get("entrypoint")
    if source == "sdk" or _turn_source(data) - {"human"}:
        return True
    return source is None and isinstance(entrypoint, str) and entrypoint.startswith("sdk")


def _turn_source(data: dict[str, Any]) -> set[str]:
    signs = (data.get("turnOrigin"), as_dict(data.get("origin")).get("kind"))
    return {sign for sign in signs if isinstance(sign, str)}
