"""Memory as files: what an export writes, how an edit comes back, and what is never touched."""

import os
import subprocess
from pathlib import Path

import pytest
import rows

from bellek.context import front, preview, vault
from bellek.curator import review, vault_disk, vaulted, yaml_text
from bellek.doctor_vaults import vaults
from bellek.kg import memories, proposals, registry, tiers, vault_files
from bellek.kg.ids import mint
from bellek.schemas.errors import Refused, StoreReadOnly
from bellek.schemas.memory import Memory
from bellek.schemas.page import Page

PERSON = "person:terminal"


@pytest.fixture
def here(home, tmp_path):
    """The id of a project."""
    with home.memory.transaction():
        return registry.register(home.memory, str(tmp_path))


@pytest.fixture
def root(tmp_path):
    """An empty vault's folder."""
    return vault_disk.make(str(tmp_path / "kasa"))


def page(topic, text, title=""):
    """A page's fields."""
    return {"text": text, "body": Page(topic=topic, title=title or topic), "tier": "T1"}


def permanent(home, id_):
    """Make a row permanent, as a person."""
    with home.memory.transaction():
        tiers.promote(home.memory, memories.read(home.memory, id_), actor=PERSON)


@pytest.fixture
def filled(home, here):
    """Ids by kind: a lesson, a permanent one, a claim, a page, an entity with a field, a journal row, a task."""
    ids = rows.write(
        home,
        here,
        rows.lesson("uv kullan,\nçünkü kilit: --- tutar", topic="uv-kullan", importance=2),
        rows.lesson("her zaman etiketten dağıt", topic="dagitim"),
        rows.claim("Ayşe", "likes", "çay"),
        page("kurulum", "# Kurulum\n\nuv ile.\n\n## Sunucu\n\nport 9107"),
        rows.entity("Ayşe", "Ayşegül"),
        rows.event("bugün uv seçildi", topic="uv"),
        rows.task("Zeynep'e sor"),
    )
    (field,) = rows.write(home, here, rows.field(ids[4], "şehir", "İzmir"))
    permanent(home, ids[1])
    return dict(
        zip(("lesson", "rule", "claim", "page", "entity", "event", "task", "field"), (*ids, field), strict=True)
    )


def tree(root):
    """Path → bytes of everything in a vault."""
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(Path(root).rglob("*")) if p.is_file()}


def path_of(home, id_):
    """The file of a row."""
    return Path(vault_files.path_of(home.memory, id_))


def rewrite(path, old, new):
    """Edit a file by hand."""
    text = path.read_text(encoding="utf-8")
    before, found, after = text.rpartition(old)  # the last one: the body stands behind the head
    assert found
    path.write_text(before + new + after, encoding="utf-8")


def waiting(home, here):
    """(structure, target, text, origin) of what waits in the inbox."""
    return [(p.structure, p.title, p.text, p.origin) for p in proposals.listed(home.memory, here)]


def test_every_memory_is_found_with_ls_cat_and_grep(home, here, root, filled):
    """R84, R72: each T1 and T2 row's words stand in a file that grep finds; T1 lies under unverified/ and says so, T2 does not."""
    vaulted.export(home, root, here)
    for id_, words in (
        (filled["lesson"], "uv kullan"),
        (filled["rule"], "etiketten dağıt"),
        (filled["claim"], "likes çay"),
        (filled["page"], "port 9107"),
    ):
        found = subprocess.run(["grep", "-rl", words, root], capture_output=True, text=True, check=True).stdout.split(
            "\n"
        )
        path = str(path_of(home, id_))
        assert path in found
        unverified = "/unverified/" in path
        assert unverified == (id_ != filled["rule"])
        assert (f'tier: "T{1 if unverified else 2}, {"unverified" if unverified else "permanent"}"') in Path(
            path
        ).read_text("utf-8")
    everything = "\n".join(data.decode() for data in tree(root).values())
    for words in ("İzmir (unverified)", "bugün uv seçildi", "- [ ] Zeynep'e sor"):
        assert words in everything


def test_the_form_that_obsidian_reads(home, here, root, filled):
    """R67, R80: front matter, wikilinks that lead to files, `- [category] fact` lines, one note a day."""
    vaulted.export(home, root, here)
    claim = path_of(home, filled["claim"]).read_text("utf-8")
    parts = front.split(claim)
    assert parts.body == "- [project] Ayşe likes çay\n"
    values = yaml_text.values(parts.front, about="x")
    assert (values["id"], values["type"], values["name"]) == (filled["claim"], "project", "Ayşe likes")
    (link,) = values["links"]
    assert (Path(root) / (link[2:].split("|")[0] + ".md")) == path_of(home, filled["entity"])
    assert "- [şehir] İzmir (unverified)" in path_of(home, filled["entity"]).read_text("utf-8")
    assert (
        (Path(root) / "journal" / "2026-11-30.md")
        .read_text("utf-8")
        .endswith(f"[uv] bugün uv seçildi ^{filled['event'].replace('_', '-')}\n")
    )


def test_the_index_points_to_what_is_permanent_alone(home, here, root, filled):
    """R66, R72: the index names T2 rows by name, description and path, and holds none of their words."""
    vaulted.export(home, root, here)
    text = (Path(root) / "index.md").read_text("utf-8")
    assert f"- [[facts/dagitim-{filled['rule']}|dagitim]]: discovery, importance medium, learned 2026-11-30" in text
    assert text.count("\n- ") == 1
    assert "etiketten" not in text


def test_the_same_rows_give_the_same_bytes_and_unchanged_files_are_untouched(home, here, root, filled, tmp_path):
    """Two exports are byte-equal; the second writes nothing and touches no file."""
    vaulted.export(home, root, here)
    before = tree(root)
    times = {p: p.stat().st_mtime_ns for p in Path(root).rglob("*") if p.is_file()}
    again = vaulted.export(home, root, here)
    assert (again.written, again.removed, again.beside, again.asked) == ([], [], [], [])
    assert {p: p.stat().st_mtime_ns for p in Path(root).rglob("*") if p.is_file()} == times
    other = vault_disk.make(str(tmp_path / "öteki"))
    vaulted.export(home, other, here)
    assert tree(other) == before


@pytest.mark.parametrize(
    ("which", "old", "new"),
    [("lesson", "uv kullan", "yalnız uv kullan"), ("rule", "her zaman", "mutlaka"), ("claim", "likes çay", "likes kahve"), ("page", "port 9107", "port 9200")],
)  # fmt: skip
def test_an_edit_waits_is_taken_in_and_comes_out_byte_equal(home, here, root, filled, which, old, new):
    """R128: an edited line waits in the inbox with origin file, changes nothing by itself, is applied by a person, and the next export is byte-equal."""
    vaulted.export(home, root, here)
    rewrite(path_of(home, filled[which]), old, new)
    edited = tree(root)
    before = memories.read(home.memory, filled[which])
    done = vaulted.export(home, root, here)
    assert len(done.asked) == len(done.waiting) == 1
    assert tree(root) == edited
    ((structure, title, text, origin),) = waiting(home, here)
    assert (structure, origin) == ("edit", "file")
    assert filled[which] in title
    assert new in text
    assert vaulted.export(home, root, here).asked == [], "an edit is asked about once"
    assert memories.read(home.memory, filled[which]) == before
    with home.memory.transaction():
        answered = review.answer(home, done.asked[0], yes=True, note="", actor=PERSON)
    after = memories.read(home.memory, filled[which])
    assert (answered.carried, after.tier, after.origin) == (filled[which], before.tier, "file")
    assert new in after.text
    last = vaulted.export(home, root, here)
    assert all("/entities/" in path for path in last.written), "a person's page lists the claims about them"
    assert {path: data for path, data in tree(root).items() if "/entities/" not in path} == {
        path: data for path, data in edited.items() if "/entities/" not in path
    }
    assert vaulted.export(home, root, here).written == []


def test_a_declined_edit_is_kept_beside(home, here, root, filled):
    """R128: after a no the row's words are back in the file, and the edited file lies beside it, byte by byte."""
    vaulted.export(home, root, here)
    path = path_of(home, filled["lesson"])
    original = path.read_bytes()
    rewrite(path, "uv kullan", "pip kullan")
    edited = path.read_bytes()
    (asked,) = vaulted.export(home, root, here).asked
    with home.memory.transaction():
        review.answer(home, asked, yes=False, note="", actor=PERSON)
    done = vaulted.export(home, root, here)
    ((_, beside),) = done.beside
    assert (Path(root) / beside).read_bytes() == edited
    assert path.read_bytes() == original
    assert vaulted.export(home, root, here).beside == []


def test_an_edit_made_before_the_row_changed_is_not_taken_in(home, here, root, filled):
    """R128: the answer to an edit whose row changed meanwhile is refused; nothing of it is written."""
    vaulted.export(home, root, here)
    rewrite(path_of(home, filled["page"]), "port 9107", "port 9200")
    (asked,) = vaulted.export(home, root, here).asked
    row = memories.read(home.memory, filled["page"])
    with home.memory.transaction():
        memories.write(
            home.memory, row.model_copy(update={"text": row.text + "\nyeni satır"}), actor="test", act="merge"
        )
    with pytest.raises(Refused, match="it changed since"), home.memory.transaction():
        review.answer(home, asked, yes=True, note="", actor=PERSON)
    assert "yeni satır" in memories.read(home.memory, filled["page"]).text


def test_a_deleted_file_changes_one_index_line_and_asks(home, here, root, filled):
    """R67: without its file a row loses its index line, waits as a question, and is not forgotten; a no brings the file back."""
    vaulted.export(home, root, here)
    index = (Path(root) / "index.md").read_text("utf-8").splitlines()
    path = path_of(home, filled["rule"])
    path.unlink()
    done = vaulted.export(home, root, here)
    left = (Path(root) / "index.md").read_text("utf-8").splitlines()
    assert len(set(index) - set(left)) == 1
    assert done.written == ["index.md"]
    ((structure, title, _, origin),) = waiting(home, here)
    assert (structure, title, origin) == ("forget", f"forget {filled['rule']}", "file")
    assert memories.read(home.memory, filled["rule"]).tier == "T2"
    assert vaulted.export(home, root, here).asked == []
    with home.memory.transaction():
        review.answer(home, done.asked[0], yes=False, note="", actor=PERSON)
    assert vaulted.export(home, root, here).asked == []
    assert path.exists()
    assert (Path(root) / "index.md").read_text("utf-8").splitlines() == index


def test_foreign_keys_survive(home, here, root, filled):
    """R128: keys of somebody else stay as they are written, nested ones and comments too, through exports and edits of the row."""
    vaulted.export(home, root, here)
    path = path_of(home, filled["lesson"])
    theirs = "cssclass: wide # benim\naliases2:\n  - [a, b]\n'tırnaklı': NO\n"
    rewrite(path, "\n---\nuv", "\n" + theirs + "---\nuv")
    assert vaulted.export(home, root, here).asked == []
    with home.memory.transaction():
        review.edit(home, filled["lesson"], "başka söz", actor=PERSON)
    vaulted.export(home, root, here)
    text = path.read_text("utf-8")
    assert theirs in text
    assert text.endswith("---\nbaşka söz\n")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda t: t.replace('tier: "T1, unverified"', 'tier: "T2, permanent"'), "its key tier says otherwise"),
        (lambda t: t.replace("id: ", "id2: ", 1), "its key id says otherwise"),
        (lambda t: t.split("---\n", 2)[2], "its key id says otherwise"),
        (lambda t: t.split("---\n", 2)[0] + "---\n" + t.split("---\n", 2)[1] + "---\n\n", "it is empty"),
    ],
)
def test_what_does_not_round_trip_is_kept_beside(home, here, root, filled, spoil, why):
    """R128: a key of ours that says otherwise, no front matter, no words: refused with the reason, kept beside byte by byte."""
    vaulted.export(home, root, here)
    path = path_of(home, filled["lesson"])
    original = path.read_bytes()
    path.write_text(spoil(path.read_text("utf-8")), encoding="utf-8")
    spoiled = path.read_bytes()
    done = vaulted.export(home, root, here)
    assert [odd.why.startswith(why) for odd in done.odd] == [True], done.odd
    assert (Path(root) / done.beside[0][1]).read_bytes() == spoiled
    assert path.read_bytes() == original
    assert waiting(home, here) == []


@pytest.mark.parametrize(
    "broken",
    ["a: [1, 2\n", "a: 1\na: 2\n", "a: &x 1\nb: *x\n", "\tbad: 1\n", "a: !!python/object:os.system x\n"],
)
def test_b63_a_file_whose_head_cannot_be_read_stays(home, here, root, filled, broken):
    """B63: a file with broken or hostile YAML in its head is left byte-identical and reported; no second head is put above it."""
    vaulted.export(home, root, here)
    path = path_of(home, filled["page"])
    rewrite(path, "---\nid:", f"---\n{broken}id:")
    before = path.read_bytes()
    with home.memory.transaction():
        review.edit(home, filled["page"], "yeni", actor=PERSON)
    done = vaulted.export(home, root, here)
    assert [odd.path for odd in done.odd] == [str(path.relative_to(root))]
    assert "front matter cannot be read" in done.odd[0].why
    assert path.read_bytes() == before


def test_b62_values_are_text(home, here, root):
    """B62: NO, 1.10, 12:30:00, 010, a date and #genel come out of an exported head as the very text."""
    odd = ("NO", "1.10", "12:30:00", "010", "2026-03-14", "#genel", "a: b", '"x"', "[[x]]", "{{x}}", "~", "- x")
    ids = rows.write(home, here, *(page(f"konu-{n}", "metin", title) for n, title in enumerate(odd)))
    vaulted.export(home, root, here)
    for id_, title in zip(ids, odd, strict=True):
        assert yaml_text.values(front.split(path_of(home, id_).read_text("utf-8")).front, about="x")["name"] == title


def test_b177_copies_and_merge_marks_are_no_facts(home, here, root, filled):
    """B177: a sync tool's copy and a file with the marks of a merge are recognised, listed, left alone and never proposed."""
    vaulted.export(home, root, here)
    path = path_of(home, filled["lesson"])
    text = path.read_text("utf-8")
    for name in (
        "not (Conflicted copy PC 202603121129).md",
        f"{path.stem} (1).md",
        f"{path.stem}.sync-conflict-20260312.md",
    ):
        (path.parent / name).write_text(text, encoding="utf-8")
    (path.parent / "kararlar.md").write_text("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", encoding="utf-8")
    rewrite(path, "uv kullan,", "<<<<<<< a\nuv kullan\n=======\npip\n>>>>>>> b")
    before = tree(root)
    done = vaulted.export(home, root, here)
    assert len(done.odd) == 5
    assert {odd.why.split(":")[0] for odd in done.odd} == {
        "a sync tool's copy",
        "it holds the marks of an unfinished merge",
    }
    assert tree(root) == before
    assert waiting(home, here) == []


def test_links_are_never_followed(home, here, root, filled, tmp_path):
    """A link to a file, to a folder and in place of a folder: read by nobody, written through by nobody, reported."""
    secret = tmp_path / "dışarı"
    secret.mkdir()
    (secret / "gizli.md").write_text("gizli not", encoding="utf-8")
    vaulted.export(home, root, here)
    os.symlink(secret / "gizli.md", Path(root) / "not.md")
    os.symlink(secret, Path(root) / "klasör")
    facts = Path(root) / "facts"
    facts.rename(tmp_path / "eski")
    os.symlink(tmp_path / "eski", facts)
    old = tree(tmp_path / "eski")
    with home.memory.transaction():
        review.edit(home, filled["rule"], "başka söz", actor=PERSON)
    done = vaulted.export(home, root, here)
    assert done.waiting == [f"facts/dagitim-{filled['rule']}.md"]
    with pytest.raises(StoreReadOnly):
        vault_disk.write(root, "facts/x.md", "x")
    found = vaulted.look(home, root, here)
    assert {odd.path for odd in found.odd} == {"not.md", "klasör", "facts"}
    assert (found.notes, tree(tmp_path / "eski")) == ([], old)
    assert (secret / "gizli.md").read_text("utf-8") == "gizli not"


@pytest.mark.parametrize("path", ["../x.md", "/etc/x.md", "a/../../x.md", "a//b.md", ""])
def test_no_path_leaves_the_vault(root, path):
    """A path that leads out of the vault is refused."""
    with pytest.raises(Refused):
        vault_disk.write(root, path, "x")


def test_b166_a_full_disk_leaves_the_old_file(home, here, root, filled, monkeypatch):
    """B166: where the disk takes no more the file is as it was, nothing lies beside it, and the next export recovers."""
    import resource

    vaulted.export(home, root, here)
    before = tree(root)
    with home.memory.transaction():
        review.edit(home, filled["page"], "x" * 19_000, actor=PERSON)
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    import signal

    was = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, old[1]))
    try:
        with pytest.raises(StoreReadOnly, match="was not written"):
            vault_disk.write(root, "pages/x.md", "y" * 19_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, was)
    assert tree(root) == before
    vaulted.export(home, root, here)
    assert path_of(home, filled["page"]).read_text("utf-8").endswith("x" * 19_000 + "\n")


def test_a_note_of_a_person_is_offered_as_a_page(home, here, root, filled):
    """R80: a note that somebody writes into the vault waits as a page; once taken in it is a page of its own, and asked about once."""
    vaulted.export(home, root, here)
    (Path(root) / "Fırın notları.md").write_text("# Fırın\n\nEkmek 220 derecede pişer.\n", encoding="utf-8")
    (asked,) = vaulted.export(home, root, here).asked
    assert waiting(home, here)[0][::3] == ("page", "file")
    with home.memory.transaction():
        done = review.answer(home, asked, yes=True, note="", actor=PERSON)
    assert "220 derecede" in memories.read(home.memory, done.carried).text
    assert vaulted.export(home, root, here).asked == []


def test_a_file_of_several_rows_says_so_and_an_edit_of_it_is_not_lost(home, here, root, filled):
    """R84, R128: days, lists, people and the index say in their front matter that edits are not taken in; an edit is kept beside
    byte by byte at the next export and said, and the file is as it was.
    """
    vaulted.export(home, root, here)
    kept = tree(root)
    made = [file for file in vault.files(home.memory, here) if not file.editable]
    assert {Path(file.path).parts[-2] if "/" in file.path else file.path for file in made} == {
        "journal", "entities", "tasks.md", "index.md",
    }  # fmt: skip
    for file in vault.files(home.memory, here):
        assert (f'edits: "{vault.NOT_HERE}"' in kept[file.path].decode()) == (not file.editable)
    for file in made:
        path = Path(root) / file.path
        path.write_text(path.read_text(encoding="utf-8") + "- benim ekim: çay\n", encoding="utf-8")
    edited = tree(root)
    assert {(odd.path, odd.stays) for odd in vaulted.look(home, root, here).odd} == {
        (file.path, False) for file in made
    }
    done = vaulted.export(home, root, here)
    assert sorted(path for path, _ in done.beside) == sorted(file.path for file in made)
    assert tree(root) == {**kept, **{beside: edited[path] for path, beside in done.beside}}
    assert vaulted.export(home, root, here).beside == []


def test_a_journal_day_only_grows_at_its_end(home, here, root, filled):
    """R34: another event of a day leaves the bytes before it as an unchanged prefix."""
    vaulted.export(home, root, here)
    day = Path(root) / "journal" / "2026-11-30.md"
    before = day.read_bytes()
    rows.write(home, here, rows.event("sabah erken bir şey", said_at=rows.AT - 1000))
    vaulted.export(home, root, here)
    assert day.read_bytes().startswith(before)
    assert len(day.read_bytes()) > len(before)


def test_a_row_that_stands_no_more_has_no_file(home, here, root, filled):
    """A refused row's file goes; one that was edited is kept beside instead."""
    vaulted.export(home, root, here)
    path = path_of(home, filled["lesson"])
    with home.memory.transaction():
        review.refuse(home, filled["lesson"], note="yanlış", actor=PERSON)
    assert vaulted.export(home, root, here).removed == [str(path.relative_to(root))]
    assert not path.exists()


def test_stored_text_is_data_in_a_file(home, here, root):
    """A row's text cannot close its head, steer a terminal or break a name; it comes back as it stands."""
    text = "---\nid: x\n---\n\x1b[31mkırmızı\x1b[0m\n[[../../etc/passwd]]"
    (id_,) = rows.write(home, here, rows.lesson(text, topic="../../x"))
    vaulted.export(home, root, here)
    path = path_of(home, id_)
    assert path.parent == Path(root) / "unverified" / "facts"
    assert b"\x1b" not in path.read_bytes()
    assert vaulted.look(home, root, here) == vaulted.Found()
    rewrite(path, "kırmızı", "mavi")
    assert "mavi" in vaulted.look(home, root, here).edits[0].text


def test_an_identity_proposal_is_written_by_a_persons_yes(home, here):
    """R65: the identity file changes only by an answered proposal of its very text; the old text is kept, a changed file is not overwritten."""
    from bellek.curator import identity

    path = Path(home.path) / "config" / "identity.md"
    path.write_text("Ben Deniz.\n", encoding="utf-8")

    def propose(text):
        from bellek.schemas.proposal import Proposal

        row = Memory.model_validate({
            "id": mint("r"), "project": here, "agent": "*", "session": "*", "origin": "agent", "tier": "-", "text": text, "said_at": rows.AT,
            "batch": mint("b"), "body": Proposal(structure="identity", title="kim", target=identity.mark(home.path)),
        })  # fmt: skip
        with home.memory.transaction():
            return memories.write(home.memory, row, actor="test").id

    first, second = propose("Ben Deniz, kısa cevap severim."), propose("Ben Ada.")
    assert path.read_text("utf-8") == "Ben Deniz.\n"
    with home.memory.transaction():
        review.answer(home, first, yes=True, note="", actor=PERSON)
    assert path.read_text("utf-8") == "Ben Deniz, kısa cevap severim.\n"
    assert Path(f"{path}.before-{first}").read_text("utf-8") == "Ben Deniz.\n"
    with pytest.raises(Refused, match="changed since"), home.memory.transaction():
        review.answer(home, second, yes=True, note="", actor=PERSON)
    assert path.read_text("utf-8") == "Ben Deniz, kısa cevap severim.\n"


def test_a_deleted_rows_words_leave_the_vault(home, here, root, filled):
    """R116: what is forgotten stands in no file of a vault afterwards, a day's and a person's page included."""
    from bellek.curator import forgetting
    from bellek.kg import blast
    from bellek.kg.blast import Asked

    vaulted.export(home, root, here)
    for which in ("lesson", "event", "field"):
        forgetting.carry_out(home, blast.reach(home, Asked(project=here, ids=(filled[which],))), actor=PERSON)
    everything = b"\n".join(tree(root).values()).decode()
    for words in ("uv kullan", "uv seçildi", "İzmir"):
        assert words not in everything


def test_dead_links_are_reported(home, here, root, filled):
    """R66: a file that a vault should hold and does not is named with its row."""
    vaulted.export(home, root, here)
    path_of(home, filled["rule"]).unlink()
    assert vaulted.dead_links(home.memory, here) == [(filled["rule"], str(path_of(home, filled["rule"])))]


def test_names_of_files_are_safe():
    """A name is letters and digits joined by hyphens, whatever the text; a device's name is none."""
    for text in ("../../etc", "con", "", "💥", "a/b\\c:d", "x" * 500, "İSTANBUL ığdır", "日本語"):
        name = vault.slug(text)
        assert name
        assert not set(name) & set('/\\:*?"<>|. \0')
        assert len(name.encode()) <= 200
        assert name not in vault.DEVICES


def test_the_packet_holds_the_index_and_no_body(home, here, root, filled):
    """R66, R68: a packet names what is permanent with its file; the words come on a match alone, and T1 rows are not in the index."""
    vaulted.export(home, root, here)
    text = preview.next_packet(home, here, "").text
    assert f"- [{filled['rule']}] dagitim (lesson, discovery, {path_of(home, filled['rule'])})" in text
    assert "etiketten" not in text
    assert filled["page"] not in text
    assert "etiketten" in preview.next_packet(home, here, "etiketten dağıtım her zaman").text


def test_doctor_lists_what_is_not_taken_in(home, here, root, filled):
    """B177: doctor names a copy, an edit that waits, and says so when nothing differs."""
    vaulted.export(home, root, here)
    assert [(f.state, f.what) for f in vaults(home)] == [("OK", f"vault as it was written: {root}")]
    path = path_of(home, filled["lesson"])
    (path.parent / "x (Conflicted copy).md").write_text("x", encoding="utf-8")
    rewrite(path, "uv kullan", "pip kullan")
    assert [f.state for f in vaults(home)] == ["WARN", "WARN"]
