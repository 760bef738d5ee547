"""The hearing child: started detached when a turn is over, one at a time, and by `tick` in the foreground.

It must never write to a terminal by itself, never hold the lock longer than its work, and never lose a request: who
comes while it works leaves a mark, and it looks again before and after it lets go.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from bellek.curator import capture
from bellek.curator.capture import Heard
from bellek.curator.lines import Ears
from bellek.kg import clock, failpoints, locks, paths, queue, receipts, registry
from bellek.kg.home import Home, open_home
from bellek.schemas.conversation import Said
from bellek.schemas.errors import Busy, UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bellek.clients.piped_ears import PipedEars
    from bellek.schemas.settings import Settings

LOCK = "hearing"
HUB_S = 20.0  # of a pass and a space: what is left over goes with the next turn, or with `bellek hub sync`
EMBED_S = 20.0  # of a pass: a store that has no vectors gets them turn by turn, never all at once behind one's back
WITH_FILES = ("claude-code", "pi", "omp", "codex")  # clients whose transcripts are read
PIPED = ("gemini", "opencode", "openclaw", "hermes")  # clients that hand over what was said
EVERYTHING = ""  # the mark of who asks for all transcripts


def listen(path: str, ears: Ears, files: "list[str]", say: Callable[[Heard], None] = lambda _: None) -> bool:
    """Hear the given transcripts (all of the client's when none is given). False where another pass is at work.

    `say` is called with the result of each round. A pass that finds the lock taken leaves a mark and tries once more:
    where that fails too, the holder had not let go when the mark was left, so it will find it afterwards.
    """
    with _mine(path, files) as mine:
        if not mine:
            return False
        _round(path, ears, files, say)
    while asked := locks.take_marks(path, LOCK):
        files = [] if EVERYTHING in asked else sorted(set(asked))
        with _mine(path, files) as mine:
            if not mine:  # somebody else came in between; the marks lie there again, for them
                break
            _round(path, ears, files, say)
    return True


@contextmanager
def _mine(path: str, files: "list[str]") -> Iterator[bool]:
    paths.make_home(path)
    with locks.held(path, LOCK) as mine:
        if mine:
            yield True
            return
    locks.leave_marks(path, LOCK, [os.path.abspath(file) for file in files] or [EVERYTHING])
    failpoints.reach("mark-left")
    with locks.held(path, LOCK) as mine:
        yield mine


def _round(path: str, ears: Ears, files: "list[str]", say: Callable[[Heard], None]) -> None:
    began = clock.now()  # not the end: what is said while the pass reads may come too late for it
    chosen = ears.transcripts(files)
    with open_home(path) as home:
        heard = capture.hear(home, ears, chosen)
        with home.memory.transaction():
            home.memory.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('heard_at', ?)", (str(began),))
        if home.memory.value("SELECT 1 FROM forgettings WHERE state <> 'proven' LIMIT 1"):
            from bellek.kg import forget  # with every kind's models; seldom needed

            forget.finish(home)
    failpoints.reach("round-over")
    say(heard)


def child(home: str, client: str, transcript: str) -> None:
    """The detached child's work, started by the hook file with the event ``Hear``; what it raises goes to the hook's log."""
    listen(home, ears_of(client), [transcript] if transcript else [])
    with open_home(home) as store:
        if "CLAUDE_PLUGIN_ROOT" in os.environ:  # started by our plugin: no installer laid the marker habit down
            teach(store)
        _let_go()
        child_work(store)


def _let_go() -> None:
    """Close our standard output, whose end a session's start waits for: what it tells is there, the rest is nobody's wait."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


def child_work(store: Home) -> None:
    """What a child does besides: drain by rule what nobody came for, sleep where a gate is open."""
    overdue = queue.overdue(store.memory)
    if overdue:
        from bellek.curator import drain  # with every kind's models a third of a pass over a small transcript

        drain.drain_overdue(store, overdue)
    embed(store)
    settings = _settings(store)
    if settings.profile == "companion":
        curate(store, settings)
    consolidate_open(store, settings)
    if store.memory.value("SELECT 1 FROM hub_spaces LIMIT 1"):  # most homes joined none, and load nothing for it
        from bellek.curator import hub_sync

        hub_sync.each(store, seconds=HUB_S)


def teach(store: Home) -> None:
    """Lay down the marker habit that packets tell, where it is not there yet."""
    from bellek.install.teach import TEACH

    if not store.memory.value("SELECT 1 FROM settings WHERE key = 'habit'"):
        with store.memory.transaction():
            store.memory.run("INSERT OR IGNORE INTO settings (key, value) VALUES ('habit', ?)", (TEACH,))


def _settings(store: Home) -> "Settings":
    """What the person's file says now."""
    from bellek.curator import config

    config.compile_into(store.memory, store.path)
    return config.read(store.memory)


def curate(store: Home, settings: "Settings") -> None:
    """After a reply, where something waits: by the curator's model in at most three steps a project, else by rule. With a
    model, what is over and was never marked is read too.

    One at a time; whoever finds a drain at work leaves it alone.
    """
    waiting = queue.projects(store.memory)
    if not waiting and not settings.curator_model:
        return
    from bellek import runners
    from bellek.curator import drain, drain_model, spend

    model = runners.model_of(store, settings, settings.curator_model)
    if model is None:
        drain.drain_overdue(store, waiting)
        return
    for project in waiting:
        with suppress(Busy):
            run = spend.run_of(store.memory, "curate")
            drain_model.drain_by_model(store, project, model, run, steps=drain_model.AFTER_REPLY)
    from bellek.curator import selection

    for known in registry.listed(store.memory):
        if not selection.due(store, known.id):
            continue
        with suppress(Busy):
            selection.select(store, known.id, model, spend.run_of(store.memory, "select"))


def consolidate_open(store: Home, settings: "Settings") -> None:
    """Sleep in every project whose gate is open. Nobody waits for it: the turn is over, and the hook has ended."""
    from bellek.curator import gate

    ready = [seen.project for seen in gate.look(store.memory, settings.profile) if seen.is_open]
    if not ready:
        return
    from bellek import (
        runners,
    )  # with every kind's models, and with them most of what a pass over a small transcript costs
    from bellek.curator import consolidate, spend

    model = runners.model_of(store, settings, settings.sleep_model)
    for project in ready:
        with suppress(Busy):  # another sleep is at work
            consolidate.sleep(store, project, model=model, run=spend.run_of(store.memory, "sleep"))


def embed(store: Home) -> None:
    """Make the vectors that are missing, for a while: what is left waits for the next turn, or for `bellek index`.

    An embedder that cannot be used or does not answer keeps nobody from hearing: `doctor` says so.
    """
    from bellek.kg import embedders

    with suppress(embedders.EmbedderFault, UsageFault, Busy):
        current = embedders.current(store.memory)
        if not current:
            return
        from bellek.kg import embedding

        if embedding.lacking(store.conversations, current):
            embedder = embedders.load(store.memory)
            if embedder is not None:
                embedding.catch_up(store, embedder, seconds=EMBED_S)


def ears_of(client: str) -> Ears:
    """The adapter of a client by name. Raises UsageFault for one that cannot be heard."""
    match client:
        case "claude-code":
            from bellek.clients.claude_ears import ClaudeEars, config_folder

            return ClaudeEars(config_folder())
        case "pi" | "omp":
            from bellek.clients.pi_ears import PiEars, agent_folder

            return PiEars(client, agent_folder(client))
        case "codex":
            from bellek.clients.codex_ears import CodexEars, codex_folder

            return CodexEars(codex_folder())
        case _:
            return _piped_ears(client)


def _piped_ears(client: str) -> "PipedEars":
    """Of a client that hands over what was said itself."""
    if client not in PIPED and not client.startswith("generic"):
        raise UsageFault(
            f"no client {client}", why="its transcripts are not known",
            hint=f"give --client with one of {', '.join((*WITH_FILES, *PIPED))}, or generic-NAME",
        )  # fmt: skip
    from bellek.clients.piped_ears import PipedEars

    return PipedEars(client)


def piped_child(home: str, client: str, raw: bytes) -> None:
    """The detached child's work for a client that hands over what was said: nothing of it is on disk before it is redacted.

    Such a client answered with what we told it, so what was offered to that session has arrived.
    """
    ears = _piped_ears(client)
    events = ears.piped(raw)
    with open_home(home) as store:
        with store.memory.transaction():
            for session in {event.session for event in events if isinstance(event, Said)}:
                receipts.arrived(store.memory, session)
        capture.hear_events(store, ears.name, events)
        with store.memory.transaction():
            store.memory.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('heard_at', ?)", (str(clock.now()),))
        child_work(store)
