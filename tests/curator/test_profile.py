"""Profile facts: a YAML body whose every value is text, and what of it is written under whose name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bellek.curator import profile
from bellek.kg import claims, entities, memories, notices
from bellek.schemas.errors import Refused


def fields(body):
    """A payload's fields by name, several values joined."""
    return {name: " | ".join(values) for name, values in profile.parse(body).fields}


def test_every_value_is_text_as_it_was_written():
    """B62: NO, 1.10, 12:30:00, 010, a date and #genel are kept as the strings that they are."""
    body = "entity: x\nfields:\n  ülke: NO\n  sürüm: 1.10\n  saat: 12:30:00\n  kod: 010\n  tarih: 2026-03-14\n  kanal: #genel\n  boş: ~"
    assert fields(body) == {
        "ülke": "NO", "sürüm": "1.10", "saat": "12:30:00", "kod": "010", "tarih": "2026-03-14", "kanal": "#genel", "boş": "~",
    }  # fmt: skip


def test_a_colon_in_a_plain_value_is_read_as_text_by_a_rule_that_is_told():
    """B58: `note: JWT: 7 gün` is repaired by a rule that is logged with its line; the block's fields do not vanish."""
    fact = profile.parse("entity: proje-x\nfields:\n  state.note: JWT: 7 gün, çünkü rahat")
    assert fact.fields == (("state.note", ("JWT: 7 gün, çünkü rahat",)),)
    assert [(r.line, r.key) for r in fact.repairs] == [(3, "state.note")]


def test_duplicate_keys_are_refused_with_both_lines():
    """B60: a key said twice is refused, and the sentence names both lines."""
    with pytest.raises(Refused, match=r"line 2, column 1: the key 'entity' stands already on line 1"):
        profile.parse("entity: ali\nentity: veli")
    with pytest.raises(Refused, match=r"line 4.*on line 3"):
        profile.parse("entity: a\nfields:\n  state.note: x\n  state: {note: y}")
    with pytest.raises(Refused, match=r"line 4.*on line 3"):
        profile.parse("entity: a\nfields:\n  Şehir: x\n  şehir: y")


@pytest.mark.parametrize(
    ("body", "place"),
    [("entity: [a", "line 1, column 11"), ("entity: a\nfields:\n\tx: 1", "line 3, column 1"), ("entity: a\nb: 'x' y: z", "line 2, column"),
     ("entity: &x a\nf: *x", "line 1, column 9"), ("entity: !!str a", "line 1, column 9"), ("a: b", "line 1, column 1: no entity"),
     ("entity:\ntype: person", "line 1, column 1: no entity"), ("entity: {a: b}", "no entity"), ("- a", "no mapping"), ("metin", "no mapping"),
     ("entity: a\n---\nentity: b", "one YAML document"), ("entity: a\x00b", "line 1, column 10"), ("entity: a\nb: " + "[" * 40 + "]" * 40, "nested too deep")],
)  # fmt: skip
def test_what_is_broken_is_told_with_line_and_column(body, place):
    """Broken YAML, anchors, aliases, tags, several documents or a missing entity are refused at their line and column."""
    with pytest.raises(Refused, match="profile-fact: line") as refusal:
        profile.parse(body)
    assert place in str(refusal.value)


def test_missing_parts_have_their_defaults():
    """R10: a missing type is `unknown`, a missing source is `agent`, keys may be any letters, keys beside `fields` count too."""
    fact = profile.parse("Entity: Ayşe\nŞehir: İzmir\nfields:\n  日本: 東京\n  sever: [çay, kahve]\naliases: [Ayşe Y.]")
    assert (fact.entity, fact.type, fact.source, fact.aliases) == ("Ayşe", "unknown", "agent", ("Ayşe Y.",))
    assert dict(fact.fields) == {"日本": ("東京",), "sever": ("çay", "kahve"), "Şehir": ("İzmir",)}


def test_block_quoted_and_flow_values_are_left_alone():
    """The rule for plain values touches no block scalar, no quoted value of several lines and no comment."""
    body = 'entity: a # yorum\nfields:\n  n: |\n    k: v: w\n    #x\n  m: "bir: #iki\n    üç: #dört"\n  f: {x: 1}\n  # c: d: e'
    fact = profile.parse(body)
    assert fact.repairs == ()
    assert fields(body) == {"n": "k: v: w\n#x", "m": "bir: #iki üç: #dört", "f.x": "1"}
    assert fact.entity == "a"


@given(st.text(alphabet="abş:#-'\"[]{}&*!|>@` \n\t~%0\x00", max_size=80))
def test_parsing_is_total(text):
    """Any body gives a fact with a named entity, or Refused with a line; nothing else is raised."""
    told = ""
    try:
        told = profile.parse("entity: x\nfields:\n  a: " + text).entity
    except Refused as refusal:
        told = refusal.what
    assert told.startswith(("x", "profile-fact: line "))


def test_a_fact_becomes_entity_fields_and_claims(home, talk):
    """R32: one item gives an entity, its fields and the claims that they state; each names the item as its source."""
    said = (
        talk()
        .user("merhaba")
        .agent(
            "<!-- profile-fact:\n  entity: Ayşe\n  type: person\n  fields:\n    şehir: İzmir\n    sever: [çay, kahve]\n-->"
        )
    )
    said.hear()
    item = home.memory.value("SELECT id FROM queue")
    done = said.drain()
    assert done.written == {"entity": 1, "field": 2, "claim": 3}
    rows = claims.listed(home.memory, said.project)
    assert {(c.predicate, c.object, c.origin) for c in rows} == {
        ("lives_in", "İzmir", "agent"),
        ("likes", "çay", "agent"),
        ("likes", "kahve", "agent"),
    }
    assert {s.item for c in rows for s in memories.read(home.memory, c.id).sources} == {item}


def test_a_value_is_the_persons_only_where_they_typed_its_words(home, talk):
    """The origin is stamped a value: `user` where a typed line holds its words, `agent` otherwise, whatever the body says."""
    said = (
        talk()
        .user("Ayşe İzmir'de yaşıyor, bunu not et")
        .agent("<!-- profile-fact:\n  entity: Ayşe\n  source: user\n  fields:\n    şehir: İzmir\n    rol: müdür\n-->")
    )
    said.hear()
    said.drain()
    entity = entities.find(home.memory, "Ayşe")
    assert {f.name: f.origin for f in entities.fields(home.memory, entity)} == {"şehir": "user", "rol": "agent"}


def test_a_source_can_lower_trust_and_never_raise_it(home, talk):
    """A body that says it comes from the web is of web origin; one that says `user` is the agent's."""
    said = talk().agent("<!-- profile-fact:\n  entity: Acme\n  source: web\n  fields:\n    şehir: Oslo\n-->")
    said.hear()
    said.drain()
    (field,) = entities.fields(home.memory, entities.find(home.memory, "Acme"))
    assert field.origin == "web"


def test_an_item_of_a_page_states_nothing_as_the_agent(home, talk):
    """An item's own origin bounds the trust of what its body states, whatever the body says of its source."""
    said = talk().agent("<!-- profile-fact:\n  entity: Acme\n  fields:\n    şehir: Oslo\n-->")
    said.hear()
    home.memory.run("UPDATE queue SET origin = 'web'")
    said.drain()
    (field,) = entities.fields(home.memory, entities.find(home.memory, "Acme"))
    assert field.origin == "web"


def test_what_is_too_long_is_left_out_and_said_so(home, talk):
    """A field's name or value beyond its limit is not cut in silence: the rest is written and a notice names it; a long entity is refused."""
    body = f"  şehir: Oslo\n  {'u' * 130} salary: 7\n  tarih: {'v' * 4_100}"
    said = talk().agent(f"<!-- profile-fact:\nentity: Acme\nfields:\n{body}\n-->")
    said.agent(f"<!-- profile-fact:\nentity: {'A' * 201}\nfields:\n  şehir: Oslo\n-->")
    said.hear()
    done = said.drain()
    assert [f.name for f in entities.fields(home.memory, entities.find(home.memory, "Acme"))] == ["şehir"]
    assert len(done.notes) == 2
    ((_, reason),) = done.failed
    assert "longer" in reason


def test_a_sensitive_field_of_the_agents_is_left_out_and_said_so(home, talk):
    """R11: a sensitive field that the person did not type is not written, the rest is, and a notice names the field without its value."""
    said = (
        talk()
        .user("alerjim fıstık, şehrim Bursa")
        .agent(
            "<!-- profile-fact:\n  entity: Ben Kaya\n  fields:\n    şehir: Bursa\n    alerji: fıstık\n    hastalık: astım\n-->"
        )
    )
    said.hear()
    done = said.drain()
    names = {f.name for f in entities.fields(home.memory, entities.find(home.memory, "Ben Kaya"))}
    assert names == {"şehir", "alerji"}
    ((_, note),) = done.notes
    assert "hastalık" in note
    assert "astım" not in note
    assert any("hastalık" in notice.text for notice in notices.latest(home.memory))
    assert "astım" not in str(home.memory.rows("SELECT text FROM memories"))


@pytest.mark.parametrize("body", ["entity: [a", "type: person", "entity: ali\nentity: veli"])
def test_a_broken_body_is_a_dead_letter_and_no_entity(home, talk, body):
    """R10: broken YAML or a missing entity is a dead letter with its line, shown and not signalled; nothing is written."""
    said = talk().agent(f"<!-- profile-fact:\n{body}\n-->\n<!-- learning: iyi çünkü sağlam -->")
    said.hear()
    done = said.drain()
    ((_, reason),) = done.failed
    assert "line" in reason
    assert entities.listed(home.memory, said.project) == []
    assert home.memory.rows("SELECT state FROM queue") == [("dead",)]
    assert done.written == {"event": 1, "lesson": 1}
