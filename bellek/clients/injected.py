"""Takes out of a person's text what programs put into it: blocks of other memories, reminders, editor context.

What it is for: one list and one cutter for every client adapter. It must never guess: only closed blocks go, and a tag
that is merely quoted stays part of the prompt.
"""

from collections.abc import Iterable

REMINDER = "system-reminder"

# Of published memory plugins, other clients and editors; a caller may pass a longer list.
FOREIGN_TAGS = (
    REMINDER,
    "hindsight_memories",
    "claude-mem-context",
    "supermemory-context",
    "relevant-memories",
    "relevant_memories",
    "hook_context",
    "persisted-output",
    "ide_opened_file",
    "ide_selection",
)


def cut_blocks(text: str, tags: Iterable[str]) -> tuple[str, list[str]]:
    """Give the text without its closed ``<tag …>…</tag>`` blocks, and what was inside them, in order, tag by tag.

    Linear in the text for each tag: a lazy pattern over many unclosed openers is quadratic. Where nothing is cut the
    text comes back untouched; where something is, its outer white space goes too.
    """
    inside: list[str] = []
    if "</" not in text:
        return text, inside
    kept = text
    for tag in tags:
        if f"</{tag}>" in kept:
            kept = _cut_one(kept, tag, inside)
    return (kept.strip() if inside else text), inside


def _cut_one(text: str, tag: str, inside: list[str]) -> str:
    opener, closer = f"<{tag}", f"</{tag}>"
    pieces: list[str] = []
    done = look = 0
    while (start := text.find(opener, look)) >= 0:
        look = start + len(opener)
        if text[look : look + 1] not in (">", " ", "\t", "\n"):
            continue  # a longer name that only begins alike
        end = text.find(closer, look)
        if end < 0:
            break
        pieces.append(text[done:start])
        inside.append(text[text.find(">", look) + 1 : end])
        done = look = end + len(closer)
    pieces.append(text[done:])
    return "".join(pieces)
