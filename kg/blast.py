"""What a forgetting reaches, before anything is touched: the rows that are meant, what hangs on them, and where it was said.

Reads only. It must never reach into another project unless it is told to, never guess a name by its beginning alone,
and never leave out a row that would keep an index, a conflict or a field of what is forgotten.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bellek.kg import entities, fts_query, intake, lookup, memories, names, normal, parts, scope, stones
from bellek.kg.db import Database, Value
from bellek.kg.home import Home
from bellek.schemas.errors import NotFound
from bellek.schemas.memory import Memory
from bellek.schemas.vocab import ANY, FORGOTTEN

MOST = 100_000  # rows that one question of a person may bring


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person or an agent asks to forget. Instants are UTC ms, `until` 0 is open; `kinds` may hold "message"."""

    project: str
    ids: tuple[str, ...] = ()
    query: str = ""
    entity: str = ""
    source: str = ""
    since: int = 0
    until: int = 0
    kinds: tuple[str, ...] = ()
    everywhere: bool = False  # other projects too
    keep_messages: bool = False  # leave what was said, take only what was made of it
    banks: tuple[str, ...] = ()  # of the project, that are looked into besides: a person's order reaches all of them


@dataclass(slots=True)
class Blast:
    """What is reached: memories and messages with the reason for each, waiting items, and what else names them."""

    memories: dict[str, str] = field(default_factory=dict)  # id → why
    messages: dict[str, str] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)
    conversations: dict[str, int] = field(default_factory=dict)  # forgotten whole: id → until (UTC ms)
    also_in: list[str] = field(default_factory=list)  # rows that hold the words and stay
    held: dict[str, Memory] = field(default_factory=dict)  # the rows as they are now
    texts: dict[str, str] = field(default_factory=dict)  # message → what was said
    typed: list[str] = field(default_factory=list)  # messages that a person wrote

    def __bool__(self) -> bool:
        return bool(self.memories or self.messages or self.items or self.conversations)


def reach(home: Home, asked: Asked) -> Blast:
    """All that an order reaches, closed under what hangs on it. Raises NotFound, Refused for an id that is none."""
    blast = Blast()
    for given in asked.ids:
        _by_id(home, given, blast)
    if asked.query:
        _by_words(home, asked, asked.query, f"holds {asked.query[:60]!r}", blast)
    if asked.entity:
        _by_entity(home, asked, blast)
    if asked.source:
        _by_source(home, asked.source, blast)
    if asked.since or asked.until:
        _by_time(home, asked, blast)
    _only_kinds(home, asked, blast)
    _close(home, asked, blast)
    return blast


def _scope(asked: Asked) -> tuple[str, tuple[Value, ...]]:
    """SQL for the rows that are in reach: this project's, its banks' and every project's, or all."""
    if asked.everywhere:
        return "1", ()
    return scope.sees_with(len(asked.banks)), (asked.project, *asked.banks)


def _places(asked: Asked) -> str:
    """The same as words of the index of memories."""
    return "" if asked.everywhere else " ".join(scope.words_with_apart(one) for one in (asked.project, *asked.banks))


def _by_id(home: Home, given: str, blast: Blast) -> None:
    message = home.conversations.value("SELECT id FROM messages WHERE id = ?", (given,))
    if message is not None:
        blast.messages[str(message)] = "named"
        return
    item = home.memory.value("SELECT id FROM queue WHERE id = ?", (given,))
    if item is not None:
        blast.items[str(item)] = "named"
        return
    blast.memories[memories.find_id(home.memory, given)] = "named"


def _by_words(home: Home, asked: Asked, text: str, why: str, blast: Blast) -> None:
    wanted = set(normal.bare(text))
    match = fts_query.every(text, column="own", scope=_places(asked))
    if match is None:
        return
    for row in lookup.memories(home.memory, match, limit=MOST, hidden=True):
        if wanted <= set(normal.bare(f"{row[9]}\n{_body_words(home.memory, str(row[0]))}")):
            blast.memories.setdefault(str(row[0]), why)
    if asked.keep_messages or not (match := fts_query.every(text, column="own")):
        return
    for row in lookup.messages(home.conversations, match, _talk(home, asked.everywhere, asked.project), limit=MOST):
        if wanted <= set(normal.bare(str(row[7]))):
            blast.messages.setdefault(str(row[2]), why)


def _talk(home: Home, everywhere: bool, project: str) -> tuple[int, int]:
    """Which part of the index of messages is reached."""
    return parts.EVERYWHERE if everywhere else parts.all_of(home.conversations, project)


def _body_words(db: Database, id: str) -> str:
    memory = memories.read(db, id)
    return "\n".join(_texts(memory))


def _texts(memory: Memory) -> list[str]:
    """Every free text of a memory: what was put into words, wherever it stands in it."""
    return [*intake.texts(memory), memory.note]


def _by_entity(home: Home, asked: Asked, blast: Blast) -> None:
    """The entity with all its names: its row, its fields, claims on either side, and every row and message that names it."""
    found = entities.named(home.memory, asked.entity, asked.project)
    spelled = {asked.entity} if not found or asked.entity not in found else set()
    for id_ in found:
        blast.memories[id_] = "named"
        body = memories.read(home.memory, id_).body
        spelled |= {str(getattr(body, "name", "")), *entities.aliases(home.memory, id_)}
    where, values = _scope(asked)
    for name in sorted(spelled - {""}):
        key = names.key(name)
        for (claim,) in home.memory.rows(
            f"SELECT c.id FROM claims c JOIN memories m ON m.id = c.id WHERE (c.subject_key = ? OR c.object_key = ?) AND {where}",
            (key, names.words(name), *values),
        ):
            blast.memories.setdefault(str(claim), f"a claim about {name[:60]!r}")
        _by_words(home, asked, name, f"names {name[:60]!r}", blast)
    if not blast:
        raise NotFound(
            f"nothing names {asked.entity[:60]!r} here",
            why="no entity, row or message does",
            hint="run `bellek search WORDS`",
        )


def _by_source(home: Home, source: str, blast: Blast) -> None:
    """A message, a whole conversation (session), or a queue item, and what was made of it."""
    talk = home.conversations.one("SELECT id, last_at FROM conversations WHERE id = ?", (source,))
    if talk:
        blast.conversations[str(talk[0])] = int(str(talk[1]))
        for (id_,) in home.conversations.rows("SELECT id FROM messages WHERE conversation = ?", (source,)):
            blast.messages[str(id_)] = f"said in {source[:60]}"
    elif home.conversations.value("SELECT 1 FROM messages WHERE id = ?", (source,)):
        blast.messages[source] = "named"
    for (id_,) in home.memory.rows("SELECT id FROM queue WHERE ? IN (id, message, session)", (source,)):
        blast.items[str(id_)] = f"heard in {source[:60]}"
    made = {source, *blast.messages}
    for id_, *where in home.memory.rows("SELECT memory, item, conversation, message FROM sources"):
        if made.intersection(map(str, where)):
            blast.memories.setdefault(str(id_), f"made from {source[:60]}")
    if not blast:
        raise NotFound(
            f"no source {source[:60]!r}",
            why="it is no message, conversation, session or item",
            hint="run `bellek show ID` to see where a row comes from",
        )


def _by_time(home: Home, asked: Asked, blast: Blast) -> None:
    until = asked.until or 2**62
    where, values = _scope(asked)
    for (id_,) in home.memory.rows(
        f"SELECT m.id FROM memories m WHERE m.said_at >= ? AND m.said_at < ? AND {where}", (asked.since, until, *values)
    ):
        blast.memories.setdefault(str(id_), "said in that time")
    if asked.keep_messages:
        return
    for (id_,) in home.conversations.rows(
        f"SELECT m.id FROM messages m WHERE m.at >= ? AND m.at < ? AND {where}", (asked.since, until, *values)
    ):
        blast.messages.setdefault(str(id_), "said in that time")


def _only_kinds(home: Home, asked: Asked, blast: Blast) -> None:
    if not asked.kinds:
        return
    for id_ in list(blast.memories):
        if memories.read(home.memory, id_).body.kind not in asked.kinds:
            del blast.memories[id_]
    if "message" not in asked.kinds:
        blast.messages.clear()


def _close(home: Home, asked: Asked, blast: Blast) -> None:
    """What hangs on the rows, until nothing new is found; then where it was said, and what waits in those words."""
    _derived(home, blast)
    _hold(home, blast)
    if not asked.keep_messages:
        _where_said(home, asked, blast)
        _log_lines(home, blast)
    _load_messages(home, blast)
    _waiting(home, blast)
    words = [memory.text for memory in blast.held.values() if memory.body.kind != "conflict" and len(memory.text) >= 12]
    blast.also_in = _also_in(home, words, blast)


def _hold(home: Home, blast: Blast) -> None:
    seen: set[str] = set()
    while fresh := [id_ for id_ in blast.memories if id_ not in seen]:
        for id_ in fresh:
            seen.add(id_)
            blast.held[id_] = memories.read(home.memory, id_)
            _hang_on(home.memory, blast.held[id_], blast)


def again(home: Home, ids: Iterable[str], messages: Iterable[str]) -> Blast:
    """What an earlier order took, as far as it is here: those very rows and messages, what hangs on the rows, what waits in their words."""
    why = "it was forgotten before"
    blast = Blast(
        memories={id_: why for id_ in ids if home.memory.value("SELECT 1 FROM memories WHERE id = ?", (id_,))},
        messages={
            id_: why for id_ in messages if home.conversations.value("SELECT 1 FROM messages WHERE id = ?", (id_,))
        },
    )
    _hold(home, blast)
    _load_messages(home, blast)
    _waiting(home, blast)
    return blast


def items_again(home: Home) -> Blast:
    """The items that wait with words which a tombstone knows to be forgotten."""
    rows = home.memory.rows("SELECT id, project, payload FROM queue")
    return Blast(items={
        str(id_): "its words were forgotten before" for id_, project, payload in rows
        if stones.rule_text(home.memory, str(project), str(payload)).how == "forgotten"
    })  # fmt: skip


def _derived(home: Home, blast: Blast) -> None:
    """A message that is named takes along what was made of it alone."""
    for message in [id_ for id_, why in blast.messages.items() if why == "named"]:
        for (id_,) in home.memory.rows("SELECT memory FROM sources WHERE message = ?", (message,)):
            blast.memories.setdefault(str(id_), f"made from message {message[:60]}")


def _hang_on(db: Database, memory: Memory, blast: Blast) -> None:
    for (id_,) in db.rows("SELECT id FROM conflicts WHERE ? IN (strong, weak)", (memory.id,)):
        blast.memories.setdefault(str(id_), f"a conflict about {memory.id}")
    for (id_,) in db.rows("SELECT id FROM fields WHERE entity = ?", (memory.id,)):
        blast.memories.setdefault(str(id_), f"a field of {memory.id}")
    for id_, evidence in db.rows("SELECT id, evidence FROM worldviews WHERE instr(evidence, ?)", (f'"{memory.id}"',)):
        blast.memories.setdefault(
            str(id_), f"a view built on {memory.id}: {str(evidence).count(',') + 1} pieces of evidence"
        )
    for id_ in twins(db, memory):
        blast.memories.setdefault(id_, f"the same words as {memory.id}")


def twins(db: Database, memory: Memory) -> list[str]:
    """Other rows, of any kind, that hold the same value where it may be told too: a learning is a lesson and a journal row."""
    if memory.body.kind in ("conflict", "entity", "field"):
        return []
    there = "" if memory.project == ANY else scope.words_with_apart(memory.project)
    match = fts_query.every(memory.text, column="own", scope=there)
    rows = lookup.memories(db, match, limit=200, hidden=True) if match else []
    form = normal.form(memory.text)
    return [
        str(row[0]) for row in rows
        if row[0] != memory.id and row[2] not in ("conflict", "entity", "field") and normal.form(str(row[9])) == form
    ]  # fmt: skip


def _where_said(home: Home, asked: Asked, blast: Blast) -> None:
    """The messages that the rows come from, and those that hold a row's very words."""
    for memory in list(blast.held.values()):
        for source in memory.sources:
            if source.message and home.conversations.value("SELECT 1 FROM messages WHERE id = ?", (source.message,)):
                blast.messages.setdefault(source.message, f"where {memory.id} was said")
        if memory.body.kind == "conflict" or len(memory.text) < 12:
            continue
        match = fts_query.every(memory.text, column="own")
        here = _talk(home, asked.everywhere or memory.project == ANY, memory.project)
        for row in lookup.messages(home.conversations, match, here, limit=1_000) if match else []:
            if memory.text in str(row[7]):
                blast.messages.setdefault(str(row[2]), f"holds the words of {memory.id}")


def _log_lines(home: Home, blast: Blast) -> None:
    """What hearing worded out of a message that vanishes: its line in the shared log, its checkpoint."""
    if not blast.messages:
        return
    rows = home.memory.rows("SELECT s.memory, s.message FROM sources s JOIN logs l ON l.id = s.memory")
    for id_, message in rows:
        if message in blast.messages and str(id_) not in blast.memories:
            blast.memories[str(id_)] = f"worded out of message {str(message)[:60]}"
            blast.held[str(id_)] = memories.read(home.memory, str(id_))


def _load_messages(home: Home, blast: Blast) -> None:
    for id_ in blast.messages:
        row = home.conversations.one(
            "SELECT text, author = 'user' AND machine = 0 AND agent <> 'manual' FROM messages WHERE id = ?", (id_,)
        )
        if row and row[0] != FORGOTTEN:
            blast.texts[id_] = str(row[0])
            if row[1]:
                blast.typed.append(id_)


def _waiting(home: Home, blast: Blast) -> None:
    """Items that were heard in a forgotten message, or wait with a forgotten row's value."""
    forms = {normal.form(memory.text): memory.id for memory in blast.held.values()}
    for id_, payload, message in home.memory.rows("SELECT id, payload, message FROM queue"):
        if message in blast.messages:
            blast.items.setdefault(str(id_), f"heard in message {str(message)[:60]}")
        elif (same := forms.get(normal.form(str(payload)))) is not None:
            blast.items.setdefault(str(id_), f"the same words as {same}")


def _also_in(home: Home, words: Iterable[str], blast: Blast) -> list[str]:
    """Rows that hold a forgotten row's very words within others, and stay: they are named, never cut."""
    found: list[str] = []
    for text in words:
        match = fts_query.every(text, column="own")
        rows = lookup.memories(home.memory, match, limit=50, hidden=True) if match else []
        found += [str(row[0]) for row in rows if row[0] not in blast.memories and text in str(row[9])]
    return list(dict.fromkeys(found))


def texts(home: Home, blast: Blast) -> list[str]:
    """Every text that is to vanish, of all revisions: what the byte search looks for."""
    found: list[str] = list(blast.texts.values())
    for id_ in blast.memories:
        for (body,) in home.memory.rows("SELECT body FROM revisions WHERE id = ?", (id_,)):
            found += _texts(Memory.model_validate_json(str(body)))
    for id_ in blast.items:
        found += [str(row[0]) for row in home.memory.rows("SELECT payload FROM queue WHERE id = ?", (id_,))]
    return [text for text in dict.fromkeys(found) if text.strip()]


def counts(home: Home, blast: Blast) -> dict[str, int]:
    """How many rows of everything are reached: revisions, conflicts, fields, receipts that named one, pointers, refusals."""
    ids, said = list(blast.memories), list(blast.messages)
    kinds = [memory.body.kind for memory in blast.held.values()]
    naming = [
        str(receipt)
        for id_ in (*ids, *said)
        for (receipt,) in home.memory.rows("SELECT id FROM receipts WHERE instr(lines, ?)", (f'"{id_}"',))
    ]
    return {
        "memories": len(ids), "revisions": _count(home.memory, "SELECT count(*) FROM revisions WHERE id = ?", ids),
        "claims": kinds.count("claim"), "conflicts": kinds.count("conflict"), "fields": kinds.count("field"),
        "sources": _count(home.memory, "SELECT count(*) FROM sources WHERE memory = ?", ids), "messages": len(said),
        "items": len(blast.items), "pointers": _count(home.memory, "SELECT count(*) FROM observations WHERE message = ?", said),
        "receipts": len(set(naming)),
    }  # fmt: skip


def _count(db: Database, sql: str, ids: list[str]) -> int:
    return sum(int(str(db.value(sql, (id_,)))) for id_ in ids)


def needs_person(blast: Blast) -> str:
    """Why only a person may give this order; "" where an agent may: it forgets what an agent wrote, and nothing else.

    What a person made permanent, said, typed or decided (a refusal, what waits for them) is theirs.
    """
    for memory in blast.held.values():
        if memory.tier == "T2":
            return f"{memory.id} is permanent"
        if memory.origin == "user":
            return f"{memory.id} is in the person's own words"
        if memory.status in ("quarantined", "refused"):
            return f"{memory.id} is {memory.status}: that is the person's matter"
    return f"message {blast.typed[0]} was written by a person" if blast.typed else ""
