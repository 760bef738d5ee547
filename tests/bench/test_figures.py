"""Each figure that a README quotes is one of the committed results, and those say under which conditions they hold."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "scripts" / "bench" / "results"
READMES = sorted(ROOT.glob("README*.md"))

OPEN, CLOSE = "<!-- figure:", "<!-- /figure -->"
FIGURE = re.compile(r"<!-- figure: ([\w.@]+) -->([^<]*)<!-- /figure -->")


def figure(name: str) -> float:
    """A committed figure by its name: the result's file, then the keys on the way to it, parted by full stops."""
    file, *keys = name.split(".")
    value: Any = json.loads((RESULTS / f"{file}.json").read_text("utf-8"))
    for key in keys:
        value = value[key]
    return float(value)


def quoted(text: str) -> list[tuple[str, float]]:
    """The marked figures of a text, name and number; Turkish writes a comma where English writes a full stop."""
    return [(name, float(shown.strip().replace(",", "."))) for name, shown in FIGURE.findall(text)]


def differing(text: str) -> list[str]:
    """What a text quotes otherwise than it was measured, rounded as it is shown."""
    found = []
    for (name, shown), (_, written) in zip(quoted(text), FIGURE.findall(text), strict=True):
        digits = len(written.strip().replace(",", ".").partition(".")[2])
        if round(figure(name), digits) != shown:
            found.append(f"{name}: {written} is written, {figure(name)} was measured")
    return found


def renewed(text: str) -> str:
    """The text with its figures as they were measured last, each with as many digits and the decimal sign that it had."""

    def measured(found: re.Match[str]) -> str:
        name, shown = found[1], found[2].strip()
        digits = len(shown.replace(",", ".").partition(".")[2])
        number = f"{figure(name):.{digits}f}"
        return f"{OPEN} {name} -->{number.replace('.', ',') if ',' in shown else number}{CLOSE}"

    return FIGURE.sub(measured, text)


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_quoted_figures_are_the_measured_ones(path):
    """Every marked figure of a README equals the committed result, and every mark is closed."""
    if os.environ.get("BELLEK_TEST_UPDATE"):
        path.write_text(renewed(path.read_text("utf-8")), "utf-8")
    text = path.read_text("utf-8")
    assert differing(text) == []
    assert text.count(OPEN) == text.count(CLOSE) == len(quoted(text))


def test_a_wrong_figure_is_found():
    """A figure that was not measured is named with the measured one; rounding as shown and a comma are no difference."""
    name, measured = "hook.cases.prompt.ratio", figure("hook.cases.prompt.ratio")
    wrong = f"<!-- figure: {name} -->{measured + 1:.2f}{CLOSE}"
    right = f"<!-- figure: {name} -->{measured:.1f}{CLOSE} <!-- figure: {name} -->{measured:.2f}{CLOSE}"
    assert differing(wrong) == [f"{name}: {measured + 1:.2f} is written, {measured} was measured"]
    assert differing(right) == []
    assert quoted(f"<!-- figure: {name} -->2,3{CLOSE}") == [(name, 2.3)]


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.name)
def test_results_tell_their_conditions_and_nobodys_machine(path):
    """A result names machine class, versions, date, load and size, and holds no path, host or account."""
    result = json.loads(path.read_text("utf-8"))
    assert {"system", "processor", "cores", "python", "apsw", "date", "load"} <= set(result["conditions"])
    assert not re.search(r'"/|/(home|root|tmp|work|Users)\b|@(?!\d)', path.read_text("utf-8"))
