"""``install|uninstall CLIENT``, ``demo``."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import bellek
from bellek.cli import timers
from bellek.cli.place import HomeOption, JsonOption, opened
from bellek.cli.screen import say, say_json, visible
from bellek.install import claude_code, others, receipt
from bellek.install.laid import CURATOR
from bellek.install.report import Report
from bellek.install.target import Target, agent_path, claude_config_dir, hook_file, real_interpreter
from bellek.install.teach import TEACH
from bellek.kg import paths
from bellek.kg.home import Home, open_home
from bellek.schemas.errors import UsageFault

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change; write nothing.")]
Client = Annotated[
    str, typer.Argument(metavar="CLIENT", help="claude-code, pi, omp, codex, gemini, opencode or openclaw.")
]


def add_to(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(install)
    app.command()(uninstall)
    app.command()(demo)


def target(home: str | None, *, hide_markers: bool = False) -> Target:
    """Where this program would bind its hooks, as it runs now."""
    return Target(
        claude_config_dir(os.environ),
        Path(paths.find_home(home)),
        real_interpreter(sys.executable),
        hook_file(),
        bellek.__version__,
        hide_markers,
    )


NightlyOption = Annotated[bool, typer.Option("--nightly", help="Instead of a client: the files of a timer that runs `bellek nightly` (systemd, or launchd).")]  # fmt: skip


def install(
    client: Client = "",
    dry_run: DryRun = False,
    nightly: NightlyOption = False,
    hide_markers: Annotated[bool, typer.Option("--hide-markers", help="Also hide hidden markers on screen, where the client can.")] = False,
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Bind a client's hooks and lay down the skill and the agents that go with them. A second run changes nothing."""
    if nightly and not client:
        timers.nightly(home, dry_run=dry_run, json=json, remove=False)
        return
    if client in others.CLIENTS:
        _tell(*_bind(client, home, dry_run=dry_run), json, client)
        return
    _known(client)
    report = claude_code.install(target(home, hide_markers=hide_markers), dry_run=dry_run, prepare=_make_store)
    if not dry_run:
        there = agent_path(claude_config_dir(os.environ), CURATOR).is_file()
        with opened(home) as store:
            _tell_the_hook(store, {"habit": TEACH, "curator:claude-code": CURATOR if there else ""})
    _tell(report, "bound" if report.changed else "bound already, nothing changed", json, client)


def _bind(client: str, home: str | None, *, dry_run: bool) -> tuple[Report, str]:
    """Bind one of the other clients; the marker habit is told by the packet there."""
    known = others.CLIENTS[client]
    report = others.install(known, replace(target(home), config_dir=known.folder(os.environ)), dry_run=dry_run)
    if not dry_run:
        with opened(home) as store:
            form = known.agents
            there = form and form.drains and (known.folder(os.environ) / form.place.format(name=CURATOR)).is_file()
            _tell_the_hook(store, {"habit": TEACH, f"curator:{client}": CURATOR if there else ""})
    return report, "bound" if report.changed else "bound already, nothing changed"


def uninstall(
    client: Client = "",
    dry_run: DryRun = False,
    nightly: NightlyOption = False,
    home: HomeOption = None,
    json: JsonOption = False,
) -> None:
    """Take away what `install` brought; other people's hooks and your memory stay."""
    if nightly and not client:
        timers.nightly(home, dry_run=dry_run, json=json, remove=True)
        return
    where = Path(paths.find_home(home))
    if client in others.CLIENTS:
        known = others.CLIENTS[client]
        report = others.uninstall(known, known.folder(os.environ), where, dry_run=dry_run)
        if not dry_run and Path(paths.memory_db(str(where))).exists():
            with opened(home) as store:
                _tell_the_hook(store, {f"curator:{client}": ""})
        _tell(report, "unbound" if report.changed else "nothing of bellek's was there", json, client)
        return
    _known(client)
    report = claude_code.uninstall(claude_config_dir(os.environ), where, dry_run=dry_run)
    if not dry_run and Path(paths.memory_db(str(where))).exists() and not receipt.path(where).exists():
        with opened(home) as store:
            _tell_the_hook(store, {"habit": "", "curator:claude-code": ""})
    _tell(report, "unbound" if report.changed else "nothing of bellek's was there", json, client)


def _tell_the_hook(store: Home, rows: dict[str, str]) -> None:
    """Lay down what the prompt hook reads of an install; an empty value takes its row away."""
    with store.memory.transaction():
        for key, value in rows.items():
            store.memory.run("DELETE FROM settings WHERE key = ?", (key,))
            if value:
                store.memory.run("INSERT INTO settings (key, value) VALUES (?, ?)", (key, value))


def _make_store(home: Path) -> None:
    """A store for the trial: with an empty home the hook would leave before it opens one."""
    open_home(str(home)).close()


def _known(client: str) -> None:
    if client != "claude-code":
        raise UsageFault(
            f"no client {client}",
            why="it cannot be bound in this version",
            hint=f"give one of claude-code, {', '.join(others.CLIENTS)}; another program uses `bellek hook` (docs/programs.md)",
        )


def _tell(report: Report, done: str, json: bool, client: str) -> None:
    if json:
        say_json({
            "dry_run": report.dry_run, "changed": report.changed, "added": list(report.added), "removed": list(report.removed),
            "files": [{"path": str(c.path), "act": c.act} for c in report.changes], "notes": list(report.notes),
            "backup": str(report.backup) if report.backup else None, "diff": report.diff,
        })  # fmt: skip
        return
    if report.dry_run:
        say(visible(report.diff) or "nothing would change")
    else:
        say(*(f"{c.act} {visible(str(c.path))}" for c in report.changes), f"{client}: {done}")
        say(*([f"the settings as they were: {visible(str(report.backup))}"] if report.backup else []))
    say(*(visible(note) for note in report.notes))


def demo(
    mine: Annotated[
        bool, typer.Option("--mine", help="Over your own Claude Code folder, read-only, into a throwaway home.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the throwaway folder and say where it is.")] = False,
) -> None:
    """Show one learning's road in a throwaway home: heard, queued, drained, kept, told, found."""
    from bellek.demo import road

    road.run(mine=mine, keep=keep)
