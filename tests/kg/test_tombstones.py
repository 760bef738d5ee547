"""Never again: what a refused or forgotten value leaves, and how every write asks it."""

import json
from pathlib import Path

import pytest
from made import event, lesson, sighting, tables

from bellek.kg import check, memories, queue, tombstones
from bellek.kg.ids import mint
from bellek.schemas.claim import Claim
from bellek.schemas.entity import Entity, EntityField
from bellek.schemas.errors import NeverAgain

NEAR = [json.loads(line) for line in Path(__file__).with_name("near.jsonl").read_text(encoding="utf-8").splitlines()]


def claim(object_="Ankara", predicate="lives_in", subject="user", **more):
    """A claim of project p_x."""
    body = Claim(category="person", subject=subject, predicate=predicate, object=object_, confidence=0.7)
    return lesson(f"{subject} {predicate.replace('_', ' ')} {object_}", **{"id": mint("c"), "body": body, **more})


def refuse(db, row):
    """A person's no to a row, as the review does it: the row stays, refused, and leaves its tombstone."""
    with db.transaction():
        memories.write(db, row, actor="test")
        memories.write(db, row.model_copy(update={"status": "refused", "note": "no"}), actor="person", act="refuse")
        tombstones.refuse(db, row, actor="person", batch="b_no")


def written(db, row, actor="test"):
    """What became of a write: the status and note it was written with, or "never"."""
    try:
        with db.transaction():
            memories.write(db, row, actor=actor)
    except NeverAgain:
        return "never"
    kept = memories.read(db, row.id)
    return kept.status, kept.note


def test_a_refused_value_is_blocked_in_its_normal_form(home):
    """R115: other endings, order, case or kind do not bring a refused value back; another value is free."""
    refuse(home.memory, lesson("paketleri pip ile kur"))
    for again in (
        lesson("Pip ile paketler kur!"),
        event("paketleri PIP ile kur"),
        lesson("paketleri pip ile kur", project="*"),
    ):
        assert written(home.memory, again) == "never"
    assert written(home.memory, lesson("rapor pazartesi gider")) == ("current", "")


@pytest.mark.parametrize("actor", ["test", "person", "person:terminal", "import"])
def test_nobody_writes_it_again(home, actor):
    """R115: a person's bulk act (an import, a vault sync) is blocked too; only lifting the refusal lets a value back."""
    refuse(home.memory, lesson("paketleri pip ile kur"))
    assert written(home.memory, lesson("paketleri pip ile kur"), actor=actor) == "never"


def test_a_near_match_waits_and_is_named(home):
    """R115: what shares most of its words with a refusal is kept as quarantined, with the refused row's id."""
    no = lesson("testleri atlayıp doğrudan ana dala gönder")
    refuse(home.memory, no)
    assert written(home.memory, lesson("doğrudan ana dala testleri atlayarak gönderebilirsin")) == (
        "quarantined",
        f"near a refusal: {no.id}",
    )


def test_a_forgotten_value_has_no_near(home):
    """R115: of what was forgotten only the whole value is known: a near match is free, the same value is blocked."""
    with home.memory.transaction():
        tombstones.forget(home.memory, lesson("testleri atlayıp doğrudan ana dala gönder"), actor="person", batch="b_f")
    assert written(home.memory, lesson("doğrudan ana dala testleri atlayarak gönderebilirsin"))[0] == "current"
    assert written(home.memory, lesson("doğrudan ana dala gönder, testleri atlayıp")) == "never"
    assert home.memory.value("SELECT count(*) FROM tombstone_marks WHERE sort = 'word'") == 0


def test_another_project_is_another_place(home):
    """R115, R57: a refusal of one project does not block another; one that holds everywhere does."""
    refuse(home.memory, lesson("paketleri pip ile kur"))
    refuse(home.memory, lesson("toplantı notu tutma", project="*"))
    assert written(home.memory, lesson("paketleri pip ile kur", project="p_y")) == ("current", "")
    assert written(home.memory, lesson("toplantı notu tutma", project="p_y")) == "never"


def test_claims_by_slot(home):
    """R115: a claim comes back under no spelling of its subject; the same words the other way round are another claim."""
    refuse(home.memory, claim("Bob", "knows", "Alice"))
    assert written(home.memory, claim("bob", "knows", "ALICE")) == "never"
    assert written(home.memory, claim("Alice", "knows", "Bob"))[0] != "never"
    assert written(home.memory, lesson("Alice knows Bob")) == "never"
    refuse(home.memory, claim("Ankara"))
    assert written(home.memory, claim("Ankara", subject="kullanıcı")) == "never"


def test_entities_and_fields(home):
    """R115: a refused field is blocked for its entity alone; a refused name makes no entity."""
    mira = lesson("Mira", id=mint("n"), body=Entity(name="Mira"), project="*")
    ali = lesson("Ali", id=mint("n"), body=Entity(name="Ali"), project="*")
    with home.memory.transaction():
        for row in (mira, ali):
            memories.write(home.memory, row, actor="test")

    def field(holder):
        return lesson(
            "şehir: İzmir", id=mint("f"), body=EntityField(entity=holder.id, name="şehir", value="İzmir"), project="*"
        )

    refuse(home.memory, field(mira))
    assert written(home.memory, field(mira)) == "never"
    assert written(home.memory, field(ali)) == ("current", "")
    refuse(home.memory, lesson("Eve", id=mint("n"), body=Entity(name="Eve"), project="*"))
    assert written(home.memory, lesson("eve", id=mint("n"), body=Entity(name="eve"), project="*")) == "never"


def test_a_row_that_stands_goes_on(home):
    """A row that kept its value while a tombstone of the same words came (of another scope) is revised, closed and counted as before."""
    old = lesson("paketleri pip ile kur", project="*")
    with home.memory.transaction():
        memories.write(home.memory, old, actor="test")
        tombstones.forget(home.memory, lesson("paketleri pip ile kur"), actor="person", batch="b_f")
    assert written(home.memory, old.model_copy(update={"batch": "b_2"})) == ("current", "")
    assert written(home.memory, old.model_copy(update={"status": "hidden"})) == ("hidden", "")
    assert written(home.memory, old) == "never"


def test_a_lifted_refusal_blocks_nothing(home):
    """A person who takes a refusal back lets the value in again; a forgotten one cannot be taken back."""
    no = lesson("paketleri pip ile kur")
    refuse(home.memory, no)
    with home.memory.transaction():
        assert tombstones.lift(home.memory, no.id, actor="person", batch="b_yes") == 1
        assert tombstones.lift(home.memory, no.id, actor="person", batch="b_yes") == 0
    assert written(home.memory, no, actor="person") == ("current", "")


def test_what_is_queued_is_asked_too(home):
    """R115: a refused payload is not queued again, from whatever message; the drop is on record."""
    refuse(home.memory, lesson())
    with home.memory.transaction():
        assert queue.enqueue(home.memory, sighting(message="m9")) == "never"
        assert queue.enqueue(home.memory, sighting(message="m9")) == "known"
    assert home.memory.rows("SELECT item, reason FROM drops") == [("m9", "refused or forgotten before")]


def test_marks_give_nothing_away(make_home):
    """R115: tombstones hold no word, and two stores mark one value differently: their keys are their own."""
    found = []
    for home in (make_home("a"), make_home("b")):
        with home.memory.transaction():
            tombstones.refuse(home.memory, lesson("zürafa kolonyası"))
        found.append(tables(home.memory))
    for rows in found:
        assert "zürafa" not in repr(rows)
        assert "zuraf" not in repr(rows)
    assert {row[0] for row in found[0]["tombstone_marks"]}.isdisjoint({row[0] for row in found[1]["tombstone_marks"]})


def test_tombstones_are_replayed(make_home):
    """R130: refusals, forgettings and a lifting come out of a replay as they were, and block there as well."""
    old, new = make_home("a"), make_home("b")
    refuse(old.memory, lesson("paketleri pip ile kur"))
    refuse(old.memory, no := lesson("cuma günü yayınla"))
    with old.memory.transaction():
        tombstones.lift(old.memory, no.id, actor="person", batch="b_l")
        tombstones.forget(old.memory, lesson("gizli söz burada"), actor="person", batch="b_f")
    memories.replay(old.memory, new.memory)
    assert tables(new.memory) == tables(old.memory)
    assert written(new.memory, lesson("gizli söz burada")) == "never"
    assert check.check_home(new) == []


@pytest.mark.parametrize("lang", ["tr", "en"])
def test_the_recall_of_near(home, capsys, lang):
    """R115: over the labelled paraphrases most near ones wait and most others do not; both figures are printed."""
    cases = [case for case in NEAR if case["lang"] == lang]
    ways = {True: [0, 0], False: [0, 0]}
    for n, case in enumerate(cases):
        refuse(home.memory, lesson(case["refused"], project=f"p_{n}"))
        ruling = tombstones.rule(home.memory, lesson(case["said"], project=f"p_{n}"))
        ways[case["near"]][0] += ruling.how in ("near", "refused")
        ways[case["near"]][1] += 1
    with capsys.disabled():
        (hit, near), (alarm, far) = ways[True], ways[False]
        print(
            f"\n{lang}: near a refusal, {hit} of {near} paraphrases wait (recall {hit / near:.2f}), {alarm} of {far} others too"
        )
    assert hit >= 0.7 * near
    assert alarm <= 0.25 * far
