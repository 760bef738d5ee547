"""The tiers: one way to T2, whoever writes, and the trail that proves it."""

import pytest
from made import lesson

from bellek.kg import audit, check, memories, promotions, signing, tiers
from bellek.kg.ids import mint
from bellek.schemas.errors import BellekError, PersonNeeded, Refused, UsageFault
from bellek.schemas.tier import MOVES, state_of, who_may

PERSON = "person:terminal"
PASSPHRASE = "şifreli söz"


@pytest.fixture
def row(home):
    """A provisional lesson."""
    made = lesson()
    with home.memory.transaction():
        memories.write(home.memory, made, actor="agent")
    return made


def promote(home, row, **given):
    """Make it permanent, in a transaction of its own."""
    with home.memory.transaction():
        return tiers.promote(home.memory, row, actor=given.pop("actor", PERSON), **given)


def test_a_person_makes_a_row_permanent(home, row):
    """R46, R47: a promotion writes the row as T2, and says of that very revision who, how and when."""
    written = promote(home, row)
    (promotion,) = promotions.of(home.memory, row.id)
    assert memories.read(home.memory, row.id).tier == "T2"
    assert (promotion.revision, promotion.person, promotion.how, promotion.at) == (
        written.revision,
        PERSON,
        "promote",
        written.clock,
    )
    assert audit.of_revision(home.memory, row.id, written.revision).act == "promote"


@pytest.mark.parametrize("actor", ["", "agent", "curator", "cli", "Person", "personal-bot", "person-like"])
def test_nobody_else_does(home, row, actor):
    """R47: `tiers.promote` refuses every actor that is no person, and the row stays as it was."""
    with pytest.raises(PersonNeeded):
        promote(home, row, actor=actor)
    assert memories.read(home.memory, row.id).tier == "T1"


def test_a_persons_write_alone_is_no_promotion(home, row):
    """R47: even a person's write makes nothing permanent without a promotion, neither a known row nor a new one."""
    for fresh in ({}, {"id": mint("l")}):
        with pytest.raises(BellekError), home.memory.transaction():
            memories.write(home.memory, row.model_copy(update={"tier": "T2", **fresh}), actor=PERSON)


def test_the_table_refuses_whoever_writes(home, row):
    """R47: SQL that goes past every floor meets the trigger: no T2 by insert, by update, nor by another revision."""
    db = home.memory
    columns = ", ".join(str(c[1]) for c in db.rows("PRAGMA table_info(memories)") if c[1] not in ("n", "id", "tier"))
    new = f"INSERT INTO memories (id, tier, {columns}) SELECT 'l_other0000000', 'T2', {columns} FROM memories"
    for sql in ("UPDATE memories SET tier = 'T2'", new):
        with pytest.raises(BellekError, match="no promotion"):
            db.run(sql)
    written = promote(home, row)
    for sql in (
        "UPDATE memories SET revision = revision + 1", "DELETE FROM promotions", f"UPDATE promotions SET revision = {written.revision + 1}",
        "INSERT INTO promotions VALUES ('l_x', 1, 'agent', 'promote', 1, x'')",
    ):  # fmt: skip
        with pytest.raises(BellekError):
            db.run(sql)
    assert check.check_memory(db) == []


def test_other_words_need_a_promotion_of_their_own(home, row):
    """R46: a person's change of a permanent row's text is refused unless it is promoted in those words; a standing is not."""
    promote(home, row)
    edited = memories.read(home.memory, row.id).model_copy(update={"text": "başka söz"})
    with pytest.raises(PersonNeeded), home.memory.transaction():
        memories.write(home.memory, edited, actor=PERSON)
    promote(home, edited)
    with home.memory.transaction():
        memories.write(
            home.memory, edited.model_copy(update={"tier": "T2", "status": "hidden"}), actor=PERSON, act="hide"
        )
    assert [(p.revision, p.how) for p in promotions.of(home.memory, row.id)] == [
        (2, "promote"),
        (3, "promote"),
        (4, "hide"),
    ]


@pytest.mark.parametrize(
    ("status", "note"), [("refused", "hayır"), ("quarantined", "reads like an order"), ("superseded", "")]
)
def test_what_does_not_stand_is_not_promoted(home, row, status, note):
    """R46: a refused, quarantined or superseded row cannot be made permanent, and the reason is told."""
    fallen = row.model_copy(update={"status": status, "note": note})
    with home.memory.transaction():
        memories.write(home.memory, fallen, actor=PERSON)
    with pytest.raises(Refused) as caught:
        tiers.check(memories.read(home.memory, row.id))
    assert (note or status) in str(caught.value)


def test_a_refusal_keeps_row_and_note(home, row):
    """R53: a refusal needs a note; the row keeps its words and the note, and only a person refuses."""
    for note, actor, error in (
        ("", PERSON, UsageFault),
        (" ", PERSON, UsageFault),
        ("yanlış", "curator", PersonNeeded),
    ):
        with pytest.raises(error), home.memory.transaction():
            tiers.refuse(home.memory, row, note=note, actor=actor)
    with home.memory.transaction():
        tiers.refuse(home.memory, row, note="yanlış", actor=PERSON)
    kept = memories.read(home.memory, row.id)
    assert (kept.status, kept.note, kept.text) == ("refused", "yanlış", row.text)
    with pytest.raises(Refused), home.memory.transaction():
        tiers.refuse(home.memory, kept, note="yine", actor=PERSON)


def test_no_move_but_the_tables(home):
    """R46: the write path allows a move between tiers exactly where the table does, and to exactly whom."""
    states = {
        "T1": ("T1", "current"),
        "T2": ("T2", "current"),
        "refused": ("T1", "refused"),
        "quarantined": ("T1", "quarantined"),
    }
    for old, (tier, status) in states.items():
        for new, (to_tier, to_status) in states.items():
            for actor in ("curator", PERSON):
                made = lesson()
                with home.memory.transaction():
                    memories.write(home.memory, made, actor=PERSON)
                    if old == "T2":
                        tiers.promote(home.memory, made, actor=PERSON)
                    elif old != "T1":
                        memories.write(
                            home.memory,
                            made.model_copy(update={"tier": tier, "status": status, "note": "n"}),
                            actor=PERSON,
                        )
                who = who_may(state_of(tier, status), state_of(to_tier, to_status))
                moved = made.model_copy(update={"tier": to_tier, "status": to_status, "note": "n"})
                allowed = who == "anybody" or (who == "person" and actor == PERSON)
                if old == "T2" and actor != PERSON:
                    allowed = False
                if new == "T2" and old != "T2":
                    allowed = False  # not by a plain write: `tiers` alone grants it
                if allowed:
                    with home.memory.transaction():
                        memories.write(home.memory, moved, actor=actor)
                else:
                    with pytest.raises(BellekError), home.memory.transaction():
                        memories.write(home.memory, moved, actor=actor)


def test_the_table_of_moves_is_the_promised_one():
    """R46: whatever an agent may move goes T0 → T1 or into quarantine; every way out of T2, quarantine and refusal is a person's."""
    free = {move for move, who in MOVES.items() if who == "anybody"}
    assert free == {("T0", "T1"), ("T0", "-"), ("T0", "quarantined"), ("T1", "quarantined"), ("-", "quarantined")}
    assert ("T0", "T2") not in MOVES
    assert ("quarantined", "T2") not in MOVES


def test_promotions_replay(home, make_home, row):
    """R130: a trail with promotions, a signature, an edit and a refusal replays to equal tables, promotions included."""
    with home.memory.transaction():
        signing.choose(home.memory, PASSPHRASE)
    promote(home, row, key=signing.key(home.memory, PASSPHRASE))
    promote(home, memories.read(home.memory, row.id).model_copy(update={"text": "yeni söz"}))
    with home.memory.transaction():
        tiers.refuse(home.memory, memories.read(home.memory, row.id), note="vazgeçildi", actor=PERSON)
    other = make_home("other")
    memories.replay(home.memory, other.memory)
    for table in ("promotions", "memories", "audit"):
        order = f"SELECT * FROM {table} ORDER BY 1, 2"
        assert other.memory.rows(order) == home.memory.rows(order)
    assert audit.verify(other.memory) == []
    assert len(promotions.of(other.memory, row.id)) == 3


def test_a_foreign_trail_makes_nothing_permanent(home, make_home, row):
    """R47: a trail in which somebody else than a person wrote T2 is not replayed into permanent rows: the trigger refuses it."""
    promote(home, row)
    home.memory.script("DROP TRIGGER audit_is_append_only_u; UPDATE audit SET actor = 'agent' WHERE act = 'promote';")
    other = make_home("other")
    with pytest.raises(BellekError, match="no promotion"):
        memories.replay(home.memory, other.memory)
    home.memory.script(
        "UPDATE audit SET actor = 'person:terminal' WHERE act = 'promote';"
        "CREATE TRIGGER audit_is_append_only_u BEFORE UPDATE ON audit BEGIN SELECT RAISE (ABORT, 'the trail is append-only'); END;"
    )


def test_a_passphrase_vouches_for_the_words(home, row):
    """R122: a signed row passes, and passes after a standing; an unsigned one, one with other words, or a forged signature is named."""
    db = home.memory
    with pytest.raises(Refused):
        tiers.unsigned(db, PASSPHRASE)
    with db.transaction():
        signing.choose(db, PASSPHRASE)
    with pytest.raises(Refused):
        tiers.unsigned(db, "başka bir söz")
    promote(home, row, key=signing.key(db, PASSPHRASE))
    assert tiers.unsigned(db, PASSPHRASE) == []
    with db.transaction():
        hidden = memories.read(db, row.id).model_copy(update={"status": "hidden"})
        memories.write(db, hidden, actor=PERSON, act="hide")
    assert tiers.unsigned(db, PASSPHRASE) == []
    promote(home, hidden.model_copy(update={"text": "başka söz"}))
    assert tiers.unsigned(db, PASSPHRASE) == [f"{row.id} is permanent without a signature"]
    promote(home, memories.read(db, row.id), key=b"guessed")
    assert tiers.unsigned(db, PASSPHRASE) == [f"{row.id} is permanent without a signature"]


def test_a_passphrase_is_kept_nowhere(home):
    """R122: neither the passphrase nor its key is stored; a short one and a second one are refused."""
    db = home.memory
    with pytest.raises(UsageFault), db.transaction():
        signing.choose(db, "kısa")
    with db.transaction():
        signing.choose(db, PASSPHRASE)
    key = signing.key(db, PASSPHRASE)
    stored = "".join(str(row) for row in db.rows("SELECT * FROM meta"))
    assert PASSPHRASE not in stored
    assert key.hex() not in stored
    with pytest.raises(Refused), db.transaction():
        signing.choose(db, "başka bir söz")


def test_a_promotion_goes_with_its_memory(home, row):
    """R116: where a row is deleted for good, nothing is left that says it was permanent."""
    promote(home, row)
    db = home.memory
    with db.transaction():
        memories.remove(db, [row.id])
        audit.append(db, actor=PERSON, act="scrub", kind="memory", id=row.id, batch="b_test")
    assert promotions.of(db, row.id) == []
