"""What known models cost: US dollars a million tokens, in and out. A table to be kept up; a person's own figures win.

Source: the providers' public price lists. A name that is not here costs what config says, or counts in tokens alone.
"""

AS_OF = "2025-12"  # when the lists were looked at

# Beginning of a model's name → (input, output). The longest beginning that fits wins.
PRICES: dict[str, tuple[float, float]] = {
    "claude-opus-4-5": (5.0, 25.0), "claude-opus-4": (15.0, 75.0), "claude-3-opus": (15.0, 75.0),
    "claude-sonnet-4": (3.0, 15.0), "claude-3-7-sonnet": (3.0, 15.0), "claude-3-5-sonnet": (3.0, 15.0),
    "claude-haiku-4-5": (1.0, 5.0), "claude-3-5-haiku": (0.8, 4.0), "claude-3-haiku": (0.25, 1.25),
    "opus": (15.0, 75.0), "sonnet": (3.0, 15.0), "haiku": (1.0, 5.0),
    "gpt-5-mini": (0.25, 2.0), "gpt-5-nano": (0.05, 0.4), "gpt-5": (1.25, 10.0),
    "gpt-4.1-mini": (0.4, 1.6), "gpt-4.1-nano": (0.1, 0.4), "gpt-4.1": (2.0, 8.0),
    "gpt-4o-mini": (0.15, 0.6), "gpt-4o": (2.5, 10.0), "o4-mini": (1.1, 4.4), "o3": (2.0, 8.0),
}  # fmt: skip


def price(model: str) -> tuple[float, float] | None:
    """(input, output) of a model by its name, with or without a provider in front ("anthropic:NAME"); None where it is unknown."""
    name = model.rpartition(":")[2].rpartition("/")[2].lower()
    known = max((one for one in PRICES if name.startswith(one)), key=len, default=None)
    return PRICES[known] if known else None
