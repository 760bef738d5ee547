"""A tombstoned value never reappears, however hearing, drains, verdicts, sweeps, capture, mining, sleep and forgetting interleave."""

import json

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
from typed_world import World, lesson, write

from bellek.clients.claude_ears import ClaudeEars
from bellek.curator import capture, consolidate, forgetting, manual, mine, sweep
from bellek.curator.drain import drain_offline
from bellek.kg import blast, check, forget, memories, normal, projects, queue, tombstones
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
GONE = st.sampled_from((*sorted(VALUES), ORDER))
WAYS = st.integers(0, 2)


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

    @initialize()
    def begin(self):
        """One hearing, so that the transcript's project is known."""
        self.marks("pip", 0)
        self.hears()
        self.project = projects.find(self.db, str(self.work))
        self.world.project = self.project

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

    @rule()
    def mines(self):
        """What was ordered in two sessions is mined."""
        mine.mine(self.home, self.project)

    @rule()
    def sleeps(self):
        """A night without its gate: mining, then consolidation by rule."""
        mine.mine(self.home, self.project)
        consolidate.sleep(self.home, self.project)

    @rule()
    def drains(self):
        """The offline drain."""
        drain_offline(self.home, self.project)

    @rule(value=NAMES, way=WAYS)
    def applies(self, value, way):
        """A curator writes the value by a verdict, as a lesson, an event, a task and a page at once."""
        said = VALUES[value][way]
        self.world.apply(
            lesson(said),
            write("event", text=said),
            write("task", text=said),
            write("page", topic=value, title="T", text=said),
        )

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

    @precondition(lambda self: len(self.gone) < 2)
    @rule(value=GONE)
    def refuses(self, value):
        """A person refuses every row of a value."""
        rows = self.standing(value)
        if rows and value not in self.gone:
            self.gone[value] = "refused"
            with self.db.transaction():
                for id_ in rows:
                    old = memories.read(self.db, id_)
                    memories.write(
                        self.db,
                        old.model_copy(update={"status": "refused", "note": "no", "batch": "b_no"}),
                        actor="person",
                        act="refuse",
                    )
                    tombstones.refuse(self.db, old, actor="person", batch="b_no")

    @precondition(lambda self: len(self.gone) < 2)
    @rule(value=GONE)
    def forgets(self, value):
        """A person forgets one row of a value, and with it whatever is the same."""
        rows = self.standing(value)
        if rows and value not in self.gone:
            self.gone[value] = "forgotten"
            done = forgetting.carry_out(
                self.home, blast.reach(self.home, Asked(self.project, (rows[0],))), actor="person"
            )
            assert done.state == "proven"

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
        """R115: no row, item or (of what was forgotten) message holds a value that is gone."""
        for value, how in self.gone.items():
            assert self.standing(value) == [], (value, how)
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
        self.hears()
        if hasattr(self, "project"):
            self.drains()
            self.what_is_gone_stays_gone()
            assert queue.peek(self.db, self.project) == []
            assert queue.dead(self.db, self.project) == []
        self.home.close()


def test_a_tombstoned_value_never_reappears(tmp_path_factory):
    """R115: over random interleavings of hearing, draining, verdicts, sweeping, capture, import, mining and sleep no gone value stands again."""
    NeverAgain.folder = tmp_path_factory
    run_state_machine_as_test(
        NeverAgain,
        settings=settings(
            max_examples=8, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
