"""The normal form: the same for one value said again, another where the meaning turns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bellek.kg.normal import form, stem

SAME = [
    ("paketler uv ile kurulur", "Paketleri uv ile kurulur."),
    ("önbelleği her koşuda boşalt", "her koşuda önbellek boşaltılır!"),
    ("Ankara'da toplantı yok", "ankarada toplantı yok"),
    ("pip kullanma", "asla pip kullanmayın"),
    ("kitabı oku", "kitapları oku"),
    ("don't use pip", "Never use pip"),
    ("run the tests", "running tests"),
    ("cache the queries", "caching a query"),
    ("you can't deploy on Friday", "cannot deploy on Friday"),
]
OTHER = [
    ("pip kullan", "pip kullanma"),
    ("use pip", "never use pip"),
    ("resume the job", "don't resume the job"),
    ("use tabs instead of spaces", "use spaces instead of tabs"),
    ("listens on port 8080", "listens on port 9090"),
    ("kira 5 %", "kira 5"),
    ("sever", "sevmez"),
    ("C++ ile yaz", "C ile yaz"),
    ("test", "text"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_value_has_one_form(one, other):
    """R115: endings, order, small words, case and accents apart, a value said again has the form it had."""
    assert form(one) == form(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_a_turned_meaning_has_another_form(one, other):
    """R115: a denial, a number, a sign of code or the order in "instead of" makes another value."""
    assert form(one) != form(other)


@given(st.text(max_size=60))
def test_a_form_is_a_function_of_any_text(text):
    """Any text has a form, and the order of its lines of small words does not matter to it."""
    assert form(text) == form(text)
    assert form(text + " ") == form(text)


@given(st.text("abcdefghijklmnoprstuvyz", min_size=1, max_size=20))
def test_a_stem_is_a_beginning(word):
    """A stem is never longer than its word and never empty."""
    assert 0 < len(stem(word)) <= len(word)
