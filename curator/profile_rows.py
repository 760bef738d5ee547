"""A profile fact → rows: the entity, each field, and the claims that fields state, each with an origin of its own.

A value is the person's only where a line that they typed holds its words; the body's own `source` can lower trust and
never raise it. It must never write a sensitive field that the person did not type: that one is left out and said so, and
the rest is written.
"""

from dataclasses import dataclass, replace

from bellek.curator import writers
from bellek.curator.context_of import Place, typed_line_before
from bellek.curator.profile import ProfileFact
from bellek.kg import names
from bellek.schemas.entity import MAX_ENTITY, MAX_NAME, MAX_TYPE, MAX_VALUE, Entity, sensitivity
from bellek.schemas.errors import Refused
from bellek.schemas.predicates import CARDINALITY, canonical
from bellek.schemas.queue import Item
from bellek.schemas.trust import ORIGIN_RANK, lowest


@dataclass(frozen=True, slots=True)
class Stated:
    """The rows that hold the fact now, those of them that are new, and one sentence for everything done otherwise."""

    ids: tuple[str, ...]
    written: tuple[str, ...]
    notes: tuple[str, ...]


def write(place: Place, item: Item, fact: ProfileFact) -> Stated:
    """Write a fact in the caller's transaction. Raises Refused for a name that is too long or means several entities."""
    if len(fact.entity) > MAX_ENTITY:
        raise Refused(f"profile-fact: the entity's name is longer than {MAX_ENTITY} letters", why="a name is short")
    held: list[str] = []
    fresh: list[str] = []
    notes = [
        f"line {repair.line}: the value of {repair.key[:60]} was read as text to the line's end"
        for repair in fact.repairs
    ]
    spot, origin = _evidence(place, item, fact.entity, fact.source)
    kept = writers.entity(
        spot, Entity(name=fact.entity, type=fact.type[:MAX_TYPE], aliases=fact.aliases), origin=origin
    )
    _note_rows(kept, held, fresh)
    if not kept.ids:
        return Stated((), (), (*notes, kept.note))
    entity = kept.ids[0]
    for name, values in fact.fields:
        spot, origin = _evidence(place, item, " ".join(values), fact.source)
        kind = sensitivity(names.snake(name))
        if kind and origin != "user":
            notes.append(
                f"{name[:60]} of {fact.entity[:60]} was not written: it is about {kind}, and the person did not type it"
            )
            continue
        if (fault := _too_long(name, values)) is not None:
            notes.append(f"{name[:60]} of {fact.entity[:60]} was not written: {fault}")
            continue
        _note_rows(writers.field(spot, entity, name, ", ".join(values), origin=origin), held, fresh)
        claimed = [
            id_
            for value in _stated(name, values)
            for id_ in writers.field_claim(spot, fact.entity, name, value, origin=origin)
        ]
        held += claimed
        fresh += claimed
    return Stated(tuple(dict.fromkeys(held)), tuple(dict.fromkeys(fresh)), tuple(notes))


def _too_long(name: str, values: tuple[str, ...]) -> str | None:
    """Why a field is none: cut, its name could lose the word that makes it sensitive, and its value its end."""
    if len(name) > MAX_NAME:
        return f"its name is longer than {MAX_NAME} letters"
    return f"its value is longer than {MAX_VALUE:,} letters" if len(", ".join(values)) > MAX_VALUE else None


def _evidence(place: Place, item: Item, said: str, source: str) -> tuple[Place, str]:
    """Where a value comes from: the person's own line as evidence, or the item alone with the trust that it admits."""
    typed = typed_line_before(place.home, item, said)
    if typed is not None:
        return replace(place, message=typed), "user"
    admitted = place.derived()
    return place, lowest([admitted, source]) if source in ORIGIN_RANK else admitted


def _stated(name: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """The objects that a field states: each value of a list, or all of it as one where only one can hold."""
    known = canonical(names.snake(name.rpartition(".")[2])) or canonical(names.snake(name))
    many = known is not None and CARDINALITY[known] == "many"
    return values if many else (", ".join(values),)


def _note_rows(kept: writers.Kept, held: list[str], fresh: list[str]) -> None:
    held += kept.ids
    if kept.state == "written":
        fresh += kept.ids
