"""Memory as plain files: facts, pages, people, journal days, lists and an index, for `ls`, `cat`, `grep` and Obsidian.

A deterministic projection of what a project sees: the same rows give the same bytes. Files are windows, not the memory: it
must never write one (`curator.vault` does), never show what is set apart, refused or withheld, and never say of an unverified
row that it is anything else: those lie under ``unverified/``, and the index names none of them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from bellek.context import front
from bellek.kg import clock, fold, memories, scope
from bellek.kg.db import Database
from bellek.schemas.claim import Claim
from bellek.schemas.entity import Entity, EntityField
from bellek.schemas.event import Event
from bellek.schemas.lesson import Lesson
from bellek.schemas.log import LogEntry
from bellek.schemas.memory import Memory
from bellek.schemas.page import Page
from bellek.schemas.task import Task
from bellek.schemas.vocab import IMPORTANCE
from bellek.schemas.worldview import Worldview

INDEX = "index.md"
UNVERIFIED = "unverified/"
INDEX_LINES = 400  # of the index: it is a table of contents, and beyond this the search is quicker
SLUG = 48  # letters of a file's name before the id
LINKS = 12
NOT_HERE = "not taken in here: written from several rows; what you change is kept beside at the next export"
EDITABLE = ("lesson", "claim", "page")  # kinds whose file takes another text
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
DEVICES = frozenset(("con", "prn", "aux", "nul"))  # names that Windows keeps for itself


@dataclass(frozen=True, slots=True)
class File:
    """One file: its path inside the vault, our front matter, the body. `memory` is the row that it shows, "" of a list."""

    path: str
    front: "dict[str, str | tuple[str, ...]]"
    body: str
    memory: str = ""
    editable: bool = False

    def text(self, foreign: str = "") -> str:
        """The whole file, with the lines of somebody else's keys kept."""
        return front.written(self.front, foreign) + self.body


@dataclass(slots=True)
class _Rows:
    """What a project sees, by kind, in the order of its first revisions."""

    by_kind: "dict[str, list[Memory]]" = field(default_factory=lambda: defaultdict(list))
    paths: "dict[str, str]" = field(default_factory=dict)  # memory → its file, without the ending
    taken: "set[str]" = field(default_factory=set)
    called: "dict[str, list[Memory]]" = field(default_factory=lambda: defaultdict(list))  # slug of a name → entities
    fields: "dict[str, list[Memory]]" = field(default_factory=lambda: defaultdict(list))  # entity → its fields
    about: "dict[str, list[Memory]]" = field(default_factory=lambda: defaultdict(list))  # slug of a subject → claims

    def of(self, kind: str) -> "list[Memory]":
        return self.by_kind[kind]


def files(db: Database, project: str, *, without: Iterable[str] = ()) -> "list[File]":
    """Every file of a project's vault, by path. `without` are rows whose file a person deleted and nobody decided on yet."""
    gone = set(without)
    rows = _Rows()
    for memory in _standing(db, project):
        if memory.id not in gone:
            rows.by_kind[memory.body.kind].append(memories.shown(memory))
    for kind in ("lesson", "claim", "page", "entity"):
        for memory in rows.of(kind):
            rows.paths[memory.id] = place = _place(rows, memory)
            rows.taken.add(place)
    _gather(rows)
    found = [_fact(rows, memory) for kind in EDITABLE for memory in rows.of(kind)]
    found += [_person(rows, memory) for memory in rows.of("entity")]
    found += [*_days(rows), *_lists(rows)]
    found.append(_index(found))
    return sorted(map(_saying_so, found), key=lambda file: file.path)


def _saying_so(file: File) -> File:
    """A file that takes no edits says so where its reader looks first."""
    return file if file.editable else replace(file, front={**file.front, "edits": NOT_HERE})


def _gather(rows: _Rows) -> None:
    """Who is called how, and what is said of whom, once for all files."""
    for memory in rows.of("entity"):
        if isinstance(memory.body, Entity):
            for name in sorted(_called(memory.body)):
                rows.called[name].append(memory)
    for memory in rows.of("field"):
        if isinstance(memory.body, EntityField):
            rows.fields[memory.body.entity].append(memory)
    for memory in rows.of("claim"):
        if isinstance(memory.body, Claim):
            rows.about[slug(memory.body.subject)].append(memory)


def _standing(db: Database, project: str) -> "Iterable[Memory]":
    after = -1
    while True:
        page = db.rows(
            f"SELECT m.n, r.body, m.tier, m.note FROM memories m JOIN revisions r ON r.id = m.id AND r.revision = m.revision WHERE m.n > ?2 AND {scope.sees('?1')}"
            " AND m.status IN ('current', 'contested') ORDER BY m.n LIMIT 500",
            (project, after),
        )
        for _, body, tier, note in page:
            yield memories.as_it_stands(str(body), str(tier), str(note))
        if not page:
            return
        after = int(str(page[-1][0]))


@lru_cache(maxsize=20_000)
def slug(text: str) -> str:
    """A name for a file: folded words joined by hyphens, letters and digits alone, never empty, never a device's name."""
    words = "-".join(word for word in fold.tokens(text) if word.isalnum())[:SLUG].strip("-")
    return words if words and words not in DEVICES else f"{words or 'x'}-"[:SLUG]


def _place(rows: _Rows, memory: Memory) -> str:
    top = "" if memory.tier == "T2" else UNVERIFIED
    match memory.body:
        case Page(topic=topic):
            name = f"{top}pages/{slug(topic).rstrip('-')}"
            taken = name in rows.taken or slug(topic).endswith("-")
            return f"{name}-{memory.id}" if taken else name
        case Entity(name=name):
            return f"{top}entities/{slug(name)}-{memory.id}"
        case _:
            return f"{top}facts/{slug(_name(memory))}-{memory.id}"


def _name(memory: Memory) -> str:
    """What a fact is called: stable while its words are edited."""
    match memory.body:
        case Claim(subject=subject, predicate=predicate):
            return f"{subject} {predicate.replace('_', ' ')}"
        case Lesson(topic=topic):
            return topic.replace("-", " ")
        case Page(title=title):
            return title
        case Entity(name=name):
            return name
        case body:
            return body.kind


def describe(memory: Memory) -> str:
    """One line on what a row is, without its words: they may be edited, and this stands in its file and in the index."""
    day = clock.day(memory.said_at, memory.offset_minutes)
    match memory.body:
        case Claim(category=category):
            return f"{category}, said {day}"
        case Lesson(learning=learning, importance=importance):
            return f"{learning}, importance {IMPORTANCE[importance]}, learned {day}"
        case Page(topic=topic):
            return f"what is known of {topic.replace('-', ' ')}"
        case Entity(type=kind):
            return f"{kind}, known since {day}"
        case body:
            return f"{body.kind}, {day}"


def _type(memory: Memory) -> str:
    match memory.body:
        case Lesson(learning=learning):
            return learning
        case Claim(category=category):
            return category
        case Entity(type=kind):
            return kind
        case body:
            return body.kind


def _front(memory: Memory, links: "tuple[str, ...]" = ()) -> "dict[str, str | tuple[str, ...]]":
    permanent = memory.tier == "T2"
    values: dict[str, str | tuple[str, ...]] = {
        "id": memory.id, "name": _name(memory), "description": describe(memory), "type": _type(memory), "kind": memory.body.kind,
        "tier": f"{memory.tier}, permanent" if permanent else f"{memory.tier}, unverified",
        "status": memory.status, "project": memory.project, "said": clock.stamp(memory.said_at, memory.offset_minutes),
        "sources": tuple(dict.fromkeys(s.message for s in memory.sources if s.message)), "links": links,
        "tags": ("bellek/permanent" if permanent else "bellek/unverified",),
    }  # fmt: skip
    match memory.body:
        case Lesson(topic=topic, importance=importance):
            values |= {"topic": topic, "importance": IMPORTANCE[importance]}
        case Claim(category=category):
            values["category"] = category
        case Page(topic=topic):
            values["topic"] = topic
        case Entity(aliases=aliases):
            values["aliases"] = aliases
        case _:
            pass
    return values


def plain(text: str) -> str:
    """Stored text as a file may hold it: what would steer a terminal is shown as a picture; lines and tabs stay."""
    if text.isprintable():
        return text
    return "".join(
        chr(0x2400 + ord(c)) if c < " " and c not in "\n\t" else "\u2421" if c == "\x7f" else c for c in text
    )


def body(memory: Memory) -> str:
    """What stands below the front matter of a fact: its words; a claim as one `- [category] fact` line."""
    if isinstance(memory.body, Claim):
        return f"- [{memory.body.category}] {_one_line(memory.text)}\n"
    return plain(memory.text) + "\n"


def written_body(memory: Memory, text: str) -> str:
    """The body that says other words."""
    return body(memory.model_copy(update={"text": text}))


def words(memory: Memory, below: str) -> str | None:
    """The words that a body says, the inverse of `body`; None where they are not in its form."""
    text = below.removesuffix("\n")
    if isinstance(memory.body, Claim):
        head = f"- [{memory.body.category}] "
        return text.removeprefix(head) if text.startswith(head) and "\n" not in text else None
    return text


def _one_line(text: str) -> str:
    return " ".join(plain(text).split())


def _fact(rows: _Rows, memory: Memory) -> File:
    return File(
        rows.paths[memory.id] + ".md", _front(memory, _links(rows, memory)), body(memory), memory.id, editable=True
    )


def _link(rows: _Rows, memory: Memory) -> str:
    """A wikilink to a row's file; what would end the link early is left out of its label."""
    label = _one_line(_name(memory)).translate({ord(c): " " for c in "[]|#^"})
    return f"[[{rows.paths[memory.id]}|{label}]]"


def _links(rows: _Rows, memory: Memory) -> "tuple[str, ...]":
    """Entities that a claim or a page names, by its subject, object or topic."""
    match memory.body:
        case Claim(subject=subject, object=said):
            named: tuple[str, ...] = (slug(subject), slug(said))
        case Page(topic=topic):
            named = (slug(topic),)
        case _:
            return ()
    hit = {one.id: one for name in named for one in rows.called.get(name, ())}
    return tuple(_link(rows, one) for one in list(hit.values())[:LINKS])


def _called(entity: Entity) -> "set[str]":
    return {slug(name) for name in (entity.name, *entity.aliases)}


def _person(rows: _Rows, memory: Memory) -> File:
    """An entity with its fields and the claims about it; a field or claim that nobody checked says so."""
    assert isinstance(memory.body, Entity)
    lines = [f"# {_one_line(memory.body.name)}", ""]
    lines += [_field(row) for row in rows.fields.get(memory.id, ())]
    said = {row.id: row for name in sorted(_called(memory.body)) for row in rows.about.get(name, ())}
    lines += [f"- [{_type(row)}] {_one_line(row.text)}{_mark(row)} {_link(rows, row)}" for row in said.values()]
    return File(rows.paths[memory.id] + ".md", _front(memory), "\n".join(lines) + "\n", memory.id)


def _field(row: Memory) -> str:
    assert isinstance(row.body, EntityField)
    value = row.text.partition(": ")[2] or row.text  # of a withheld one the text says only that it is
    return f"- [{_one_line(row.body.name)}] {_one_line(value)}{_mark(row)} ^{_anchor(row)}"


def _mark(row: Memory) -> str:
    return "" if row.tier in ("T2", "-") else " (unverified)"


def _anchor(row: Memory) -> str:
    return row.id.replace("_", "-")  # Obsidian's block ids have no underscore


def _days(rows: _Rows) -> "list[File]":
    """A daily note a day, in the order in which its rows were written: a day only grows at its end (R34)."""
    days: dict[str, list[str]] = defaultdict(list)
    for row in rows.of("event"):
        assert isinstance(row.body, Event)
        mood = f" ({row.body.mood})" if row.body.mood else ""
        at = clock.stamp(row.said_at, row.offset_minutes)[11:16]
        days[row.body.day].append(f"- {at} [{_one_line(row.body.topic)}] {_one_line(row.text)}{mood} ^{_anchor(row)}")
    return [
        File(
            f"journal/{day if _DAY.fullmatch(day) else slug(day)}.md",
            {"name": day, "type": "journal", "kind": "journal", "date": day},
            "\n".join(lines) + "\n",
        )
        for day, lines in days.items()
    ]


def _lists(rows: _Rows) -> "list[File]":
    found = []
    for name, kind, form in (("tasks", "task", _task), ("log", "log", _entry), ("worldview", "worldview", _view)):
        lines = [form(row) for row in rows.of(kind)]
        if lines:
            about = {"name": name, "type": name, "kind": kind}
            found.append(File(f"{name}.md", about, "\n".join(lines) + "\n"))  # type: ignore[arg-type]
    return found


def _task(row: Memory) -> str:
    assert isinstance(row.body, Task)
    box = {"open": " ", "done": "x", "deleted": "-"}[row.body.state]
    return f"- [{box}] {_one_line(row.text)} ^{_anchor(row)}"


def _entry(row: Memory) -> str:
    assert isinstance(row.body, LogEntry)
    because = f"; because: {_one_line(row.body.reason)}" if row.body.reason else ""
    at = clock.stamp(row.said_at, row.offset_minutes)[:16].replace("T", " ")
    return f"- {at} [{row.body.type}] {_one_line(row.agent)} ({_one_line(row.body.channel)}): {_one_line(row.text)}{because} ^{_anchor(row)}"


def _view(row: Memory) -> str:
    assert isinstance(row.body, Worldview)
    return f"- [{_one_line(row.body.topic)}] {_one_line(row.text)} ({row.body.week}) ^{_anchor(row)}"


def permanent(found: "list[File]") -> "list[File]":
    """The files of what a person made permanent, by path."""
    return sorted(
        (file for file in found if file.memory and not file.path.startswith(UNVERIFIED)), key=lambda file: file.path
    )


def _index(found: "list[File]") -> File:
    """Pointers alone: name, description, path of what a person made permanent; a row's words stand in its own file."""
    named = permanent(found)
    lines = [
        f"- [[{file.path.removesuffix('.md')}|{_label(file)}]]: {file.front['description']}"
        for file in named[:INDEX_LINES]
    ]
    if len(named) > INDEX_LINES:
        lines.append(f"- {len(named) - INDEX_LINES} more: `bellek vault index`")
    return File(INDEX, {"name": "index", "type": "index", "kind": "index"}, "\n".join(["# Index", "", *lines]) + "\n")


def _label(file: File) -> str:
    return _one_line(str(file.front["name"])).translate({ord(c): " " for c in "[]|#^"})
