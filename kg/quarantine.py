"""Which text must not be told before a person has looked at it: orders to the model, forged labels, hidden letters.

``reason`` answers in a few words why, or "". Origin decides before wording: what a person typed is never judged here
(``kg.intake`` asks only for the rest). A note that *describes* an attack is an ordinary note. Pure: text in, words out.
It must never quote the text, never change it, and never be taken for proof: it is a filter for what is common, and the
packet labels and escapes what passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bellek.kg import disguise
from bellek.kg.injections import hits
from bellek.kg.secret_shapes import compiled

if TYPE_CHECKING:
    from collections.abc import Callable

# What is said of an attack by whoever describes one (plain text).
_ABOUT = (
    r"\b(?:inject(?:ion|ed|s)\b|attack\w{0,4}\b|malicious|jailbreak|phish|poison(?:ed|ing)\b|untrusted|adversar|exploit|spoof|forged?\b|smuggl|exfiltration|"
    r"payload|red team|prompt.injection|hostile|suspicious|sanitiz|sanitis|enjeksiyon|saldir(?:i|gan)|zararli|kotu niyetli|supheli|guvenilmez|sahte|oltalama|istismar|kandir)"
)
_QUOTES = r"\"[^\"\n]{1,400}\"|`[^`\n]{1,400}`|“[^”\n]{1,400}”|«[^»\n]{1,400}»|„[^“”\n]{1,400}[“”]|‘[^’\n]{1,400}’|(?<!\w)'[^'\n]{1,400}'(?!\w)"
# In front of an unquoted order that is reported, not given: "told the agent to …", "makes models …".
_REPORTED = (
    r"\b(?:to|tells?|told|telling|says?|said|saying|asks?|asked|asking|making|makes?|made|lets?|that|which|who|like|as|phrases?|text|string|words|can|could|may|might|"
    r"agents?|models?|llms?|gibi|diyen|yazan|yazdi|dedi|deyip|iceren|ifadesi|cumlesi|metni)[ :]{1,2}$"
)
_REPORTED_AFTER = r"\s?(?:[\w'’]{0,12} ){0,3}?(?:diye|diyen|demis|dedi|yazan|yazmis|yaziyor|yaziyordu|ifadesi|cumlesi|metni|gibi|denen|demeye|denirse)"
_TO_READER = r"\b(?:you|your|yourself|sen|senin|sana|seni|must|immediately|hemen)\b"
_BEFORE = 24  # characters in front of an order in which the word that reports it stands


def reason(text: str, *, count: Callable[[int], None] | None = None) -> str:
    """Why a text that no person typed is set apart, in a few words without any of its own; "" where nothing is wrong.

    `count` is told the length of every copy that is read: what the work is proportional to.
    """
    if seen := disguise.hidden(text):
        return f"it hides something: {seen}"
    for how, copy in disguise.copies(text):
        if count is not None:
            count(len(copy))
        if found := _judged(copy, described=not how):
            return f"{found} (in {how})" if how else found
    return ""


def _judged(text: str, *, described: bool) -> str:
    weak: dict[str, None] = {}
    about: list[tuple[int, int]] | None = None
    for rule, start, end in hits(text):
        if described and about is None:
            about = _quotations(text) if _describes(text) else []
        if described and about and _mentioned(text, start, end, about):
            continue
        if rule.strong:
            return rule.says
        weak[rule.says] = None
    return " and ".join(weak) if len(weak) > 1 else ""


def _describes(text: str) -> bool:
    """Whether the words outside quotation marks speak of an attack."""
    return compiled(_ABOUT).search(compiled(_QUOTES).sub(" ", text)) is not None


def _quotations(text: str) -> list[tuple[int, int]]:
    """Where something is quoted; one empty span stands for "described, nothing quoted"."""
    return [m.span() for m in compiled(_QUOTES).finditer(text)] or [(0, 0)]


def _mentioned(text: str, start: int, end: int, quotations: list[tuple[int, int]]) -> bool:
    """Whether an order is quoted, or reported of somebody else, in a text that describes an attack."""
    if any(low <= start and end <= high for low, high in quotations):
        return True
    if compiled(_TO_READER).search(compiled(_QUOTES).sub(" ", text)):
        return False
    before = text[max(0, start - _BEFORE) : start]
    return compiled(_REPORTED).search(before) is not None or compiled(_REPORTED_AFTER).match(text, end) is not None
