"""A person's decisions: what a promotion, a refusal, an answer and a resolution move besides the row itself."""

import pytest
from typed_world import AT, DAY, write

from bellek.curator import dedupe, review
from bellek.kg import candidates, claims, memories, pages, promotions, signing
from bellek.schemas.errors import BellekError, PersonNeeded, Refused
from bellek.schemas.lesson import Lesson
from bellek.schemas.page import Page

PERSON = "person:terminal"


def decide(world, verb, *words, **given):
    """One decision of a person, in a transaction of its own."""
    with world.db.transaction():
        return verb(world.home, *words, actor=given.pop("actor", PERSON), **given)


def one(world, predicate, object_):
    """The id of the claim with this object."""
    return next(row.id for row in world.claims(predicate) if row.object == object_)


def lesson(world, text="önbellek her koşuda boşaltılır", importance="high"):
    """A provisional lesson; its id."""
    (receipt,) = world.apply(write("lesson", text=text, learning="convention", importance=importance))
    return receipt.ids[0]


def test_a_promoted_claim_takes_its_slot(world):
    """R88, R46: a contested claim that a person promotes stands, what stood is contested or superseded, and the conflict ends."""
    world.told("lives_in", "Ankara", at=AT, category="project")
    world.told("lives_in", "İzmir", by="agent", at=AT + DAY, category="project")
    assert world.open_conflicts() == [("ankara", "izmir")]
    done = decide(world, review.promote, one(world, "lives_in", "İzmir"))
    assert (done.before.status, done.after.status, done.after.tier) == ("contested", "current", "T2")
    assert world.current("lives_in") == ["İzmir"]
    assert one(world, "lives_in", "Ankara") in done.also
    assert world.open_conflicts() == []


def test_a_newer_permanent_claim_takes_the_older_ones_place(world):
    """R129: two permanent claims of one slot: a person's newer word ends the older, which stays permanent as what held then."""
    old = world.permanent_claim("lives_in", "Ankara")
    world.told("lives_in", "İzmir", at=AT + DAY)
    new = one(world, "lives_in", "İzmir")
    assert memories.read(world.db, new).status == "contested"
    decide(world, review.promote, new)
    fallen = memories.read(world.db, old)
    assert (fallen.tier, fallen.status) == ("T2", "superseded")
    assert promotions.of(world.db, old)[-1].how == "supersede"


def test_a_weaker_row_against_a_permanent_one_opens_a_conflict_and_asks(world):
    """R129: what contradicts a permanent claim is contested by it, the permanent one stays current, and the weaker is a candidate."""
    world.permanent_claim("lives_in", "Ankara")
    world.told("lives_in", "İzmir", at=AT + DAY)
    assert world.current("lives_in") == ["Ankara"]
    (asks,) = [c for c in candidates.listed(world.db, world.project) if c.kind == "claim"]
    assert "contradicts what is permanent" in asks.why


def test_a_promoted_side_of_another_slot_turns_the_conflict(world):
    """R88: of two claims that a verdict set against each other, the promoted one stands and the other is contested by it."""
    world.told("likes", "çay", at=AT)
    world.told("avoids", "kafein", by="agent", at=AT + DAY)
    strong, weak = one(world, "likes", "çay"), one(world, "avoids", "kafein")
    (receipt,) = world.apply({"verdict": "open_conflict", "left": strong, "right": weak, "reason": "çayda kafein var"})
    assert receipt.state == "opened", receipt
    decide(world, review.promote, weak)
    assert {id_: memories.read(world.db, id_).status for id_ in (strong, weak)} == {
        strong: "contested",
        weak: "current",
    }
    assert world.open_conflicts() == [("kafein", "cay")]


def test_two_permanent_claims_are_not_set_against_each_other(world):
    """R129: a claim that a permanent one of another slot contests cannot be promoted before a person decides between them."""
    strong = world.permanent_claim("likes", "çay")
    world.told("avoids", "kafein", by="agent", at=AT + DAY)
    weak = one(world, "avoids", "kafein")
    world.apply({"verdict": "open_conflict", "left": strong, "right": weak, "reason": "r"})
    with pytest.raises(Refused, match="conflicts resolve"):
        decide(world, review.promote, weak)
    conflict = world.rows("conflicts")[0]["id"]
    with pytest.raises(PersonNeeded):
        decide(world, review.resolve, conflict, winner=weak, note="artık içmiyorum", actor="curator")
    decide(world, review.resolve, conflict, winner=weak, note="artık içmiyorum")
    assert memories.read(world.db, strong).status == "superseded"
    assert decide(world, review.promote, weak).after.tier == "T2"


def test_a_refused_claim_leaves_its_slot(world):
    """R53: a refused claim stands in no slot and no conflict: what it kept down stands again."""
    world.told("lives_in", "Ankara", at=AT)
    world.told("lives_in", "İzmir", by="agent", at=AT + DAY)
    decide(world, review.refuse, one(world, "lives_in", "Ankara"), note="hiç oturmadım")
    assert world.current("lives_in") == ["İzmir"]
    assert world.open_conflicts() == []
    decide(world, review.refuse, one(world, "lives_in", "İzmir"), note="o da değil")
    assert world.current("lives_in") == []
    assert claims.as_of(world.db, world.project, AT + 2 * DAY) == []


def test_a_refused_row_asks_no_more_and_is_no_twin(world):
    """R53: a refused row is no candidate any more, and a note is needed."""
    id_ = lesson(world)
    assert [c.why for c in candidates.listed(world.db, world.project)] == ["of high importance"]
    with pytest.raises(BellekError):
        decide(world, review.refuse, id_, note="")
    decide(world, review.refuse, id_, note="yanlış")
    assert candidates.listed(world.db, world.project) == []
    assert candidates.count(world.db, world.project) == 0


def test_candidates_are_what_the_table_of_kinds_names(world):
    """R46: a constraint, a lesson of high importance and a claim said in two typed turns ask; the rest lives without nagging."""
    lesson(world, importance="medium", text="sıradan bir gözlem")
    critical = lesson(world, importance="critical", text="canlı dosyayı yalnız apsw açar")
    world.told("must_not", "force push", category="constraint")
    for n in range(2):
        world.told("likes", "çay", at=AT + n * DAY)
    world.told("likes", "kahve", at=AT)
    why = {c.text: c.why for c in candidates.listed(world.db, world.project)}
    assert why == {
        memories.read(world.db, critical).text: "of critical importance", "user must not force push": "a constraint",
        "user likes çay": "said in 2 typed turns",
    }  # fmt: skip
    assert candidates.count(world.db, world.project) == len(why)


@pytest.mark.parametrize("permanent", [True, False])
def test_an_accepted_page_is_replaced(world, permanent):
    """R36: a yes to a page's proposal writes its text: permanent again by that very answer where it was permanent, else provisional."""
    if permanent:
        id_ = world.permanent(Page(topic="deploy", title="Deploy"), "Cuma günü çıkılır.")
        (receipt,) = world.apply(write("page", topic="deploy", title="D", text="Salı günü çıkılır.", how="replace"))
    else:
        (written,) = world.apply(write("page", topic="deploy", title="D", text="Cuma günü çıkılır.", how="replace"))
        id_ = written.ids[0]
        (receipt,) = world.apply(
            {
                "verdict": "propose",
                "structure": "page",
                "title": "replace the page deploy",
                "text": "Salı günü çıkılır.",
            }
        )
    assert receipt.state == "proposed"
    done = decide(world, review.answer, receipt.ids[0], yes=True, note="")
    assert done.carried == id_
    page = memories.read(world.db, id_)
    assert (page.text, page.tier) == ("Salı günü çıkılır.", "T2" if permanent else "T1")
    if permanent:
        assert promotions.of(world.db, id_)[-1].how == "replace"
    with pytest.raises(Refused, match="answered already"):
        decide(world, review.answer, receipt.ids[0], yes=False, note="")


def test_a_new_page_is_provisional_and_a_no_writes_nothing(world):
    """R36: a yes to a page that does not exist writes it as T1; a no writes nothing and keeps the note."""
    for yes in (True, False):
        (receipt,) = world.apply(
            {"verdict": "propose", "structure": "page", "title": "Sürüm Notları", "text": f"{yes}"}
        )
        decide(world, review.answer, receipt.ids[0], yes=yes, note="not")
        assert memories.read(world.db, receipt.ids[0]).body.answer == "not"
    (page,) = pages.listed(world.db, world.project)
    assert (page.text, page.tier) == ("True", "T1")


@pytest.mark.parametrize(
    ("structure", "left"), [("identity", "identity.md"), ("rule", "yours"), ("agent", "yours"), ("skill", "yours")]
)
def test_what_bellek_cannot_carry_out_is_said(world, structure, left):
    """R36, R65: an accepted change outside the store is recorded, nothing is written, and what is left to do is said."""
    (receipt,) = world.apply({"verdict": "propose", "structure": structure, "title": "t", "text": "x"})
    done = decide(world, review.answer, receipt.ids[0], yes=True, note="")
    assert done.carried == ""
    assert left in done.note
    assert done.proposal.body.state == "accepted"


def test_a_question_is_answered_and_not_refused(world):
    """R53: a proposal or a conflict is a question: `refuse` names the verb that answers it."""
    (receipt,) = world.apply({"verdict": "propose", "structure": "rule", "title": "t", "text": "x"})
    with pytest.raises(Refused, match="proposals answer"):
        decide(world, review.refuse, receipt.ids[0], note="x")


@pytest.mark.parametrize("actor", ["agent", "curator", "cli", ""])
def test_no_decision_without_a_person(world, actor):
    """R129: every decision is refused to whoever is no person, whatever was asked at the door."""
    id_ = lesson(world)
    (receipt,) = world.apply({"verdict": "propose", "structure": "rule", "title": "t", "text": "x"})
    for verb, words, given in (
        (review.promote, (id_,), {}), (review.refuse, (id_,), {"note": "x"}), (review.answer, (receipt.ids[0],), {"yes": True, "note": ""}),
        (review.set_passphrase, ("uzun bir söz",), {}),
    ):  # fmt: skip
        with pytest.raises(PersonNeeded):
            decide(world, verb, *words, actor=actor, **given)
    with pytest.raises(PersonNeeded), world.db.transaction():
        review.edit(world.home, id_, "başka söz", actor=actor)
    assert memories.read(world.db, id_).tier == "T1"


def test_a_signed_store_asks_for_the_passphrase(world):
    """R122: where promotions are signed, a promotion and a permanent page's new text need the passphrase, and are then signed."""
    id_ = world.permanent(Page(topic="deploy", title="Deploy"), "Cuma günü çıkılır.")
    with world.db.transaction():
        signing.choose(world.db, "üç kelimelik söz")
    (receipt,) = world.apply(write("page", topic="deploy", title="D", text="Salı günü çıkılır.", how="replace"))
    made = lesson(world)
    for secret in ("", "yanlış bir söz"):
        with pytest.raises(Refused):
            decide(world, review.promote, made, passphrase=secret)
        with pytest.raises(Refused):
            decide(world, review.answer, receipt.ids[0], yes=True, note="", passphrase=secret)
    assert decide(world, review.promote, made, passphrase="üç kelimelik söz").signed
    assert review.unsigned(world.db, "üç kelimelik söz") == [f"{id_} is permanent without a signature"]
    decide(world, review.answer, receipt.ids[0], yes=True, note="", passphrase="üç kelimelik söz")
    assert review.unsigned(world.db, "üç kelimelik söz") == []


def test_near_duplicates_are_shown_and_not_merged(world):
    """R53: beside a row stand those that say nearly the same, refused ones too, with how alike they are; itself is none."""
    one_, other = lesson(world, "önbellek her koşuda boşaltılır"), lesson(world, "önbellek hiçbir koşuda boşaltılmaz")
    decide(world, review.refuse, other, note="tersi")
    (near,) = dedupe.near(world.db, memories.read(world.db, one_))
    assert (near.id, near.status) == (other, "refused")
    assert near.likeness >= dedupe.NEAR
    assert dedupe.near(world.db, memories.read(world.db, other))[0].id == one_


def test_a_body_is_promoted_as_it_is(world):
    """R56: promotion changes the tier and nothing else: origin, text, body, sources and times stay."""
    world.permanent(Lesson(topic="t", learning="pattern", importance=1), "önce yaz")
    id_ = lesson(world)
    done = decide(world, review.promote, id_)
    assert done.after.model_copy(update={"tier": "T1", "batch": ""}) == done.before.model_copy(update={"batch": ""})
