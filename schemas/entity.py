"""Who and what is spoken of: entities with aliases, and single fields about them with a privacy class each."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Sensitivity = Literal["", "health", "finance", "intimate"]
MAX_ENTITY = 200  # letters of an entity's name
MAX_TYPE = 60
MAX_NAME = 120  # letters of a field's name
MAX_VALUE = 4_000  # and of its value: more is a page


class Entity(BaseModel):
    """`type` is any word ("person", "project", "unknown"); aliases are other names of the same one, a set in order."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["entity"] = "entity"
    name: str = Field(min_length=1, max_length=MAX_ENTITY)
    type: str = Field(default="unknown", min_length=1, max_length=MAX_TYPE)
    aliases: tuple[str, ...] = ()


class EntityField(BaseModel):
    """One field of an entity; its value is text whatever it looks like. `consent` is a person's word on a sensitive one."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["field"] = "field"
    entity: str = Field(min_length=3)
    name: str = Field(min_length=1, max_length=MAX_NAME)
    value: str = Field(min_length=1, max_length=MAX_VALUE)
    sensitivity: Sensitivity = ""
    consent: bool = False

    @property
    def withheld(self) -> bool:
        """Whether the value is shown to nobody: it is sensitive, and the person's consent is missing or was withdrawn."""
        return bool(self.sensitivity) and not self.consent


# Beginnings of folded words that make a field sensitive, Turkish and English; a field's name decides, not its value.
SENSITIVE: dict[Sensitivity, tuple[str, ...]] = {
    "health": ("health", "saglik", "hastali", "illness", "disease", "diagnos", "tani", "teshis", "medic", "ilac", "allerg", "alerji", "therap", "terapi",
               "depress", "pregnan", "hamile", "disab", "engel", "doktor", "doctor", "surger", "ameliyat", "kan_grubu", "blood", "kilo", "weight", "psikol", "psych"),
    "finance": ("financ", "salary", "maas", "income", "gelir", "debt", "borc", "iban", "bank", "banka", "credit", "kredi", "loan", "tax", "vergi", "mortgage",
                "ipotek", "kart_no", "card_number", "wage", "ucret", "servet", "wealth", "account_number", "hesap_no"),
    "intimate": ("intimate", "sexual", "cinsel", "sex", "orient", "religio", "din", "inanc", "mezhep", "politic", "siyas", "oy_verdi", "ethnic", "etnik",
                 "affair", "divorc", "bosan", "cheat", "aldat", "love_life", "ask_hayati", "mahrem"),
}  # fmt: skip
_WHOLE_WORDS = frozenset(("din", "sex", "tani", "kilo", "oy_verdi"))  # too short to be a beginning: "dinner", "tanisma"


def sensitivity(name: str) -> Sensitivity:
    """The privacy class of a folded snake-case field name; "" for an ordinary one."""
    words = name.split("_")
    for kind, starts in SENSITIVE.items():
        for start in starts:
            if ("_" in start and start in name) or any(
                w == start if start in _WHOLE_WORDS else w.startswith(start) for w in words
            ):
                return kind
    return ""
