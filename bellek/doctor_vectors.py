"""What `doctor` says of meaning: which embedder there is, how far its vectors are, and which of them cannot be right. Reads only.

Without an embedder all works by words, so nothing here fails.
"""

from collections.abc import Iterator

from bellek.doctor_finding import Finding
from bellek.kg import embedders, embedding, spaces, vector_check
from bellek.kg.home import Home
from bellek.schemas.errors import UsageFault


def meaning(store: Home) -> Iterator[Finding]:
    """Findings about the embedder and about every space of vectors, also of one that is not installed any more."""
    yield from _embedder(store)
    found = vector_check.faults(store.conversations)
    for fault in found:
        mends = "bellek doctor --fix" if fault.mend else "bellek index"
        yield Finding(
            "vectors", "WARN", f"space {fault.space}: {fault.what}", "searches by meaning miss these messages", mends
        )
    if not found and spaces.ready(store.conversations):
        yield Finding("vectors", "OK", "vectors fit their messages, and a search with one finds it first")


def _embedder(store: Home) -> Iterator[Finding]:
    try:
        current = embedders.current(store.memory)
    except UsageFault as exc:
        yield Finding("embedder", "WARN", exc.what, exc.why, exc.hint)
        return
    if not current:
        off = embedders.chosen(store.memory).name == "none"
        yield Finding(
            "embedder",
            "OK",
            "searches go by words",
            "embedder.name is none" if off else "no embedder is installed",
            "" if off else embedders.INSTALL,
        )
        return
    if not spaces.extension(store.conversations):
        yield Finding(
            "embedder",
            "WARN",
            f"{current} has nowhere to keep vectors",
            "sqlite-vec cannot be loaded",
            embedders.INSTALL,
        )
        return
    seen = embedding.look(store.conversations, current)
    yield Finding(
        "embedder",
        "OK" if seen.whole or not seen.messages else "WARN",
        f"{current}: {seen.looked_at} of {seen.messages} messages embedded",
        f"{seen.refused} texts have no vector" if seen.refused else "",
        "" if seen.whole or not seen.messages else "bellek index",
    )
