"""Which part of a typed message is the person's own words: fences, quotations, traces and pasted blocks are not.

A client marks the line as typed, not each of its words: people paste logs, pages and other agents' answers into prompts.
Only what is surely somebody else's is `pasted`; a long block without a sign is nobody's in particular, and so no more than
an agent's. Pure; it must never take a doubtful word for the person's.
"""

from bellek.kg.secret_shapes import compiled

OWN, PASTED, UNSURE = "user", "pasted", "agent"
LONG_BLOCK = 1_200  # letters of one paragraph: more is seldom typed by hand
LONG_LINES = 15  # lines of one paragraph

_FENCE = r"^[ \t>]{0,8}(`{3,}|~{3,})"
_PLACEHOLDER = r"\[(?:Pasted text|Image|Yapıştırılan metin) ?#\d+[^\]\n]{0,60}\]"
_QUOTED = r"[ \t]{0,3}>"
_TAG_OPEN = r"[ \t]{0,8}<([A-Za-z][\w:-]{0,60})(?:\s[^<>\n]{0,400})?>"
_TAG_CLOSE = r"</([A-Za-z][\w:-]{0,60})>"
# Lines that machines and other agents write: traces, logs, diffs, prompts of a shell, roles of a chat, data.
_MACHINE = (
    r"[ \t]*(?:Traceback \(most|File \"[^\"\n]+\", line \d|at [\w$.<>/]+ ?\(|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b[ \]:]"
    r"|(?:\$|❯|➜|C:\\>|[\w.-]+@[\w.-]+[:~ ][^\n]{0,60}[$#]) |diff --git |@@ -\d|(?:\+\+\+|---) [ab]/|(?:Human|User|Assistant|System|AI|Kullanıcı|Asistan)\s?:\s"
    r"|[⏺⎿●│╭╰]|[\]}][,;]?\s*$|\"[^\"\n]{1,80}\"\s?:\s|<[?!/]?[A-Za-z][^\n]{0,200}>\s*$|npm (?:ERR|WARN)|error(?:\[\w+\])?: |\w+Error: )"
)


def own_words(text: str) -> str:
    """The parts of a typed message that the person wrote, one paragraph a line; what is pasted or unsure is left out."""
    return "\n".join(block for block, whose in parts(text) if whose == OWN)


def holds_own_words(text: str) -> bool:
    """Whether a typed message holds anything that may be the person's own: else it is a paste as a whole."""
    return any(whose != PASTED for _, whose in parts(text))


def foreign_words(text: str) -> str:
    """The parts of a typed message that are not surely the person's own, one a line: what has to be judged by its words."""
    return "\n".join(block for block, whose in parts(text) if whose != OWN)


def whose(text: str, quote: str) -> str:
    """Whose words a quote of a typed message is: "user", "pasted", or "agent" where that cannot be told.

    A quote that spans several parts is the person's where its own part is; the caller still asks whether that part holds
    what is stated.
    """
    wanted = flat(quote)
    found = {one for block, one in parts(text) if wanted and wanted in flat(block)}
    for one in (OWN, UNSURE, PASTED):
        if one in found:
            return one
    inside = {one for block, one in parts(text) if flat(block) and flat(block) in wanted}
    return OWN if OWN in inside else next((one for one in (PASTED, UNSURE) if one in inside), UNSURE)


def own_part(text: str, quote: str) -> str:
    """What of a quote the person wrote themselves; "" where nothing is."""
    wanted = flat(quote)
    blocks = [flat(block) for block, one in parts(text) if one == OWN]
    if any(wanted and wanted in block for block in blocks):
        return quote
    return "\n".join(block for block in blocks if block and block in wanted)


def flat(text: str) -> str:
    """A text with each run of white space as one blank."""
    return " ".join(text.split())


def parts(text: str) -> "list[tuple[str, str]]":
    """(block, whose) of a typed message in order: paragraphs, and each run of lines that is not the person's."""
    found: list[tuple[list[str], str]] = []
    fence = tag = ""
    closed = set(compiled(_TAG_CLOSE).findall(text)) if "</" in text else set()
    for line in compiled(_PLACEHOLDER).sub(" ", text).split("\n"):
        mark = PASTED
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif tag:
            tag = "" if f"</{tag}>" in line else tag
        elif opened := compiled(_FENCE).match(line):
            fence = opened[1]
        elif (begin := compiled(_TAG_OPEN).match(line)) and begin[1] in closed:
            tag = "" if f"</{begin[1]}>" in line else begin[1]
        elif not (compiled(_QUOTED).match(line) or compiled(_MACHINE).match(line)):
            mark = OWN
        if found and found[-1][1] == mark and line.strip():
            found[-1][0].append(line)
        else:
            found.append(([line], mark))
    return [(block, _sure(block, mark)) for lines, mark in found if (block := "\n".join(lines)).strip()]


def _sure(block: str, mark: str) -> str:
    long = len(block) > LONG_BLOCK or block.count("\n") >= LONG_LINES
    return UNSURE if mark == OWN and long else mark
