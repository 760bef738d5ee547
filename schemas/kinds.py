"""The table of kinds: one data structure that every part reads (scope, tiers, packet, asking, vault). No imports.

Adding a kind of memory starts here; CONTRIBUTING names the other places.
"""


class Kind:
    """`scope` names the default scope's rule; `lane` how the packet treats it; `asks` what makes a provisional row a candidate.

    scope: "project" · "everywhere" · "agent" · "agent-in-project" · "by-category" (a claim's, see `claim_scope`)
    lane: "stands" · "match" · "both" (the latest stand, more on a match) · "ranked" (high importance stands, the rest on a
    match) · "line" (one line that it exists) · "never"
    asks: words of `kg.candidates` ("constraint", "importance", "turns", "contradicts", "consent"); a proposal and a conflict are
    questions themselves and listed as such, and what would replace a permanent page becomes a proposal
    """

    __slots__ = ("asks", "lane", "letter", "name", "scope", "tiers", "vault")

    def __init__(
        self,
        name: str,
        letter: str,
        scope: str,
        tiers: "tuple[str, ...]",
        lane: str,
        asks: "tuple[str, ...]",
        vault: str,
    ) -> None:
        self.name = name
        self.letter = letter
        self.scope = scope
        self.tiers = tiers
        self.lane = lane
        self.asks = asks
        self.vault = vault


_REVIEWED = ("T1", "T2")
_PLAIN = ("-",)

KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "claim",
            "c",
            "by-category",
            _REVIEWED,
            "ranked",
            ("constraint", "turns", "contradicts"),
            "fact",
        ),
        Kind("lesson", "l", "project", _REVIEWED, "ranked", ("importance", "contradicts"), "fact"),
        Kind("event", "e", "project", _PLAIN, "both", (), "daily note"),
        Kind("page", "w", "project", _REVIEWED, "match", (), "page"),
        Kind("entity", "n", "everywhere", _REVIEWED, "match", (), "page"),
        Kind("field", "f", "everywhere", _REVIEWED, "match", ("consent",), "page"),
        Kind("worldview", "v", "agent", _PLAIN, "stands", (), "page"),
        Kind("task", "t", "agent-in-project", _PLAIN, "stands", (), "list"),
        Kind("log", "g", "project", _PLAIN, "stands", (), "log"),
        Kind("proposal", "r", "project", _PLAIN, "line", (), "-"),
        Kind("conflict", "x", "project", _PLAIN, "line", (), "-"),
    )
}

# Kinds whose rows are told where they match a prompt; the others have a section, or a line, of their own.
RECALLED = frozenset(kind.name for kind in KINDS.values() if kind.lane in ("match", "both", "ranked"))

# Claims about the person go everywhere when the person said them; everything else stays in its project.
PERSONAL = ("person", "health", "family", "relationship", "preference")


def claim_scope(category: str, origin: str) -> str:
    """Where a claim holds: "everywhere" or "project"."""
    return "everywhere" if category in PERSONAL and origin == "user" else "project"
