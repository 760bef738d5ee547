"""Nodes of a space in one process: homes of their own, and a relay that hands entries on late, twice, in part, or not at all.

The relay keeps streams as a hub does (an entry once, words of what is gone dropped) and nothing else: what nodes make of the entries
is the product's own code.
"""

import random
import secrets
from dataclasses import replace

from bellek.curator import claiming, forgetting, hub_sync, review, undoing
from bellek.curator.context_of import Place
from bellek.kg import blast, clock, forget, hub_export, hub_spaces, hub_streams, memories, pages, registry
from bellek.kg.home import open_home
from bellek.kg.hub_spaces import Node
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.errors import BellekError, NeverAgain
from bellek.schemas.hub import Token
from bellek.schemas.lesson import Lesson
from bellek.schemas.memory import Memory
from bellek.schemas.page import Page
from bellek.schemas.task import Task

AT = 1_796_000_000_000
PERSON = "person:terminal"
WORDS = (
    "uv installs every package",
    "the port is 9107",
    "şema her gece göç eder",
    "asla önbellek kullanma",
    "tests run on two cores",
)
CITIES = ("Ankara", "Bursa", "Berlin")


class Peer:
    """One node: its home, its project, and what it does with them."""

    def __init__(self, folder, name, key, member="ada", trusted=(), role="writer"):
        self.home = open_home(str(folder / name))
        self.db = self.home.memory
        with self.db.transaction():
            self.project = registry.register(self.db, str(folder / f"{name}-work"))
            token = Token(space="team", node="k_" + (name * 12)[:12], member=member, role=role, server="host=localhost", login="bellek_test",
                          password=secrets.token_hex(24), key=key)  # fmt: skip
            hub_spaces.join(self.db, token, {"app": self.project}, tuple(trusted))
        self.node = token.node
        self.member = member

    @property
    def space(self):
        """The space as this node joined it."""
        return hub_spaces.one(self.db)

    def memory(self, letter, text, body, **given):
        """A memory of this node's project."""
        fields = {
            "id": mint(letter), "project": self.project, "agent": "claude-code", "session": "*", "origin": "agent", "tier": "T1", "text": text,
            "said_at": clock.now(), "batch": mint("b"), "body": body, **given,
        }  # fmt: skip
        return Memory.model_validate(fields)

    def write(self, memory, actor="agent"):
        """Write one memory."""
        with self.db.transaction():
            return memories.write(self.db, memory, actor=actor).id

    def lesson(self, text, **given):
        """A lesson."""
        return self.write(self.memory("l", text, Lesson(topic="note", learning="discovery", importance=1), **given))

    def page(self, topic, text):
        """A page of a topic; a topic has one, so a second one is its next revision where a machine may write it."""
        known = pages.of_topic(self.db, self.project, topic)
        old = memories.read(self.db, known) if known else None
        if old is not None:
            return known if old.tier == "T2" else self.write(old.model_copy(update={"text": text, "batch": mint("b")}))
        return self.write(self.memory("w", text, Page(topic=topic, title=topic)))

    def task(self, text):
        """A task."""
        return self.write(self.memory("t", text, Task(), tier="-"))

    def claim(self, subject, predicate, said, at=None):
        """A claim, by the law of its slot."""
        body = Claim(category="project", subject=subject, predicate=predicate, object=said, confidence=0.7)
        place = _At(self.home, self.project, "agent", mint("b"), at=at or clock.now())
        try:
            with self.db.transaction():
                return claiming.write(place, body, origin="agent").id
        except NeverAgain:
            return ""

    def by_person(self, act, id, **given):
        """An act of a person's on a row; whether it was possible."""
        try:
            with self.db.transaction():
                match act:
                    case "promote":
                        review.promote(self.home, id, actor=PERSON)
                    case "refuse":
                        review.refuse(self.home, id, note="no", actor=PERSON)
                    case "edit":
                        review.edit(self.home, id, given["text"], actor=PERSON)
                    case "resolve":
                        review.resolve(self.home, id, winner=given["winner"], note="so it is", actor=PERSON)
        except BellekError:
            return False
        return True

    def undo(self, batch):
        """Take a batch back as a person; whether it was possible."""
        try:
            undoing.take_back(self.db, batch, actor=PERSON)
        except BellekError:
            return False
        return True

    def forget(self, id, actor=PERSON):
        """Forget a row here."""
        reached = blast.reach(self.home, blast.Asked(project=self.project, ids=(id,)))
        return forgetting.carry_out(self.home, reached, actor=actor)

    def standing(self):
        """Id → status of this project's rows."""
        return dict(self.db.rows("SELECT id, status FROM memories WHERE project = ?", (self.project,)))

    def exported(self, folder):
        """The space as this node writes it: file → bytes, but for the project's folder."""
        place = folder / f"out-{self.node}-{mint('o')}"
        hub_export.write(self.db, self.space, str(place))
        return {name: (place / name).read_bytes() for name in hub_export.FILES}


class _At(Place):
    """A place whose words are said at a given instant."""

    def __init__(self, home, project, actor, batch, *, at):
        super().__init__(home, project, actor, batch)
        object.__setattr__(self, "_at", at)

    @property
    def said_at(self):
        return self.__dict__["_at"] if "_at" in getattr(self, "__dict__", {}) else clock.now()


class Relay:
    """Streams as a hub keeps them."""

    def __init__(self, peers):
        self.peers = peers
        self.streams = {peer.node: [] for peer in peers}
        self.gone = set()
        for peer in peers:
            with peer.db.transaction():
                hub_spaces.keep_nodes(peer.db, "team", [Node(p.node, p.member, "writer", "in") for p in peers])

    def push(self, peer, most=10**9):
        """Take what a peer has that is new, up to so many entries."""
        hub_sync.look(peer.home, peer.space, hub_sync.Synced("team"))
        stream = self.streams[peer.node]
        stream += hub_streams.after(peer.db, "team", peer.node, len(stream), most)
        self.gone |= {one.id for one in stream if one.act == "gone"}
        for other in self.streams.values():
            other[:] = [replace(one, body=None, salt=None) if one.id in self.gone else one for one in other]

    def pull(self, peer, source, most=10**9, again=0):
        """Hand a run of another's stream to a peer, beginning some entries before what it has."""
        at = max(0, hub_streams.head(peer.db, "team", source.node)[0])
        run = self.streams[source.node][max(0, at - again) : at + most]
        with peer.db.transaction():
            hub_sync.take(peer.home, peer.space, source.node, run)
        forget.finish(peer.home)

    def meet(self):
        """Let all peers exchange everything, until nothing is left to be said."""
        for _ in range(4):
            for peer in self.peers:
                self.push(peer)
            for peer in self.peers:
                for other in self.peers:
                    if other is not peer:
                        self.pull(peer, other)

    def round(self, dice: random.Random):
        """A bit of what a network does."""
        peer, other = dice.sample(self.peers, 2)
        if dice.random() < 0.5:
            self.push(peer, dice.choice((1, 2, 5, 50)))
        else:
            self.pull(peer, other, dice.choice((1, 2, 5, 50)), again=dice.choice((0, 0, 1, 3)))
