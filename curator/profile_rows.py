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
from bellek.schemas.entity import Entity, sensitivity
from bellek.schemas.predicates import CARDINALITY, canonical
from bellek.schemas.queue import Item
from bellek.schemas.trust import ORIGIN_RANK


@dataclass(frozen=True, slots=True)
class Stated:
    """The rows that hold the fact now, those of them that are new, and one sentence for everything done otherwise."""

    ids: tuple[str, ...]
    written: tuple[str, ...]
    notes: tuple[str, ...]


def write(place: Place, item: Item, fact: ProfileFact) -> Stated:
    """Write a fact in the caller's transaction. Raises Refused where its name means several entities."""
    held: list[str] = []
    fresh: list[str] = []
    notes = [
        f"line {repair.line}: the value of {repair.key[:60]} was read as text to the line's end"
        for repair in fact.repairs
    ]
    spot, origin = _evidence(place, item, fact.entity, fact.source)
    kept = writers.entity(
        spot, Entity(name=fact.entity[:200], type=fact.type[:60], aliases=fact.aliases), origin=origin
    )
    _note_rows(kept, held, fresh)
    entity = kept.ids[0]
    for name, values in fact.fields:
        spot, origin = _evidence(place, item, " ".join(values), fact.source)
        kind = sensitivity(names.snake(name))
        if kind and origin != "user":
            notes.append(
                f"{name[:60]} of {fact.entity[:60]} was not written: it is about {kind}, and the person did not type it"
            )
            continue
        _note_rows(writers.field(spot, entity, name[:120], ", ".join(values)[:4000], origin=origin), held, fresh)
        claimed = [
            id_
            for value in _stated(name, values)
            for id_ in writers.field_claim(spot, fact.entity, name, value, origin=origin)
        ]
        held += claimed
        fresh += claimed
    return Stated(tuple(dict.fromkeys(held)), tuple(dict.fromkeys(fresh)), tuple(notes))


def _evidence(place: Place, item: Item, said: str, source: str) -> tuple[Place, str]:
    """Where a value comes from: the person's own line as evidence, or the item alone with the trust that it admits."""
    typed = typed_line_before(place.home, item, said)
    if typed is not None:
        return replace(place, message=typed), "user"
    lower = source if source in ORIGIN_RANK and ORIGIN_RANK[source] < ORIGIN_RANK["agent"] else "agent"
    return place, lower


def _stated(name: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """The objects that a field states: each value of a list, or all of it as one where only one can hold."""
    known = canonical(names.snake(name.rpartition(".")[2])) or canonical(names.snake(name))
    many = known is not None and CARDINALITY[known] == "many"
    return values if many else (", ".join(values),)


def _note_rows(kept: writers.Kept, held: list[str], fresh: list[str]) -> None:
    held += kept.ids
    if kept.state == "written":
        fresh += kept.ids
