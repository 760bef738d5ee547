"""Hearing, queue and drain against a model of a page: what was seen, what waits, what stands (R13, R14, R39, B77)."""

import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test
from road import World, marked

from bellek.curator import capture, drain
from bellek.kg import check, memories, projects, queue
from bellek.kg.home import open_home

WORDS = ("önbelleği boşalt", "use uv, not pip")  # few, so that the same thing is often said twice
SESSIONS = ("a", "b")  # the order in which a sweep reads them
PLACES = ("iş", "ev")
MOSTLY = st.sampled_from(("iş", "iş", "iş", "ev"))  # walks that meet themselves find more than walks that spread


class Model:
    """What the store must hold. A thing is (place, words)."""

    def __init__(self):
        self.files = {name: [] for name in SESSIONS}  # whole lines: (message id, thing)
        self.heard = dict.fromkeys(SESSIONS, 0)
        self.seen = set()
        self.waiting = {}  # thing → sightings
        self.taken = {}  # thing → whether a twin came while it was out
        self.stands = set()
        self.written = Counter()

    def hear(self):
        """One sweep."""
        for name, lines in self.files.items():
            for message, thing in lines[self.heard[name] :]:
                self._see(message, thing)
            self.heard[name] = len(lines)

    def _see(self, message, thing):
        if message in self.seen:
            return
        self.seen.add(message)
        if thing in self.waiting:
            self.waiting[thing] += 1
            if thing in self.taken:
                self.taken[thing] = True
        elif thing not in self.stands:
            self.waiting[thing] = 1

    def write(self, thing):
        """Rows for one thing, unless it stands."""
        if thing not in self.stands:
            self.stands.add(thing)
            self.written[thing] += 1


class Road(RuleBasedStateMachine):
    """The real road beside its model; both are compared after every step."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.world = World(Path(self.folder.name))
        self.home = open_home(str(self.world.home))
        self.model = Model()
        self.number = 0
        self.owed = dict.fromkeys(SESSIONS, b"")  # the second half of a line that was cut
        self.cut = dict.fromkeys(SESSIONS)
        self.token = ""
        self.items = ()

    def teardown(self):
        """Every invariant holds, and the trail replays."""
        assert check.check_home(self.home) == []
        self.home.close()
        self.folder.cleanup()

    def _write(self, session, data, entry, keep):
        with self.world.transcript(session).open("ab") as out:
            out.write(self.owed[session] + data[:keep])
        if self.cut[session]:
            self.model.files[session].append(self.cut[session])
        self.owed[session], self.cut[session] = data[keep:], None
        if keep == len(data):
            self.model.files[session].append(entry)
        else:
            self.cut[session] = entry

    def _line(self, message, thing, session):
        return marked(thing[1], id=message, session=session, cwd=str(self.world.root / thing[0]))

    @rule(session=st.sampled_from(SESSIONS), place=MOSTLY, words=st.sampled_from(WORDS), data=st.data())
    def say(self, session, place, words, data):
        """A new message in one session, perhaps cut in the middle until the next one."""
        self.number += 1
        entry = (f"m-{self.number}", (place, words))
        line = self._line(*entry, session)
        keep = len(line) if data.draw(st.booleans()) else data.draw(st.integers(1, len(line) - 1))
        self._write(session, line, entry, keep)

    @precondition(lambda self: any(self.model.files.values()))
    @rule(session=st.sampled_from(SESSIONS), data=st.data())
    def fork(self, session, data):
        """A copy of some message, with its id, in one session."""
        entry = data.draw(st.sampled_from([entry for lines in self.model.files.values() for entry in lines]))
        line = self._line(*entry, session)
        self._write(session, line, entry, len(line))

    @precondition(lambda self: self.model.seen)
    @rule(session=st.sampled_from(SESSIONS), data=st.data())
    def say_again(self, session, data):
        """The same words in a new message, and a sweep: what taken, written and ended things are tried by."""
        things = sorted({entry[1] for lines in self.model.files.values() for entry in lines})
        self.number += 1
        entry = (f"m-{self.number}", data.draw(st.sampled_from(things)))
        line = self._line(*entry, session)
        self._write(session, line, entry, len(line))
        self.hear()

    @rule()
    def hear(self):
        """A sweep."""
        capture.hear(self.home, self.world.ears, self.world.ears.transcripts([]))
        self.model.hear()
        self.compare()

    @rule()
    def lose_cursors(self):
        """R14: a cursor is only a saving of work."""
        self.home.memory.run("DELETE FROM cursors")

    def _project(self, place):
        return projects.find(self.home.memory, str(self.world.root / place))

    @rule(place=MOSTLY)
    def drain(self, place):
        """Whatever waits and is not taken is written, unless it stands."""
        assert drain.drain_offline(self.home, self._project(place)).failed == []
        for thing in [thing for thing in self.model.waiting if thing[0] == place and thing not in self.model.taken]:
            self.model.write(thing)
            del self.model.waiting[thing]
        self.compare()

    @precondition(lambda self: not self.token)
    @rule(place=MOSTLY, limit=st.integers(1, 3))
    def take(self, place, limit):
        """A subagent takes some items."""
        taken = queue.take(self.home.memory, self._project(place), limit=limit)
        self.token, self.items = taken.token, taken.items
        self.model.taken.update({(place, item.payload): False for item in taken.items})
        self.compare()

    @precondition(lambda self: self.token)
    @rule()
    def give_back(self):
        """It goes away with what it holds."""
        with self.home.memory.transaction():
            queue.give_back(self.home.memory, self.token)
        self.token, self.items = "", ()
        self.model.taken.clear()
        self.compare()

    @precondition(lambda self: self.token)
    @rule()
    def settle_taken(self):
        """It writes what it holds; what was said again meanwhile waits once more and is found to stand."""
        for item in self.items:
            thing = next(thing for thing in self.model.waiting if self._names(item, thing))
            with self.home.memory.transaction():
                drain._settle(self.home, item, item.channel, "b_model")
            self.model.write(thing)
            if not self.model.taken.pop(thing):
                del self.model.waiting[thing]
        self.token, self.items = "", ()
        self.compare()

    def _names(self, item, thing):
        return (item.project, item.payload) == (self._project(thing[0]), thing[1])

    @precondition(lambda self: set(self.model.waiting) - set(self.model.taken))
    @rule(data=st.data())
    def acknowledge(self, data):
        """R39: acknowledged by hand, an item is gone; the same words may be said anew, unless a row of theirs stands."""
        thing = data.draw(st.sampled_from(sorted(set(self.model.waiting) - set(self.model.taken))))
        here = self._project(thing[0])
        (item,) = [item for item in queue.peek(self.home.memory, here) if item.payload == thing[1]]
        queue.ack(self.home.memory, here, item.id, actor="cli")
        del self.model.waiting[thing]
        self.compare()

    @precondition(lambda self: self.model.stands)
    @rule(data=st.data())
    def supersede(self, data):
        """B77: rows that no longer hold let the same words in again."""
        thing = data.draw(st.sampled_from(sorted(self.model.stands)))
        rows = self.home.memory.rows(
            "SELECT id FROM memories WHERE project = ? AND text = ? AND status = 'current'",
            (self._project(thing[0]), thing[1]),
        )
        with self.home.memory.transaction():
            for (id_,) in rows:
                old = memories.read(self.home.memory, str(id_))
                memories.write(self.home.memory, old.model_copy(update={"status": "superseded"}), actor="person")
        self.model.stands.discard(thing)
        self.compare()

    def compare(self):
        """Queue, typed rows and messages are the model's."""
        db = self.home.memory
        here = {self._project(place): place for place in PLACES}
        waiting = {(here[str(p)], text): n for p, text, n in db.rows("SELECT project, payload, sightings FROM queue")}
        assert waiting == self.model.waiting
        for kind in ("event", "lesson"):
            rows = db.rows("SELECT project, text FROM memories WHERE kind = ?", (kind,))
            assert Counter((here[str(p)], text) for p, text in rows) == self.model.written
        heard = {entry[0] for name, lines in self.model.files.items() for entry in lines[: self.model.heard[name]]}
        assert sorted(id_ for (id_,) in self.home.conversations.rows("SELECT id FROM messages")) == sorted(heard)


def test_the_road_does_what_its_model_does():
    """R13, R14, R39, B77: no order of speech, forks, passes, lost cursors, drains, takes, acknowledgements and ended rows parts the two."""
    run_state_machine_as_test(
        Road,
        settings=settings(
            max_examples=25,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=False,
        ),
    )


LINES = st.lists(
    st.tuples(st.sampled_from(SESSIONS), st.sampled_from(PLACES), st.sampled_from(WORDS), st.integers(1, 12)),
    max_size=12,
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(LINES)
def test_the_order_of_two_transcripts_does_not_matter(lines):
    """Whichever transcript is heard first, forked copies included: the same items wait as often, and the same messages are stored."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        said = {number: (place, words) for _, place, words, number in lines}
        for session, _, _, number in lines:  # one number is one message, in as many files as carry it
            place, words = said[number]
            with world.transcript(session).open("ab") as out:
                out.write(marked(words, id=f"m-{number}", session=session, cwd=str(world.root / place)))
        found = list(world.ears.transcripts([]))
        outcomes = [_heard(world, name, files) for name, files in (("one", found), ("two", found[::-1]))]
    assert outcomes[0] == outcomes[1]


def _heard(world, name, files):
    with open_home(str(world.root / name)) as home:
        capture.hear(home, world.ears, files)
        here = {str(id_): Path(str(path)).name for id_, path in home.memory.rows("SELECT id, path FROM projects")}
        waiting = {
            (here[str(p)], text): n for p, text, n in home.memory.rows("SELECT project, payload, sightings FROM queue")
        }
        messages = home.conversations.rows("SELECT id, text, author, at FROM messages ORDER BY id")
        assert check.check_home(home) == []
    return waiting, messages
