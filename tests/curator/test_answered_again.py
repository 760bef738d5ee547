"""The same verdict again: it is the item that counts, not the letters by which it is named, nor what another item got."""

from typed_world import claim, write


def test_letters_that_name_a_waiting_item_never_find_the_receipt_of_another(world):
    """R37: a verdict in the words of an earlier one is carried out for its own item, also where the letters given begin both ids."""
    first = world.item("durum: testler geçti")
    drop = {"verdict": "drop", "reason": "status talk"}
    assert world.apply({**drop, "items": [first]})[0].state == "dropped"
    second = world.item("durum: derleme bitti")
    assert world.apply({**drop, "items": ["q_"]})[0].state == "dropped"
    assert [row["item"] for row in world.rows("drops")] == [first, second]
    assert world.waiting() == []


def test_a_date_begins_at_midnight_of_the_writers_zone(world):
    """`valid_from` of a day counts in the zone of who said it, as days do everywhere: three hours east of UTC here."""
    message = world.say("2010-01-02 gününden beri İzmir'de yaşıyorum, İzmir güzel")
    world.apply(claim(message, "2010-01-02 gününden beri İzmir", "lives_in", "İzmir", valid_from="2010-01-02"))
    assert world.claims("lives_in")[0].valid_from == 1_262_379_600_000  # 2010-01-01 21:00 UTC


def test_a_field_that_the_person_confirms_is_theirs_from_then_on(world):
    """What an agent noted and the person then said in the same words is not displaced by the next agent's word."""
    agents = world.say("Ali testçi olarak çalışıyor", origin="agent")
    world.apply(write("entity", name="Ali", fields={"görev yeri": "Ankara"}, evidence=[agents]))
    persons = world.say("Ali'nin görev yeri Ankara")
    world.apply(write("entity", name="Ali", fields={"görev yeri": "Ankara"}, evidence=[persons]))
    other = world.say("Ali'nin görev yeri Bursa olmalı", origin="agent")
    world.apply(write("entity", name="Ali", fields={"görev yeri": "Bursa"}, evidence=[other]))
    state = {row["id"]: (row["status"], row["origin"]) for row in world.rows("memories")}
    values = {row["value"]: state[row["id"]] for row in world.rows("fields") if state[row["id"]][0] != "superseded"}
    assert values == {"Ankara": ("current", "user"), "Bursa": ("contested", "agent")}
