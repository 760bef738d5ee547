"""R112: what fired, what was silent, what was seen and cited."""

import pytest
from world import Session

from bellek.context.measured import _echoes
from bellek.kg.fold import index_text

PORT = "which port does the metrics service use?"


def counted(world):
    """The counters as `stats --json` prints them, after hearing."""
    world.bellek("tick")
    return world.json("stats")


def test_an_off_topic_prompt_adds_nothing_and_counts_as_silent(taught):
    """R112: an off-topic prompt gets no retrieved byte, and is counted as silent; one that matches is counted as fired."""
    off = taught.prompt("fotosentez nasıl çalışır?")
    assert "9107" not in off
    session = Session(taught)
    session.turn("fotosentez nasıl çalışır?", "Bitkiler ışığı kullanır.", packet=off)
    before = counted(taught)
    assert (before["prompts"], before["fired"], before["silent"], before["rows"]) == (1, 0, 1, 0)
    packet = taught.prompt(PORT)
    session.turn(PORT, "It is a secret.", packet=packet)
    after = counted(taught)
    assert (after["prompts"], after["fired"], after["silent"], after["rows"], after["seen"], after["cited"]) == (
        2,
        1,
        1,
        1,
        1,
        0,
    )


@pytest.mark.parametrize(("reply", "named", "echoed"), [
    ("See {id}.", 1, 0), ("Port 9107, because 9100 is already taken.", 0, 1), ("The metrics service uses a port.", 0, 0),
])  # fmt: skip
def test_a_reply_cites_what_it_names_or_repeats(taught, reply, named, echoed):
    """R112: cited is a reply that names a told row's id or holds the row's words that the prompt had not; the prompt's own words are no citation."""
    (row,) = [r for r in taught.json("lessons", "list") if "9107" in r["text"]]
    packet = taught.prompt(PORT)
    assert row["id"] in packet
    Session(taught).turn(PORT, reply.format(id=row["id"]), packet=packet)
    found = counted(taught)
    assert (found["fired"], found["seen"], found["cited"], found["named"], found["echoed"]) == (
        1,
        1,
        named or echoed,
        named,
        echoed,
    )


def test_a_packet_that_never_arrived_is_not_seen(taught):
    """A packet whose fence is in no transcript fired, and was neither seen nor cited, whatever the reply says."""
    taught.prompt(PORT)
    Session(taught).turn(PORT, "9107, because 9100 is taken")
    assert {name: counted(taught)[name] for name in ("fired", "seen", "cited")} == {"fired": 1, "seen": 0, "cited": 0}


def test_an_echo_has_turkish_endings():
    """A reply that bends the row's words still echoes it."""
    words = [
        frozenset(index_text(text).split())
        for text in ("paket nasıl kurulur", "uv ile; kilit dosyasını o tutuyor, başka araç tutmaz")
    ]
    assert _echoes("paketler uv ile kurulur, çünkü kilit dosyası uv'dedir, araç tutar", *words)
    assert not _echoes("sunucu portu 9107 metrics içindir", *words)
