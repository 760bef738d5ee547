"""Folders of markdown: Claude Code's memory folders, basic-memory and other vaults. A note is a page, a line of MEMORY.md a lesson.

It must never follow a link out of the folder, nor read a copy that a sync tool left beside a note, or a note with marks of
a merge conflict: both would be remembered as facts.
"""

import os
import re
from pathlib import Path

from bellek.curator.foreign.values import Found, Row, instant, text_of

CLAUDE_CODE, MARKDOWN = "claude-code-memory", "markdown"
INDEX = ("MEMORY.md", "CLAUDE.md")  # lists of short rules, a line each
CAP = 2_000_000  # bytes of one note
# "note (conflicted copy 2026-03-12).md", "note.sync-conflict-20260312-….md", "note (Conflicted copy PC 2026…).md"
_COPY = re.compile(r"\(.*conflicted copy.*\)|\.sync-conflict-|\(.*çakışan kopya.*\)", re.IGNORECASE)
_MARKS = re.compile(r"^(<{7} |>{7} |={7}$|\|{7} )", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(.+)$")


def read(folder: Path) -> Found:
    """Every note below a folder, in order of name."""
    index = any((folder / name).is_file() for name in INDEX)
    found = Found(CLAUDE_CODE if index else MARKDOWN)
    for path in sorted(_notes(folder)):
        name = path.relative_to(folder).as_posix()
        if _COPY.search(path.name):
            found.skip(f"{name}, a copy that a sync tool left,")
            continue
        try:
            raw = path.read_bytes()
            text = raw[: CAP + 1].decode("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            found.skip(name)
            continue
        if len(raw) > CAP or _MARKS.search(text):
            found.skip(f"{name}, too long or with marks of a merge conflict,")
            continue
        found.rows += _lines(name, text) if path.name in INDEX else _page(name, path, text)
    return found


def _notes(folder: Path) -> list[Path]:
    """Markdown files below a folder; hidden folders and links are left out."""
    found = []
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [
            Path(here, name) for name in names if name.lower().endswith(".md") and not Path(here, name).is_symlink()
        ]
    return found


def _lines(name: str, text: str) -> list[Row]:
    """Each list entry as a lesson under the heading that it stands under; what only points to another file is left out."""
    rows, topic, fenced = [], "note", False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        if line.startswith("#"):
            topic = line.lstrip("# ").strip() or topic
        elif (bullet := _BULLET.match(line)) and not re.fullmatch(
            r"\[[^]]*\]\([^)]*\.md\)[^.]{0,200}", bullet[1].strip()
        ):
            said = text_of(bullet[1])
            if said:
                rows.append(Row("lesson", f"{name} {said}", said, topic))
    return rows


def _page(name: str, path: Path, text: str) -> list[Row]:
    head, body = front(text)
    body = text_of(body)
    if not body:
        return []
    title = head.get("title") or head.get("name") or path.stem.replace("-", " ").replace("_", " ")
    at = instant(head.get("updated") or head.get("modified") or head.get("created") or head.get("date")) or int(
        path.stat().st_mtime * 1000
    )
    return [Row("page", name, body, head.get("permalink") or name.removesuffix(".md"), at, title=title)]


def front(text: str) -> tuple[dict[str, str], str]:
    """The plain `key: value` lines between two `---` at the top, and the rest. Nothing of it is guessed into another type."""
    if not text.startswith("---\n"):
        return {}, text
    head, end, rest = text[4:].partition("\n---")
    if not end:
        return {}, text
    pairs = (line.partition(":") for line in head.split("\n") if not line.startswith((" ", "-", "#")))
    return {
        key.strip(): value.strip().strip("\"'") for key, colon, value in pairs if colon and value.strip()
    }, rest.lstrip("-")
