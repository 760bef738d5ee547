"""How a packet is marked in a conversation, so that it can be recognised and left out when the conversation is heard.

One of the prompt hook's rooms: string searches only. Text inside a packet is escaped so that it cannot close the fence.
"""

OPEN = '<bellek-memory id="'
CLOSE = "</bellek-memory>"
ID_LETTERS = frozenset("0123456789abcdefghijklmnopqrstuvwxyz_")
ID_MAX = 40


def wrap(packet: str, inner: str) -> str:
    """The fenced packet; `inner` must have been escaped line by line."""
    return f'{OPEN}{packet}">\n{inner}\n{CLOSE}'


def escape(text: str) -> str:
    """Stored text as one inert line: no tag, no control or invisible direction character, no line of its own."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in _JOINERS else " " for c in text)
    return " ".join(text.split())


_JOINERS = frozenset("\u200c\u200d")  # Persian and Indic words and family emoji need them; they hide nothing


def find(text: str) -> list[str]:
    """The ids of the packets that stand in a text, in order. Linear: each opener is looked at once."""
    found: list[str] = []
    at = text.find(OPEN)
    while at >= 0:
        start = at + len(OPEN)
        end = text.find('"', start, start + ID_MAX + 1)
        if end > start and ID_LETTERS.issuperset(text[start:end]):
            found.append(text[start:end])
        at = text.find(OPEN, start)
    return found


def strip(text: str) -> str:
    """The text without our packets. A packet that was cut before its end takes the rest with it: it is ours."""
    at = text.find(OPEN)
    if at < 0:
        return text
    kept: list[str] = []
    done = 0
    while at >= 0:
        kept.append(text[done:at])
        end = text.find(CLOSE, at)
        if end < 0:
            return "".join(kept)
        done = end + len(CLOSE)
        at = text.find(OPEN, done)
    kept.append(text[done:])
    return "".join(kept)


def without_comments(text: str) -> str:
    """A message without HTML comments, as a reader of the talk sees it; one that is not closed stays."""
    kept: list[str] = []
    done = 0
    while (at := text.find("<!--", done)) >= 0 and (end := text.find("-->", at)) >= 0:
        kept.append(text[done:at])
        done = end + len("-->")
    return "".join(kept) + text[done:]
