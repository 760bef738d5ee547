"""The prompt hook's JSON, read and written by SQLite, against the standard library's."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bellek.kg.db import json_of, texts_in_json
from bellek.schemas.errors import BellekError

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
VALUES = st.recursive(
    TEXT | st.none() | st.booleans() | st.integers(), lambda inner: st.lists(inner, max_size=3), max_leaves=4
)


@given(st.dictionaries(TEXT, VALUES, max_size=5), st.booleans())
def test_the_texts_at_the_top_are_read(event, ascii_only):
    """What json.loads finds as text at the top of an object is found, whatever stands beside it and however it is spelt."""
    expected = {key: value for key, value in event.items() if isinstance(value, str)}
    assert texts_in_json(json.dumps(event, ensure_ascii=ascii_only)) == expected


@given(st.dictionaries(TEXT, TEXT | st.dictionaries(TEXT, TEXT, max_size=2), max_size=4))
def test_written_json_reads_back(value):
    """json.loads gives back every text and object that was written, controls, quotes and NUL included."""
    assert json.loads(json_of(value)) == value


@pytest.mark.parametrize("text", ["[]", '["a"]', '"a"', "3", "null", "{}", '{"a": {"b": "c"}, "d": ["e"], "f": 1}'])
def test_other_json_holds_no_texts(text):
    """Anything but an object, and an object without a text at its top, gives no field."""
    assert texts_in_json(text) == {}


@pytest.mark.parametrize("text", ["", "{", '{"a":}', "nonsense", "[" * 5000 + "]" * 5000])
def test_no_json_is_our_error(text):
    """What is not JSON, or is nested beyond reason, is an error of our tree."""
    with pytest.raises(BellekError):
        texts_in_json(text)


def test_a_lone_surrogate_cannot_come_in():
    """B18: a lone surrogate in a field is replaced at the boundary, and the rest of the field stays."""
    read = texts_in_json(r'{"prompt": "x \ud83d y", "cwd": "/ü"}')
    assert read["cwd"] == "/ü"
    assert read["prompt"].startswith("x \ufffd")
    assert read["prompt"].endswith(" y")
    assert read["prompt"].encode()


def test_the_last_of_two_equal_keys_counts():
    """A key that stands twice means what it means to json.loads."""
    assert texts_in_json('{"a": "first", "a": "last"}') == {"a": "last"}
