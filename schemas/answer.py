"""An answer line: what a person types as the first line of a prompt, read the same way by the prompt hook and by hearing.

It may be loaded on the prompt hook's path: no imports.
"""

WORDS = ("yes", "no", "promote")
LEAD = "bellek:"
ID_MAX = 20  # an id has fourteen letters; its beginning is enough
MOST_LINES = 5  # of a prompt that answers: a longer one was pasted, and no client says which of its lines were


class AnswerLine:
    """`answer` is one of WORDS, `target` the id as typed, `note` the rest of the line."""

    __slots__ = ("answer", "note", "target")

    def __init__(self, answer: str, target: str, note: str) -> None:
        self.answer = answer
        self.target = target
        self.note = note


def read(prompt: str) -> "AnswerLine | None":
    """The answer that a prompt's first line is, or None. A blank before it is a quotation's, so it is none.

    The target is a row's id or its beginning, by its form: the prompt hook keeps it unredacted, and a key or a number is none.
    """
    if prompt[: len(LEAD)].lower() != LEAD or prompt.rstrip().count("\n") >= MOST_LINES:
        return None
    line = prompt.split("\n", 1)[0][len(LEAD) :].strip()
    word, _, rest = line.partition(" ")
    target, _, note = rest.strip().partition(" ")
    if (
        word.lower() not in WORDS
        or not 3 <= len(target) <= ID_MAX
        or not target.replace("_", "").isalnum()
        or not target.isascii()
        or target[1] != "_"
        or target != target.lower()
    ):
        return None
    return AnswerLine(word.lower(), target, note.strip())
