"""Secrets that show by what they are called: ``password: …``, ``API_KEY=…``, ``"client_secret": "…"``, ``şifre: …``.

Names are looked for in a folded copy of the text (lower case, İ I ı as i) of the same length, so one set of words serves
every spelling. It must never take a reference (``$TOKEN``, ``${TOKEN}``, ``local.token_name``, ``get_token()``) for the
secret, never run over the end of a line, and never read a word of prose as a value unless the line says nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bellek.kg.secret_shapes import Span, compiled

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# label, words. A name may go on before a word (DB_PASSWORD) and end in it or in one of the endings below.
_GAP = r"[ _.-]?"
_WORDS = (
    (
        "password",
        r"passwor[dt]|passwd|passphrase|pwd|kennwort|contrase[nñ]a|şifre|sifre|parola|пароль|密码|密碼|パスワード",
    ),
    ("token", r"token|jeton"),
    (
        "key",
        rf"(?:api|access|private|account|auth|encryption|signing|master|session|deploy|webhook|license){_GAP}key|anahtar",
    ),
    ("secret", r"secret|credential|authorization"),
)
# What each name holds, the most frequent first; "pass" stands for all that begins so.
_CORES = (
    *("key", "token", "pass", "secret", "authorization", "credential", "anahtar", "sifre", "parola", "pwd", "jeton", "kennwort"),
    *("contrase", "şifre", "пароль", "密码", "密碼", "パスワード"),
)  # fmt: skip
_NAME = "|".join(f"(?P<{label}>{words})" for label, words in _WORDS) + r"|(?<![^\W_])(?P<short>pass)(?=[ \t]?=)"

# Plural and case endings (Turkish ones folded), a second word that leaves it a secret, a number.
_ENDING = (
    r"(?:s|m|n|i|si|mi|ni|yi|im|in|imiz|iniz|miz|niz|sini|ini|imi|lar|ler|lari|leri)?(?:['’][a-zçğöşü]{1,5})?"
    r"(?:[_-]?(?:access)?[_-]?(?:key|token|value|prod|production|dev|test|staging|live|base|old|new|[0-9]{1,4})){0,3}"
)
# Between name and value: quotation marks and bold of the name, then a sign on the same line, or blanks and a word.
_SIGN = r"\\{0,3}[\"'`]?\*{0,2}[ \t]{0,8}(?P<sign>:=|=>|==?|[:：])\*{0,2}(?P<space>[ \t]{0,8})"
_BLANK = r"(?P<words>[ \t]{1,8}(?:(?:is|olarak|=|:|\|)[ \t]{1,8})?)"
_TAIL = rf"{_ENDING}(?:{_SIGN}|{_BLANK}|>(?=[^<\n]{{1,256}}</))"

_QUOTED = r"(?P<quote>[\"'`])(?P<in>[^\"'`\\\n]*(?:(?:\\.|(?!(?P=quote))[\"'`])[^\"'`\\\n]*)*)(?P=quote)"
_ESCAPED_QUOTED = r"\\{1,3}[\"'](?P<in>[^\"'\\\n]+)\\{1,3}[\"']"
# A comma, semicolon or ampersand belongs to the value unless it ends the word or a next pair follows.
_BARE = r"(?P<in>(?:[^\s\"'`,;&\\<]|[,;&](?![\s\"'\])}]|\Z)(?![\w .-]{1,40}[=:])|\\(?![nrt\"'\\]))+)"

_LABEL = r"\[redacted:[a-z0-9-]{1,24}\]\Z"
# How a value starts that only says where the secret is: a variable, a template, a placeholder, a call or a look-up.
_REFERS = r"\$|%[A-Za-z_]\w{0,63}%|\{\{|<[A-Za-z_][\w -]{0,63}>|[A-Za-z_]\w{0,63}(?:\.\w{1,63}){0,8}[(\[]"
# Whole values of that sort: blanked out, an attribute (dotted names without a digit, or on a well-known head).
_ELSEWHERE = (
    r"[*•.…x]{3,}\Z|(?:[A-Za-z_]{1,63}\.){1,8}[A-Za-z_]{1,63}\Z|"
    r"(?:local|var|self|this|env|config|settings|secrets|module|data|process)\.[\w.]{1,128}\Z"
)
# What stands behind a name in code, schemas and forms instead of a value (folded).
_NOT_VALUES = frozenset(
    [
        "str",
        "string",
        "int",
        "integer",
        "bool",
        "boolean",
        "bytes",
        "none",
        "null",
        "nil",
        "true",
        "false",
        "undefined",
        "any",
        "object",
        "number",
        "text",
        "optional",
        "required",
        "missing",
        "empty",
        "invalid",
        "expired",
        "unset",
        "yes",
        "no",
        "var",
        "yok",
        "boş",
        "zorunlu",
        "gerekli",
        "geçersiz",
        "eksik",
    ]
)
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<", ".": "", ",": "", ";": "", ":": "", "*": ""}  # and their openers
_STRONG = 8  # characters; what stands behind a bare name ("API-KEY abc…") must be this long and mix letters and digits
_SAME_NAME = 64  # characters of a name that are compared
_BEFORE_CORE, _BEHIND_CORE = 14, 24  # characters around a core in which all of its name stands
_SHORT_COUNT = 6  # digits; a shorter number behind "keys" or "secrets" is how many there are
_HASH = r"(?:[0-9a-f]{7,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|v?[0-9]+(?:[.:/-][0-9]+)+\S{0,8}|sha[0-9]+-\S+)\Z"


def fold(text: str) -> str:
    """``text`` in lower case with one letter i, character for character: offsets stay valid."""
    folded = text.replace("İ", "i").lower().replace("ı", "i")
    return folded if len(folded) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def mentions(folded: str) -> bool:
    """Whether a folded text holds any word that says secret: without one no name in it can."""
    return any(core in folded for core in _CORES)


def named(text: str, folded: str) -> Iterator[Span]:
    """Where a value stands in ``text`` behind a name that says secret; ``folded`` is ``fold(text)``."""
    position = 0
    for name in _names(folded):
        if name.start() < position:
            continue
        position = name.end()
        tail = compiled(_TAIL).match(folded, position)
        if tail is None:
            continue
        span = _value(text, folded, name, tail)
        if span is not None:
            yield span
            position = span[1]


def _names(folded: str) -> Iterator[re.Match[str]]:
    """Every name that says secret, in order. Looked for around its core alone: a pattern of so many words is slow on a long text."""
    places: set[int] = set()
    for core in _CORES:
        at = folded.find(core)
        while at >= 0:
            places.add(at)
            at = folded.find(core, at + len(core))
    find, position = compiled(_NAME).search, 0
    for place in sorted(places):
        while name := find(folded, max(position, place - _BEFORE_CORE), place + _BEHIND_CORE):
            if name.end() > place + _BEHIND_CORE - 2:  # it may go on
                name = compiled(_NAME).match(folded, name.start()) or name
            position = name.end()
            yield name


def names_secret(name: str) -> bool:
    """True where a field of this name holds a secret, as ``clientSecret`` does and ``token_count`` does not."""
    folded = fold(name)
    ending = compiled(rf"{_ENDING}\Z")
    return any(ending.match(folded, word.end()) for word in compiled(_NAME).finditer(folded))


def is_reference(value: str) -> bool:
    """True where ``value`` only says where the secret is, or what kind of thing it is, or is a label already."""
    return (
        compiled(_LABEL).match(value) is not None
        or compiled(_REFERS).match(value) is not None
        or compiled(_ELSEWHERE).match(value) is not None
        or fold(value).strip() in _NOT_VALUES
    )


def _value(text: str, folded: str, name: re.Match[str], tail: re.Match[str]) -> Span | None:
    label = "secret" if name.lastgroup is None else {"short": "password"}.get(name.lastgroup, name.lastgroup)
    at = tail.end()
    if tail["words"] is None and tail["sign"] is None:
        return _kept(text, at, text.find("</", at), label)
    for pattern in (_QUOTED, _ESCAPED_QUOTED):
        if quoted := compiled(pattern).match(text, at):
            value = quoted["in"]
            command = quoted[0][0] == "`" and " " in value  # prose that shows what to type
            unsure = tail["words"] is not None and not _strong(value)
            return None if command or unsure else _kept(text, *quoted.span("in"), label)
    # Before the value is read: many values of this sort on one long line must not each be read to its end.
    points = compiled(_REFERS).match(text, at) or (name[0] == "pwd" and text[at : at + 1] in {"/", "~"})
    opens = text[at : at + 1] in ("[", "{") and text[at + 1 : at + 2] in (
        "",
        '"',
        "'",
        " ",
        "\n",
        "\\",
        "[",
        "{",
        "]",
        "}",
    )
    if points or opens or tail["sign"] == "==":  # what a bracket holds is `secret_forms.structures`' to read
        return None
    bare = compiled(_BARE).match(text, at)
    if bare is None:
        return None
    start = bare.start("in")
    value = _unwrapped(bare["in"])
    if not value or not _plausible(text, folded, name, tail, start, value):
        return None
    return _kept(text, start, start + len(value), label)


def _unwrapped(value: str) -> str:
    """``value`` without the punctuation of the sentence or call around it; brackets that it opens itself stay."""
    return value.rstrip("".join(closer for closer, opener in _CLOSERS.items() if not opener or opener not in value))


def _kept(text: str, start: int, end: int, label: str) -> Span | None:
    value = text[start:end]
    return None if not value.strip() or is_reference(value) else (start, end, label)


def _plausible(text: str, folded: str, name: re.Match[str], tail: re.Match[str], start: int, value: str) -> bool:
    """Whether a bare value is one, by how firmly it is tied to its name."""
    if _says_something_else(folded, name, tail, value):
        return False
    if tail["words"] is not None:
        flag = compiled(r"--[a-z0-9-]{0,40}\Z").search(folded, max(0, name.start() - 42), name.start()) is not None
        return (flag and not value.startswith("-")) or _strong(value)
    if (tail["sign"] == "=" and not tail["space"]) or not value.isalpha():
        return True
    # One word behind a colon may be prose: then the line goes on.
    return compiled(r"[\"'`).,;\]}*]{0,4}[ \t\r]*(?:\n|\\n|\Z)").match(text, start + len(value)) is not None


def _says_something_else(folded: str, name: re.Match[str], tail: re.Match[str], value: str) -> bool:
    """True for a count (``max_tokens=4096``, ``api keys: 3``) and for a variable handed on (``token=token``)."""
    if value.isdigit() and name["password"] is None and (name["token"] is not None or len(value) < _SHORT_COUNT):
        return True
    if tail["sign"] is None:
        return False
    same = fold(value)
    before = folded[max(0, name.start() - _SAME_NAME) : tail.start("sign")].rstrip(" \t\"'`\\*")
    return name[0] in same and before.endswith(same)


def _strong(value: str) -> bool:
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return len(value) >= _STRONG and mixed and compiled(_HASH).match(fold(value)) is None
