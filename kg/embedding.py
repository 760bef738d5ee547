"""Messages → vectors, batch by batch, each in a short transaction of its own; a killed process goes on where it was.

What it is for: the hearing child after a turn, and `bellek index`. A space's `done` moves in the transaction that stores
its vectors, so nothing is lost or doubled; a space is asked only once it is whole. It must never run in the prompt hook,
never hold a transaction while an embedder works, and never embed a message whose words were changed meanwhile.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from bellek.kg import failpoints, locks, spaces, vector_cells
from bellek.kg.db import Database, Row, Value
from bellek.kg.embedders import Embedder, EmbedderFault
from bellek.kg.home import Home
from bellek.kg.passages import Kind, Said, bare, passages
from bellek.kg.spaces import Space
from bellek.schemas.embedding import Unfit, Vector
from bellek.schemas.errors import Busy

LOCK = "index"
BATCH = 32  # messages a transaction: about a second of the slowest embedder
SAMPLE = 48  # messages whose mean a new space begins with; 10 to 20 are enough
# Beside a small store's own words: what all texts share shows in any. Few messages are no mean.
PLAIN = (
    "I went to the market yesterday and bought some bread.", "The meeting was moved to Thursday afternoon.", "Can you fix the failing test?",
    "My sister is visiting us next month.", "We decided to use the smaller database.", "What time does the train leave?",
    "The function returns a list of numbers.", "He was tired and went to bed early.", "Dün pazara gidip biraz ekmek aldım.",
    "Toplantı perşembe öğleden sonraya alındı.", "Bozulan testi düzeltir misin?", "Ablam gelecek ay bizi görmeye geliyor.",
    "Daha küçük veritabanını kullanmaya karar verdik.", "Tren saat kaçta kalkıyor?", "Fonksiyon bir sayı listesi döndürüyor.",
    "Yorgundu, erken yattı.", "Wir haben gestern lange darüber gesprochen.", "Завтра обещают дождь.", "El informe está casi listo.",
    "昨天我们讨论了这个问题。",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the chosen embedder's spaces are: messages that have words, those looked at, texts without a usable vector."""

    embedder: str
    messages: int = 0
    looked_at: int = 0
    refused: int = 0
    whole: bool = False


class _One(NamedTuple):
    """A message as it stood when it was read; n is 0 where there is none."""

    n: int
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class _Words:
    """A message with its neighbours."""

    n: int
    project: str
    before: _One
    own: _One
    after: _One


@dataclass(slots=True)
class _Made:
    """What an embedder made of a batch for one space: (n, project, part) with the vector before centring."""

    space: Space
    rows: list[tuple[int, str, int, Vector]] = field(default_factory=list)
    refused: int = 0


def lacking(db: Database, embedder: str) -> bool:
    """Whether a message waits for its vector: cheap, asked before an embedder is loaded."""
    done = db.value("SELECT coalesce(min(done), 0) FROM spaces WHERE embedder = ? AND state <> 'old'", (embedder,))
    return db.value("SELECT 1 FROM messages WHERE n > ? AND shadow <> '' LIMIT 1", (done,)) is not None


def catch_up(
    home: Home,
    embedder: Embedder,
    *,
    seconds: float = 0.0,
    say: Callable[[int], None] = lambda _: None,
    mend: bool = False,
) -> int:
    """Embed what is missing, for at most `seconds` (0: until done), and drop what another embedder left once this one is whole.

    How many messages were embedded; `say` is told those of each batch. `mend` also looks for messages that lost their vectors:
    neighbours of what was forgotten. Nothing is counted over the store: `look` does that for who asks. Raises Busy, and EmbedderFault
    where the embedder stops answering; what was stored stays.
    """
    end = time.monotonic() + seconds if seconds else float("inf")
    made = 0
    with locks.held(home.path, LOCK) as mine:
        if not mine:
            raise Busy("the vectors are being made already", why="another process holds the lock of the index")
        if not spaces.extension(home.conversations):
            raise EmbedderFault(
                "vectors cannot be kept", why="the SQLite extension sqlite-vec is not installed or cannot be loaded"
            )
        for batch in _batches(home.conversations, embedder):
            made += batch
            say(batch)
            if time.monotonic() > end:
                return made
        _finish(home.conversations, embedder.identity)
        return made + (_mend(home.conversations, embedder) if mend else 0)


def look(db: Database, embedder: str) -> Progress:
    """How far one embedder is."""
    messages = int(str(db.value("SELECT count(*) FROM messages WHERE shadow <> ''")))
    known = [space for space in spaces.listed(db, embedder) if space.state != "old"] if embedder else []
    if not known:
        return Progress(embedder, messages)
    done = min(space.done for space in known)
    at = int(str(db.value("SELECT count(*) FROM messages WHERE shadow <> '' AND n <= ?", (done,))))
    is_whole = bool(spaces.whole(db, embedder)) and at == messages
    return Progress(embedder, messages, at, sum(space.refused for space in known), whole=is_whole)


def _batches(db: Database, embedder: Embedder) -> Iterator[int]:
    """Embed and store, a batch at a time; how many messages each had."""
    going = _going(db, embedder)
    while going:
        done = min(space.done for space in going)
        batch = _read(db, "m.n > ?", (done,), BATCH)
        if not batch:
            return
        _embed(db, embedder, going, batch, done=batch[-1].n)
        failpoints.reach("vectors-stored")
        yield len(batch)
        going = _going(db, embedder)


def _going(db: Database, embedder: Embedder) -> list[Space]:
    """The embedder's spaces that grow, one a kind: those being built, else the whole ones; begun where there are none."""
    known = [space for space in spaces.listed(db, embedder.identity) if space.state != "old"]
    building = [space for space in known if space.state == "building"]
    if known:
        return building or known
    if db.value("SELECT 1 FROM messages WHERE shadow <> '' LIMIT 1") is None:
        return []
    return _begin(db, embedder)


def _begin(db: Database, embedder: Embedder) -> list[Space]:
    """New spaces, each with the mean of a sample spread over the store, and of plain sentences where the store is small."""
    newest = int(str(db.value("SELECT max(n) FROM messages")))
    step = max(1, newest // SAMPLE)
    sample = _read(db, "m.n % ? = 0", (step,), SAMPLE)
    made: list[tuple[Kind, Vector]] = []
    for kind in embedder.kinds:
        texts = [text for words in sample for text in _texts(kind, words)[:1]]
        texts += PLAIN if len(texts) < SAMPLE else ()
        vectors = [
            vector
            for vector in embedder.embed(texts if embedder.centre else texts[:1])
            if not isinstance(vector, Unfit)
        ]
        if not vectors:
            raise EmbedderFault("no space can be begun", why="the embedder made no usable vector of any text")
        made.append((kind, spaces.mean_of(vectors)))
    return spaces.begin(db, embedder.identity, made)


def _texts(kind: Kind, words: _Words) -> list[str]:
    return passages(kind, *(Said(one.author, bare(one.text)) for one in (words.before, words.own, words.after)))


def _read(db: Database, which: str, values: tuple[Value, ...], limit: int) -> list[_Words]:
    """Messages that have words, by row number, with their neighbours of the same project: a session may go through several."""
    rows = db.rows(
        "SELECT m.project, coalesce(p.n, 0), coalesce(p.author, ''), coalesce(p.text, ''), m.n, m.author, m.text,"
        " coalesce(x.n, 0), coalesce(x.author, ''), coalesce(x.text, '') FROM messages m"
        " LEFT JOIN messages p ON p.conversation = m.conversation AND p.seq = m.seq - 1 AND p.project = m.project AND p.shadow <> ''"
        " LEFT JOIN messages x ON x.conversation = m.conversation AND x.seq = m.seq + 1 AND x.project = m.project AND x.shadow <> ''"
        f" WHERE {which} AND m.shadow <> '' ORDER BY m.n LIMIT ?",
        (*values, limit),
    )
    return [_words(row) for row in rows]


def _words(row: Row) -> _Words:
    before, own, after = (
        _One(int(str(n)), str(author), str(text)) for n, author, text in (row[1:4], row[4:7], row[7:10])
    )
    return _Words(own.n, str(row[0]), before, own, after)


def _embed(db: Database, embedder: Embedder, going: list[Space], batch: list[_Words], *, done: int) -> None:
    """Embed a batch and store it with the mark behind it. No transaction is open while the embedder works."""
    made = [_of_space(db, embedder, space, batch) for space in going]
    with db.transaction():
        for words, found in made:
            stand = _standing(db, words)
            _store(db, embedder, found, stand)
        db.run_many("UPDATE spaces SET done = max(done, ?) WHERE space = ?", [(done, space.id) for space in going])
        failpoints.reach("vectors-written")


def _of_space(db: Database, embedder: Embedder, space: Space, batch: list[_Words]) -> tuple[list[_Words], _Made]:
    """What a batch makes in one space. A window also changes for the message before: its words after it are new."""
    words = batch
    if space.kind == "window":
        first = {w.before.n for w in batch} - {w.n for w in batch} - {0}
        if first:
            words = [*_read(db, f"m.n IN ({', '.join('?' * len(first))})", tuple(first), len(first)), *batch]
    texts = [(w, part, text) for w in words for part, text in enumerate(_texts(space.kind, w))]
    found = _Made(space)
    for (w, part, _), vector in zip(texts, embedder.embed([text for *_, text in texts]), strict=True):
        if isinstance(vector, Unfit) or len(vector) != space.dimension:
            found.refused += 1
        else:
            found.rows.append((w.n, w.project, part, vector))
    return words, found


def _standing(db: Database, words: list[_Words]) -> set[int]:
    """The messages whose words, and whose neighbours' words, are those that were embedded: none was forgotten meanwhile."""
    was = {one.n: one.text for w in words for one in (w.before, w.own, w.after) if one.n}
    now: dict[int, str] = {}
    numbers = list(was)
    for start in range(0, len(numbers), 500):
        part = numbers[start : start + 500]
        now.update(
            (int(str(n)), str(text))
            for n, text in db.rows(
                f"SELECT n, text FROM messages WHERE n IN ({', '.join('?' * len(part))})", tuple(part)
            )
        )
    changed = {n for n, text in was.items() if now.get(n) != text}
    return {w.n for w in words if changed.isdisjoint((w.before.n, w.n, w.after.n))}


def _store(db: Database, embedder: Embedder, made: _Made, stand: set[int]) -> None:
    space = made.space
    refused = made.refused
    for n, project, part, vector in made.rows:
        if n not in stand:
            continue
        rest = spaces.centred(vector, space.mean, embedder.centre)
        if rest is None:
            refused += 1
            continue
        packed = spaces.packed(rest)
        cell = vector_cells.nearest(db, space.id, project, packed)
        db.run("DELETE FROM vectors WHERE n = ? AND space = ? AND part = ?", (n, space.id, part))
        db.run(
            "INSERT INTO vectors (space, project, cell, n, part, v) VALUES (?, ?, ?, ?, ?, ?)",
            (space.id, project, cell, n, part, packed),
        )
    db.run("UPDATE spaces SET refused = refused + ? WHERE space = ?", (refused, space.id))


def start_anew(db: Database, embedder: Embedder) -> None:
    """Begin new spaces beside the whole ones, which are asked until these are whole. One that is being built goes on."""
    if not any(space.state == "building" for space in spaces.listed(db, embedder.identity)):
        _begin(db, embedder)


def _mend(db: Database, embedder: Embedder) -> int:
    """Embed the messages that were looked at and have no vector; how many there were. A refused text is tried again."""
    mended = 0
    for space in spaces.whole(db, embedder.identity):
        after = 0
        lost = "m.n > ? AND m.n <= ? AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.n = m.n AND v.space = ?)"
        while batch := _read(db, lost, (after, space.done, space.id), BATCH):
            _embed(db, embedder, [space], batch, done=space.done)
            after = batch[-1].n
            mended += len(batch)
    return mended


def _finish(db: Database, identity: str) -> None:
    """The spaces that were built become whole, all kinds at once; what they replace is dropped piece by piece."""
    spaces.make_whole(db, identity)
    failpoints.reach("spaces-whole")
    whole = spaces.whole(db, identity)
    for space in whole:
        vector_cells.gather(db, space.id)
    if not whole:
        return  # there was nothing to embed: what another embedder left is not replaced
    for space in spaces.listed(db):
        if space.embedder != identity or space.state == "old":
            spaces.drop(db, space)
