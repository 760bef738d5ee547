"""STATE and DRIVES as a person meets them: the tone in a packet, the numbers, the pictures, moods to look for."""

import json
from xml.etree import ElementTree as ET

from world import Session

from bellek.context import packet
from bellek.schemas import state

DAY = 86_400_000
HEAD = packet.HEADS["tone"]


def test_the_tone_is_told_when_its_words_change(world):
    """R95: a tired day is told once in words, not at the next prompt, and taken back after a long pause; numbers and pictures agree."""
    session = Session(world)
    session.turn("çok yorgunum, hâlâ çalışmıyor", "Bakıyorum.")
    world.bellek("tick")
    first = world.prompt("devam edelim")
    assert HEAD in first
    assert "short and plain" in first
    assert "yorgun" not in first
    session.turn("devam edelim", "Tamam.", packet=first)
    world.bellek("tick")
    assert HEAD not in world.prompt("peki sonra")

    shown = world.json("state")
    assert shown["mood"] == "tired"
    assert {row["id"] for row in shown["channels"]} == set(state.CHANNELS)
    assert all(0 <= row["value"] <= 1 for row in shown["channels"])
    (talk,) = world.json("conversations", "list", "--mood", "yorgun")
    assert (talk["id"], talk["mood"]) == ("s-1", "tired")
    assert json.loads(world.bellek("conversations", "list", "--mood", "mutlu", "--json")) == []

    picture = world.bellek("state", "plot", "--days", "1")
    assert picture == world.bellek("state", "plot", "--days", "1"), "the same store gives the same bytes"
    curves = ET.fromstring(picture).findall("{http://www.w3.org/2000/svg}polyline")
    assert len(curves) == len(state.CHANNELS)
    world.bellek("drives", "plot", "--out", str(world.root / "drives.svg"))
    assert len(ET.parse(world.root / "drives.svg").getroot().findall("{http://www.w3.org/2000/svg}polyline")) == 6
    assert {row["id"] for row in world.json("drives")} >= {"care", "mastery"}

    world.clock += 20 * DAY
    later = world.prompt("ne yapıyorduk")
    assert state.PLAIN in later, "who was told a tone is told that it is over"
    assert world.json("state")["mood"] == ""
