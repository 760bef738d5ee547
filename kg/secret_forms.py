"""Secrets that show by the form around them: JSON and YAML structures, password files, options of well-known commands.

``{"name": "DB_PASSWORD", "value": "…"}``, ``"passwords": ["…", "…"]``, ``"secret": {"data": "…"}``, ``machine h login u
password p``, ``mysql -p…``. JSON is read where it stands in a text, whole or in part, by its strings and brackets alone:
tool calls are cut, escaped and quoted in ways that no parser takes. One pass each, so the time is linear. It must never
take a key for a value, nor a reference (``${VAR}``) for a secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bellek.kg.secret_names import is_reference, names_secret
from bellek.kg.secret_shapes import Span, compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECES = r"\"(?:[^\"\\\n]|\\.)*\"|[{}\[\]:,]|[^\s{}\[\]:,\"]+"
_NAME_KEYS = ("name", "key", "header", "field", "variable")
_VALUE_KEYS = ("value", "val", "content", "data", "default", "stringvalue")
_LONGEST_KEY = 80
_YAML_PAIR = r"(?m)^[ \t-]{0,40}(?:name|key):[ \t]{0,4}[\"']?([\w .-]{1,80})[\"']?[ \t]*\r?\n[ \t]{1,40}(?:value|default):[ \t]{0,4}[\"']?([^\s\"'#][^\"'#\n]{0,400})"
FORMS = (
    # label, a short sign that stands in every match, literal, pattern whose group 1 is the secret
    ("password", "", "machine", r"\bmachine[ \t\n]+\S{1,200}[ \t\n]+login[ \t\n]+\S{1,200}[ \t\n]+password[ \t\n]+(\S{1,200})"),
    ("password", ":", ":5432:", r"(?m)^[^\s:]{1,200}:5432:[^\s:]{1,100}:[^\s:]{1,100}:(\S{1,200})$"),
    ("password-hash", "$", "$", r"\$(?:apr1|1|2[abxy]|5|6|y|argon2(?:id|i|d)|scrypt)\$([./A-Za-z0-9$,=+]{16,})"),
    ("password", "-p", "mysql", r"\bmysql\w{0,10}\b[^\n|;&]{0,200}?[ \t]-p([^\s\"'|;&$-][^\s\"'|;&]{2,200})"),
    ("password", "-p", "sshpass", r"\bsshpass[ \t]+-p[ \t]*[\"']?([^\s\"'$]{1,200})"),
    ("password", "-p", "pass:", r"-pass(?:in|out)?[ \t]+pass:([^\s\"'$]{1,200})"),
    ("password", "-p", "docker login", r"\bdocker login\b[^\n|;&]{0,200}?[ \t](?:-p|--password)[ \t=]+[\"']?([^\s\"'$]{1,200})"),
    ("password", "-a", "redis-cli", r"\bredis-cli\b[^\n|;&]{0,200}?[ \t]-a[ \t]+[\"']?([^\s\"'$]{1,200})"),
    ("azure-key", "=", "AccountKey", r"AccountKey=([A-Za-z0-9+/]{40,}={0,2})"),
    ("password", "=", "PWD=", r"(?i:(?:uid|user id)=[^;\n\"']{1,100};[ ]?pwd=)([^;\n\"']{1,200})"),
    ("signature", "=", "sig=", r"[?&]sig=([A-Za-z0-9%+/=]{20,})"),
    ("signature", "=", "X-Amz-Signature=", r"X-Amz-Signature=([0-9a-f]{40,})"),
)  # fmt: skip

_SIGNS = tuple(dict.fromkeys(sign for _, sign, _, _ in FORMS))


def forms(text: str) -> Iterator[Span]:
    """Where a secret stands in ``text`` by the form around it; spans may overlap."""
    there = {sign for sign in _SIGNS if sign in text}
    for label, sign, literal, pattern in FORMS:
        if sign in there and literal in text:
            for found in compiled(pattern).finditer(text):
                if not is_reference(found[1]):
                    yield (*found.span(1), label)


def structures(text: str) -> Iterator[Span]:
    """Where a structure says that a value is secret; for a text that mentions one at all."""
    if "value" in text or "default" in text:
        for pair in compiled(_YAML_PAIR).finditer(text) if "name:" in text or "key:" in text else ():
            if names_secret(pair[1]) and not is_reference(pair[2].strip()):
                yield pair.start(2), pair.start(2) + len(pair[2].rstrip()), "secret"
    if '"' in text and _worth_reading(text):
        yield from _in_json(text)


def _worth_reading(text: str) -> bool:
    """Whether a secret can hang on the structure: a key that says secret opens a bracket, or a name stands beside a value."""
    for opened in compiled(r"\"[ \t\r\n]{0,8}:[ \t\r\n]{0,8}[\[{]").finditer(text):
        begin = text.rfind('"', max(0, opened.start() - _LONGEST_KEY), opened.start())
        if begin >= 0 and names_secret(text[begin + 1 : opened.start()]):
            return True
    low = text.lower()
    return any(f'"{key}"' in low for key in _VALUE_KEYS) and any(f'"{key}"' in low for key in _NAME_KEYS)


_OPENERS, _CLOSERS, _COLON, _STOPS = "{[", "}]", ":", "}]:,"
_Piece = tuple[int, int, str]  # start and end in the text, and what it says without its quotation marks


class _Level:
    """One open bracket: whether everything in it is secret, the key at hand, and the pair of name and value in it."""

    __slots__ = ("is_object", "key", "named", "secret", "values")

    def __init__(self, *, is_object: bool, secret: bool) -> None:
        self.is_object = is_object
        self.secret = secret
        self.key = ""
        self.named = False  # a "name" in this object says secret
        self.values: list[tuple[int, int]] = []  # where its "value"s stand

    def holds_secret(self) -> bool:
        """Whether a bracket that opens here holds secrets alone."""
        return self.secret or (self.is_object and bool(self.key) and names_secret(self.key))


def _in_json(text: str) -> Iterator[Span]:
    """Values under a key that says secret, at any depth, and the value beside a name that says so."""
    levels: list[_Level] = []
    waiting: _Piece | None = None  # a string or word that is a key if a colon follows, else a value
    for found in compiled(_PIECES).finditer(text):
        piece = found[0]
        at = levels[-1] if levels else None
        if piece in _OPENERS:
            levels.append(_Level(is_object=piece == "{", secret=at is not None and at.holds_secret()))
            waiting = None
        elif piece not in _STOPS:
            waiting = (found.start(), found.end(), piece[1:-1] if piece[0] == '"' else piece) if at else None
        elif at is not None:
            yield from _ended(text, levels, at, waiting, piece)
            waiting = None
    for level in levels:  # the text was cut
        yield from _paired(text, level)


def _ended(text: str, levels: list[_Level], at: _Level, waiting: _Piece | None, stop: str) -> Iterator[Span]:
    """What a colon, a comma or a closing bracket says about the piece before it."""
    if stop == _COLON:
        at.key = waiting[2] if waiting and at.is_object else at.key
        return
    if waiting:
        yield from _scalar(at, waiting)
    at.key = ""
    if stop in _CLOSERS:
        yield from _paired(text, levels.pop())


def _scalar(at: _Level, piece: _Piece) -> Iterator[Span]:
    start, end, value = piece
    quoted = end - start == len(value) + 2
    low, high = (start + 1, end - 1) if quoted else (start, end)
    if at.secret and value and not is_reference(value) and (quoted or value.isdigit()):
        yield low, high, "secret"
    if at.is_object and at.key.lower() in _NAME_KEYS:
        at.named = at.named or names_secret(value)
    elif at.is_object and at.key.lower() in _VALUE_KEYS and value:
        at.values.append((low, high))


def _paired(text: str, level: _Level) -> Iterator[Span]:
    if level.named:
        yield from ((low, high, "secret") for low, high in level.values if not is_reference(text[low:high]))
