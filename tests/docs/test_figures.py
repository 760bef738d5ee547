"""Each figure of the README pages comes from a committed result."""

import json
import re
from functools import reduce

import pytest
from pages import READMES, ROOT, figures, holds, text_of

RESULTS = ROOT / "scripts" / "bench" / "results"
_MEASURED = re.compile(r"\d(?:[.,]\d+)?\s?(?:ms|µs|%|MB|×)|\d(?:[.,]\d+)? (?:times|kat)\b")
_SPAN = re.compile(r"<!-- figure: .*?<!-- /figure -->", re.DOTALL)


def value_of(key: str) -> float:
    """The number behind ``NAME.way.to.it`` in the result file of that name."""
    name, *way = key.split(".")
    loaded = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return float(reduce(lambda place, step: place[step], way, loaded))


@pytest.mark.parametrize("page", READMES)
def test_each_figure_is_its_result(page):
    """A number between figure marks equals the value of its key in a committed result file."""
    assert [(key, said, value_of(key)) for key, said in figures(page) if not holds(said, value_of(key))] == []


@pytest.mark.parametrize("page", READMES)
def test_no_measured_number_stands_outside_its_marks(page):
    """Times, shares and multiples appear nowhere but between figure marks."""
    assert _MEASURED.findall(_SPAN.sub("", text_of(page))) == []


def test_both_pages_show_the_same_figures():
    """English and Turkish readers are told the same numbers."""
    english, turkish = ([(key, said.replace(",", ".")) for key, said in figures(page)] for page in READMES)
    assert english == turkish


@pytest.mark.parametrize(
    ("said", "value", "same"),
    [("2.9", 2.94, True), ("2,9", 2.94, True), ("3", 2.94, True), ("2.8", 2.94, False), ("", 0.0, False)],
)
def test_a_figure_is_compared_as_it_is_written(said, value, same):
    """A figure may be rounded, and be written with a comma, but not be another number."""
    assert holds(said, value) is same
