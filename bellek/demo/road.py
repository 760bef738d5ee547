"""The road of a learning, shown: heard, queued, drained, kept, told, found. In a throwaway home, with the real parts.

Each line printed is about something that was done and read back. It must never touch the person's own data home,
write into their client's folder or repositories, or leave its own folder behind unless it was asked to keep it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bellek import hearing
from bellek.cli.screen import one_line, say, visible
from bellek.clients.claude_ears import config_folder
from bellek.curator.capture import Heard
from bellek.curator.drain import drain_offline
from bellek.demo import scene
from bellek.install.target import hook_file, real_interpreter
from bellek.kg import answers, clock, conversations, fts_query, journal, lessons, notices, queue, tasks
from bellek.kg.answers import Where
from bellek.kg.db import Database
from bellek.kg.home import Home, open_home

RECORDED_PROMPTS = ("Kupon kodu karşılaştırması neden tutmuyordu?", "Why did the payment webhook book an order twice?")
RECORDED_QUERY = "rapor günü gece yarısı"
SHOWN = 5  # rows a list: enough to see the form
HOOK_SECONDS = 30.0
STEPS = 6


def run(*, mine: bool, keep: bool = False) -> None:
    """Show the road over the recorded sessions, or over the person's own Claude Code folder with `mine`."""
    folder = Path(tempfile.mkdtemp(prefix="bellek-demo-"))
    try:
        if mine:
            _over_own(folder)
        else:
            _over_recorded(folder)
    finally:
        if not keep:
            shutil.rmtree(folder)
    if keep:
        say("", f"kept: {folder}", f"look around with: bellek --help, and --home '{folder}/home' behind any verb")
    else:
        say("", f"the throwaway folder {folder} is gone" if not folder.exists() else f"{folder} could not be removed")


def _over_recorded(folder: Path) -> None:
    say(
        "bellek demo: two recorded Claude Code sessions of a small bookshop, one Turkish, one English.",
        f"Everything happens in {folder}; nothing of yours is read.",
    )
    scene.lay_out_recorded(folder / "claude")
    ears = scene.NewestEars(str(folder / "claude"), _count_aloud)
    _show(folder, ears, RECORDED_PROMPTS, RECORDED_QUERY)


def _over_own(folder: Path) -> None:
    config = config_folder()
    say(
        f"bellek demo: your own Claude Code sessions in {visible(config)}, read only.",
        f"Everything is written into {folder}; nothing leaves this machine.",
    )
    ears = scene.NewestEars(config, _count_aloud)
    if not ears.found:
        say(
            "",
            "There is no Claude Code session in that folder yet. Run `bellek demo` without --mine for the recorded ones.",
        )
        return
    _show(folder, ears, (), "")


def _show(folder: Path, ears: scene.NewestEars, prompts: tuple[str, ...], query: str) -> None:
    home = str(folder / "home")
    with open_home(home) as store:
        with store.memory.transaction():
            store.memory.run("INSERT INTO settings (key, value) VALUES ('leave_ids', '0')")
        _heard(store, ears, twice=bool(prompts))
        project = _busiest(store)
        if not project:
            say("", "No message in these transcripts names a working folder, so there is no project to show.")
            return
        _queued(store, project)
        _drained(store, project)
        _kept(store, project)
        _told(store, project, prompts or _own_prompt(store, project))
        _found(store, project, query or _own_query(store, project))


# 1


def _heard(store: Home, ears: scene.NewestEars, *, twice: bool) -> None:
    _heading(1, "Heard: what is new in the transcripts")
    first = _listen(store.path, ears)
    stored = _count(store.conversations, "SELECT count(*) FROM messages")
    typed = _count(store.conversations, "SELECT count(*) FROM messages WHERE typed")
    marks = _count(store.memory, "SELECT count(*) FROM queue")
    say(
        f"  {first.files} of {ears.found} transcripts read, {stored} messages stored, {typed} of them typed by a person, {marks} marks queued"
    )
    if first.files < ears.found:
        say("  the newest are enough for a look; `bellek tick` hears all of them")
    said = notices.latest(store.memory, limit=SHOWN)
    say(*(f"  not taken: {one_line(n.text)}" for n in reversed(said)))
    _more(_count(store.memory, "SELECT count(*) FROM notices"))
    if twice:
        with store.memory.transaction():
            store.memory.run("DELETE FROM cursors")
        again = _listen(store.path, ears)
        say(
            f"  all places forgotten, {again.files} read again: {again.messages} new messages, {again.queued} new marks"
        )


def _count(db: Database, sql: str) -> int:
    return int(str(db.value(sql)))


def _listen(home: str, ears: scene.NewestEars) -> Heard:
    rounds: list[Heard] = []
    hearing.listen(home, ears, [], rounds.append)
    return rounds[0]


def _count_aloud(begun: int, all_: int) -> None:
    """On a terminal one line that counts up; elsewhere nothing, so that a log stays short."""
    if sys.stderr.isatty():
        end = "\n" if begun == all_ else "\r"
        sys.stderr.write(f"  transcript {begun} of {all_}{end}")
        sys.stderr.flush()


def _busiest(store: Home) -> str:
    """The project to show: the one with most waiting marks, then the one that was talked in last."""
    row = store.memory.one(
        "SELECT project FROM queue WHERE project <> '-' GROUP BY project ORDER BY count(*) DESC, project LIMIT 1"
    )
    row = row or store.conversations.one(
        "SELECT project FROM messages WHERE project <> '-' ORDER BY at DESC, n DESC LIMIT 1"
    )
    return str(row[0]) if row else ""


# 2 to 4


def _queued(store: Home, project: str) -> None:
    _heading(2, "Queued: each mark once, with its reason")
    items = queue.peek(store.memory, project)
    say(*(f"  {i.id}  {i.channel:8}  {one_line(i.payload, 100)}" for i in items[:SHOWN]))
    _more(len(items))
    if not items:
        say(
            "  no hidden marks: they come once `bellek install claude-code` has taught the habit",
            "  what was said is kept and can be searched all the same",
        )


def _drained(store: Home, project: str) -> None:
    _heading(3, "Drained: written and acknowledged in one transaction, by rule, without a model")
    done = drain_offline(store, project)
    rows = ", ".join(f"{count} {kind}" for kind, count in sorted(done.written.items())) or "no rows"
    left = sum(queue.counts(store.memory, project).values())
    say(f"  {done.acknowledged} acknowledged ({rows}), {left} waiting")


def _kept(store: Home, project: str) -> None:
    _heading(4, "Kept: typed rows, unverified (T1) until a person makes one permanent")
    learned = lessons.listed(store.memory, project)
    say(
        *(
            f"  {row.id}  {row.tier} {row.importance:6} {row.learning:12} {one_line(row.text, 76)}"
            for row in learned[:SHOWN]
        )
    )
    _more(len(learned))
    days = [row.day for row in journal.listed(store.memory, project)]
    if days:
        say(f"  journal: {len(days)} entries, {min(days)} to {max(days)}")
    todo = tasks.listed(store.memory, project)
    say(*(f"  {row.id}  open task: {one_line(row.text, 90)}" for row in todo[:SHOWN]))
    if not learned and not todo:
        say("  nothing yet")


def _more(count: int) -> None:
    if count > SHOWN:
        say(f"  … and {count - SHOWN} more")


# 5


def _told(store: Home, project: str, prompts: tuple[str, ...]) -> None:
    _heading(5, "Told: what the prompt hook adds to the next turn")
    cwd = str(store.memory.value("SELECT path FROM projects WHERE id = ?", (project,)))
    words = _hook_words(store.path)
    for number, prompt in enumerate(prompts):
        say(f"  prompt: {one_line(prompt, 100)}")
        context = _ask_hook(words, cwd, prompt)
        if context:
            say(*(f"    {visible(line)}" for line in context.split("\n")))
        else:
            say("    (nothing: the hook stays silent)")
        if not number and len(prompts) > 1:
            say("  the same session asks on, and is told only what it has not seen:")


def _hook_words(home: str) -> list[str]:
    """The hook as an installed client starts it."""
    python, hook = str(real_interpreter(sys.executable)), str(hook_file())
    return [python, "-I", hook, "UserPromptSubmit", "--client", "claude-code", "--home", home]


def _ask_hook(words: list[str], cwd: str, prompt: str) -> str:
    event = {"session_id": "bellek-demo", "cwd": cwd, "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    asked = subprocess.run(
        words,
        input=json.dumps(event).encode(),
        capture_output=True,
        env=scene.hook_environment(),
        timeout=HOOK_SECONDS,
        check=True,
    )
    return str(json.loads(asked.stdout)["hookSpecificOutput"]["additionalContext"]) if asked.stdout else ""


def _own_prompt(store: Home, project: str) -> tuple[str, ...]:
    """A person's own newest typed words in that project stand in for their next ones."""
    text = store.conversations.value(
        "SELECT text FROM messages WHERE project = ? AND author = 'user' ORDER BY typed DESC, at DESC LIMIT 1",
        (project,),
    )
    return (one_line(str(text), 300),) if text else ()


# 6


def _found(store: Home, project: str, query: str) -> None:
    _heading(6, "Found: what was said, verbatim, with what stood around it")
    say(f"  $ bellek conversations search {one_line(query, 80)}")
    hits = answers.answer(store.conversations, query, Where(project, limit=1), now=clock.now()).hits
    if not hits:
        say("  nothing in this project has these words")
        return
    hit, before, after = conversations.around(store.conversations, hits[0].n, before=1, after=1)
    for message in (*before, hit, *after):
        mark = ">>" if message.id == hit.id else "  "
        when = clock.stamp(message.at, message.offset_minutes)[:16].replace("T", " ")
        say(f"  {mark} {when} {message.author}: {one_line(message.text, 160)}")


def _own_query(store: Home, project: str) -> str:
    """The first content words of the newest lesson, else of the newest typed message."""
    learned = lessons.listed(store.memory, project)
    text = learned[0].text if learned else " ".join(_own_prompt(store, project))
    return " ".join(fts_query.words(text)[:3])


def _heading(number: int, text: str) -> None:
    say("", _bold(f"{number}/{STEPS} {text}"))


def _bold(text: str) -> str:
    plain = not sys.stdout.isatty() or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return text if plain else f"\x1b[1m{text}\x1b[0m"
