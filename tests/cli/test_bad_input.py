"""Bad input through the two doors that write, `apply` and `drain --offline`: refused where it is wrong, by its field or place.

Nothing here is called done that was not: after every refusal the item still waits, or is parked with its reason.
"""

import json
from pathlib import Path

import pytest
from world import Session

from bellek.kg import clock, queue

TYPED = "Ben İzmir'de yaşıyorum, çayı severim"
WORDS = "çay demlenir, çünkü kahve bitti"
QUOTE = "Ben İzmir'de yaşıyorum"


def said(world, *words):
    """What a verb that must succeed prints with --json."""
    return world.json(*words)


@pytest.fixture
def waiting(world):
    """One learning waits behind one line that a person typed; the item with its context, as a curator gets it."""
    Session(world).turn(TYPED, f"Tamam. <!-- learning: {WORDS} -->")
    assert said(world, "tick")["queued"] == 1
    (item,) = said(world, "queue", "take")["items"]
    world.clock += queue.TOKEN_MS + 1000
    return item


def claim(item, **change):
    """A good claim about that item, with changes."""
    (line,) = [line for line in item["context"] if line["typed"]]
    memory = {
        "kind": "claim", "category": "person", "subject": "user", "predicate": "lives_in", "object": "İzmir", "confidence": 0.7,
        "quote": QUOTE, **change,
    }  # fmt: skip
    return {"verdict": "write", "items": [item["id"]], "evidence": [line["id"]], "memory": memory}


def lesson(item):
    """A good lesson about that item."""
    return {
        "verdict": "write",
        "items": [item["id"]],
        "memory": {"kind": "lesson", "learning": "discovery", "text": WORDS},
    }


def answered(world, text, *words):
    """Exit status, receipts ([] where there are none) and complaints of an answer on standard input."""
    done = world.run("apply", "-", "--json", *words, stdin=text.encode())
    return done.returncode, json.loads(done.stdout or b"[]"), done.stderr.decode()


def left(world):
    """Ids that wait."""
    return [item["id"] for item in said(world, "queue", "peek")]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"confidence": 1.01}, "confidence"), ({"confidence": -0.01}, "confidence"), ({"confidence": "yüksek"}, "confidence"), ({"confidence": float("nan")}, "confidence"),
        ({"category": "sağlık"}, "category"), ({"category": ""}, "category"), ({"predicate": "flies_to"}, "predicate"), ({"predicate": ""}, "predicate"),
        ({"quote": "Ben Ankara'da yaşıyorum"}, "quote"), ({"quote": WORDS}, "quote"), ({"quote": " "}, "quote"),
    ],
)  # fmt: skip
def test_a_claim_that_breaks_a_rule_is_refused_by_its_field(world, waiting, change, named):
    """B67: confidence outside 0..1, an unknown category or predicate, a quote that is not in the cited message: exit 1, the field, the item waits."""
    status, (bad, good), _ = answered(world, json.dumps([claim(waiting, **change), {**lesson(waiting), "items": []}]))
    assert (status, bad["state"], good["state"]) == (1, "refused", "written")
    assert named in bad["reason"]
    assert left(world) == [waiting["id"]]
    assert said(world, "claims", "list") == []
    assert len(said(world, "lessons", "list")) == 1


def test_the_confidence_s_ends_are_inside(world, waiting):
    """Confidence 0 and 1 are of the range; a good claim answers its item."""
    status, receipts, _ = answered(
        world,
        json.dumps([claim(waiting, confidence=1), claim(waiting, confidence=0.0, predicate="likes", object="İzmir")]),
    )
    assert (status, [receipt["state"] for receipt in receipts]) == (0, ["written", "written"])
    assert left(world) == []


@pytest.mark.parametrize(
    "wrap",
    ["Konuşmaya göre {{seyahat}}, sonuç: {} umarım yardımcı olur", "```json\n{}\n```", "```json\n{}\n```\nve\n```\n[]\n```", "{}\r\n", "\ufeff{}"],
)  # fmt: skip
def test_an_answer_in_prose_or_a_fence_is_carried_out(world, waiting, wrap):
    """B66: verdicts among prose with braces, in one fence or in two are found; the item is answered by what they wrote."""
    status, (receipt,), _ = answered(world, wrap.format(json.dumps([lesson(waiting)], ensure_ascii=False)))
    assert (status, receipt["state"], receipt["readable_at"] != "") == (0, "written", True)
    assert left(world) == []
    assert [row["text"] for row in said(world, "lessons", "list")] == [WORDS]


UNREADABLE = {
    "a bad escape": ('{"claims":[{"object":"\\u12 şeker"}]}', "line 1, column 24"),
    "a bad escape beside a good verdict": (
        'GOOD\n{"verdict": "drop", "reason": "\\u12"}',
        "line 2, column 33: 1 could be read",
    ),
    "a cut answer": ('[GOOD, {"verdict": "wri', "line 1, column "),
    "prose alone": ("Bugün kayda değer bir şey yok {seyahat}.", "line 1, column 1"),
    "nothing": ("", "line 1, column 1"),
    "a key twice": ('[{"verdict": "drop", "verdict": "write"}]', "'verdict' stands twice"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_answer_that_cannot_be_read_changes_nothing(world, waiting, name):
    """B66, B68: what is not JSON is refused whole with its place, also the good verdict beside it; the item waits and no row is written."""
    text, place = UNREADABLE[name]
    status, receipts, complaint = answered(world, text.replace("GOOD", json.dumps(lesson(waiting))))
    assert (status, receipts) == (1, [])
    assert place in complaint
    assert "apply --schema" in complaint
    assert left(world) == [waiting["id"]]
    assert said(world, "lessons", "list") == []


def test_a_curator_that_never_answers_well_is_not_tried_for_ever(world, waiting):
    """B68: bad answers leave an item waiting, offered again to whoever asks next; after a day it is drained by rule at a turn's end."""
    for _ in range(3):
        taken = said(world, "queue", "take")
        assert [item["id"] for item in taken["items"]] == [waiting["id"]]
        status, _, _ = answered(world, '[{"object": "\\u12"}]', "--token", taken["token"])
        assert status == 1
        world.clock += queue.TOKEN_MS + 1000
    world.clock += 24 * 60 * clock.MINUTE_MS
    world.bellek("hook", "Hear", "--client", "claude-code")
    assert left(world) == []
    assert [row["text"] for row in said(world, "lessons", "list")] == [WORDS]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"claims":[{"category":"sağlık","predicate":"x","object":null,"confidence":"yüksek"}]}', "verdict"),
        ('[{"verdict": "write", "memory": {"kind": "claim", "confidence": 95}}]', "write.memory.claim.confidence"),
        ('[{"Kullanıcı çayı sever": ""}]', "verdict"),
        ('[{"verdict": "drop", "items": ["ITEM"]}]', "drop.reason"),
        ('[{"verdict": "drop", "items": ["0"], "reason": "r"}]', "'0'"),
    ],
)  # fmt: skip
def test_rows_of_another_shape_are_refused_one_by_one(world, waiting, text, told):
    """B67: a fact as a key, an index for an id, a missing reason, fields that no verdict has: each refused with path and reason, the item waits."""
    status, (receipt,), _ = answered(world, text.replace("ITEM", waiting["id"]))
    assert (status, receipt["state"]) == (1, "refused")
    assert told in receipt["reason"]
    assert left(world) == [waiting["id"]]


def fact(world, body, session="s-1"):
    """What a drain by rule makes of one profile fact: its answer as JSON."""
    Session(world, session).turn("not et", f"Tamam.\n<!-- profile-fact:\n{body}\n-->")
    assert said(world, "tick")["queued"] == 1
    return said(world, "drain", "--offline")


def stored(world, name):
    """An entity's fields by name."""
    return {row["name"]: row["value"] for row in said(world, "entities", "show", name)["fields"]}


def test_yaml_values_stay_the_text_they_are(world):
    """B62: NO, 1.10, 12:30:00, 010, a date, 1e3, ~ and #genel reach the table as they were written."""
    values = {
        "ülke": "NO", "sürüm": "1.10", "saat": "12:30:00", "kod": "010", "tarih": "2026-03-14", "kanal": "#genel", "sayı": "1e3", "yok": "~", "açık": "on",
    }  # fmt: skip
    done = fact(
        world, "entity: proje-x\ntype: project\nfields:\n" + "\n".join(f"  {k}: {v}" for k, v in values.items())
    )
    assert (done["failed"], done["written"]["field"]) == ([], len(values))
    assert stored(world, "proje-x") == values


def test_a_colon_in_a_value_is_told_and_nothing_vanishes(world):
    """B58: `state.note: JWT: 7 gün` is kept as text to the line's end, and the drain says so with the line."""
    done = fact(world, "  entity: proje-x\n  fields:\n    state.note: JWT: 7 gün, çünkü rahat")
    assert done["failed"] == []
    assert "line 3" in done["notes"][0]["note"]
    assert stored(world, "proje-x") == {"state.note": "JWT: 7 gün, çünkü rahat"}


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ("entity: ali\nentity: veli", ("line 2", "line 1")), ("entity: ali\nfields:\n  şehir: a\n  şehir: b", ("line 4", "line 3")),
        ("entity: &a ali\nfields:\n  ad: *a", ("line 1, column 9", "aliases")), ("entity: ali\nfields:\n  <<: {a: b}\n  x: *y", ("line 4, column 6", "aliases")),
        ("entity: ali\nfields: {x: [", ("line ",)), ("type: person", ("no entity",)), ("entity: !!python/object:os.system ali", ("line 1, column 9", "tags")),
    ],
)  # fmt: skip
def test_broken_facts_are_parked_with_their_place(world, body, places):
    """B60: duplicate keys, anchors, aliases, tags and broken YAML are dead letters with line and column; no entity is made, a good item passes."""
    Session(world, "s-2").turn("öğren", f"<!-- learning: {WORDS} -->")
    said(world, "tick")
    done = fact(world, body)
    ((reason),) = [row["reason"] for row in done["failed"]]
    assert all(place in reason for place in places), reason
    assert done["written"] == {"event": 1, "lesson": 1}
    assert said(world, "entities", "list") == []
    assert [row["reason"] for row in said(world, "queue", "retry")] == [reason]


TOPICS = ("../../../.bashrc", "/etc/x", "CON", "a:b", "x\u0000y", "ş" * 300, "..", ".")


def test_no_topic_becomes_a_file(world, waiting):
    """B65: whatever a topic is called, by a verdict or in a learning, no file appears anywhere and the row's topic is a plain short name."""
    before = files(world.root)
    pages = [
        {"verdict": "write", "memory": {"kind": "page", "topic": topic[:80], "title": "T", "text": f"sayfa {n}"}}
        for n, topic in enumerate(TOPICS)
    ]
    assert answered(world, json.dumps(pages))[0] == 0
    long = {"verdict": "write", "memory": {"kind": "page", "topic": TOPICS[5], "title": "T", "text": "x"}}
    assert "topic" in answered(world, json.dumps([long]))[1][0]["reason"]
    Session(world, "s-3").turn("öğren", "".join(f"<!-- learning: {topic} kalır, çünkü ad -->\n" for topic in TOPICS))
    said(world, "tick")
    assert said(world, "drain", "--offline")["failed"] == []
    topics = [row["topic"] for verb in (("lessons", "list"), ("pages", "list")) for row in said(world, *verb)]
    assert topics
    for topic in topics:
        assert set(topic) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
        assert 0 < len(topic) <= 60
    new = {path.name for path in files(world.root) - before}
    assert new <= {"s-3.jsonl", "drain.lock", "memory.db-wal", "memory.db-shm", "conversations.db-wal", "conversations.db-shm"}  # fmt: skip


def files(folder: Path) -> set[Path]:
    """Every file below a folder."""
    return {path for path in folder.rglob("*") if path.is_file()}
