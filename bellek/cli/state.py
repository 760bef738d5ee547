"""``state`` and ``drives``: how the day has gone and what the months were about, in numbers and as pictures. Reads only."""

from pathlib import Path
from typing import Annotated

import typer

from bellek.cli.place import HomeOption, JsonOption, opened
from bellek.cli.screen import one_line, say, say_json
from bellek.context import pictures
from bellek.kg import clock, state
from bellek.kg.pace import pace_of
from bellek.schemas import drives
from bellek.schemas import state as rules
from bellek.schemas.errors import UsageFault

state_group = typer.Typer(help="STATE: eight channels that messages move and time brings back.", invoke_without_command=True)  # fmt: skip
drive_group = typer.Typer(help="DRIVES: what the agent is drawn to, moved by months.", invoke_without_command=True)

AgentOption = Annotated[str, typer.Option("--agent", help="Whose: the client's name.")]
DaysOption = Annotated[int, typer.Option("--days", min=1, max=3650, help="So many days back from now.")]
OutOption = Annotated[str, typer.Option("--out", metavar="FILE", help="Write the SVG there instead of printing it.")]
AGENT = pictures.AGENT


def add_to(app: typer.Typer) -> None:
    """Add the groups."""
    app.add_typer(state_group, name="state")
    app.add_typer(drive_group, name="drives")


@state_group.callback()
def state_(
    context: typer.Context, agent: AgentOption = AGENT, home: HomeOption = None, json: JsonOption = False
) -> None:
    """Show the eight channels as they are now, the mood, and the tone in words."""
    if context.invoked_subcommand is not None:
        return
    with opened(home) as store:
        pace = pace_of(store.memory)
        values = state.at(store.memory, agent, clock.now())
    mood, tone = rules.mood(values, pace), rules.tone(values, pace)
    if json:
        say_json({
            "agent": agent, "mood": mood, "tone": tone,
            "channels": [
                {"id": name, "value": round(value, 4), "baseline": rest, "half_life_hours": half}
                for name, value, rest, half in zip(rules.CHANNELS, values, pace.baseline, pace.half_life_h, strict=True)
            ],
        })  # fmt: skip
        return
    for name, value, rest in zip(rules.CHANNELS, values, pace.baseline, strict=True):
        say(f"{name.replace('_', ' '):18} {value:.2f}  (rests at {rest:.2f})")
    say(f"mood: {mood or 'none is clear'}", f"tone: {tone}")


@state_group.command("plot")
def state_plot(agent: AgentOption = AGENT, days: DaysOption = 30, out: OutOption = "", home: HomeOption = None) -> None:
    """Draw the channels over time as one SVG."""
    with opened(home) as store:
        _hand_over(pictures.of_state(store.memory, agent, days), out)


@drive_group.callback()
def drives_(
    context: typer.Context, agent: AgentOption = AGENT, home: HomeOption = None, json: JsonOption = False
) -> None:
    """Show the six drives as they are today."""
    if context.invoked_subcommand is not None:
        return
    with opened(home) as store:
        values = drives.at(state.touches(store.memory, agent), pictures.local_today())
    if json:
        say_json([{"id": name, "value": round(value, 4), "rest": drives.REST} for name, value in values.items()])
        return
    say(*(f"{name:12} {value:.3f}  (rests at {drives.REST:.2f})" for name, value in values.items()))


@drive_group.command("plot")
def drives_plot(
    agent: AgentOption = AGENT, days: DaysOption = 180, out: OutOption = "", home: HomeOption = None
) -> None:
    """Draw the drives over the months as one SVG."""
    with opened(home) as store:
        _hand_over(pictures.of_drives(store.memory, agent, days), out)


def _hand_over(picture: str, out: str) -> None:
    if not out:
        say(picture.rstrip("\n"))
        return
    try:
        Path(out).write_text(picture, encoding="utf-8")
    except OSError as exc:
        raise UsageFault(f"{one_line(out, 80)} cannot be written", why=exc.strerror or "") from exc
    say(f"{one_line(out)} written, {Path(out).stat().st_size} bytes")
