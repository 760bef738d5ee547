"""`apply`: what each verdict does, what refuses it, and what happens to the items that it cites."""

import pytest
from typed_world import DAY, World, claim, lesson, write

from bellek.kg import audit, memories, queue
from bellek.schemas.entity import Entity
from bellek.schemas.lesson import Lesson
from bellek.schemas.page import Page


def test_a_claim_is_written_with_its_words_and_its_origin(world):
    """R86: a claim keeps category, predicate, object, confidence, its quote, the message, and who said it, as the harness saw it."""
    message = world.say("Merhaba, ben İzmir'de yaşıyorum artık.")
    receipt = world.apply(claim(message, "ben İzmir'de yaşıyorum", "yaşadığı şehir", "İzmir"))[0]
    row = world.claims("lives_in")[0]
    assert receipt.state == "written"
    assert receipt.ids == (row.id,)
    assert receipt.readable_at
    assert (row.origin, row.tier, row.category, row.object, row.message) == ("user", "T1", "person", "İzmir", message)
    assert row.quote == "ben İzmir'de yaşıyorum"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"category": "sağlık"}, "category"), ({"predicate": "flies_to"}, "predicate"), ({"object": None}, "object"), ({"object": ""}, "object"),
        ({"confidence": "yüksek"}, "confidence"), ({"confidence": "0.7"}, "confidence"), ({"confidence": 95}, "confidence"), ({"confidence": -0.1}, "confidence"),
        ({"confidence": float("nan")}, "confidence"), ({"confidence": float("inf")}, "confidence"), ({"confidence": True}, "confidence"),
        ({"quote": "words that were never said"}, "quote"), ({"quote": "   "}, "quote"), ({"valid_from": "soon"}, "valid_from"),
        ({"valid_from": "2026-02-30"}, "valid_from"), ({"origin": "user"}, "origin"), ({"tier": "T2"}, "tier"), ({"message": "m-none"}, "evidence"),
        ({"subject": 7}, "subject"), ({"object": "half \ud800 a letter"}, "object"),
    ],
)  # fmt: skip
def test_each_refusal_names_its_field_and_writes_nothing(world, change, named):
    """B67: a wrong category, object, confidence, quote, time or an own word about trust is refused with the field's name."""
    message = world.say("I live in İzmir now")
    verdict = claim(message, "I live in İzmir", "lives_in", "İzmir")
    verdict["memory"] |= change
    receipt = world.apply(verdict)[0]
    assert receipt.state == "refused"
    assert named in receipt.reason
    assert world.rows("memories") == []


def test_a_refusal_repeats_no_secret(world):
    """A receipt's reason holds no text that has not passed redaction."""
    message = world.say("I live in İzmir now")
    secret = "sk-ant-api03-" + "a1B2" * 12
    for change in ({"predicate": secret}, {"valid_from": secret}, {"confidence": secret}):
        verdict = claim(message, "I live in İzmir", "lives_in", "İzmir")
        verdict["memory"] |= change
        assert secret[:24] not in world.apply(verdict)[0].reason


@pytest.mark.parametrize(
    "row",
    [7, None, "write", [], {}, {"verdict": "promote"}, {"verdict": "write"}, {"verdict": "write", "memory": {"kind": "dream", "text": "x"}},
     {"verdict": "write", "memory": {"kind": "worldview", "text": "x"}}, {"Kullanıcı çayı sever": ""}, {"verdict": "drop"},
     {"verdict": "drop", "reason": ""}, {"verdict": "improve", "id": "l_x", "text": ""}, {"verdict": "drop", "reason": "r", "items": "q"}],
)  # fmt: skip
def test_what_is_no_verdict_is_refused_alone(world, row):
    """B67: a fact as a key, a missing reason, an unknown kind or verdict and any other shape refuse their own row and no other."""
    good = lesson("derleme önbelleği her koşuda boşaltılır")
    before, bad, after = world.apply(good, row, lesson("sürüm notları cuma günü yazılır"))
    assert (before.state, bad.state, after.state) == ("written", "refused", "written")
    assert bad.reason
    assert len(world.rows("lessons")) == 2


def test_good_and_bad_rows_of_one_batch(world):
    """Good verdicts are written, bad ones are not, and the item of a bad one still waits; nothing is half applied."""
    kept, mixed, dropped = (world.item(f"öğrenilen {i}") for i in range(3))
    message = world.say("I live in İzmir")
    receipts = world.apply(
        lesson("önbellek boşaltılır", items=[kept]),
        lesson("notlar cuma yazılır", items=[mixed]),
        claim(message, "never said", "lives_in", "İzmir", items=[mixed]),
        {"verdict": "drop", "items": [dropped], "reason": "small talk"},
        write("entity", name="Ali", fields={"role": "tester", "salary": "100"}, items=[mixed]),
    )
    assert [r.state for r in receipts] == ["written", "written", "refused", "dropped", "refused"]
    assert "salary" in receipts[4].reason
    assert world.waiting() == [mixed]
    assert world.rows("claims") == world.rows("entities") == world.rows("fields") == []
    assert [row["item"] for row in world.rows("drops")] == [dropped]


def test_an_item_waits_until_every_verdict_that_cites_it_was_carried_out(world):
    """An item is acknowledged by a later call that carries out what was refused; what stood already is not written again."""
    item = world.item("iki şey birden")
    good, bad = lesson("önbellek boşaltılır", items=[item]), write("event", text="x", day="2026-99-99", items=[item])
    first = world.apply(good, bad)
    assert world.waiting() == [item]
    again = world.apply(good, write("event", text="x", day="2026-09-09", items=[item]))
    assert [r.state for r in again] == ["already", "written"]
    assert again[0].ids == first[0].ids
    assert world.waiting() == []
    assert {row["memory"] for row in world.rows("settled")} == {*first[0].ids, *again[1].ids}


def test_a_wrong_list_of_items_holds_back_only_what_it_names(world):
    """A verdict whose items are one text instead of a list holds back that item and no other."""
    named, other = world.item("bir"), world.item("iki")
    world.apply(lesson("önbellek boşaltılır", items=[named, other]), {"verdict": "drop", "reason": "r", "items": named})
    assert world.waiting() == [named]


def test_the_same_file_twice(world):
    """Applying the same verdicts again answers "already" with the same ids and writes nothing, also by the beginning of an id."""
    item = world.item("bir öğrenme")
    message = world.say("I live in İzmir")
    verdicts = [lesson("önbellek boşaltılır", items=[item]), write("event", text="boşaltıldı", items=[item]),
                claim(message, "I live in İzmir", "lives_in", "İzmir", items=[item])]  # fmt: skip
    first = world.apply(*verdicts)
    before = {table: world.rows(table) for table in ("memories", "audit", "settled", "applied", "sources")}
    second = world.apply(*verdicts)
    short = world.apply(*({**v, "items": [item[:9]]} for v in verdicts))
    assert [r.state for r in second] == [r.state for r in short] == ["already"] * 3
    assert [r.ids for r in second] == [r.ids for r in short] == [r.ids for r in first]
    assert before == {table: world.rows(table) for table in before}


def test_one_item_may_become_several_typed_rows(world):
    """R32: one item may produce several typed rows, and each of them names it as its source."""
    item = world.item("CI iki kez koştu, Ayşe düzeltti, yarın belgelenecek")
    receipts = world.apply(
        lesson("CI iki kez koşar", items=[item]),
        write("event", text="CI düzeltildi", items=[item]),
        write("task", text="CI'ı belgele", items=[item]),
        write("entity", name="Ayşe", type="person", items=[item]),
        write("page", topic="CI", title="CI", text="Ayşe bakar.", items=[item]),
        write("log", type="decision", text="CI tek kez koşacak", reason="iki kez koşuyordu", items=[item]),
    )
    ids = [id_ for r in receipts for id_ in r.ids]
    assert {id_[0] for id_ in ids} == set("letnwg")
    assert all(any(s.item == item for s in memories.read(world.db, id_).sources) for id_ in ids)
    assert world.waiting() == []


def test_the_same_item_cited_twice_in_one_verdict_counts_once(world):
    """An item that a verdict cites by its id and by its beginning is one item."""
    item = world.item("bir")
    assert world.apply(lesson("önbellek boşaltılır", items=[item, item, item[:10]]))[0].state == "written"
    assert world.waiting() == []


def test_items_that_cannot_be_answered(world):
    """An unknown, an empty and an ambiguous item, and one of another project, refuse the verdict that cites them."""
    world.item("bir")
    world.item("iki")
    other = World(world.home, "p_two")
    foreign = other.item("üç")
    for cited in ("q_nothing", "", "q_", foreign):
        receipt = world.apply(lesson("önbellek boşaltılır", items=[cited]))[0]
        assert receipt.state == "refused"
    assert len(world.waiting()) == 2
    assert len(other.waiting()) == 1


def test_a_drop_is_recorded_with_its_reason(world):
    """R42: what is dropped leaves the queue with a record of item and reason, redacted; a drop that names nothing is refused."""
    item = world.item("ok")
    secret = "ghp_" + "a1B2c3D4e5" * 4
    assert world.apply({"verdict": "drop", "items": [item], "reason": f"only a token {secret}"})[0].state == "dropped"
    assert world.rows("drops")[0]["item"] == item
    assert secret not in world.rows("drops")[0]["reason"]
    assert world.apply({"verdict": "drop", "reason": "nothing"})[0].state == "refused"


def test_a_near_duplicate_is_absorbed(world):
    """R42, R90: the same lesson in nearly the same words is one row with two sightings and two sources; another number is another lesson."""
    one, two = world.item("a"), world.item("b")
    first = world.apply(lesson("Sunucu 8080 kapısında dinler.", items=[one]))[0]
    again = world.apply(lesson("sunucu 8080 kapısında dinler", items=[two]))[0]
    other = world.apply(lesson("sunucu 9090 kapısında dinler"))[0]
    assert (again.state, again.ids) == ("absorbed", first.ids)
    assert other.state == "written"
    row = memories.read(world.db, first.ids[0])
    assert row.body.sightings == 2
    assert {s.item for s in row.sources} == {one, two}


def test_what_was_said_more_than_once_while_it_waited_counts_so(world):
    """R90: an item that twins raised to three sightings is three in the lesson it becomes, and three more where it is absorbed."""
    for text in (
        "run pytest with uv, because the lock file counts",
        "Run pytest with uv because the lock file counts!",
    ):
        first = world.item(text)
        assert [world.hear(text) for _ in range(2)] == ["twin", "twin"]
        (receipt,) = world.apply(lesson(text, items=[first]))
    assert receipt.state == "absorbed"
    assert memories.read(world.db, receipt.ids[0]).body.sightings == 6


def test_absorb_counts_a_sighting_and_only_of_what_stands(world):
    """`absorb` counts on a lesson or a claim of this project that stands, and refuses everything else, naming the field."""
    kept = world.apply(lesson("önbellek boşaltılır"))[0].ids[0]
    item = world.item("yine")
    assert world.apply({"verdict": "absorb", "into": kept, "items": [item]})[0].state == "absorbed"
    assert memories.read(world.db, kept).body.sightings == 2
    task = world.apply(write("task", text="yaz"))[0].ids[0]
    old = world.told("lives_in", "Ankara").ids[0]
    world.told("lives_in", "İzmir")
    foreign = World(world.home, "p_two").apply(lesson("başka projede öğrenildi"))[0].ids[0]
    for into in (task, old, foreign, "l_zzzzzzzzzzzz", "nonsense"):
        receipt = world.apply({"verdict": "absorb", "into": into})[0]
        assert receipt.state == "refused", into
    assert "another project" in world.apply({"verdict": "absorb", "into": foreign})[0].reason


def test_improve_rewords_what_a_machine_wrote(world):
    """`improve` gives a lesson, page or task a better text with its source, and refuses claims, the person's own rows and foreign ones."""
    kept = world.apply(lesson("önbelek boşaltılır"))[0].ids[0]
    item = world.item("daha iyi")
    assert (
        world.apply({"verdict": "improve", "id": kept, "text": "Önbellek her koşuda boşaltılır.", "items": [item]})[
            0
        ].state
        == "improved"
    )
    row = memories.read(world.db, kept)
    assert row.text == "Önbellek her koşuda boşaltılır."
    assert any(s.item == item for s in row.sources)
    told = world.told("lives_in", "Ankara").ids[0]
    foreign = World(world.home, "p_two").apply(lesson("başka projede öğrenildi"))[0].ids[0]
    for id_ in (told, foreign):
        assert world.apply({"verdict": "improve", "id": id_, "text": "x"})[0].state == "refused"
    own = memories.read(world.db, kept).model_copy(update={"origin": "user"})
    with world.db.transaction():
        memories.write(world.db, own, actor="person")
    assert "own words" in world.apply({"verdict": "improve", "id": kept, "text": "x"})[0].reason


def test_a_second_fact_updates_the_topics_one_page(world):
    """R34: a topic has one page; merging adds the lines that it does not hold, replacing puts a whole text; former texts stay in the trail."""
    first = world.apply(write("page", topic="Dağıtım", title="Dağıtım", text="Cuma günü çıkılır."))[0]
    merged = world.apply(write("page", topic="dağıtım", title="Dağıtım", text="cuma günü çıkılır\nAyşe onaylar."))[0]
    assert merged.ids == first.ids
    assert memories.read(world.db, first.ids[0]).text == "Cuma günü çıkılır.\nAyşe onaylar."
    assert world.apply(write("page", topic="dağıtım", title="D", text="Ayşe onaylar."))[0].state == "absorbed"
    world.apply(write("page", topic="dağıtım", title="Dağıtım", text="Artık salı.", how="replace"))
    assert memories.read(world.db, first.ids[0]).text == "Artık salı."
    assert [row["id"] for row in world.rows("pages")] == [first.ids[0]]
    assert len([row for row in world.rows("revisions") if row["id"] == first.ids[0]]) == 3


def test_a_page_with_a_broken_head_gets_no_second_one(world):
    """B63: what is merged onto a page whose front matter is not valid YAML leaves every byte of it and stacks no head above it."""
    broken = "---\ntitle: [deploy\n---\nCuma günü çıkılır.\n"
    (first,) = world.apply(write("page", topic="dağıtım", title="Dağıtım", text=broken))
    world.apply(write("page", topic="dağıtım", title="Dağıtım", text="---\ntitle: Dağıtım\n---\nAyşe onaylar."))
    text = memories.read(world.db, first.ids[0]).text
    assert text.startswith(broken.rstrip("\n"))
    assert text.splitlines().count("---") == 2
    assert text.endswith("Ayşe onaylar.")


def test_the_journal_only_grows(world):
    """R34: what the journal held before a verdict is an unchanged prefix of what it holds after, whatever the verdict tries."""
    event = world.apply(write("event", text="ilk gün", day="2026-03-01"))[0].ids[0]
    before = world.rows("events")
    rows = [row for row in world.rows("memories") if row["id"] == event]
    world.apply(write("event", text="ilk gün", day="2026-03-02"), {"verdict": "improve", "id": event, "text": "başka"},
                {"verdict": "absorb", "into": event})  # fmt: skip
    assert [row for row in world.rows("events") if row["id"] == event] == before
    assert [row for row in world.rows("memories") if row["id"] == event] == rows
    assert len(world.rows("events")) == 2


def test_the_log_is_appended_to_and_signed(world):
    """A decision needs its reason, an entry is one line, signed by the agent that heard it, and is never changed."""
    assert "reason" in world.apply(write("log", type="decision", text="salı çıkılır"))[0].reason
    assert world.apply(write("log", type="note", text="iki\nsatır"))[0].state == "refused"
    item = world.item("karar")
    id_ = world.apply(write("log", type="decision", text="salı çıkılır", reason="cuma riskli", items=[item]))[0].ids[0]
    assert memories.read(world.db, id_).agent == "claude-code"
    assert world.apply({"verdict": "improve", "id": id_, "text": "çarşamba"})[0].state == "refused"


def test_a_structural_change_only_waits(world):
    """R36: a proposal is written as waiting; nothing else is, and no verdict can answer it."""
    receipt = world.apply({"verdict": "propose", "structure": "rule", "title": "New rule", "text": "Always use uv."})[0]
    assert receipt.state == "proposed"
    assert [row["kind"] for row in world.rows("memories")] == ["proposal"]
    assert world.rows("proposals")[0]["state"] == "waiting"
    for verdict in ({"verdict": "improve", "id": receipt.ids[0], "text": "accepted"}, {"verdict": "absorb", "into": receipt.ids[0]},
                    {"verdict": "answer", "id": receipt.ids[0]}):  # fmt: skip
        assert world.apply(verdict)[0].state == "refused"


def test_an_entity_with_aliases_and_fields(world):
    """An entity is one row with its aliases as a set and its fields as text; its fields that are predicates are claims as well."""
    message = world.say("Ali Kaya, yani Aliş, Ankara'da yaşıyor")
    receipt = world.apply(
        write(
            "entity",
            name="Ali Kaya",
            type="person",
            aliases=["Aliş", "aliş", "ALİŞ", "Ali Kaya"],
            fields={"şehir": "Ankara", "kod": "010"},
            evidence=[message],
        )
    )[0]
    again = world.apply(write("entity", name="aliş", aliases=["Ali Abi"], fields={"kod": "010"}))[0]
    entity = memories.read(world.db, receipt.ids[0])
    assert again.ids[0] == receipt.ids[0]
    assert entity.body.aliases == ("Aliş", "Ali Abi")
    assert {(row["name"], row["value"]) for row in world.rows("fields")} == {("şehir", "Ankara"), ("kod", "010")}
    assert world.current("lives_in", subject="Aliş") == ["Ankara"]


def test_what_a_verdict_draws_from_a_paste_is_trusted_no_more_than_the_paste(world):
    """R56: a row made from pasted, web or tool text has that origin, whatever kind it is."""
    message = world.say("The server runs on port 9000", origin="pasted")
    world.apply(
        claim(message, "runs on port 9000", "port", "9000", subject="server", category="project"),
        write("lesson", text="The server runs on port 9000", learning="discovery", evidence=[message]),
        write("page", topic="server", title="Server", text="Port 9000.", evidence=[message]),
        write("event", text="read about the port", evidence=[message]),
        write("entity", name="server", evidence=[message]),
    )
    assert len(world.rows("memories")) == 5
    assert {row["origin"] for row in world.rows("memories")} == {"pasted"}


def test_evidence_of_another_project_is_refused(world):
    """A message that was said in another project is no evidence here."""
    message = world.say("I live in İzmir", project="p_two", talk="elsewhere")
    receipt = world.apply(claim(message, "I live in İzmir", "lives_in", "İzmir"))[0]
    assert "another project" in receipt.reason


def test_an_item_whose_message_is_gone_can_still_be_answered(world):
    """Conversations can be deleted: an item's own message that is no longer there keeps nobody from answering it."""
    item = world.item("öğrenme", message="m-gone")
    assert world.apply(lesson("önbellek boşaltılır", items=[item]))[0].state == "written"
    assert world.waiting() == []


def test_nothing_that_a_person_made_permanent_is_touched(world):
    """R129: no verdict rewords, absorbs into, replaces, contests or ends a permanent row."""
    rows = [
        world.permanent(Lesson(topic="cache", learning="convention", importance=2), "Önbellek boşaltılır."),
        world.permanent(Page(topic="deploy", title="Deploy"), "Cuma."),
        world.permanent(Entity(name="Ali Kaya", aliases=("Ali",)), "Ali Kaya", project="*"),
        world.permanent_claim("lives_in", "Ankara"),
    ]
    before = [row for row in world.rows("memories") if row["id"] in rows]
    fact = world.told("lives_in", "İzmir")
    receipts = world.apply(
        lesson("önbellek boşaltılır"), {"verdict": "improve", "id": rows[0], "text": "x"}, {"verdict": "absorb", "into": rows[0]},
        write("page", topic="deploy", title="Deploy", text="Salı.", how="replace"), write("entity", name="Ali", aliases=["Aliş"]),
        {"verdict": "absorb", "into": rows[3]}, {"verdict": "open_conflict", "left": fact.ids[0], "right": rows[3], "reason": "r"},
    )  # fmt: skip
    assert [r.state for r in receipts] == [
        "absorbed",
        "refused",
        "absorbed",
        "proposed",
        "absorbed",
        "absorbed",
        "refused",
    ]
    assert all("permanent" in r.reason for r in (receipts[0], receipts[1], receipts[2], receipts[4], receipts[5]))
    assert before == [row for row in world.rows("memories") if row["id"] in rows]
    assert world.open_conflicts() == [("ankara", "izmir")]


def test_a_token_answers_what_it_holds(world):
    """Under a token only its own items are answered; without it, or with another, they are refused; each call renews it."""
    items = [world.item(f"öğrenme {i}") for i in range(2)]
    taken = queue.take(world.db, world.project, limit=1)
    held = taken.items[0].id
    free = next(i for i in items if i != held)
    assert "taken by another drain" in world.apply(lesson("bir", items=[held]))[0].reason
    assert "taken by another drain" in world.apply(lesson("bir", items=[held]), token="0" * 16)[0].reason
    assert world.apply(lesson("iki", items=[free]), token=taken.token)[0].state == "refused"
    first = world.apply(lesson("önbellek boşaltılır", items=[held]), token=taken.token)[0]
    assert first.state == "written"
    again = world.apply(lesson("önbellek boşaltılır", items=[held]), token=taken.token)[0]
    assert (again.state, again.ids) == ("already", first.ids)
    assert world.apply(lesson("iki", items=[free]))[0].state == "written"
    assert world.waiting() == []


def test_an_expired_token_writes_nothing(world, monkeypatch):
    """B86: a drain that slept past its time and lost its items to another writes nothing and acknowledges nothing."""
    item = world.item("öğrenme")
    slow = queue.take(world.db, world.project)
    monkeypatch.setenv("BELLEK_CLOCK", str(slow.until_at + 1))
    quick = queue.take(world.db, world.project)
    assert [i.id for i in quick.items] == [item]
    assert world.apply(lesson("geç kalan", items=[item]), token=slow.token)[0].state == "refused"
    assert world.apply(lesson("yetişen", items=[item]), token=quick.token)[0].state == "written"
    assert [row["text"] for row in world.rows("memories")] == ["yetişen"]
    assert world.waiting() == []


def test_a_twin_that_came_while_an_item_was_taken_stays(world):
    """B87: the acknowledgement removes the generation that was handed out; the one that came since waits, and is then found said already."""
    item = world.item("aynı sözler")
    taken = queue.take(world.db, world.project)
    assert world.hear("aynı sözler") == "twin"
    first = world.apply(lesson("aynı sözler", items=[item]), token=taken.token)[0]
    assert world.waiting() == [item]
    again = queue.take(world.db, world.project)
    second = world.apply(lesson("aynı sözler", items=[item]), token=again.token)[0]
    assert (second.state, second.ids) == ("already", first.ids)
    assert world.waiting() == []
    assert len(world.rows("lessons")) == 1


def test_a_dead_letter_is_not_answered(world):
    """B85: an item that was parked waits for a person, and a verdict that cites it is told why."""
    item = world.item("bozuk")
    with world.db.transaction():
        queue.fail(world.db, queue.find(world.db, world.project, item), "cannot be read", for_good=True)
    assert "cannot be read" in world.apply(lesson("x", items=[item]))[0].reason


def test_a_batch_is_one_in_the_trail(world):
    """All rows of one call carry one batch, and each act of it is an entry of the trail."""
    item = world.item("öğrenme")
    world.apply(lesson("bir şey", items=[item]), write("event", text="oldu", items=[item]))
    batches = {row["batch"] for row in world.rows("memories")}
    assert len(batches) == 1
    acts = [(e.act, e.kind) for e in audit.entries(world.db) if e.batch in batches]
    assert sorted(acts) == [("ack", "item"), ("write", "event"), ("write", "lesson")]


def test_a_time_before_1970_and_one_beyond_the_calendar(world):
    """`valid_from` may lie before 1970; what no calendar holds is refused with the field's name."""
    message = world.say("We are married to each other since 1965, Ayşe")
    verdict = claim(message, "married to each other since 1965, Ayşe", "married_to", "Ayşe", valid_from="1965-05-01")
    world.apply(verdict)
    assert 0 < world.claims("married_to")[0].valid_from < DAY
    verdict["memory"]["valid_from"] = "10000-01-01"
    assert "valid_from" in world.apply(verdict)[0].reason


def test_a_mood_is_noted_with_an_event(world):
    """R91: an event may say how it felt, in a word of the vocabulary; another word refuses its own row, and no mood is made up."""
    results = world.apply(
        write("event", text="sürüm çıktı", mood="happy"),
        write("event", text="x", mood="zürafa"),
        write("event", text="sade"),
    )
    noted = {memories.read(world.db, row["id"]).text: row["mood"] for row in world.rows("events")}
    assert noted == {"sürüm çıktı": "happy", "sade": ""}
    assert len([r for r in results if getattr(r, "ids", ())]) == 2
