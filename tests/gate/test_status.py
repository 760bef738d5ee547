"""`status -v` in one screen: counts equal the rows, an empty store prints zeros, and the honest scope is said."""

import json

from bellek.cli.status import SCOPE
from bellek.curator import apply, review
from bellek.kg.home import open_home

PERSON = "person:terminal"


def test_an_empty_store_prints_zeros(world):
    """R52, R64: nothing is left out because there is nothing to count, and the text says what the gate is not."""
    shown = world.bellek("status", "-v")
    assert "0 candidates" in shown
    assert "queue 0 waiting, 0 dead letters; 0 in quarantine, 0 refused" in shown
    assert "last heard never, last sleep never" in shown
    assert "spend" in shown
    assert SCOPE in shown
    assert "a filter and a gate, not a sandbox" in SCOPE.lower()
    told = json.loads(world.bellek("status", "-v", "--json"))
    assert {row["count"] for row in told["tiers"]} == {0}
    assert len(shown.splitlines()) <= 24  # one screen


def test_counts_equal_the_rows(taught):
    """R52: tiers by kind and scope, candidates, proposals and refused rows are what the tables hold."""
    with open_home(str(taught.home)) as home:
        project = str(home.memory.value("SELECT project FROM memories LIMIT 1"))
        apply.apply(
            home, project, [{"verdict": "propose", "structure": "rule", "title": "t", "text": "x"}], actor="curator"
        )
        high, low = (str(row[0]) for row in home.memory.rows("SELECT id FROM lessons ORDER BY importance DESC"))
        before = json.loads(taught.bellek("status", "-v", "--json"))
        with home.memory.transaction():
            review.promote(home, high, actor=PERSON)
            review.refuse(home, low, note="x", actor=PERSON)
    after = json.loads(taught.bellek("status", "-v", "--json"))
    lessons = {(row["tier"], row["scope"]): row["count"] for row in after["tiers"] if row["kind"] == "lesson"}
    assert lessons == {("T1", "here"): 0, ("T1", "everywhere"): 0, ("T2", "here"): 1, ("T2", "everywhere"): 0}
    assert (before["candidates"], after["candidates"], after["refused"], after["proposals"]) == (1, 0, 1, 1)


def test_show_makes_the_hidden_visible(taught):
    """R53: `show` spells what cannot be seen, names it, and shows the message a row came from; a joiner is named as well."""
    with open_home(str(taught.home)) as home:
        project = str(home.memory.value("SELECT project FROM memories LIMIT 1"))
        text = "önbel\u200blek \u202eboşalt\u200d"
        verdict = {"verdict": "write", "memory": {"kind": "lesson", "text": text, "learning": "pattern"}}
        (receipt,) = apply.apply(home, project, [verdict], actor="curator")
    shown = taught.bellek("show", receipt.ids[0])
    assert "\u200b" not in shown
    assert "\u202e" not in shown
    assert "hidden in it: U+200B ZERO WIDTH SPACE" in shown
    assert "hidden in it: U+200D ZERO WIDTH JOINER" in shown
    assert json.loads(taught.bellek("show", receipt.ids[0], "--json"))["hidden"] == [
        "U+200B ZERO WIDTH SPACE", "U+200D ZERO WIDTH JOINER", "U+202E RIGHT-TO-LEFT OVERRIDE",
    ]  # fmt: skip
