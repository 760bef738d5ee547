"""What is well and what is not: each finding says what, why, and the command to run next. Reads only.

It must never call a store healthy because nobody asked it: a queue that nobody drained for days is a failure, said so.
"""

from collections.abc import Iterator
from pathlib import Path

from bellek.curator import channels, config
from bellek.doctor_canary import canary
from bellek.doctor_clients import clients
from bellek.doctor_copies import copies
from bellek.doctor_finding import Finding
from bellek.doctor_health import health
from bellek.doctor_vaults import vaults
from bellek.doctor_vectors import meaning
from bellek.install.bound import bound
from bellek.install.target import Target
from bellek.kg import check, clock, forget, notices, paths, registry
from bellek.kg.home import Home, open_home
from bellek.schemas.channel import Fault
from bellek.schemas.errors import BellekError

OLD_ITEM_MS = 7 * clock.DAY_MS  # an item that waited so long will not be drained by itself
STALE_HEARING_MS = 3 * clock.DAY_MS


def examine(home: str, target: Target) -> list[Finding]:
    """All findings. A home that cannot be opened is one of them, not an exception."""
    if not Path(paths.memory_db(home)).exists():
        found = [
            Finding(
                "store",
                "WARN",
                f"no store in {home} yet",
                "nothing was heard or installed",
                "bellek install claude-code",
            )
        ]
        return [*found, *_hooks(target), *clients(target)]
    try:
        with open_home(home) as store:
            found = [
                *_store(store),
                *_forgettings(store),
                *_queue(store),
                *_hearing(store),
                *_manifests(store),
                *_config(store),
                *_projects(store),
                *meaning(store),
                *copies(store),
                *vaults(store),
                canary(store),
                *health(store),
            ]
    except BellekError as exc:
        found = [Finding("store", "FAIL", exc.what, exc.why, exc.hint)]
    return [*found, *_hooks(target), *clients(target), *_log(home)]


def _store(store: Home) -> Iterator[Finding]:
    faults = check.check_home(store)
    if not faults:
        yield Finding("store", "OK", f"store sound: {store.path}")
    for fault in faults:
        yield Finding(
            "store",
            "FAIL",
            fault,
            "an invariant of the store does not hold",
            "bellek doctor --fix --dry-run"
            if "index" in fault or "FTS5" in fault
            else "copy the home aside before anything else",
        )


def _forgettings(store: Home) -> Iterator[Finding]:
    for one in forget.pending(store.memory):
        yield Finding(
            "forgetting",
            "WARN",
            f"{one.id} is hidden and not proven to be gone",
            one.why or "it was stopped on its way",
            "bellek forget",
        )


def _queue(store: Home) -> Iterator[Finding]:
    waiting, oldest = store.memory.rows("SELECT count(*), min(enqueued_at) FROM queue WHERE state <> 'dead'")[0]
    last = store.memory.value("SELECT max(clock) FROM audit WHERE act = 'ack'")
    drained = clock.stamp(int(str(last)) >> clock.COUNTER_BITS) if last else "never"
    if not waiting:
        yield Finding("queue", "OK", "nothing waits", f"last drained {drained}")
    else:
        age = clock.now() - int(str(oldest))
        state = "FAIL" if age > OLD_ITEM_MS else "OK"
        yield Finding(
            "queue",
            state,
            f"{waiting} items wait, the oldest for {age // clock.DAY_MS} days",
            f"last drained {drained}{_failures(store)}",
            "bellek drain --offline",
        )
    for id_, project, reason in store.memory.rows(
        "SELECT id, project, reason FROM queue WHERE state = 'dead' ORDER BY id LIMIT 20"
    ):
        yield Finding(
            "dead-letter",
            "WARN",
            f"item {id_} of {project} could not be written",
            str(reason),
            f"bellek queue retry {id_}",
        )


def _failures(store: Home) -> str:
    """How many items could not be written so far and why one of them could not, as the end of a sentence; '' for none."""
    count, reason = store.memory.rows("SELECT count(*), max(reason) FROM queue WHERE reason <> ''")[0]
    return f"; {count} could not be written so far, one of them: {reason}" if count else ""


def _hearing(store: Home) -> Iterator[Finding]:
    heard = store.memory.value("SELECT value FROM meta WHERE key = 'heard_at'")
    if heard is None:
        yield Finding("hearing", "WARN", "no transcript was ever heard", "", "bellek tick")
    else:
        age = clock.now() - int(str(heard))
        yield Finding(
            "hearing",
            "WARN" if age > STALE_HEARING_MS else "OK",
            f"transcripts last heard {clock.stamp(int(str(heard)))}",
            "",
            "bellek tick" if age > STALE_HEARING_MS else "",
        )
    lost = store.conversations.value("SELECT count(*) FROM messages WHERE project = '-'")
    if lost:
        yield Finding(
            "no-project",
            "WARN",
            f"{lost} messages were heard without a working folder",
            "their transcript lines carry no cwd; they are in no packet",
        )
    for notice in notices.latest(store.memory, limit=10):
        yield Finding("notice", "WARN", notice.text, f"noticed {clock.stamp(notice.at)}")


def _manifests(store: Home) -> Iterator[Finding]:
    found = channels.load(store.path)
    if not found.faults:
        yield Finding("channels", "OK", f"heard: {', '.join(found.names)}")
    for fault in found.faults:
        yield Finding("manifest", "WARN", str(fault), "it declares no channel", "bellek channels check")
    for channel, count in store.memory.rows(
        "SELECT channel, count(*) FROM queue WHERE state <> 'dead' GROUP BY channel ORDER BY channel"
    ):
        if channel not in found.names:
            yield Finding(
                "undeclared",
                "WARN",
                f"{count} items wait in {channel}, which no manifest declares",
                "they are neither signalled nor drained",
                f"add a manifest of {channel}, or `bellek queue ack ID`",
            )


def _config(store: Home) -> Iterator[Finding]:
    fault = config.load(store.path)
    if isinstance(fault, Fault):
        what = "what was set before stays in force"
        yield Finding("config", "WARN", str(fault), what, f"correct {store.path}/config/{config.FILE}")


def _projects(store: Home) -> Iterator[Finding]:
    for _, old, new in registry.offers(store.memory):
        yield Finding(
            "project",
            "WARN",
            f"{old} seems to be {new} now",
            "same device and inode",
            f"bellek project move '{old}' '{new}'",
        )
    stranded = store.memory.rows(
        "SELECT p.id, p.path, count(*) FROM queue q JOIN projects p ON p.id = q.project WHERE q.state <> 'dead' GROUP BY p.id"
    )
    for id_, path, count in stranded:
        if not Path(str(path)).exists():
            yield Finding(
                "stranded",
                "WARN",
                f"{count} items wait in project {id_}",
                f"its folder {path} no longer exists",
                "bellek queue recover",
            )


def _hooks(target: Target) -> Iterator[Finding]:
    problems = bound(target)
    if not problems:
        yield Finding("hooks", "OK", f"hooks bound in {target.settings}")
    for problem in problems:
        yield Finding("hooks", "FAIL" if problem.fails else "WARN", problem.what, problem.why, problem.next)


def _log(home: str) -> Iterator[Finding]:
    try:
        with Path(paths.hook_log(home)).open(encoding="utf-8", errors="replace") as file:
            lines = file.read()[-4000:].strip().split("\n")
    except OSError:
        return
    yield Finding("hook-log", "WARN", f"the hook met {len(lines)} faults, the last: {lines[-1]}", paths.hook_log(home))
