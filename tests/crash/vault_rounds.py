"""A round of `test_steps` in a vault: a person edits, deletes, moves and adds files, then an export or a sync is killed and given again."""

import shutil
from pathlib import Path

from bellek.context import vault
from bellek.curator import review, vault_disk, vault_taken, vaulted
from bellek.kg import memories, proposals, vault_files

P = "p_0"
PERSON = "person:terminal"
PLACES = (
    "vault-half", "vault-asked", "vault-kept", "vault-written", "vault-listed", "vault-removed", "vault-taken", "vault-answered",
)  # fmt: skip
MORE = " ve günlüğe yaz: "


def walk(world, crash):
    """One vault: written, worked in by a person, brought in; then thrown away."""
    root = vault_disk.make(str(world.root / f"kasa-{world.dice.random()}"))
    world.within(lambda home: vaulted.export(home, root, P))
    more = f"{MORE}{world.dice.random()}"  # an edit that was declined once is not asked about again
    edited, deleted, odd = work_in(world, root, more)
    synced = world.dice.random() < 0.7

    def act():
        return world.within(lambda home: sync(home, root) if synced else vaulted.export(home, root, P))

    for id_, *_ in deleted if synced else ():
        world.mark_gone(id_)
    crash(act)
    act()
    if synced:
        learn(world.model, edited, deleted, more)
    world.within(lambda home: compare(home, root, edited, deleted, odd, synced=synced))
    world.within(lambda home: give_up(home, root))
    shutil.rmtree(root)


def work_in(world, root, more):
    """What a person does: (id, text, file) edited, deleted, with a key changed; a note is added and a row moves to another folder."""
    lessons = world.within(
        lambda home: home.memory.rows(
            "SELECT id, text FROM memories WHERE kind = 'lesson' AND status = 'current' ORDER BY id"
        )
    )
    world.dice.shuffle(lessons)
    taken = [
        (id_, text, Path(world.within(lambda home, id_=id_: vault_files.path_of(home.memory, id_))))
        for id_, text in lessons[:4]
    ]
    edited, deleted, odd, moving = [[one] for one in taken] + [[]] * (4 - len(taken))
    for _, text, path in edited:
        path.write_text(path.read_text().replace(text, text + more))
    for _, _, path in deleted:
        path.unlink()
    for id_, _, path in odd:
        path.write_text(path.read_text().replace(id_, "l_baska", 1))
    Path(root, "pages").mkdir(exist_ok=True)
    Path(root, "pages/yeni.md").write_text(f"# Yeni\n\nbir sayfa, {root}\n")
    for id_, text, _ in moving:
        world.within(lambda home, id_=id_: promoted(home, id_))
        world.model.permanent.add(text)
    return edited, deleted, odd


def promoted(home, id_):
    """A row becomes permanent where it is not: its file lies elsewhere then."""
    if memories.read(home.memory, id_).tier != "T2":
        with home.memory.transaction():
            review.promote(home, id_, actor=PERSON)


def sync(home, root):
    """A person says yes to everything, as `vault sync` does."""
    found = vaulted.look(home, root, P)
    for edit in found.edits:
        vault_taken.take_in(home, edit, actor=PERSON)
    for gone in found.gone:
        vault_taken.forget(home, gone, actor=PERSON)
    vaulted.export(home, root, P)


def learn(model, edited, deleted, more):
    """What the model must hold after a sync."""
    for _, text, _ in edited:
        model.texts[text] -= 1
        model.texts[text + more] += 1
        if text in model.permanent:
            model.permanent.remove(text)
            model.permanent.add(text + more)
    for _, text, _ in deleted:
        del model.texts[text]
        model.permanent.discard(text)
    model.texts = +model.texts


def compare(home, root, edited, deleted, odd, *, synced):
    """Every file is its row's, an edit stays where it waits, nothing is asked twice, and nothing of a killed run lies about."""
    waiting = {path for _, _, path in edited} if not synced else set()
    for file in vault.files(home.memory, P, without=[id_ for id_, _, _ in deleted]):
        path = Path(root, file.path)
        assert (MORE in path.read_text()) if path in waiting else path.read_text() == file.text(), path
    names = [path.name for path in Path(root).rglob("*") if path.is_file()]
    assert not [name for name in names if name.startswith(".")]
    assert len(kept := [name for name in names if ".kept-" in name]) == len(odd), kept
    for sort, found in (("edit", edited), ("forget", deleted)):
        for id_, *_ in found:
            assert len(proposals.waiting_for(home.memory, sort, id_)) == (0 if synced else 1)
    assert len(proposals.waiting_for(home.memory, "page", "pages/yeni.md")) == 1
    again = vaulted.export(home, root, P)
    assert (again.written, again.removed, again.beside, again.asked) == ([], [], [], [])


def give_up(home, root):
    """The person says no to what waits, and the vault is nobody's any more."""
    with home.memory.transaction():
        for sort in ("edit", "forget", "page"):
            for target in proposals.targets(home.memory, sort):
                vaulted.answered(home, sort, target, yes=False, actor=PERSON)
        vault_files.drop(home.memory, root, list(vault_files.of(home.memory, root)))
