"""Text to search text (interim)."""


def fold(text: str) -> str:
    """Folded."""
    return text.casefold()


def index_text(text: str) -> str:
    """Shadow."""
    return fold(text)
