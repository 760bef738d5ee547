"""Text → search text: the one function that both the index and the query go through.

What it is for: two spellings of one word must meet (İNŞAAT, inşaat, insaat; Ankara'da, Ankara’ya; ２０２４, ٢٠٢٤; node.js,
nodejs), in every script, and what comes out must be made only of characters that FTS5's plain ``unicode61
remove_diacritics 0`` keeps inside a token, so that any SQLite opens and reads the index.

How: one character table, filled as characters are met (``str.translate`` runs in C), turns each character into its folded
form, a blank, or a joiner that the splitter below decides about; then words are split and a run of a script that writes
no blanks becomes overlapping pairs.

What it must never do: raise on any text, look at a language, a clock or a setting, or treat a query otherwise than a
stored row. It is one of the prompt hook's rooms: no imports but ``unicodedata``.
"""

import unicodedata

WORD_CAP = 64  # characters of one word that are kept: a base64 blob is no word, and FTS5 cuts tokens silently
# Letters of a word's cuts. Stems and other lengths were measured too (docs/decisions/0005-fold-and-stems.md).
CUTS = (3, 5)

# ª is a letter to unicode61, yet its compatibility form is "a": folded text can never hold it, so a cut never equals a word.
CUT_MARK = "ª"
LAST_MARK = "º"  # the same trick ("o"): stands before the last letter of a run that was cut into pairs

_JOINED_PARTS = 6  # a UUID has five parts; a longer chain of hyphens is a slug or a rule, and its parts find it
_TAIL = 5  # letters of the longest suffix behind an apostrophe that is no word of its own (Turkish 'lerin, English 's)

# Letters that have no decomposition and yet are typed without their stroke, and Arabic letters that keyboards confuse.
_LETTERS = {
    **dict.fromkeys(map(ord, "İIıi"), "i"),
    **{ord(a): b for a, b in zip("øØłŁđĐħĦŧŦ", "oollddhhtt", strict=True)},
    **{ord(a): b for a, b in zip("æÆœŒðÐþÞ", ("ae", "ae", "oe", "oe", "d", "d", "th", "th"), strict=True)},
    **{ord(a): b for a, b in zip("ىیکةۀ", "ييكهه", strict=True)},
    0x0640: "",  # tatweel only stretches a word
}
_SIGNS: dict[int, str] = {
    **dict.fromkeys(map(ord, "'’‘ʼʹ＇`´"), "'"),
    **dict.fromkeys(map(ord, "-‐‑﹣－"), "-"),
    **{ord(sign): sign for sign in "._+#"},
    **dict.fromkeys(map(ord, "©®™°"), " "),  # glued to names, and "TM" is not what anyone searches for
}
# Accents of scripts whose words are also written without them: Latin, Greek, Cyrillic, Hebrew, Arabic; and nuktas.
_ACCENTS = (
    (0x0300, 0x036F), (0x0483, 0x0489), (0x0591, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F), (0x0670, 0x0670),
    (0x06D6, 0x06ED), (0x093C, 0x093C), (0x09BC, 0x09BC), (0x0A3C, 0x0A3C), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
    (0x20D0, 0x20FF), (0x2DE0, 0x2DFF), (0xFB1E, 0xFB1E), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F),
)  # fmt: skip
_KANA_MARKS = ("\u3099", "\u309a")  # they compose with the letter before them (か → が): another letter, not an accent
# Scripts that put no blanks between words, and Hangul, whose particles stick to the word.
_PAIRED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1100, 0x11FF), (0x1780, 0x17FF), (0x3005, 0x3007), (0x3041, 0x318F),
    (0x31A0, 0x31FF), (0x3400, 0x9FFF), (0xAC00, 0xD7FF), (0x20000, 0x3FFFF),
)  # fmt: skip
_FIRST_PAIRED = "\u0e00"
_FRAMES = (0x2500, 0x259F)  # lines and blocks that terminals draw; no one searches for them
_PRIVATE = 0xE000  # unicode61 keeps private-use characters but breaks at vowel signs: the signs move there


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    """Whether a code point lies in one of the ranges, both ends included."""
    return any(low <= code <= high for low, high in ranges)


def _mark(code: int) -> str:
    """A combining mark: nothing for an accent, a private-use letter for a vowel sign (क + ि must stay one word)."""
    if _within(code, _ACCENTS):
        return ""
    if chr(code) in _KANA_MARKS:
        return chr(code)
    if 0x0900 <= code < 0x1D00:
        return chr(_PRIVATE + code - 0x0900)
    if 0xA600 <= code < 0xAC00:
        return chr(_PRIVATE + 0x1400 + code - 0xA800 + 0x200)
    return f"ux{code:x}" if code > 0xFFFF and not 0xE0000 <= code < 0xE1000 else ""


def _symbol(char: str) -> str:
    """A sign that is no letter: its letters if it has some (㎏), a spelled word for an emoji, √ or €, else a blank."""
    code = ord(char)
    plain = unicodedata.normalize("NFKD", char)
    if any(c.isalnum() for c in plain):
        return f" {''.join(map(_letter, plain))} "
    if code < 0x80 or _FRAMES[0] <= code <= _FRAMES[1] or unicodedata.category(char) not in {"So", "Sm", "Sc", "Cn"}:
        return " "
    return f" ux{code:x} "


def _letter(char: str) -> str:
    """A letter, digit or mark in its folded form; digits of every script become 0-9."""
    out: list[str] = []
    for c in unicodedata.normalize("NFKD", char):
        code = ord(c)
        kind = unicodedata.category(c)[0]
        if code in _LETTERS:
            out.append(_LETTERS[code])
        elif kind == "M":
            out.append(_mark(code))
        elif kind == "N":
            digit = unicodedata.decimal(c, None)
            out.append(c.casefold() if digit is None else str(digit))
        elif kind == "L":
            out.append(c.casefold())
        else:
            out.append(" ")
    return unicodedata.normalize("NFC", "".join(out))


class _Table(dict[int, str]):
    """Code point → what stands for it; an unknown one is worked out once and kept (at most as many as Unicode has)."""

    __slots__ = ()

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kind = unicodedata.category(char)
        if kind[0] in "LNM":
            folded = _letter(char)
            value = f" {folded} " if kind == "No" and " " in folded else folded  # ½ is 1 and 2, not the end of 6½
        elif kind == "Cf":
            value = ""  # soft hyphen, joiners, direction marks, BOM: invisible, so they part nothing
        elif kind == "Co":
            value = char
        elif kind[0] == "S" or kind == "Cn":
            value = "" if kind == "Sk" and code > 0xFFFF else _symbol(char)  # skin tones: one 👍 finds them all
        else:
            value = " "
        self[code] = value
        return value


_TABLE = _Table({**_LETTERS, **_SIGNS})


def _chunks(text: str) -> list[str]:
    """Folded pieces between blanks, joiners still inside."""
    if text.isascii():
        return text.translate(_TABLE).split()
    # NFC first puts marks in one order; NFC after joins kana and jamo that came as parts.
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).translate(_TABLE))
    for mark in _KANA_MARKS:
        folded = folded.replace(mark, "")  # one that hung on nothing: unicode61 would break there
    return folded.split()


def _in_pairs(char: str) -> bool:
    """Whether a character's script is written without blanks (or, Hangul, with particles stuck to the word)."""
    return char >= _FIRST_PAIRED and _within(ord(char), _PAIRED)


def is_lone(word: str) -> bool:
    """Whether a folded word is one letter of a script whose runs are kept as pairs: it must be searched as a beginning."""
    return bool(word) and _in_pairs(word[0]) and len(_units(word)) == 1


def _units(run: str) -> list[str]:
    """Letters of a run, each with the vowel signs that hang on it (no more than seven: nothing written has more)."""
    units: list[str] = []
    for char in run:
        if units and len(units[-1]) < 8 and _PRIVATE <= ord(char) < 0xF900:
            units[-1] += char
        else:
            units.append(char)
    return units


def _runs(word: str) -> list[tuple[bool, str]]:
    """A word cut where a script without blanks begins or ends: 修改youer的 → (True, 修改), (False, youer), (True, 的)."""
    runs: list[tuple[bool, str]] = []
    start, inside = 0, False
    for i, char in enumerate(word):
        hangs = _PRIVATE <= ord(char) < 0xF900  # a vowel sign belongs to what stands before it
        paired = inside if hangs else _in_pairs(char)
        if paired != inside:
            if i > start:
                runs.append((inside, word[start:i]))
            start, inside = i, paired
    runs.append((inside, word[start:]))
    return runs


def _put(word: str, out: list[str]) -> None:
    """Append one word without joiners; a run of a paired script as its pairs and its marked last letter."""
    if word.isascii() or max(word) < _FIRST_PAIRED:
        out.append(word[:WORD_CAP])
        return
    for paired, run in _runs(word):
        units = _units(run) if paired else [run[:WORD_CAP]]
        if len(units) == 1:
            out.append(units[0])
        else:
            out.extend(units[i] + units[i + 1] for i in range(len(units) - 1))
            out.append(LAST_MARK + units[-1])


def _signed(bit: str, out: list[str]) -> str:
    """Append what + and # leave of a bit and return its plain form: c++ → c, cplusplus; c# → c, csharp; a+b → a, b."""
    name = bit.rstrip("+#")
    parts = [part for part in name.replace("#", "+").split("+") if part]
    for part in parts:
        _put(part, out)
    if name != bit and len(parts) == 1 and len(name) <= WORD_CAP and name.isascii():
        sign = bit[len(name) : len(name) + 2]
        out.append(name + sign.replace("+", "plus").replace("#", "sharp"))
    return "".join(parts)


def _named(piece: str, out: list[str]) -> None:
    """Append the parts of a name with joiners and, where that is a name too, the whole: node.js → node, js, nodejs.

    Between two digits the joint is kept as "p", or 2.10 would equal 21.0; a version's v is left off the whole, so that
    v2.10.3 and 2.10.3 meet. A dot in front is spelled (.NET → net, dotnet).
    """
    if piece.isalnum():
        _put(piece, out)
        return
    bits = piece.replace("-", ".").replace("_", ".").split(".")
    names = [name for bit in bits if bit and (name := _signed(bit, out))]
    if not names or not piece.isascii():
        return
    if piece[0] == "." and piece[1:2].isalpha():
        out.append(("dot" + names[0])[:WORD_CAP])
    if 1 < len(names) <= _JOINED_PARTS:
        whole = names[0]
        if whole[0] == "v" and whole[1:].isdigit():
            whole = whole[1:]
        for name in names[1:]:
            whole += "p" + name if whole[-1].isdigit() and name[0].isdigit() else name
        if len(whole) <= WORD_CAP:
            out.append(whole)


def _suffixed(chunk: str, out: list[str]) -> None:
    """Append what apostrophes part; a short piece behind a stem keeps one in front, to be told from a word."""
    head = ""
    for piece in chunk.split("'"):
        if len(head) > 1 and piece.isalnum() and len(piece) <= _TAIL and max(piece) < _FIRST_PAIRED:
            out.append("'" + piece)
        elif piece:
            _named(piece, out)
        head = piece


def _walk(text: str) -> list[str]:
    """All words in order; suffixes behind an apostrophe still carry it, last letters of runs carry LAST_MARK."""
    out: list[str] = []
    for piece in _chunks(text):
        chunk = piece.rstrip(".")  # most joiners are full stops
        if chunk.isalnum() and chunk.isascii():
            out.append(chunk[:WORD_CAP])
        elif "'" in chunk:
            _suffixed(chunk, out)
        else:
            _named(chunk, out)
    return out


def tokens(text: str) -> list[str]:
    """The folded words of ``text`` in order: lower case, no accents, only letters, digits and private-use vowel signs."""
    return [word.lstrip("'") for word in _walk(text) if word[0] != LAST_MARK]


def heads(text: str) -> list[str]:
    """``tokens`` without the suffixes behind apostrophes: Ankara'da → ankara; Caroline's → caroline; l'homme stays whole."""
    return [word for word in _walk(text) if word[0] not in ("'", LAST_MARK)]


def fold(text: str) -> str:
    """The folded words of ``text``, one blank between two; folding them again changes nothing, whatever the text."""
    return " ".join(tokens(text))


def cuts(word: str) -> tuple[str, ...]:
    """The marked beginnings of a folded word, so that its endings stop mattering (evlerden, evlerin; running, runner).

    Numbers, emoji and pairs have none: 41252 and 41253 are different things.
    """
    if len(word) < CUTS[0] or (word.isascii() and not word[: CUTS[0]].isalpha()) or _in_pairs(word[0]):
        return ()
    return tuple(CUT_MARK + word[:size] for size in CUTS if len(word) >= size)


class _Marks(dict[str, str]):
    """Folded word → its cuts, a blank between: a text says the same words again and again. Emptied when it is full."""

    __slots__ = ()

    def __missing__(self, word: str) -> str:
        if len(self) >= _MARKS_KEPT:
            self.clear()
        short, long = CUTS
        if word[:short].isalpha() and word < _FIRST_PAIRED:  # what cuts() says of nearly every word, without the call
            marked = CUT_MARK + word[:short] if len(word) >= short else ""
            if len(word) >= long:
                marked += f" {CUT_MARK}{word[:long]}"
        else:
            marked = "" if word[0] == LAST_MARK else " ".join(cuts(word))
        self[word] = marked
        return marked


_MARKS_KEPT = 1 << 14  # words; a few megabytes
_MARKS = _Marks()


def index_text(text: str) -> str:
    """What the shadow column stores: the folded words in order, then the marked cuts of the longer ones."""
    words = [word.lstrip("'") for word in _walk(text)]
    return " ".join([*words, *filter(None, map(_MARKS.__getitem__, words))])
