"""Install into and uninstall from the clients beside Claude Code: an extension file of ours, or entries in a hooks file.

Planned first, tried, then copied, written and read back; a second run changes nothing. It must never touch another's hook,
never overwrite or remove a file that a person has edited, and never write before the hook has answered.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bellek.install import agent_files, applied, entries, files, jsontext, laid, selftest, settings
from bellek.install.agent_files import Form
from bellek.install.command import hook_command, program_command
from bellek.install.report import Change, Report
from bellek.install.target import Target

WORDS = "{{words}}"  # in a template: interpreter, hook file, data home and client as a JSON list
CLIENT_WORD = "{{client}}"
_WORDS_FORM = r"\[[^\n]*\]"


@dataclass(frozen=True, slots=True)
class Client:
    """How one client is bound, by paths below its folder: `files` of ours (template, place); `hooks`, a file of hook entries
    with what is entered (event → timeout as the client counts it); `entry`, one key of ours in a JSON file (file, path,
    value). `agents` is the form of our agents' files where the client has subagents. `event` is tried before anything is written.
    """

    name: str
    folder: Callable[[Mapping[str, str]], Path]
    event: str
    files: tuple[tuple[str, str], ...] = ()
    hooks: tuple[str, Mapping[str, int]] | None = None
    entry: tuple[str, tuple[str, ...], object] | None = None
    agents: Form | None = None
    note: str = ""


def _below(variable: str, *place: str, kept: int = 0) -> Callable[[Mapping[str, str]], Path]:
    """The folder that a variable names, else `place` below the home folder; of that the variable leaves the last `kept` parts."""

    def folder(env: Mapping[str, str]) -> Path:
        named = env.get(variable)
        if named:
            return Path(named).absolute().joinpath(*place[len(place) - kept :])
        return Path(env.get("HOME") or Path.home()).joinpath(*place)

    return folder


CODEX_TRUST = (
    "Codex runs a hook only after you have trusted it: start `codex` once and accept bellek's hooks (its /hooks screen);"
    " `codex exec` skips untrusted hooks without a word"
)
OPENCLAW = Client(
    "openclaw", _below("OPENCLAW_STATE_DIR", ".openclaw"), "prompt",
    files=(
        ("openclaw.js", "extensions/bellek/index.js"), ("openclaw.package.json", "extensions/bellek/package.json"),
        ("openclaw.plugin.json", "extensions/bellek/openclaw.plugin.json"),
    ),
    entry=("openclaw.json", ("plugins", "entries", "bellek"), {"enabled": True, "hooks": {"allowConversationAccess": True}}),
)  # fmt: skip
CLIENTS = {
    client.name: client
    for client in (
        Client("pi", _below("PI_CODING_AGENT_DIR", ".pi", "agent"), "before_agent_start", files=(("pi.ts", "extensions/bellek.ts"),)),
        Client("omp", _below("PI_CODING_AGENT_DIR", ".omp", "agent"), "before_agent_start", files=(("pi.ts", "extensions/bellek.ts"),), agents=agent_files.OMP),
        Client(
            "codex", _below("CODEX_HOME", ".codex"), "UserPromptSubmit", note=CODEX_TRUST, agents=agent_files.CODEX,
            hooks=("hooks.json", {"SessionStart": 5, "UserPromptSubmit": 5, "Stop": 5, "SessionEnd": 3}),
        ),
        Client(
            "gemini", _below("GEMINI_CLI_HOME", ".gemini", kept=1), "BeforeAgent", agents=agent_files.GEMINI,
            hooks=("settings.json", {"SessionStart": 5_000, "BeforeAgent": 5_000, "AfterAgent": 5_000}),
        ),
        Client("opencode", _below("XDG_CONFIG_HOME", ".config", "opencode", kept=1), "prompt", files=(("opencode.js", "plugin/bellek.js"),), agents=agent_files.OPENCODE),
        OPENCLAW,
    )
}  # fmt: skip


def install(client: Client, target: Target, *, dry_run: bool = False) -> Report:
    """Bind a client; `target.config_dir` is its folder. Raises Refused: the self-test failed or a file cannot be edited safely."""
    selftest.try_event(target, client.event, client.name)
    if client.agents:
        selftest.try_program(target)
    changes, notes, added = _plan(client, target)
    return _carried_out(client, target.home, changes, notes, added=added, dry_run=dry_run)


def uninstall(client: Client, folder: Path, home: Path, *, dry_run: bool = False) -> Report:
    """Take away what `install` brought, by its form: whatever interpreter, home and version wrote it."""
    changes: list[Change] = []
    notes: list[str] = []
    removed: tuple[str, ...] = ()
    if client.entry and (before := files.read(folder / client.entry[0])) is not None:
        changes.append(_entry_change(client, folder / client.entry[0], before, bind=False))
    for template, place in client.files:
        path = folder / place
        there = files.read(path)
        if there is not None and _is_ours(client, template, there):
            changes.append(Change(path, there, None))
        elif there is not None:
            notes.append(f"{path} was edited by hand and was kept")
    gone, kept = laid.lifting(agent_files.of(client.agents, folder), {})
    changes += gone
    notes += kept
    if client.hooks and (before := files.read(folder / client.hooks[0])) is not None:
        mark, edit = _edited(client, folder / client.hooks[0], before, {})
        removed = edit.removed
        emptied = removed and jsontext.parsed(edit.text) == {}
        changes.append(Change(folder / client.hooks[0], before, None if emptied else mark + edit.text.encode()))
    report = _carried_out(client, home, changes, notes, removed=removed, dry_run=dry_run)
    for _, place in client.files if not dry_run else ():
        if (folder / place).parent.name == "bellek":  # a folder of ours alone
            files.remove_if_empty((folder / place).parent)
    return report


def bound(client: Client, folder: Path) -> bool:
    """Whether something of ours is there."""
    if client.files:
        template, place = client.files[0]
        there = files.read(folder / place)
        return there is not None and _is_ours(client, template, there)
    raw = files.read(folder / client.hooks[0]) if client.hooks else None
    try:
        return raw is not None and bool(settings.own_entries(jsontext.parsed(settings.decoded(raw)[1]), client.name))
    except jsontext.Broken:
        return False


def due(client: Client, target: Target) -> list[Path]:
    """The files that an install would change now."""
    return [change.path for change in _plan(client, target)[0] if change.before != change.after]


def rendered(client: Client, template: str, target: Target) -> bytes:
    """A file of ours for this machine."""
    words = json.dumps([str(target.python), str(target.hook), str(target.home), client.name], ensure_ascii=False)
    return _text(template).replace(WORDS, words).replace(CLIENT_WORD, client.name).encode()


def _text(template: str) -> str:
    return (Path(__file__).parent / "extensions" / template).read_text(encoding="utf-8")


def _is_ours(client: Client, template: str, there: bytes) -> bool:
    form = re.escape(_text(template).replace(CLIENT_WORD, client.name)).replace(re.escape(WORDS), _WORDS_FORM)
    return re.fullmatch(form, there.decode("utf-8", "replace")) is not None


def _plan(client: Client, target: Target) -> tuple[list[Change], list[str], tuple[str, ...]]:
    changes: list[Change] = []
    notes = [client.note] if client.note else []
    added: tuple[str, ...] = ()
    for template, place in client.files:
        path, ships = target.config_dir / place, rendered(client, template, target)
        there = files.read(path)
        if there is None or _is_ours(client, template, there):
            changes.append(Change(path, there, ships))
        else:
            notes.append(f"{path} was edited by hand and was kept; bellek's own text was not written")
    lying, kept, _ = laid.laying(agent_files.of(client.agents, target.config_dir), program_command(target), {})
    changes += lying
    notes += kept
    if client.entry:
        path = target.config_dir / client.entry[0]
        changes.append(_entry_change(client, path, files.read(path), bind=True))
    if client.hooks:
        path = target.config_dir / client.hooks[0]
        before = files.read(path)
        mark, edit = _edited(client, path, before or b"{}\n", _wanted(client, target))
        changes.append(Change(path, before, mark + edit.text.encode()))
        added = edit.added
    return changes, notes, added


def _wanted(client: Client, target: Target) -> dict[str, dict[str, str | int]]:
    events = client.hooks[1] if client.hooks else {}
    return {
        event: {
            "type": "command", "timeout": timeout,
            "command": hook_command(target.python, target.hook, event, target.home, client.name),
        }
        for event, timeout in events.items()
    }  # fmt: skip


def _entry_change(client: Client, path: Path, before: bytes | None, *, bind: bool) -> Change:
    """The one key of ours in a client's settings, entered or taken away."""
    assert client.entry is not None
    _, place, value = client.entry
    try:
        mark, text = settings.decoded(before or b"{}\n")
        after = entries.entered(text, place, value) if bind else entries.taken(text, place)
    except (jsontext.Broken, settings.Unfit) as fault:
        hint = f"enter this by hand, then run the command again: {'.'.join(place)} = {json.dumps(value)}"
        raise settings.refusal(path, fault, hint) from fault
    emptied = not bind and after != text and jsontext.parsed(after) == {}
    return Change(path, before, None if emptied else mark + after.encode())


def _edited(client: Client, path: Path, raw: bytes, wanted: settings.Wanted) -> tuple[bytes, settings.Edit]:
    try:
        mark, text = settings.decoded(raw)
        return mark, settings.bound_edit(text, wanted, {}, client.name) if wanted else settings.unbound_edit(
            text, {}, client.name
        )
    except (jsontext.Broken, settings.Unfit) as fault:
        advice = "mend the file, then run the command again" + (
            f"; or enter this by hand:\n\n{settings.snippet(wanted)}\n" if wanted else ""
        )
        raise settings.refusal(path, fault, advice) from fault


def _carried_out(
    client: Client, home: Path, changes: list[Change], notes: list[str], *, added: tuple[str, ...] = (), removed: tuple[str, ...] = (), dry_run: bool
) -> Report:  # fmt: skip
    real = tuple(change for change in changes if change.before != change.after)
    copy = None
    for change in real if not dry_run else ():
        if change.path.suffix == ".json" and change.before is not None and change.after is not None:
            stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
            copy = files.keep_copy(home / "install" / client.name, f"{change.path.name}.{stamp}", change.before)
    if not dry_run:
        applied.apply(real)
    return Report(dry_run, real, added, removed, tuple(notes), copy)
