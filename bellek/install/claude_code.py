"""Install into and uninstall from Claude Code: plan first, then copy, receipt, files, read back.

It must never write anything before the hook commands were tried and every file was read and understood, and never
remove or overwrite a file that a person has edited.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bellek.install import applied, files, jsontext, laid, permissions, receipt, settings
from bellek.install.command import events, program_command, wanted_hooks
from bellek.install.receipt import NoReceipt, Receipt
from bellek.install.report import Change, Report
from bellek.install.selftest import empty_home, try_hooks, try_program
from bellek.install.target import SETTINGS_NAME, Target, settings_path, skill_path

_NEW_SETTINGS = "{}\n"
RULES_NOTE = (
    "the client's permission rules let bellek's background agents run what they are told to, and refuse an agent the verbs that"
    " only a person may run; the second is a help, the gate itself asks who runs them"
)
_OUR_TRACE = b"hook.py"  # in the raw bytes of a file that cannot be parsed: may hold an entry of ours


@dataclass(frozen=True, slots=True)
class _Plan:
    """The settings as they were, the files to change, the settings' edit, what to tell, the sums of whole files of ours,
    the permission rules that are ours.
    """

    before: bytes | None
    changes: tuple[Change, ...]
    edit: settings.Edit
    notes: tuple[str, ...]
    sums: Mapping[str, str]
    rules: permissions.Rules


def install(
    target: Target,
    *,
    dry_run: bool = False,
    now: datetime | None = None,
    prepare: Callable[[Path], None] = empty_home,
) -> Report:
    """Bind the hooks, lay down the skill and the agents; a second run changes nothing.

    :param prepare: as in ``selftest.try_hooks``.
    :param now: the time in the backup's name; the clock's if None.
    :raises Refused: a self-test failed, or a file cannot be edited safely (the snippet to paste is in ``hint``);
        the client's files are as they were.
    """
    try_hooks(target, prepare)
    try_program(target)
    old = receipt.load(target.home, target.config_dir)
    plan = _install_plan(target, old)
    copy = _copy_path(plan, target.settings, target.home, now)
    if not dry_run:
        copy = _copied(copy, plan.before)
        _write_receipt(target, old, _receipt(target, old, plan, copy), now)
        applied.apply(plan.changes)
    return Report(dry_run, plan.changes, plan.edit.added, plan.edit.removed, plan.notes, copy)


def uninstall(config_dir: Path, home: Path, *, dry_run: bool = False, now: datetime | None = None) -> Report:
    """Take away what ``install`` brought: by the receipt, and by the form of our commands (any interpreter, any home).

    Needs neither the interpreter nor the hook file. Backups stay in the data home.

    :raises Refused: the settings hold something of ours but cannot be edited safely; nothing was changed.
    """
    old = receipt.load(home, config_dir)
    plan = _uninstall_plan(config_dir, old)
    copy = _copy_path(plan, settings_path(config_dir), home, now)
    if not dry_run:
        copy = _copied(copy, plan.before)
        applied.apply(plan.changes)
        for folder in reversed(_own_folders(config_dir, old)):
            files.remove_if_empty(folder)
        _drop_receipt(home, config_dir, old)
    return Report(dry_run, plan.changes, (), plan.edit.removed, plan.notes, copy)


def _install_plan(target: Target, old: Receipt | NoReceipt) -> _Plan:
    wanted = wanted_hooks(target)
    before = files.read(target.settings)
    try:
        mark, text = (b"", _NEW_SETTINGS) if before is None else settings.decoded(before)
        edit, rules = _edited(text, wanted, permissions.wanted(program_command(target)), old)
    except (jsontext.Broken, settings.Unfit) as fault:
        raise settings.refusal(target.settings, fault, _paste(wanted)) from fault
    changes, notes, sums = laid.laying(laid.laid_files(target.config_dir), program_command(target), _sums(old))
    changes.append(Change(target.settings, before, mark + edit.text.encode()))  # last: bound when all else is there
    if isinstance(old, NoReceipt) or rules != old.rules:
        notes.append(RULES_NOTE)
    return _Plan(before, _real(changes), edit, tuple(notes), sums, rules)


def _edited(
    text: str, wanted: settings.Wanted, rules: permissions.Rules, old: Receipt | NoReceipt
) -> tuple[settings.Edit, permissions.Rules]:
    """The hooks entered and the rules behind them, told from the text without either, so that both can be taken back."""
    ours = _rules(old, text)
    if permissions.settled(text, rules, ours):
        edit = settings.bound_edit(text, wanted, _interiors(old))
        if edit.text == text:
            return edit, ours
    bare = permissions.without_rules(text, ours, _interiors(old))
    edit = settings.bound_edit(bare, wanted, _interiors(old))
    ruled = permissions.with_rules(edit.text, rules)
    kept = {place: blanks for place, blanks in edit.interiors.items() if not place.startswith(permissions.KEY)}
    return settings.Edit(ruled.text, {**kept, **ruled.interiors}, edit.added, edit.removed), ruled.added


def _uninstall_plan(config_dir: Path, old: Receipt | NoReceipt) -> _Plan:
    changes: list[Change] = []
    notes: list[str] = []
    path, edit = settings_path(config_dir), settings.Edit("", {}, (), ())
    before = files.read(path)
    if before is not None:
        try:
            mark, text = settings.decoded(before)
            bare = permissions.without_rules(text, _rules(old, text), _interiors(old))
            edit = settings.unbound_edit(bare, _interiors(old))
            emptied = isinstance(old, Receipt) and old.settings_created and jsontext.parsed(edit.text) == {}
            changes.append(Change(path, before, None if emptied else mark + edit.text.encode()))
        except (jsontext.Broken, settings.Unfit) as fault:
            if _OUR_TRACE in before:
                raise settings.refusal(path, fault, _cut_by_hand()) from fault
            notes.append(f"{path} cannot be read as JSON and was left alone; nothing of bellek's is in it")
    gone, kept = laid.lifting(laid.laid_files(config_dir), _sums(old))
    return _Plan(before, _real([*changes, *gone]), edit, (*notes, *kept), {}, {})


def _real(changes: list[Change]) -> tuple[Change, ...]:
    return tuple(change for change in changes if change.before != change.after)


def _interiors(old: Receipt | NoReceipt) -> Mapping[str, str]:
    return old.interiors if isinstance(old, Receipt) else {}


def _sums(old: Receipt | NoReceipt) -> Mapping[str, str]:
    return old.files if isinstance(old, Receipt) else {}


def _rules(old: Receipt | NoReceipt, text: str) -> permissions.Rules:
    """Without a receipt by their form, and only beside hooks of ours: else a person wrote them."""
    if isinstance(old, Receipt):
        return old.rules
    return permissions.known_by_form(text) if settings.own_entries(jsontext.parsed(text)) else {}


def _own_folders(config_dir: Path, old: Receipt | NoReceipt) -> tuple[Path, ...]:
    """Folders that may go when they are empty, outermost first."""
    if isinstance(old, Receipt):
        return tuple(map(Path, old.folders))
    return (skill_path(config_dir).parent,)


def _copy_path(plan: _Plan, path: Path, home: Path, now: datetime | None) -> Path | None:
    """Where the settings as they were are copied to; None where they do not change or are new."""
    if plan.before is None or all(change.path != path for change in plan.changes):
        return None
    return receipt.folder(home) / f"{SETTINGS_NAME}.{_stamp(now)}"


def _copied(copy: Path | None, before: bytes | None) -> Path | None:
    return None if copy is None or before is None else files.keep_copy(copy.parent, copy.name, before)


def _stamp(now: datetime | None) -> str:
    return (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _receipt(target: Target, old: Receipt | NoReceipt, plan: _Plan, copy: Path | None) -> Receipt:
    earlier = old if isinstance(old, Receipt) else None
    missing = (files.missing_folders(one.path.parent) for one in laid.laid_files(target.config_dir))
    made = (*(earlier.folders if earlier else ()), *(str(folder) for folders in missing for folder in folders))
    after = next((change.after for change in plan.changes if change.path == target.settings), None)
    return Receipt(
        config_dir=str(target.config_dir),
        version=target.version,
        python=str(target.python),
        hook=str(target.hook),
        events=events(target),
        commands=tuple(str(hook["command"]) for hook in wanted_hooks(target).values()),
        settings_created=plan.before is None or (earlier is not None and earlier.settings_created),
        settings_sha256=files.digest(after or plan.before or b""),
        interiors=plan.edit.interiors,
        files=plan.sums,
        folders=tuple(dict.fromkeys(made)),
        backup=str(copy) if copy else (earlier.backup if earlier else ""),
        rules=plan.rules,
    )


def _write_receipt(target: Target, old: Receipt | NoReceipt, new: Receipt, now: datetime | None) -> None:
    """Before the files are: a killed install must leave behind what is needed to take it back."""
    if new == old:
        return
    path = receipt.path(target.home)
    raw = files.read(path)
    if isinstance(old, NoReceipt) and old.damaged and raw is not None:
        files.keep_copy(path.parent, f"{path.name}.damaged.{_stamp(now)}", raw)
    files.make_folders(path.parent)
    files.replace(path, receipt.text_with(raw, new), expected=raw)


def _drop_receipt(home: Path, config_dir: Path, old: Receipt | NoReceipt) -> None:
    path = receipt.path(home)
    raw = files.read(path)
    if raw is None or isinstance(old, NoReceipt):
        return  # a damaged file stays for a person to look at
    left = receipt.text_without(raw, config_dir)
    applied.apply((Change(path, raw, left),))


def _paste(wanted: settings.Wanted) -> str:
    return (
        "mend the file, or enter this by hand and then run `bellek doctor`:\n\n"
        f"{settings.snippet(wanted)}\n\n"
        "(an event that has hooks already gets one more entry in its array)"
    )


def _cut_by_hand() -> str:
    return (
        "mend the file, or take out by hand every hook whose command names bellek/hook.py, then run the command again"
    )
