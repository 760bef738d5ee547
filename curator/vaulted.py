"""Memory and its files: export, what was edited on disk, and how an edit comes back.

An edit found on disk has the origin `file`: agents edit files too. It waits in the inbox, as a proposal, until a person answers
it or runs `vault sync` and sees the difference. What does not round-trip is kept beside and refused. It must never overwrite
an edit, take one in by itself, forget a row because its file is gone, or read a sync tool's copy as a fact.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bellek.context import front, vault
from bellek.context.vault import File
from bellek.curator import inbox, vault_disk, yaml_text
from bellek.kg import failpoints, memories, proposals, vault_files
from bellek.kg.db import Database
from bellek.kg.home import Home
from bellek.kg.ids import mint
from bellek.kg.vault_files import Written, digest
from bellek.schemas.errors import Refused
from bellek.schemas.memory import Memory
from bellek.schemas.proposal import FromFiles, Proposal, Structure

ACTOR = "vault"
TOGETHER = 500  # rows of the list a transaction
LONGEST = 20_000  # letters of a page, as a verdict's
_COPY = re.compile(
    r"conflict(?:ed)?[ _-]?copy|\(.*conflict.*\)|sync-conflict-|çakışan kopya|çakışma|\.orig\.md$", re.IGNORECASE
)
_NUMBERED = re.compile(r"(.+?)(?: \(\d+\)| \d+|[ -]copy)\.md$", re.IGNORECASE)
_MARKS = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Edit:
    """A file whose words were changed: the row as it stands, and what the file says."""

    path: str
    row: Memory
    text: str


@dataclass(frozen=True, slots=True)
class Gone:
    """A file that was deleted: nothing is forgotten by that."""

    path: str
    row: Memory


@dataclass(frozen=True, slots=True)
class Note:
    """A file that somebody wrote into the vault: it may become a page."""

    path: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Odd:
    """A file that is not taken in, and why. `stays`: it is left where it lies, and nothing is written over it."""

    path: str
    why: str
    stays: bool


@dataclass(slots=True)
class Found:
    """What a look at a vault found. `same` are files in which only somebody else's keys changed: path → the file's text."""

    edits: list[Edit] = field(default_factory=list)
    gone: list[Gone] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    odd: list[Odd] = field(default_factory=list)
    same: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Exported:
    """What an export did: files by what became of them; `asked` are proposals that it put into the inbox."""

    root: str
    written: list[str] = field(default_factory=list)
    unchanged: int = 0
    removed: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    beside: list[tuple[str, str]] = field(default_factory=list)
    odd: list[Odd] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


def look(home: Home, root: str, project: str) -> Found:
    """What differs in a vault from what was written there. Reads only."""
    files = {file.path: file for file in vault.files(home.memory, project, without=_asked_for(home.memory))}
    return _look(home.memory, vault_disk.read(root), vault_files.of(home.memory, root), files)


def _look(db: Database, tree: vault_disk.Tree, known: dict[str, Written], files: dict[str, File]) -> Found:
    found = Found()
    ids = {written.memory for written in known.values() if written.memory}
    moved = set()
    for path, text in tree.texts.items():
        if path in known:
            if digest(text) != known[path].digest:
                _changed(db, found, path, text, files.get(path))
        elif path not in files:
            moved |= _foreign(db, found, path, text, known, ids)
    for path, why in tree.faults.items():
        found.odd.append(Odd(path, why, stays=True))
    for path, written in known.items():
        there = path in tree.texts or tree.hides(path)
        if not there and written.memory and path in files and written.memory not in moved:
            found.gone.append(Gone(path, memories.read(db, written.memory)))
    return found


def _changed(db: Database, found: Found, path: str, text: str, file: File | None) -> None:
    """One file of ours that reads otherwise than it was written."""
    if _MARKS.search(text):
        found.odd.append(Odd(path, "it holds the marks of an unfinished merge", stays=True))
        return
    if file is None:
        found.odd.append(Odd(path, "its row does not stand any more", stays=False))
        return
    parts = front.split(text)
    try:
        values = yaml_text.values(parts.front or "", about=path)
    except Refused as exc:
        found.odd.append(Odd(path, f"its front matter cannot be read: {exc.what}", stays=True))
        return
    expected = {key: value for key, value in file.front.items() if value}
    off = next((key for key in front.KEYS if values.get(key) != expected.get(key)), "")
    if off:
        found.odd.append(Odd(path, f"its key {off} says otherwise than the row: keys are not taken in", stays=False))
    elif parts.body == file.body:
        found.same[path] = text
    elif not file.editable:
        found.odd.append(Odd(path, "it is written from several rows: edits of it are not taken in", stays=False))
    else:
        _edited(db, found, path, memories.read(db, file.memory), parts.body)


def _edited(db: Database, found: Found, path: str, row: Memory, below: str) -> None:
    words = vault.words(row, below)
    if words is None or not words.strip():
        why = (
            "a claim is one `- [category] fact` line"
            if words is None
            else "it is empty: delete the file to have it forgotten"
        )
        found.odd.append(Odd(path, why, stays=False))
    elif len(words) > LONGEST:
        found.odd.append(Odd(path, f"it has more than {LONGEST} letters", stays=False))
    elif proposals.declined(db, "edit", row.id, words):
        found.odd.append(Odd(path, "a person declined this edit", stays=False))
    else:
        found.edits.append(Edit(path, row, words))


def _foreign(db: Database, found: Found, path: str, text: str, known: dict[str, Written], ids: set[str]) -> set[str]:
    """One file that no export wrote. The ids of rows whose file it is, moved."""
    name = path.rpartition("/")[2]
    numbered = _NUMBERED.match(path)
    if _COPY.search(name) or (numbered and f"{numbered[1]}.md" in known):
        found.odd.append(
            Odd(path, "a sync tool's copy: compare it with the file of that name, then delete it", stays=True)
        )
    elif _MARKS.search(text):
        found.odd.append(Odd(path, "it holds the marks of an unfinished merge", stays=True))
    else:
        parts = front.split(text)
        try:
            values = yaml_text.values(parts.front or "", about=path)
        except Refused as exc:
            found.odd.append(Odd(path, f"its front matter cannot be read: {exc.what}", stays=True))
            return set()
        if values.get("id") in ids:
            found.odd.append(Odd(path, f"a file of {values['id']} that lies elsewhere: move it back", stays=True))
            return {str(values["id"])}
        note = Note(path, _title(values, parts.body, name), parts.body.strip())
        if note.text and len(note.text) <= LONGEST and not proposals.known(db, "page", path, note.text):
            found.notes.append(note)
    return set()


def _title(values: "dict[str, str | tuple[str, ...]]", below: str, name: str) -> str:
    heading = re.search(r"^# +(.+)$", below, re.MULTILINE)
    given = values.get("title") or values.get("name") or (heading[1] if heading else "") or name.removesuffix(".md")
    return " ".join(str(given).split())[:200] or "note"


def ask(home: Home, root: str, project: str, found: Found) -> list[str]:
    """Put what was found into the inbox, once each; ids of the proposals made now. In the caller's transaction."""
    made = []
    for edit in found.edits:
        if not proposals.known(home.memory, "edit", edit.row.id, edit.text):
            _give_way(home, edit.row.id)
            title = f"change {edit.row.id} to what {edit.path} says"
            made.append(_propose(home, edit.row.project, "edit", title, edit.text, edit.row.id))
    for gone in found.gone:
        if not proposals.waiting_for(home.memory, "forget", gone.row.id):
            title = f"forget {gone.row.id}"
            text = f"its file {gone.path} was deleted; it is remembered until you answer"
            made.append(_propose(home, gone.row.project, "forget", title, text, gone.row.id))
    vault_files.drop(home.memory, root, [gone.path for gone in found.gone])  # else it is asked again after a no
    made += [_propose(home, project, "page", note.title, note.text, note.path) for note in found.notes]
    return made


def _give_way(home: Home, target: str) -> None:
    """An edit that waits is closed when its file says something else now."""
    for id_ in proposals.waiting_for(home.memory, "edit", target):
        row = memories.read(home.memory, id_)
        inbox.close(
            home.memory,
            row,
            yes=False,
            answer="the file was changed again",
            batch=mint("b"),
            actor=ACTOR,
            act="give-way",
        )


def _propose(home: Home, project: str, structure: Structure | FromFiles, title: str, text: str, target: str) -> str:
    base = memories.revision(home.memory, target) if structure != "page" else 0
    body = Proposal(structure=structure, title=title[:200], target=target, base=base)
    return inbox.put(home.memory, project, body, text, origin="file", actor=ACTOR).id


def answered(home: Home, structure: str, target: str, *, yes: bool, actor: str) -> None:
    """Close what waits about a target: a person decided at the file itself. In the caller's transaction."""
    for id_ in proposals.waiting_for(home.memory, structure, target):
        row = memories.read(home.memory, id_)
        inbox.close(home.memory, row, yes=yes, answer="decided at the file", batch=mint("b"), actor=actor)


def _asked_for(db: Database) -> list[str]:
    return proposals.targets(db, "forget")


def export(home: Home, root: str, project: str, *, progress: Callable[[int], None] = lambda _: None) -> Exported:
    """Bring a vault up to date: files that differ are written, all others are left untouched. `root` is a real path.

    What was edited meanwhile is asked about first and stays as it is. `progress` is called with the number of files seen.
    """
    db = home.memory
    vault_disk.clear(root)
    tree, known = vault_disk.read(root), vault_files.of(db, root)
    files = {file.path: file for file in vault.files(db, project, without=_asked_for(db))}
    found = _look(db, tree, known, files)
    done = Exported(root, odd=found.odd)
    with db.transaction():
        done.asked = ask(home, root, project, found)
    failpoints.reach("vault-asked")
    asked = {gone.row.id for gone in found.gone}
    if asked:
        files = {file.path: file for file in vault.files(db, project, without=_asked_for(db))}
    stays = {edit.path for edit in found.edits} | {odd.path for odd in found.odd if odd.stays}
    fresh: list[Written] = []
    for n, (path, file) in enumerate(files.items(), start=1):
        if path in stays or tree.hides(path):
            done.waiting.append(path)
        else:
            fresh += _bring(root, tree, known.get(path), file, path in found.same, done)
        if n % TOGETHER == 0 or n == len(files):
            with db.transaction():
                vault_files.put(db, root, project, fresh)
            fresh = []
            failpoints.reach("vault-listed")
            progress(n)
    _sweep(db, root, tree, known, {*files, *stays, *filter(tree.hides, known)}, done)
    return done


def _bring(
    root: str, tree: vault_disk.Tree, known: Written | None, file: File, theirs: bool, done: Exported
) -> list[Written]:
    """One file as it should be; what was written, for the list."""
    there = tree.texts.get(file.path)
    parts = front.split(there) if there is not None else None
    text = file.text(front.foreign(parts.front) if parts and parts.front else "")
    if there == text:
        done.unchanged += 1
        return [Written(file.path, file.memory, digest(text))] if known is None or known.digest != digest(text) else []
    if there is not None and not theirs and (known is None or digest(there) != known.digest):
        done.beside.append((file.path, vault_disk.keep_beside(root, file.path)))
        failpoints.reach("vault-kept")
        text = file.text()
    vault_disk.write(root, file.path, text)
    failpoints.reach("vault-written")
    done.written.append(file.path)
    return [Written(file.path, file.memory, digest(text))]


def _sweep(
    db: Database, root: str, tree: vault_disk.Tree, known: dict[str, Written], wanted: set[str], done: Exported
) -> None:
    """Files whose rows stand no more are taken away, unless somebody edited them: those are set beside."""
    stale = [path for path in known if path not in wanted]
    for path in stale:
        there = tree.texts.get(path)
        if there is None:
            continue
        if digest(there) == known[path].digest:
            vault_disk.remove(root, path)
            done.removed.append(path)
            failpoints.reach("vault-removed")
        else:
            done.beside.append((path, vault_disk.set_beside(root, path)))
    if stale:
        with db.transaction():
            vault_files.drop(db, root, stale)


def refresh(home: Home) -> list[Exported]:
    """Every vault that is still there, brought up to date: after a row was forgotten no file may show it."""
    return [
        export(home, root, project) for root, project in vault_files.roots(home.memory) if vault_disk.is_there(root)
    ]


def dead_links(db: Database, project: str) -> list[tuple[str, str]]:
    """(row, path) of files that a vault should hold and does not."""
    return [
        (written.memory, f"{root}/{path}")
        for root, _ in vault_files.roots(db, project)
        for path, written in vault_files.of(db, root).items()
        if written.memory and not vault_disk.is_there(f"{root}/{path}")
    ]


def changed_lines(old: str, new: str) -> Iterable[str]:
    """The difference of two texts, a line each, as `diff -u` shows it."""
    import difflib

    return list(difflib.unified_diff(old.split("\n"), new.split("\n"), "memory", "file", lineterm="", n=2))
