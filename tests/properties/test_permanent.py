"""The law of T2 as a state machine over every verdict and every act that is not a person's, and the trail's replay after it."""

import itertools
import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from typed_world import AT, DAY, World, claim, write

from bellek.curator import forgetting, manual, review, typed, undoing
from bellek.curator.drain import drain_offline
from bellek.kg import audit, blast, check, claims, conflicts, consent, memories, queue, worldview
from bellek.kg.blast import Asked
from bellek.kg.home import open_home
from bellek.kg.ids import mint
from bellek.schemas.conversation import Said
from bellek.schemas.entity import Entity, EntityField
from bellek.schemas.errors import BellekError, PersonNeeded
from bellek.schemas.lesson import Lesson
from bellek.schemas.memory import Memory
from bellek.schemas.page import Page
from bellek.schemas.worldview import Worldview

TYPED = tuple(check.TABLES.values())
OBJECTS = st.sampled_from(("Ankara", "Bursa", "İzmir", "çay"))
PREDICATES = st.sampled_from(("lives_in", "likes", "avoids"))
SUBJECTS = st.sampled_from(("user", "Cem", "Bob", "Robert"))
SPEAKERS = st.sampled_from(("user", "agent", "pasted", "tool"))
TIMES = st.integers(-5, 5).map(lambda n: AT + n * DAY)
TEXTS = st.sampled_from(
    ("önbellek her koşuda boşaltılır", "always clear the cache", "kapı 8080 açık", "asla önbellek kullanma")
)
ACTORS = st.sampled_from(("agent", "curator", "drain-offline", "evolve", "cli", "personal-bot", "web", "tool"))
STATUSES = st.sampled_from(("current", "contested", "superseded", "closed", "hidden", "quarantined", "refused"))


class Permanent(RuleBasedStateMachine):
    """Everybody but a person does whatever they can, to rows that a person made permanent among others."""

    folder = None

    def __init__(self):
        super().__init__()
        self.home = open_home(str(type(self).folder.mktemp("t2") / "home"))
        self.world = World(self.home)
        self.db = self.home.memory
        self.items = []

    @initialize()
    def permanent_rows(self):
        """A person made some rows permanent: one of each kind that has tiers, claims in several slots."""
        world = self.world
        world.permanent(Lesson(topic="cache", learning="convention", importance=2), "önbellek her koşuda boşaltılır")
        world.permanent(Page(topic="deploy", title="Deploy"), "Cuma günü çıkılır.")
        robert = world.permanent(Entity(name="Robert", aliases=("Bob",)), "Robert", project="*")
        world.permanent(EntityField(entity=robert, name="kod", value="010"), "kod: 010", project="*")
        world.permanent_claim("lives_in", "Ankara")
        world.permanent_claim("lives_in", "Bursa", subject="Bob", origin="agent", project=world.project)
        world.permanent_claim("lives_in", "İzmir", subject="Cem", said_at=AT + DAY)
        world.permanent_claim("likes", "çay", subject="Robert")
        self.frozen = self.snapshot()

    def snapshot(self):
        """All columns of all permanent rows, their typed rows, aliases and sources, and what the lists tell of them."""
        ids = [row["id"] for row in self.world.rows("memories") if row["tier"] == "T2"]
        tables = {t: [r for r in self.world.rows(t) if r["id"] in ids] for t in ("memories", *TYPED)}
        tables["aliases"] = [r for r in self.world.rows("aliases") if r["entity"] in ids]
        tables["sources"] = [r for r in self.world.rows("sources") if r["memory"] in ids]
        tables["promotions"] = [r for r in self.world.rows("promotions") if r["id"] in ids]
        tables["told"] = [row for row in claims.listed(self.db, self.world.project) if row.id in ids]
        return tables

    def any_id(self, number, *, kind=""):
        """Some row's id, permanent ones as likely as others."""
        rows = [row for row in self.world.rows("memories") if not kind or row["kind"] == kind]
        permanent = [row for row in rows if row["tier"] == "T2"]
        pool = permanent if number % 2 and permanent else rows
        return str(pool[number % len(pool)]["id"]) if pool else "c_zzzzzzzzzzzz"

    @rule(by=SPEAKERS, subject=SUBJECTS, predicate=PREDICATES, object_=OBJECTS, at=TIMES)
    def claims_something(self, by, subject, predicate, object_, at):
        """A claim of any trust at any time."""
        self.world.told(predicate, object_, by=by, subject=subject, at=at)

    @rule(text=TEXTS, answer=st.booleans())
    def learns(self, text, answer):
        """A learning is heard, and answered by a lesson or left to the offline drain."""
        self.world.hear(text)
        items = self.world.waiting()
        if answer and items:
            self.world.apply(write("lesson", text=text, learning="convention", importance="critical", items=items))

    @rule(mark=st.sampled_from(("SELF_TASK: yaz", "TASK_DONE: yaz", "TASK_DELETE: yaz", "TASK_DONE: Robert")))
    def marks_a_task(self, mark):
        """A task mark is heard."""
        self.world.hear(mark, channel="task")

    @rule()
    def drains(self):
        """The offline drain."""
        drain_offline(self.home, self.world.project)

    @rule(name=st.sampled_from(("Robert", "Bob", "Cem", "Eve", "user")), aliases=st.lists(st.sampled_from(("Bob", "Cem", "Rob", "Robert", "user", "ben")), max_size=2),
          another=st.booleans(), value=st.sampled_from(("010", "011")))  # fmt: skip
    def names_somebody(self, name, aliases, another, value):
        """An entity, its aliases, a field, perhaps another bearer of the name."""
        self.world.apply(write("entity", name=name, aliases=aliases, another=another, fields={"kod": value}))

    @rule(
        text=st.sampled_from(("Cuma günü çıkılır.", "Salı.")),
        how=st.sampled_from(("replace", "merge")),
        topic=st.sampled_from(("deploy", "build")),
    )
    def writes_a_page(self, text, how, topic):
        """A page of a permanent topic or another."""
        self.world.apply(write("page", topic=topic, title="T", text=text, how=how))

    @rule(number=st.integers(0, 50), by=SPEAKERS)
    def absorbs(self, number, by):
        """A sighting of any row."""
        message = self.world.say("user Robert lives in Ankara Bursa İzmir likes çay", origin=by, typed=by == "user")
        self.world.apply({"verdict": "absorb", "into": self.any_id(number), "evidence": [message]})

    @rule(number=st.integers(0, 50), result=st.sampled_from(("applied", "violated")))
    def tells_how_a_lesson_fared(self, number, result):
        """An outcome of any lesson, shown by a new message."""
        message = self.world.say("oldu", origin="agent", typed=False)
        lesson = self.any_id(number, kind="lesson")
        self.world.apply({"verdict": "outcome", "id": lesson, "result": result, "evidence": [message]})

    @rule(topic=st.sampled_from(("deploy", "notlar")), agent=st.sampled_from(("claude-code", "nobody")))
    def writes_an_agents_page(self, topic, agent):
        """A page of an agent's knowledge, and its index."""
        self.world.apply(write("page", topic=topic, title="T", text="Salı.", agent=agent))

    @rule(number=st.integers(0, 50))
    def improves(self, number):
        """A better text for any row."""
        self.world.apply({"verdict": "improve", "id": self.any_id(number), "text": "başka söz"})

    @rule(left=st.integers(0, 50), right=st.integers(0, 50))
    def opens_a_conflict(self, left, right):
        """A contradiction between any two claims."""
        verdict = {
            "verdict": "open_conflict",
            "left": self.any_id(left, kind="claim"),
            "right": self.any_id(right, kind="claim"),
            "reason": "r",
        }
        self.world.apply(verdict)

    @rule(side=st.sampled_from(("strong", "weak", "")), number=st.integers(0, 9))
    def resolves(self, side, number):
        """A decision of any open conflict, for any side."""
        rows = conflicts.listed(self.db, self.world.project)
        if rows:
            row = rows[number % len(rows)]
            winner = {"strong": row.strong, "weak": row.weak, "": ""}[side]
            self.world.apply({"verdict": "resolve_conflict", "conflict": row.id, "winner": winner, "reason": "r"})

    @rule()
    def proposes(self):
        """A structural change."""
        self.world.apply({"verdict": "propose", "structure": "rule", "title": "t", "text": "make everything permanent"})

    @rule()
    def drops(self):
        """Whatever waits is dropped."""
        if items := self.world.waiting():
            self.world.apply({"verdict": "drop", "items": items, "reason": "r"})

    @rule()
    def takes_and_answers(self):
        """A subagent takes what waits and answers it."""
        taken = queue.take(self.db, self.world.project)
        for item in taken.items:
            self.world.apply(write("event", text=item.payload, items=[item.id]), token=taken.token)

    @rule(
        actor=ACTORS,
        number=st.integers(0, 50),
        status=STATUSES,
        tier=st.sampled_from(("T1", "T2", "-")),
        text=st.sampled_from(("", "başka")),
    )
    def writes_by_hand(self, actor, number, status, tier, text):
        """Any revision of a permanent row, by any actor, straight at the write path: refused; and none makes a row permanent."""
        rows = [row["id"] for row in self.world.rows("memories") if row["tier"] == "T2"]
        old = memories.read(self.db, rows[number % len(rows)])
        fresh = {"id": mint(old.id[0])} if number % 3 == 0 else {}
        tier = "T2" if fresh else tier
        new = old.model_copy(
            update={"status": status, "tier": tier, "text": text or old.text, "batch": mint("b"), **fresh}
        )
        with pytest.raises(BellekError), self.db.transaction():
            memories.write(self.db, new, actor=actor)

    @rule(week=st.integers(1, 50), text=TEXTS)
    def reflects(self, week, text):
        """The weekly reflection writes worldview over permanent evidence."""
        known = worldview.listed(self.db)
        body = Worldview(topic="cache", week=f"2026-W{week:02d}", evidence=(self.any_id(1),))
        row = Memory.model_validate({
            "id": known[0].id if known else mint("v"), "project": "*", "agent": "claude-code", "session": "*", "origin": "inferred", "tier": "-",
            "text": text, "said_at": AT, "batch": mint("b"), "body": body,
        })  # fmt: skip
        if not known or known[0].week != body.week:
            with self.db.transaction():
                memories.write(self.db, row, actor="evolve")

    @rule(
        actor=ACTORS,
        number=st.integers(0, 50),
        verb=st.sampled_from(("promote", "refuse", "answer", "resolve", "edit", "passphrase", "switch")),
    )
    def somebody_else_decides(self, actor, number, verb):
        """Every decision of a person, by whoever is none, over any row: refused."""
        with pytest.raises(BellekError), self.db.transaction():
            self.decision(verb, self.any_id(number), actor)

    def decision(self, verb, id_, actor):
        """One of the acts that `curator.review` and its like offer."""
        match verb:
            case "promote":
                review.promote(self.home, id_, actor=actor)
            case "refuse":
                review.refuse(self.home, id_, note="hayır", actor=actor)
            case "answer":
                review.answer(self.home, self.any_id(2, kind="proposal"), yes=True, note="", actor=actor)
            case "resolve":
                review.resolve(self.home, self.any_id(2, kind="conflict"), winner="", note="r", actor=actor)
            case "edit":
                review.edit(self.home, id_, "başka söz", actor=actor)
            case "passphrase":
                review.set_passphrase(self.home, "üç kelimelik söz", actor=actor)
            case "switch":
                typed.let_promote(self.home, on=True, actor=actor)

    @rule(number=st.integers(0, 50), verb=st.sampled_from(("promote", "refuse", "answer", "resolve")))
    def a_person_decides(self, number, verb):
        """A person's decision may move permanent rows, and make more of them: from here on those are the ones that stay."""
        with suppress(BellekError), self.db.transaction():
            self.decision(verb, self.any_id(number * 2), "person:terminal")
        self.frozen = self.snapshot()

    @rule(number=st.integers(0, 50), word=st.sampled_from(("yes", "no", "promote")))
    def a_line_without_the_hooks_note_says_so(self, number, word):
        """An answer line in a transcript that no hook saw, and one that a hook saw and no transcript marks as typed."""
        id_ = self.any_id(number)
        for marked, noted in ((True, False), (False, True)):
            with self.db.transaction():
                if noted:
                    self.db.run(
                        "INSERT INTO typed_answers (session, target, answer, at, state, message) VALUES ('s', ?, ?, 1, 'noted', '')",
                        (id_, word),
                    )
                typed.take(self.home, answer_line(f"bellek: {word} {id_} çünkü", typed=marked), self.world.project)
                self.db.run("DELETE FROM typed_answers")

    @rule(text=TEXTS)
    def captures_and_acknowledges(self, text):
        """What an agent's shell may run besides: a capture by hand, an item acknowledged without a row, a dead letter retried."""
        manual.capture(self.home, self.world.project, text)
        self.world.hear(text)
        for item in self.world.waiting()[:1]:
            queue.ack(self.db, self.world.project, item, actor="cli")

    @precondition(lambda self: any(row["key"] == "maas" for row in self.world.rows("fields")))
    @rule(given=st.booleans())
    def consents(self, given):
        """The person's consent to a sensitive field is theirs and touches no other row."""
        with suppress(BellekError):  # several may be called Eve by now
            consent.record(self.db, "Eve", "maaş", given=given, actor="person")

    @rule()
    def tells_a_salary(self):
        """A sensitive field from a typed turn."""
        message = self.world.say("Eve'in maaşı 100")
        self.world.apply(write("entity", name="Eve", fields={"maaş": "100"}, evidence=[message]))

    @rule(number=st.integers(0, 50), how=st.sampled_from(("id", "query", "entity", "time")))
    def forgets(self, number, how):
        """An agent orders to forget whatever it can name; what reaches a permanent row is refused, whole."""
        id_ = self.any_id(number)
        if id_ == "c_zzzzzzzzzzzz":
            return
        order = {
            "id": Asked(self.world.project, (id_,)), "query": Asked(self.world.project, query="önbellek"),
            "entity": Asked(self.world.project, entity="Robert"), "time": Asked(self.world.project, since=1),
        }[how]  # fmt: skip
        with suppress(BellekError):
            reached = blast.reach(self.home, order)
            if how == "id" or not blast.needs_person(reached):
                forgetting.carry_out(self.home, reached, actor="cli")

    @rule(number=st.integers(0, 50))
    def undoes(self, number):
        """An agent undoes any batch there is, the person's own among them."""
        batches = [str(row[0]) for row in self.db.rows("SELECT DISTINCT batch FROM audit ORDER BY batch")]
        with suppress(BellekError):
            undoing.take_back(self.db, batches[number % len(batches)], actor="cli")

    @invariant()
    def permanent_rows_are_as_they_were(self):
        """R129: all columns of all permanent rows are what they were, no other row became one, and they are told as before."""
        if hasattr(self, "frozen"):
            assert self.snapshot() == self.frozen

    @invariant()
    def the_store_is_sound(self):
        """Every invariant of the store holds between any two acts."""
        assert check.check_memory(self.db) == []

    def teardown(self):
        """R130: replaying the trail into an empty store gives equal tables."""
        with self.home:
            replayed_equals(self.home, type(self).folder)


def answer_line(text, *, typed):
    """A user line as hearing gets it."""
    return Said(
        id=mint("m"), session="s", parent=None, author="user", origin="user" if typed else "agent", typed=typed, machine=not typed, text=text,
        at=AT, offset_minutes=0, cwd="/", agent="claude-code", sidechain=False,
    )  # fmt: skip


def test_no_actor_but_a_person_writes_a_permanent_row(home):
    """R129: at the write path itself every actor that is no person is refused any revision of a permanent row, and any new permanent row."""
    world = World(home)
    id_ = world.permanent_claim("lives_in", "Ankara")
    old = memories.read(home.memory, id_)
    actors = ("", "agent", "curator", "drain-offline", "evolve", "cli", "Person", "personal-bot", "person-like", "tool")
    for actor, status, tier in itertools.product(
        actors, ("current", "contested", "superseded", "closed", "hidden"), ("T1", "T2")
    ):
        for fresh in ({}, {"id": mint("c"), "tier": "T2"}):
            new = old.model_copy(update={"status": status, "tier": tier, **fresh})
            with pytest.raises(PersonNeeded), home.memory.transaction():
                memories.write(home.memory, new, actor=actor)
    for actor in ("person", "person:terminal"):
        with home.memory.transaction():
            memories.write(home.memory, old, actor=actor)
    assert [row["revision"] for row in world.rows("memories")] == [4]  # written, promoted, and twice by a person


def contents(home):
    """The rows of every table that the trail tells of, without `n`, as sets of JSON."""
    world = World(home)
    tables = ("memories", *TYPED, "aliases", "sources", "promotions", "revisions", "audit")
    return {
        t: sorted(
            json.dumps({k: v for k, v in row.items() if k != "n"}, default=repr, sort_keys=True)
            for row in world.rows(t)
        )
        for t in tables
    }


def replayed_equals(home, folder):
    """Replay a home's trail into a fresh one and compare."""
    with open_home(str(folder.mktemp("replayed") / "home")) as other:
        memories.replay(home.memory, other.memory)
        assert contents(other) == contents(home)
        assert check.check_memory(other.memory) == []


def test_the_law_of_t2(tmp_path_factory):
    """R129, R130: over random acts of everybody but a person no permanent row changes in any column, and the trail replays to equal tables."""
    Permanent.folder = tmp_path_factory
    run_state_machine_as_test(
        Permanent,
        settings=settings(
            max_examples=12, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


def test_replay_over_every_kind(home, make_home):
    """R130: a store that holds every kind, with changed aliases, decided conflicts, consent and a withdrawn one, replays to equal tables."""
    world = World(home)
    world.told("lives_in", "Ankara")
    world.told("lives_in", "İzmir", by="agent")
    conflict = world.rows("conflicts")[0]["id"]
    world.apply({"verdict": "resolve_conflict", "conflict": conflict, "reason": "in winter and in summer"})
    message = world.say("Ali'nin maaşı 100, Ali hasta değil")
    world.apply(
        write("entity", name="Ali", aliases=["Aliş"], fields={"maaş": "100", "şehir": "Bursa"}, evidence=[message]), write("entity", name="Ali", aliases=["Ali Abi"]),
        write("lesson", text="önbellek boşaltılır", learning="pattern"), write("lesson", text="önbellek boşaltılır.", learning="pattern"),
        write("event", text="oldu"), write("task", text="yaz"), write("page", topic="p", title="P", text="a"), write("page", topic="p", title="P", text="b"),
        {"verdict": "propose", "structure": "skill", "title": "t", "text": "x"}, claim("", "q", "lives_in", "x"),
    )  # fmt: skip
    item = world.item("karar")
    world.apply(write("log", type="decision", text="salı", reason="cuma riskli", items=[item]))
    for given in (True, False):
        consent.record(home.memory, "Ali", "maaş", given=given, actor="person")
    world.hear("SELF_TASK: belgele", channel="task")
    world.hear("TASK_DONE: belgele", channel="task")
    drain_offline(home, world.project)
    row = Memory.model_validate({
        "id": mint("v"), "project": "*", "agent": "a", "session": "*", "origin": "inferred", "tier": "-", "text": "sees patterns", "said_at": AT,
        "batch": mint("b"), "body": Worldview(topic="t", week="2026-W48", evidence=(conflict,)),
    })  # fmt: skip
    with home.memory.transaction():
        memories.write(home.memory, row, actor="evolve")
    assert {r["kind"] for r in world.rows("memories")} == set(check.TABLES)
    other = make_home("other")
    memories.replay(home.memory, other.memory)
    assert contents(other) == contents(home)
    assert audit.verify(other.memory) == []


@pytest.mark.parametrize("column", ["project", "agent", "session", "origin", "tier", "batch", "id"])
@pytest.mark.parametrize("value", ["", None])
def test_nothing_is_written_without_scope_origin_tier_or_batch(world_row, column, value):
    """A row without project, agent, session, origin, tier or batch is refused by the write path's type and by the table."""
    db, fields = world_row
    with pytest.raises(ValueError, match=column):
        Memory.model_validate({**fields, column: value})
    good = Memory.model_validate(fields)
    with pytest.raises((BellekError, AttributeError, KeyError)), db.transaction():
        memories.put(db, good.model_copy(update={column: value}), revision=1, clock=1)
    assert db.rows("SELECT 1 FROM memories") == []


@pytest.fixture
def world_row(home):
    """A database, and the fields of a lesson that could be written."""
    body = Lesson(topic="t", learning="pattern", importance=1)
    return home.memory, {
        "id": mint("l"), "project": "p_one", "agent": "*", "session": "*", "origin": "agent", "tier": "T1", "text": "x", "said_at": AT,
        "batch": "b_test", "body": body,
    }  # fmt: skip
