"""What hides in a text: letters nobody sees, look-alikes, encodings. Gives the readable copies that a rule looks at.

A filter that reads only the text as it stands is passed by one zero-width space. ``copies`` therefore gives the text as a
reader's eye (or a model's) takes it, and what stands inside it in base64, hex or escapes. Joiners in family emoji, in
Persian and in Indic words are ordinary spelling. Pure; it must never change what is stored, and never take longer than
linear time: what is decoded is bounded.
"""

from __future__ import annotations

import base64
import binascii
import unicodedata
from typing import TYPE_CHECKING

from bellek.kg.secret_shapes import compiled
from bellek.kg.sorts import DIGITS, SMALL, Sorts

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

TAGS = (0xE0000, 0xE007F)  # letters of the tag block: invisible, and models read them
_FLAG = "\U0001f3f4"  # a black flag before them makes the flags of England, Scotland and Wales
_FLAG_LETTERS = 7
_OVERRIDES = "\u202d\u202e"  # they turn the order of letters around; no language needs them
_DIRECTIONS = "\u202a\u202b\u2066\u2067\u2068"  # embeddings and isolates: right where right-to-left letters are
_SELECTORS = r"[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3}"  # one follows a letter; a run of them carries bytes
_UNSEEN_RUN = r"[\u200b-\u200d\u2060-\u2064\ufeff]{8}"  # zero-width bits of a hidden message
_RIGHT_TO_LEFT = r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
# Characters without a width, which part a word for a filter and for nobody else; and accents, once they stand alone.
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
_BLANK_UNSEEN = "[\u180e\u200b\ufeff\u3164]"  # they part words where nobody sees it
_ACCENTS = "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_RARE_BLANKS = "\x0b\x0c\x1c\x1d\x1e\x1f"  # of ASCII, beside the blank, the tab and line ends
# Letters of other scripts that look like Latin ones, as they are after folding.
_ALIKE = str.maketrans("аеорсухіјѕԁһոԛԝьαοερικνυτ", "aeopcyxijsdhnqwbaoepiknut")
# Turkish letters and typographic signs first: most texts are ASCII without them, and need no normal form.
_OFTEN = tuple(zip("ıİşŞğĞçÇüÜöÖâîû’‘“”–—…", "iisSgGcCuUoOaiu''\"\"--.", strict=True))
_DIGITS_AS_LETTERS = str.maketrans("013457@$", "oieastas")

_BLOB_LETTERS = 20
_BLOB = rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{_BLOB_LETTERS},}}={{0,2}}"
_HEX_PAIRS = 11
# In pairs; a run without gaps is a blob. Not `{2}` at its start: the engine skips to a set of characters, not to a repetition.
_HEX = r"[0-9a-fA-F][0-9a-fA-F](?:[ :][0-9a-fA-F]{2}){11,}"
_ESCAPED = r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|%([2-7][0-9a-fA-F])|&#x([0-9a-fA-F]{1,5});|&#([0-9]{1,6});"
_SINGLE = r" \w \w \w "
_DOTTED = r"[.*_-]\w[.*_-]\w[.*_-]"
_SPACED = r"(?<!\w)\w(?:[ .*_-]\w){3,}(?!\w)"
# What stands in every match of a pattern, in the sorts of a plain text: nearly all texts hold none of these.
_APART_SORTS, _IN_APART = (
    Sorts({"a": SMALL + DIGITS, ".": ".*_-", " ": " "}, beyond="a"),
    (b" a a a ", b".a.a.", b"...", b" . "),
)
_BLOB_SORTS, _IN_BLOB = Sorts({"a": SMALL + DIGITS + "+/_-"}), b"a" * _BLOB_LETTERS
_HEX_SORTS, _IN_HEX = Sorts({"0": DIGITS + "abcdef", " ": " :"}), b"00" + b" 00" * _HEX_PAIRS
_LEET_SORTS, _IN_LEET = Sorts({"a": "abcdef", "g": SMALL[6:], "0": "013457@$"}), (b"g0a", b"g0g", b"a0g")
_SAMPLE = 400  # characters of decoded bytes that tell a text from an image
_READABLE = 0.9  # share of printable characters that makes decoded bytes a text
_NESTED = 3  # encodings one inside the other that are undone
_SHORTEST = 12  # characters; less says nothing


def hidden(text: str) -> str:
    """What is hidden in a text by characters that no reader sees, in a few words; "" for nothing."""
    if spelled(text).isascii() or not compiled(f"[{_UNSEEN}]").search(text):
        return ""
    if any(char in text for char in _OVERRIDES):
        return "letters in turned order"
    if any(char in text for char in _DIRECTIONS) and not compiled(_RIGHT_TO_LEFT).search(text):
        return "direction marks without right-to-left letters"
    if tagged(text):
        return "invisible tag letters"
    if compiled(_SELECTORS).search(text):
        return "a run of variation selectors"
    if compiled(_UNSEEN_RUN).search(text):
        return "a run of zero-width characters"
    return ""


def tagged(text: str) -> str:
    """What letters of the tag block say in a text, flags of regions apart; "" where there are none."""
    if text.isascii() or not compiled(f"[{chr(TAGS[0])}-{chr(TAGS[1])}]").search(text):
        return ""
    rest = compiled(f"{_FLAG}[{chr(TAGS[0] + 0x30)}-{chr(TAGS[0] + 0x7A)}]{{1,{_FLAG_LETTERS}}}{chr(TAGS[1])}").sub(
        "", text
    )
    return "".join(
        chr(ord(c) - TAGS[0]) if 0x20 <= ord(c) - TAGS[0] < 0x7F else "" for c in rest if TAGS[0] <= ord(c) <= TAGS[1]
    )


def copies(text: str) -> Iterator[tuple[str, str]]:
    """(disguise, text as it is read) of a text, the plain one with "" first; each in small letters without accents."""
    written = spelled(text)
    small = _small(written)
    yield "", small
    odd = not written.isascii()  # else no invisible letter is in it
    if odd and (said := tagged(text)):
        yield "invisible tag letters", plain(said)
    yield from ((how, plain(inner)) for how, inner in _decoded(text, small))
    if odd and compiled(_BLANK_UNSEEN).search(text):
        yield "invisible characters", plain(compiled(_BLANK_UNSEEN).sub(" ", text))
    sorts = _APART_SORTS.of(small)
    if any(apart in sorts for apart in _IN_APART) and (
        compiled(_SINGLE).search(text) or compiled(_DOTTED).search(text)
    ):
        spaced = [m[0] for m in compiled(_SPACED).finditer(text)]
        yield "letters set apart", plain(" ".join(compiled(r"[ .*_-]").sub("", run) for run in spaced))
    sorts = _LEET_SORTS.of(small)
    if any(leet in sorts for leet in _IN_LEET):
        yield "digits for letters", small.translate(_DIGITS_AS_LETTERS)


def plain(text: str) -> str:
    """A text in small letters, one letter i, without accents, invisible characters and look-alikes; a run of blanks is one.

    Line ends stay: a label at the start of a line is told from one inside it.
    """
    return _small(spelled(text))


def spelled(text: str) -> str:
    """A text with its Turkish letters and typographic signs in ASCII: most texts are ASCII then, and hide no letter."""
    for letter, small in _OFTEN if not text.isascii() else ():
        text = text.replace(letter, small)
    return text


def _small(text: str) -> str:
    if text.isascii():
        return _blanks(text.lower())
    text = unicodedata.normalize("NFKD", text)
    text = compiled(f"[{_UNSEEN}{_ACCENTS}]+").sub("", text).lower()
    return _blanks(text.translate(_ALIKE) if compiled("[\u0370-\u052f]").search(text) else text)


def _blanks(text: str) -> str:
    if text.isascii():
        if "  " not in text and "\t" not in text and "\r" not in text:
            return text
        if not any(blank in text for blank in _RARE_BLANKS):
            text = text.replace("\t", " ").replace("\r", " ")
            while "  " in text:  # each round halves a run: many times faster than a pattern
                text = text.replace("  ", " ")
            return text
    return compiled(r"[^\S\n]+").sub(" ", text)


def _decoded(text: str, small: str) -> Iterator[tuple[str, str]]:
    if any(sign[0] in text and sign in text for sign in ("\\u", "\\x", "%", "&#")):
        undone = compiled(_ESCAPED).sub(_character, text)
        if undone != text:
            yield "escapes", undone
    for blob in _blobs(text) if _IN_BLOB in _BLOB_SORTS.of(small) else ():
        inner = _from_base64(blob[0]) or _from_hex(blob[0])
        for _ in range(_NESTED):
            if not inner:
                break
            yield "base64", inner
            inner = next(filter(None, (_from_base64(again[0]) for again in compiled(_BLOB).finditer(inner))), "")
    for run in compiled(_HEX).finditer(text) if _IN_HEX in _HEX_SORTS.of(small) else ():
        if inner := _from_hex(run[0]):
            yield "hex", inner


def _blobs(text: str) -> Iterator[re.Match[str]]:
    """What may be base64 or hex in one piece, in order: it stands in one word."""
    for word in text.split():
        if len(word) >= _BLOB_LETTERS:
            yield from compiled(_BLOB).finditer(word)


def _from_base64(blob: str) -> str:
    if blob in (blob.lower(), blob.upper()):
        return ""  # a text in base64 has letters of both cases; a UUID, a hash and a path need not be tried
    body = blob.rstrip("=").replace("-", "+").replace("_", "/")
    whole = body[: len(body) // 4 * 4]
    rest = body[len(whole) :]
    try:
        return _readable(base64.b64decode(whole + (rest + "=" * (4 - len(rest)) if len(rest) > 1 else "")))
    except binascii.Error:
        return ""


def _from_hex(run: str) -> str:
    digits = run.replace(" ", "").replace(":", "")
    if not compiled(r"[0-9a-fA-F]+\Z").match(digits):
        return ""
    try:
        return _readable(bytes.fromhex(digits[: len(digits) // 2 * 2]))
    except ValueError:
        return ""


def _readable(raw: bytes) -> str:
    """Bytes as text where they are one, else ""."""
    sample = raw[:_SAMPLE].decode("utf-8", "replace")
    shown = sum(char.isprintable() or char == "\n" for char in sample) - sample.count("\ufffd")
    if len(sample) < _SHORTEST or shown < _READABLE * len(sample):
        return ""
    return raw.decode("utf-8", "replace")


def _character(escape: re.Match[str]) -> str:
    for value, base in zip(escape.groups(), (16, 16, 16, 16, 10), strict=True):
        if value is not None:
            code = int(value, base)
            return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else " "
    return ""
