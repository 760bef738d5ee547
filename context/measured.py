"""R112: what retrieval did for the turns of a project: fired, silent, seen, cited. Worked out from receipts when it is asked for.

What it is for: whether memory is worth its place in a packet. Counted is what was found for a prompt (`RETRIEVED`), not
what stands in every packet. A packet *fired* when it told at least one such row; it was *seen* when its fence was read
back from the client's transcript; it was *cited* when the reply that followed names the id of such a row, or *echoes*
it: holds half (three at least) of the row's words that the prompt did not hold itself.

What it must never do: count a row as useful because it was told, write anything, or read a clock. An echo is a sign, not a
proof: a model may know the words by itself. What was forgotten cannot be compared and counts as not cited.
"""

from dataclasses import dataclass

from bellek.kg import fts_query, receipts
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.kg.receipts import Receipt

RETRIEVED = ("lessons", "conversations")  # the sections of a packet that a prompt's words fill
ECHO_WORDS = 3  # words of a row that a reply must hold beyond the prompt's …
ECHO_SHARE = 0.5  # … and which share of them
NEWEST = 2_000  # receipts looked at
_PROMPT = "UserPromptSubmit"


@dataclass(frozen=True, slots=True)
class Measured:
    """Counts over the newest receipts of a project (all projects: ""). `prompts` were heard, `silent` of them told no row."""

    prompts: int
    fired: int
    silent: int
    rows: int
    seen: int
    cited: int
    named: int
    echoed: int


def measure(home: Home, project: str) -> Measured:
    """The counters of a project, or of all with ""."""
    told = [
        r
        for r in receipts.latest(home.memory, limit=NEWEST)
        if project in ("", r.project) and r.event.startswith(_PROMPT)
    ]
    fired = [receipt for receipt in told if _rows_of(receipt)]
    seen = [receipt for receipt in fired if receipt.state in ("seen", "kept")]
    marks = [_cited(home, receipt) for receipt in seen]
    prompts = max(_prompts(home.conversations, project), len(told))
    return Measured(
        prompts=prompts,
        fired=len(fired),
        silent=max(0, prompts - len(fired)),
        rows=sum(len(_rows_of(receipt)) for receipt in fired),
        seen=len(seen),
        cited=sum(any(mark) for mark in marks),
        named=sum(named for named, _ in marks),
        echoed=sum(echoed for _, echoed in marks),
    )


def _rows_of(receipt: Receipt) -> list[str]:
    """Ids of the rows that were found for the prompt and told."""
    return [line.id for line in receipt.lines if line.section in RETRIEVED and line.fate == "told"]


def _prompts(db: Database, project: str) -> int:
    """How many prompts of a person were heard."""
    return int(
        str(
            db.value(
                "SELECT count(*) FROM messages WHERE author = 'user' AND machine = 0 AND sidechain = 0 AND (?1 = '' OR project = ?1)",
                (project,),
            )
        )
    )


def _cited(home: Home, receipt: Receipt) -> tuple[bool, bool]:
    """Whether the reply to a packet's prompt names one of its rows, and whether it echoes one."""
    talk = home.conversations.rows(
        "SELECT author, text, shadow FROM messages WHERE conversation = ? AND sidechain = 0 AND at >= ? ORDER BY seq LIMIT 50",
        (receipt.session, receipt.at),
    )
    reply: list[tuple[str, str]] = []
    prompt = ""
    for author, text, shadow in talk:
        if author == "user" and reply:
            break
        if author == "user":
            prompt = str(shadow)
        else:
            reply.append((str(text), str(shadow)))
    ids = _rows_of(receipt)
    named = any(id_ in text for id_ in ids for text, _ in reply)
    if not prompt:
        prompt = str(home.conversations.value(
            "SELECT shadow FROM messages WHERE conversation = ? AND author = 'user' AND sidechain = 0 AND at < ? ORDER BY seq DESC LIMIT 1",
            (receipt.session, receipt.at),
        ) or "")  # fmt: skip
    asked, answered = frozenset(prompt.split()), frozenset(" ".join(shadow for _, shadow in reply).split())
    return named, any(_echoes(text, asked, answered) for id_ in ids for text in _texts(home, id_))


def _texts(home: Home, id_: str) -> list[str]:
    """The text of a told row, a memory's or a message's; none where it is gone."""
    found = home.memory.value("SELECT text FROM memories WHERE id = ?", (id_,))
    found = found or home.conversations.value("SELECT text FROM messages WHERE id = ?", (id_,))
    return [str(found)] if found else []


def _echoes(text: str, asked: frozenset[str], answered: frozenset[str]) -> bool:
    """Whether an answer holds enough of a row's own words that the question did not."""
    new = [word for word in fts_query.words(text) if not fts_query.same(word, asked)]
    held = sum(fts_query.same(word, answered) for word in new)
    return held >= max(ECHO_WORDS, ECHO_SHARE * len(new))
