"""``conversations search Q|show ID|list|import PATH``: what was said, whole and verbatim."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bellek import hearing
from bellek.cli.mood import MoodOption, mood_of
from bellek.cli.place import HomeOption, JsonOption, ProjectOption, opened, project_id, typed
from bellek.cli.screen import complain, one_line, say, say_json, visible
from bellek.cli.when import SinceOption, UntilOption, bounds
from bellek.curator import importing
from bellek.kg import answers, clock, conversations, fold, talks, vectors
from bellek.kg.answers import Answer, Hit, Where
from bellek.kg.conversations import Message
from bellek.kg.dates import Span
from bellek.kg.home import Home
from bellek.kg.ids import the_one
from bellek.kg.talks import Told
from bellek.schemas.errors import NotFound, UsageFault

if TYPE_CHECKING:
    from bellek.kg.answers import Meaning

group = typer.Typer(no_args_is_help=True, help="What was said, verbatim.")

SpeakerOption = Annotated[
    str, typer.Option("--speaker", help="Only what the user or the assistant said (me, ben, asistan too).")
]
EVERY = 1_000_000  # conversations: more than a person has
SPEAKERS = {
    **dict.fromkeys(("user", "me", "i", "ben", "kullanici", "human"), "user"),
    **dict.fromkeys(("assistant", "agent", "asistan", "you", "sen", "ajan"), "assistant"),
}


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(group, name="conversations")


def speaker_of(given: str) -> str:
    """The author that a word names, "" for none. Raises UsageFault."""
    if not given:
        return ""
    if found := SPEAKERS.get(fold.fold(typed(given))):
        return found
    raise UsageFault(f"--speaker {one_line(given, 40)!r} is nobody", why="it is user or assistant")


def said(message: Message) -> dict[str, object]:
    """A message for JSON: its time as ISO 8601."""
    fields = asdict(message)
    fields["at"] = clock.stamp(message.at, message.offset_minutes)
    return fields


def line(message: Message, mark: str = "  ") -> str:
    """A message for a person: whole text, indented under its author and time."""
    body = visible(message.text).replace("\n", "\n     ")
    return f"{mark} {clock.stamp(message.at, message.offset_minutes)[:16].replace('T', ' ')} {message.author}: {body}"


@group.command()
def search(
    query: Annotated[list[str] | None, typer.Argument(metavar="Q", help="A question or words, dates too (geçen salı, three months ago); put -- before a word that begins with a dash.")] = None,
    since: SinceOption = "", until: UntilOption = "", speaker: SpeakerOption = "",
    limit: Annotated[int, typer.Option("--limit", min=1, max=100)] = 10,
    dates: Annotated[bool, typer.Option("--dates/--no-dates", help="Read dates in the question.")] = True,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Find what was said in this project, by words and by meaning: each hit comes with its whole conversation, its date and how it ended."""
    text, time = typed(" ".join(query or [])), bounds(since, until)
    with opened(home) as store:
        where = Where(project_id(store, project), time.since, time.until, speaker_of(speaker), limit)
        found = answers.answer(
            store.conversations, text, where, now=clock.now(), read_dates=dates, meaning=_meaning(store)
        )
        hits = [(hit, conversations.around(store.conversations, hit.n, before=0, after=0)[0]) for hit in found.hits]
        ids: dict[str, frozenset[str]] = {}
        for _, message in hits:
            ids[message.conversation] = ids.get(message.conversation, frozenset()) | {message.id}
        told = {id_: talks.told(store.conversations, store.memory, id_, where.project, ids[id_]) for id_ in ids}
    if json:
        say_json([_hit_json(hit, message, told[message.conversation], found.spans) for hit, message in hits])
        return
    say(*_read(found))
    if not hits:
        asked = text.strip() or since or until
        say("no conversation of this project has these words" if asked else "give some words to look for")
    for id_, marked in ids.items():
        say(*_talk(told[id_], marked), "")


def _hit_json(hit: Hit, message: Message, talk: Told, spans: tuple[Span, ...]) -> dict[str, object]:
    near = talks.shortened(talk.messages, frozenset((message.id,)))
    return {
        "id": message.id, "score": round(hit.score, 3), **said(message),
        "before": [said(m) for m in near if m.seq < message.seq], "after": [said(m) for m in near if m.seq > message.seq],
        "first_at": clock.stamp(talk.first_at, talk.messages[0].offset_minutes), "last_at": clock.stamp(talk.last_at, talk.messages[-1].offset_minutes),
        "messages": len(talk.messages), "outcome": talk.outcome, **({"mood": talk.mood} if talk.mood else {}),
        "dates": [{"phrase": s.phrase, "first": str(s.first), "last": str(s.last), "inside": hit.inside} for s in spans],
    }  # fmt: skip


def _read(found: Answer) -> Iterator[str]:
    """Which dates were read in the question, and whether what follows is from then."""
    if not found.spans:
        return
    told = ", ".join(f"“{visible(s.phrase)}” is {_days(s)}" for s in found.spans)
    yield f"dates: {told} (--no-dates turns this off)"
    if found.elsewhere:
        yield "nothing from then has these words" + ("; from other times:" if found.hits else "")


def _days(span: Span) -> str:
    return f"{span.first:%a} {span.first}" if span.first == span.last else f"{span.first} to {span.last}"


def _talk(talk: Told, marked: frozenset[str]) -> Iterator[str]:
    """A conversation: its span and mood, its messages in order with the hits marked, its outcome."""
    mood = f", mood: {talk.mood}" if talk.mood else ""
    first, last = (clock.stamp(m.at, m.offset_minutes)[:10] for m in (talk.messages[0], talk.messages[-1]))
    yield f"conversation {visible(talk.id)}  {first}{f' to {last}' if last != first else ''}, {len(talk.messages)} messages{mood}"
    yield from _window(talks.shortened(talk.messages, marked), marked, talk.id)
    if talk.outcome:
        yield f"   outcome, as the assistant ended: {visible(talk.outcome)}"


def _window(messages: Iterable[Message], marked: frozenset[str], talk: str) -> Iterator[str]:
    """The messages as lines, hits marked, a line of dots where some between them are left out."""
    last = 0
    for message in messages:
        if last and message.seq > last + 1:
            yield f"   … {message.seq - last - 1} messages, `bellek conversations show {visible(talk)}` prints all"
        yield line(message, ">>" if message.id in marked else "  ")
        last = message.seq


def _meaning(store: Home) -> "Meaning":
    """The arm of meaning beside the words; where a person expects one and there is none, that is said once."""
    told: set[str] = set()

    def lacking(off: vectors.Off) -> None:
        if off.wanted and off.why not in told:
            told.add(off.why)
            complain(f"bellek: found by words alone: {off.why}")

    return vectors.beside(store, lacking)


@group.command()
def show(
    id_: Annotated[str, typer.Argument(metavar="ID", help="The conversation's id, or the letters it starts with.")],
    since: SinceOption = "", until: UntilOption = "", speaker: SpeakerOption = "",
    home: HomeOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Print one whole conversation in order, or what was said in a time or by one side."""
    time, author = bounds(since, until), speaker_of(speaker)
    with opened(home) as store:
        messages = [
            message
            for message in conversations.show(store.conversations, _one_talk(store, id_))
            if author in ("", message.author)
            and (time.since is None or message.at >= time.since)
            and (time.until is None or message.at < time.until)
        ]
    if json:
        say_json([said(message) for message in messages])
        return
    say(*(line(message) for message in messages))


def _one_talk(store: Home, given: str) -> str:
    """The one conversation's id. Raises NotFound, Refused."""
    found = [talk.id for talk in conversations.find(store.conversations, given)]
    return the_one(
        given,
        found,
        NotFound(
            f"no conversation {one_line(given, 60)!r}", why="no id starts so", hint="run `bellek conversations list`"
        ),
    )


@group.command("list")
def list_(
    since: SinceOption = "", until: UntilOption = "", speaker: SpeakerOption = "", mood: MoodOption = "",
    limit: Annotated[int, typer.Option("--limit", min=1)] = 50,
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List the conversations of this project, newest first; with filters those in which something was said so."""
    time, feeling = bounds(since, until), mood_of(mood)
    with opened(home) as store:
        here = project_id(store, project)
        where = Where(here, time.since, time.until, speaker_of(speaker), EVERY if feeling else limit)
        moods = talks.moods(store.memory, here)
        found = talks.listed(store.conversations, where)
    found = [talk for talk in found if not feeling or moods.get(talk.id) == feeling][:limit]
    if json:
        say_json([
            {**asdict(t), "first_at": clock.stamp(t.first_at), "last_at": clock.stamp(t.last_at), "mood": moods.get(t.id, "")} for t in found
        ])  # fmt: skip
        return
    none = "no conversation was heard in this project" + (" so" if since or until or feeling else "")
    say(
        *(
            f"{visible(t.id)}  {clock.stamp(t.last_at)}  {t.messages} messages  {t.client}{_felt(moods.get(t.id))}"
            for t in found
        )
        if found
        else [none]
    )


def _felt(mood: str | None) -> str:
    return f"  {mood}" if mood else ""


@group.command("import")
def import_(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A Claude Code transcript, or JSON lines, a message each, with the keys of `conversations show --json`.")],
    client: Annotated[str, typer.Option("--client")] = "claude-code",
    home: HomeOption = None, project: ProjectOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """Store the messages of a file, each once by its id. Its hidden marks are not queued: `bellek tick --file PATH` hears those."""
    with opened(home) as store:
        done = importing.load(store, hearing.ears_of(client), path, project_id(store, project))
    if json:
        say_json(
            {
                "lines": done.lines,
                "messages": done.messages,
                "stored": done.stored,
                "unread": done.unread,
                "notes": done.notes,
            }
        )
        return
    say(*(one_line(note) for note in done.notes))
    known = done.messages - done.stored
    say(
        f"{done.stored} messages stored"
        + (f", {known} were known" if known else "")
        + (f", {done.unread} lines could not be read" if done.unread else "")
    )
