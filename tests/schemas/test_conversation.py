"""What a transcript line says: the vocabulary it shares with the store, and text that a store can keep."""

from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from bellek.schemas import vocab
from bellek.schemas.conversation import Author, Origin, storable


def test_the_types_and_the_vocabulary_name_the_same_things():
    """Authors and origins are closed sets, and a type cannot drift from the vocabulary that the tables use."""
    assert get_args(Author) == vocab.AUTHORS
    assert get_args(Origin) == vocab.ORIGINS


@settings(deadline=None)
@given(st.text(st.characters(codec=None)))
def test_storable_text_always_encodes_and_never_changes_length(text):
    """Whatever JSON can spell, the result is UTF-8 without NUL, as long as before, and equal where nothing was wrong."""
    kept = storable(text)
    kept.encode("utf-8")
    assert len(kept) == len(text)
    assert all(
        a == b or (b == "\ufffd" and (a == "\0" or "\ud800" <= a <= "\udfff")) for a, b in zip(text, kept, strict=True)
    )


def test_storable_keeps_a_whole_emoji():
    """Only a lone half is replaced; a pair has already become one character when JSON is read."""
    assert storable("a😀\ud83d\0b ışık") == "a😀\ufffd\ufffdb ışık"
