"""A text as the sorts of its characters, so that one fast search tells whether a pattern can be in it at all.

A regular expression looks at each character of a text, and most texts hold nothing that it is meant for. `Sorts` writes a
text as bytes with one letter for each sort of character; a piece of such bytes that stands in every match is found many
times faster. It must never leave a match out: what a sort cannot tell, the pattern decides.
"""


class Sorts:
    """`letters` names each sort: its letter → the ASCII characters that it is for. `beyond` stands for every character
    beyond ASCII, "!" for what is left.
    """

    __slots__ = ("_table",)

    def __init__(self, letters: dict[str, str], *, beyond: str = "!") -> None:
        table = bytearray(b"!" * 128 + beyond.encode() * 128)
        for letter, characters in letters.items():
            for character in characters:
                table[ord(character)] = ord(letter)
        self._table = bytes(table)

    def of(self, text: str) -> bytes:
        """The sort of each character, in order. A lone surrogate is no error."""
        if text.isascii():
            return text.encode().translate(self._table)
        return text.encode("utf-8", "surrogatepass").translate(self._table, _GOES_ON)


_GOES_ON = bytes(range(0x80, 0xC0))  # the bytes of a character of UTF-8 behind its first


DIGITS = "0123456789"
SMALL = "abcdefghijklmnopqrstuvwxyz"
CAPITAL = SMALL.upper()
