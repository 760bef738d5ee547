"""The compiled wiki, asked: which section of which page answers, where it comes from, and what no page knows (R80).

Reads only. A hit names page, section, line and source ids, so that a reader can look. It must never answer with a page that
carries too little of the question, nor hide what the question asks for and no page holds.
"""

import re
from dataclasses import dataclass

from bellek.context import recall
from bellek.kg import fold, fts_query, lookup, memories, scope
from bellek.kg.db import Database
from bellek.schemas.page import Page

PAGES = 200  # looked into at most, the newest
SECTIONS_A_PAGE = 3
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*$")
_FENCE = re.compile(r"[ \t]{0,3}(```+|~~~+)")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page under its heading ("" before the first); `line` is the number of its first line, from 1."""

    heading: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that answers. `share` is the part of the question's weight that it carries, 0 to 1."""

    id: str
    topic: str
    title: str
    tier: str
    origin: str
    section: Section
    share: float
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """Hits, best first, and the words of the question that no page of the project holds."""

    hits: tuple[Hit, ...]
    unknown: tuple[str, ...]


def sections(text: str) -> list[Section]:
    """The parts of a page in order. A heading inside a code fence is code. All texts joined by newlines are the page."""
    found: list[tuple[str, int, list[str]]] = [("", 1, [])]
    fence = ""
    for number, line in enumerate(text.split("\n"), start=1):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.fullmatch(line)
        if heading:
            found.append((heading[2], number, []))
        found[-1][2].append(line)
    return [Section(name, number, "\n".join(lines)) for name, number, lines in found if lines]


def search(db: Database, question: str, project: str, *, limit: int = 10) -> Answer:
    """The sections that carry the question, best first, the newest page first among equals."""
    here = scope.words(project)
    words = fts_query.words(question)[: recall.MAX_WORDS]
    unknown = tuple(word for word in words if not _held(db, word, here))
    match = fts_query.match(question, scope=here)
    if match is None or len(unknown) == len(words):
        return Answer((), unknown)
    weights = recall.weigh(db, question, here)
    hits = [
        hit for id_, _ in lookup.newest(db, match, kind="page", limit=PAGES) for hit in _in_page(db, str(id_), weights)
    ]
    hits.sort(key=lambda hit: -hit.share)
    return Answer(tuple(hits[:limit]), unknown)


def _held(db: Database, word: str, here: str) -> bool:
    match = fts_query.narrow(word, column="own", scope=here)
    return bool(match and lookup.newest(db, match, kind="page", limit=1))


def _in_page(db: Database, id: str, weights: recall.Weights) -> list[Hit]:
    row = memories.read(db, id)
    if not isinstance(row.body, Page):
        return []
    head = f"{row.body.title} {row.body.topic.replace('-', ' ')}"
    whole = recall.carried(weights, fold.index_text(f"{head} {row.text}"))
    if whole < recall.FLOOR:
        return []  # what the page as a whole does not carry, none of its parts does
    sources = tuple(dict.fromkeys(source.message for source in row.sources if source.message))
    found = [(recall.carried(weights, fold.index_text(f"{head} {part.text}")), part) for part in sections(row.text)]
    found.sort(key=lambda pair: (-pair[0], pair[1].line))
    return [
        Hit(row.id, row.body.topic, row.body.title, row.tier, row.origin, part, round(share, 3), sources)
        for share, part in found[:SECTIONS_A_PAGE]
        if share >= recall.FLOOR
    ]


def best_section(db: Database, question: str, text: str, project: str) -> Section:
    """The part of a page's text that carries most of a question; the first where none carries any."""
    weights = recall.weigh(db, question, scope.words(project))
    return max(sections(text), key=lambda part: (recall.carried(weights, fold.index_text(part.text)), -part.line))
