"""Other memory programs' own exports: the reference memory server's JSON lines, mem0's list, claude-mem's file."""

import json
from typing import Any

from bellek.curator.foreign.values import Found, Row, instant, items, text_of

SERVER, MEM0, CLAUDE_MEM = "server-memory", "mem0", "claude-mem"


def is_server(raw: bytes) -> bool:
    """Whether the first line is an entity or a relation of the reference memory server."""
    line = next((line for line in raw.split(b"\n") if line.strip()), b"")
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("type") in ("entity", "relation")


def server(raw: bytes) -> Found:
    """Entities with their observations as lessons about them, relations as lessons."""
    found = Found(SERVER)
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            found.skip(f"line {number}")
            continue
        match one:
            case {"type": "entity", "name": str(name), "entityType": str(type_)} if text_of(name):
                found.rows.append(
                    Row("entity", f"entity {name}", text_of(name), "entity", type=text_of(type_)[:60] or "unknown")
                )
                for told in one.get("observations") or []:
                    if text_of(told):
                        found.rows.append(
                            Row(
                                "lesson",
                                f"{name} {told}",
                                f"{text_of(name)}: {text_of(told)}",
                                text_of(type_) or "note",
                            )
                        )
            case {"type": "relation", "from": str(a), "to": str(b), "relationType": str(how)}:
                said = f"{text_of(a)} {text_of(how).replace('_', ' ')} {text_of(b)}"
                found.rows.append(Row("lesson", f"relation {said}", said, "relation"))
            case _:
                found.skip(f"line {number}")
    return found


def mem0_list(value: Any) -> list[dict[str, Any]]:
    """The memories of an export of mem0, whose answers wrap them in `results` or `memories` or not; [] for anything else."""
    if isinstance(value, dict):
        value = value.get("results") or value.get("memories")
    found = items(value)
    return found if found and "memory" in found[0] else []


def mem0(value: Any) -> Found:
    """Each memory as a lesson, with its first category as topic."""
    found = Found(MEM0)
    for number, one in enumerate(mem0_list(value), start=1):
        text, key = text_of(one.get("memory")), text_of(one.get("id"))
        if not text:
            found.skip(f"memory {number}")
            continue
        categories = one.get("categories")
        topic = text_of(categories[0]) if isinstance(categories, list) and categories else ""
        at = instant(one.get("updated_at")) or instant(one.get("created_at"))
        found.rows.append(Row("lesson", key or text, text, topic or "note", at))
    return found


def is_claude_mem(value: Any) -> bool:
    """Whether a JSON value is what claude-mem's export script writes."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("observations"), list)
        and ("summaries" in value or "sessions" in value)
    )


def claude_mem(value: Any) -> Found:
    """Observations as lessons, session summaries as journal rows."""
    found = Found(CLAUDE_MEM)
    for number, one in enumerate(items(value.get("observations")), start=1):
        parts = (text_of(one.get(name)) for name in ("title", "subtitle", "narrative", "text"))
        text = "\n".join(dict.fromkeys(filter(None, parts)))
        facts = _facts(one.get("facts"))
        if not text and not facts:
            found.skip(f"observation {number}")
            continue
        key = f"{one.get('memory_session_id') or one.get('sdk_session_id') or ''} {one.get('id')} {text[:80]}"
        found.rows.append(
            Row(
                "lesson",
                key,
                "\n".join([text, *facts]).strip(),
                text_of(one.get("type")) or "note",
                instant(one.get("created_at_epoch")),
            )
        )
    for one in items(value.get("summaries")):
        told = [
            f"{name.replace('_', ' ')}: {text_of(one.get(name))}"
            for name in ("request", "investigated", "learned", "completed", "next_steps")
            if text_of(one.get(name))
        ]
        if told:
            found.rows.append(
                Row(
                    "event",
                    f"summary {one.get('id')} {one.get('created_at_epoch')}",
                    "\n".join(told),
                    "session",
                    instant(one.get("created_at_epoch")),
                )
            )
    return found


def _facts(value: Any) -> list[str]:
    """Facts, which come as a list or as the JSON text of one."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return ["- " + text_of(fact) for fact in value if text_of(fact)] if isinstance(value, list) else []
