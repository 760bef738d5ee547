"""A tombstoned value never reappears, however hearing, drains, verdicts, sweeps, capture, mining, sleep and forgetting interleave."""

import json
from collections import Counter

from hypothesis import HealthCheck, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from typed_world import World, lesson, write

from bellek.clients.claude_ears import ClaudeEars
from bellek.curator import capture, consolidate, forgetting, manual, mine, review, sweep
from bellek.curator.drain import drain_offline
from bellek.kg import blast, check, forget, memories, normal, projects, queue
from bellek.kg.blast import Asked
from bellek.kg.home import open_home
from bellek.kg.ids import mint

# Values and ways to say each; words are such that no two values are near each other.
VALUES = {
    "pip": (
        "paketleri pip ile kur çünkü hızlı",
        "Pip ile paketler kurulur, çünkü hızlıdır!",
        "çünkü hızlı: pip ile PAKETLERİ kur",
    ),
    "friday": (
        "deploy releases on Friday evening",
        "on Friday evenings, deploy the release",
        "Deploying releases on Friday evening",
    ),
    "cache": ("önbelleği her koşuda boşalt", "her koşuda önbellek boşaltılır", "Önbellekleri boşalt her koşuda"),
}
FORMS = {normal.form(said): value for value, ways in VALUES.items() for said in ways}
NAMES = st.sampled_from(sorted(VALUES))
# What a person orders; only mining and sleep make rows of it, in words of their own around it.
ORDER = "tabs"
ORDERED = ("Always use tabs in Go files", "always use tabs in go files!", "ALWAYS use tabs in Go files.")
WAYS = st.integers(0, 2)
# What a person does at once with what an act has made: a run in which each decision is a step of its own seldom gets to one.
THEN = st.sampled_from(("", "", "refuse", "promote, then refuse", "forget"))
MOST_GONE = 3  # of the four values: something is left to live on
SEEN = Counter()  # what happened in all runs: a law over refusals that nobody makes holds always


class NeverAgain(RuleBasedStateMachine):
    """Anybody says the values in any way; a person refuses or forgets some; nothing of these stands again."""

    folder = None

    def __init__(self):
        super().__init__()
        root = type(self).folder.mktemp("never")
        self.root = root
        self.home = open_home(str(root / "home"))
        self.world = World(self.home)
        self.db = self.home.memory
        self.gone = {}  # value → "refused" or "forgotten"
        self.lines = []
        self.work = root / "proje"
        self.work.mkdir()
        self.config = root / "client"
        self.path = self.config / "projects" / "p" / "s1.jsonl"
        self.path.parent.mkdir(parents=True)
        self.ears = ClaudeEars(str(self.config))

    @initialize(then=st.sampled_from(("", "refuse", "promote, then refuse", "promote, then refuse", "forget")))
    def begin(self, then):
        """One hearing, so that the transcript's project is known, and in most runs a decision over what came of it."""
        self.marks("pip", 0)
        self.hears()
        self.project = projects.find(self.db, str(self.work))
        self.world.project = self.project
        self.drains(then)

    @rule(value=NAMES, way=WAYS)
    def marks(self, value, way):
        """The agent marks a learning in the transcript."""
        n = len(self.lines) + 1
        self.lines.append(json.dumps({
            "type": "assistant", "uuid": f"u{n}", "parentUuid": None, "sessionId": "s1", "isSidechain": False, "cwd": str(self.work),
            "timestamp": f"2026-11-30T09:{n // 60 % 60:02d}:{n % 60:02d}.000Z", "version": "2.1.332", "entrypoint": "cli",
            "message": {"role": "assistant", "id": f"m{n}", "content": [{"type": "text", "text": f"<!-- learning: {VALUES[value][way]} -->"}]},
        }, ensure_ascii=False))  # fmt: skip

    @rule()
    def hears(self):
        """The transcript is heard from the start: its cursor is lost, as after a restore."""
        self.path.write_text("".join(line + "\n" for line in self.lines if line), encoding="utf-8")
        self.db.run("DELETE FROM cursors")
        capture.hear(self.home, self.ears, self.ears.transcripts([str(self.path)]))

    @rule(way=WAYS, session=st.sampled_from(("s2", "s3", "s4")))
    def orders(self, way, session):
        """A person types the order into a session, and it is heard."""
        n = len(self.lines) + 1
        self.lines.append("")
        path = self.path.with_name(f"{session}.jsonl")
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({
                "type": "user", "uuid": f"t{n}", "parentUuid": None, "sessionId": session, "isSidechain": False, "cwd": str(self.work),
                "timestamp": f"2026-11-30T10:{n // 60 % 60:02d}:{n % 60:02d}.000Z", "version": "2.1.332", "entrypoint": "cli",
                "promptSource": "typed", "message": {"role": "user", "content": ORDERED[way]},
            }) + "\n")  # fmt: skip
        capture.hear(self.home, self.ears, self.ears.transcripts([str(path)]))

    @rule(then=THEN)
    def mines(self, then):
        """What was ordered in two sessions is mined."""
        mine.mine(self.home, self.project)
        self.decide(then)

    @rule(then=THEN)
    def sleeps(self, then):
        """A night without its gate: mining, then consolidation by rule."""
        mine.mine(self.home, self.project)
        consolidate.sleep(self.home, self.project)
        self.decide(then)

    @rule(then=THEN)
    def drains(self, then):
        """The offline drain."""
        drain_offline(self.home, self.project)
        self.decide(then)

    @rule(value=NAMES, way=WAYS, then=THEN)
    def applies(self, value, way, then):
        """A curator writes the value by a verdict, as a lesson, an event, a task and a page at once."""
        said = VALUES[value][way]
        self.world.apply(
            lesson(said),
            write("event", text=said),
            write("task", text=said),
            write("page", topic=value, title="T", text=said),
        )
        self.decide(then, value)

    @rule(value=NAMES, way=WAYS)
    def captures(self, value, way):
        """Somebody captures it by hand."""
        manual.capture(self.home, self.project, VALUES[value][way])

    @rule()
    def sweeps(self):
        """A window is handed out and closed, and what it shows is learned again by a verdict."""
        window = sweep.next_window(self.home, self.project, "learning")
        if window:
            for piece in window.pieces[:3]:
                self.world.apply(lesson(piece.text.replace("<!-- learning: ", "").replace(" -->", "")[:200]))
            sweep.done(self.home, self.project, "learning", window.id)

    @rule(value=NAMES, way=WAYS)
    def imports(self, value, way):
        """A row comes in by the write path as an import would bring it, also as a person's bulk act, in any status."""
        from bellek.schemas.errors import NeverAgain as Blocked
        from bellek.schemas.lesson import Lesson
        from bellek.schemas.memory import Memory

        row = Memory.model_validate({
            "id": mint("l"), "project": self.project, "agent": "*", "session": "*", "origin": "file", "tier": "T1", "text": VALUES[value][way],
            "said_at": 1, "batch": "b_import", "status": ("current", "superseded", "hidden")[way],
            "body": Lesson(topic="t", learning="pattern", importance=1),
        })  # fmt: skip
        try:
            with self.db.transaction():
                memories.write(self.db, row, actor="person" if way else "import")
        except Blocked:
            assert value in self.gone

    @rule(ways=st.tuples(WAYS, WAYS), then=THEN)
    def orders_twice(self, ways, then):
        """A person types the order into two sessions, and mining makes a candidate of it, unless it is gone."""
        for session, way in zip(("s2", "s3"), ways, strict=True):
            self.orders(way, session)
        self.mines(then)
        assert self.standing(ORDER) or ORDER in self.gone

    @rule(then=THEN)
    def decides(self, then):
        """A person decides over something that stands."""
        self.decide(then)

    def decide(self, then, prefer=ORDER):
        """What a person does with a value that stands, the preferred one if it does: nothing, a "no", or forgetting it."""
        there = self.may_go()
        if not there or not then:
            return
        value = prefer if prefer in there else there[0]
        if then == "forget":
            self.forget(value)
        else:
            self.refuse(value, permanent=then == "promote, then refuse")

    def forget(self, value):
        """A person forgets one row of a value, and with it whatever is the same."""
        self.gone[value] = "forgotten"
        event(f"{value} was forgotten")
        SEEN["forgotten"] += 1
        asked = Asked(self.project, (self.standing(value)[0],))
        done = forgetting.carry_out(self.home, blast.reach(self.home, asked), actor="person")
        assert done.state == "proven"

    def may_go(self):
        """Values that stand in some row and are not gone yet, while few are."""
        left = sorted({*VALUES, ORDER} - self.gone.keys()) if len(self.gone) < MOST_GONE else []
        return [value for value in left if self.standing(value)]

    def refuse(self, value, *, permanent):
        """A person's "no" to every row of a value; a lesson of it is made permanent before, where that is wanted."""
        rows = [memories.read(self.db, id_) for id_ in self.standing(value)]
        may = [row for row in rows if row.body.kind == "lesson" and (row.tier, row.status) == ("T1", "current")]
        for row in may[: int(permanent)]:
            with self.db.transaction():
                review.promote(self.home, row.id, actor="person")
        self.gone[value] = "refused"
        event(f"a refusal of {value}" + (", permanent before" if may and permanent else ""))
        for row in rows:
            if row.id in self.standing(value):
                SEEN[f"refused {memories.read(self.db, row.id).tier}"] += 1
                with self.db.transaction():
                    review.refuse(self.home, row.id, note="no", actor="person")

    @rule()
    def finishes(self):
        """Whatever was left of a forgetting is finished."""
        forget.finish(self.home)

    def value_of(self, text):
        """The value that a row's text holds, if any."""
        return ORDER if "tabs in go files" in text.lower() else FORMS.get(normal.form(text))

    def standing(self, value):
        """Ids of rows in sight (or waiting) that hold a value, by its normal form."""
        rows = self.world.rows("memories")
        return [
            row["id"] for row in rows
            if row["status"] in ("current", "contested", "quarantined", "superseded", "closed") and self.value_of(row["text"]) == value
        ]  # fmt: skip

    @invariant()
    def what_is_gone_stays_gone(self):
        """R115: no row, item or (of what was forgotten) message holds a value that is gone; what is near a refusal waits."""
        for value, how in self.gone.items():
            near = {
                row["id"]
                for row in self.world.rows("memories")
                if row["status"] == "quarantined" and row["note"].startswith("near a refusal")
            }
            assert set(self.standing(value)) - (near if how == "refused" else set()) == set(), (value, how)
            if how == "forgotten":
                held = [row["text"] for row in self.world.rows("memories") if self.value_of(row["text"]) == value]
                assert held == []
        waiting = [item.payload for item in queue.peek(self.db, getattr(self, "project", "-"))]
        assert {FORMS.get(normal.form(payload)) for payload in waiting}.isdisjoint(
            self.gone.keys() - self.queued_before(waiting)
        )

    def queued_before(self, waiting):
        """A value that waited when it was refused may wait still: the drain drops it."""
        return {value for value, how in self.gone.items() if how == "refused"}

    @invariant()
    def the_store_is_sound(self):
        """Every invariant of the store holds between any two acts."""
        assert check.check_home(self.home) == []

    def teardown(self):
        """All is heard and drained once more: nothing of what is gone comes back."""
        SEEN["runs"] += 1
        SEEN["runs with a refusal"] += "refused" in self.gone.values()
        self.hears()
        if hasattr(self, "project"):
            self.drains("")
            self.what_is_gone_stays_gone()
            assert queue.peek(self.db, self.project) == []
            assert queue.dead(self.db, self.project) == []
        self.home.close()


def test_a_tombstoned_value_never_reappears(tmp_path_factory):
    """R115: over random interleavings of hearing, draining, verdicts, sweeping, capture, import, mining and sleep no gone value stands again."""
    NeverAgain.folder = tmp_path_factory
    SEEN.clear()
    run_state_machine_as_test(
        NeverAgain,
        settings=settings(
            max_examples=8, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
    assert SEEN["runs with a refusal"] >= SEEN["runs"] / 3, (
        SEEN
    )  # four of five in the mean; a test must not hang on luck
    assert SEEN["refused T1"] + SEEN["refused T2"] > 1, SEEN
