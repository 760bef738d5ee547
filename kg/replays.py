"""What replays found: one run, a cell for each task in each arm, and which candidates a task was about.

It decides nothing: no tier and no status depends on a row here. It must never hold a prompt or an answer.
"""

from dataclasses import dataclass

from bellek.kg.db import Database, Value
from bellek.kg.redact import redact


@dataclass(frozen=True, slots=True)
class Cell:
    """One task in one arm: whether its check passed, its cost in micro-dollars and tokens, and why it failed."""

    task: str
    arm: str
    passed: bool
    micros: int
    tokens: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Replay:
    """One run; `at` is UTC milliseconds, `state` running, done or cut."""

    id: str
    project: str
    model: str
    at: int
    state: str


def begin(db: Database, replay: Replay, covers: dict[str, tuple[str, ...]]) -> None:
    """A run with what each of its tasks covers. Inside a transaction."""
    db.run(
        "INSERT INTO replays (id, project, model, at, state) VALUES (?, ?, ?, ?, ?)",
        (replay.id, replay.project, replay.model, replay.at, replay.state),
    )
    pairs: list[tuple[Value, ...]] = [
        (replay.id, redact(task), memory) for task, ids in covers.items() for memory in dict.fromkeys(ids)
    ]
    db.run_many("INSERT INTO replay_covers (replay, task, memory) VALUES (?, ?, ?)", pairs)


def cut_off(db: Database) -> None:
    """Runs that nobody works at any more ended where they were. Under the replay's lock, inside a transaction."""
    db.run("UPDATE replays SET state = 'cut' WHERE state = 'running'")


def add(db: Database, replay: str, cell: Cell) -> None:
    """A cell of a run. Inside a transaction."""
    db.run(
        "INSERT INTO replay_cells (replay, task, arm, passed, micros, tokens, note) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (replay, redact(cell.task), cell.arm, int(cell.passed), cell.micros, cell.tokens, redact(cell.note)),
    )


def end(db: Database, replay: str, state: str) -> None:
    """Close a run: "done" or "cut". Inside a transaction."""
    db.run("UPDATE replays SET state = ? WHERE id = ?", (state, replay))


def cells(db: Database, replay: str, memory: str = "") -> list[Cell]:
    """The cells of a run, of those tasks only that cover a memory where one is named."""
    rows = db.rows(
        "SELECT task, arm, passed, micros, tokens, note FROM replay_cells c WHERE replay = ?1 AND (?2 = '' OR EXISTS"
        " (SELECT 1 FROM replay_covers v WHERE v.replay = c.replay AND v.task = c.task AND v.memory = ?2)) ORDER BY task, arm",
        (replay, memory),
    )
    return [
        Cell(str(task), str(arm), bool(passed), int(str(micros)), int(str(tokens)), str(note))
        for task, arm, passed, micros, tokens, note in rows
    ]


def latest(db: Database, memory: str) -> Replay | None:
    """The newest run that ended with at least one cell about a memory; None where there is none."""
    row = db.one(
        "SELECT r.id, r.project, r.model, r.at, r.state FROM replays r WHERE r.state <> 'running' AND EXISTS (SELECT 1 FROM replay_covers v"
        " JOIN replay_cells c ON c.replay = v.replay AND c.task = v.task WHERE v.replay = r.id AND v.memory = ?)"
        " ORDER BY r.at DESC, r.id DESC LIMIT 1",
        (memory,),
    )
    return Replay(*row) if row else None  # type: ignore[arg-type]


def begun_since(db: Database, project: str, at: int) -> int:
    """How many runs of a project began since an instant (UTC ms)."""
    return int(str(db.value("SELECT count(*) FROM replays WHERE project = ? AND at >= ?", (project, at))))
