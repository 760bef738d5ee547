"""What is kept and not shown: a sensitive value without consent, wherever a row is shown by its id; notices of other projects."""

import pytest

from bellek.context import preview
from bellek.context.sections import changed
from bellek.kg import consent, memories, notices, tiers
from bellek.kg.ids import mint
from bellek.schemas.entity import Entity, EntityField
from bellek.schemas.errors import PersonNeeded
from bellek.schemas.memory import Memory

SECRET = "migren"


@pytest.fixture
def field(home):
    """A sensitive field with the person's consent; its row's id."""
    return _field(home, tier="T1")


def _field(home, *, tier):
    entity = mint("n")
    rows = (
        (entity, Entity(name="Eve"), "Eve"),
        (mint("f"), EntityField(entity=entity, name="hastalık", value=SECRET, sensitivity="health", consent=True), f"hastalık: {SECRET}"),
    )  # fmt: skip
    with home.memory.transaction():
        for id_, body, text in rows:
            row = {"id": id_, "project": "*", "agent": "*", "session": "*", "origin": "user", "tier": "T1", "text": text,
                   "said_at": 1_796_000_000_000, "batch": "b_test", "body": body}  # fmt: skip
            memories.write(home.memory, Memory.model_validate(row), actor="person")
            if tier == "T2":
                tiers.promote(home.memory, Memory.model_validate(row), actor="person")
    return rows[1][0]


def test_a_withdrawn_value_is_shown_by_no_id(home, field):
    """R11: withdrawal hides a sensitive value from `show`, from a packet built again and from a correction; consent shows it again."""
    told = f'[["lessons","{field}",1,"told",{{}}]]'
    home.memory.run(
        "INSERT INTO receipts (id, session, project, event, at, state, units, lines) VALUES ('k_one', 's', '*', 'e', 1, 'seen', 1, ?)",
        (told,),
    )
    assert SECRET in preview.again(home, "k_one").text
    consent.record(home.memory, "Eve", "hastalık", given=False, actor="person:terminal")
    shown = memories.shown(memories.read(home.memory, field))
    assert SECRET not in shown.model_dump_json()
    assert "withheld" in preview.again(home, "k_one").text
    assert SECRET not in preview.again(home, "k_one").text
    with home.memory.transaction():
        fallen = memories.read(home.memory, field).model_copy(update={"status": "superseded"})
        memories.write(home.memory, fallen, actor="curator", act="supersede")
    assert changed(home.memory, {field: 1}) == []


@pytest.mark.parametrize("tier", ["T1", "T2"])
def test_consent_is_a_persons(home, tier):
    """R11: an unproven hand neither gives nor withdraws consent; a person does, and a permanent row stays permanent by it."""
    _field(home, tier=tier)
    with pytest.raises(PersonNeeded):
        consent.record(home.memory, "Eve", "hastalık", given=False, actor="cli")
    assert not consent.record(home.memory, "Eve", "hastalık", given=False, actor="person:terminal").consent
    assert {row[0] for row in home.memory.rows("SELECT tier FROM memories")} == {tier}


def test_notices_of_another_project_stay_there(home):
    """A project is told of its own notices and of those of no project, never of another's."""
    with home.memory.transaction():
        for n, project in enumerate(("p_one", "p_two", "-")):
            notices.say_once(home.memory, kind="drain", source="q", position=n, project=project, text=project)
    assert [n.text for n in notices.latest(home.memory, project="p_one")] == ["-", "p_one"]
    assert len(notices.latest(home.memory)) == 3
