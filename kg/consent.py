"""Consent to a sensitive field: recorded and withdrawn on the field's own row, in the trail like everything else."""

from bellek.kg import entities, memories, names
from bellek.kg.db import Database
from bellek.kg.entities import FieldRow
from bellek.kg.ids import mint
from bellek.schemas.errors import NotFound, PersonNeeded, Refused


def record(db: Database, entity: str, field: str, *, given: bool, actor: str) -> FieldRow:
    """Set the consent of an entity's current field, and read it back. Raises NotFound, or Refused for an ordinary field.

    Whoever is not proven a person gets PersonNeeded.
    """
    if not memories.by_person(actor):
        raise PersonNeeded("no consent was recorded", why="only a person consents, or takes it back")
    id_ = entities.find(db, entity)
    wanted = names.snake(field)
    with db.transaction():
        rows = [row for row in entities.fields(db, id_) if row.key == wanted or row.id == field]
        if not rows:
            raise NotFound(
                f"no field {field[:60]!r}", why=f"{id_} has none of that name", hint=f"run `bellek entities show {id_}`"
            )
        if not rows[0].sensitivity:
            raise Refused(
                f"{field[:60]!r} is an ordinary field", why="only health, finance and intimate fields need consent"
            )
        old = memories.read(db, rows[0].id)
        new = old.model_copy(update={"batch": mint("b"), "body": old.body.model_copy(update={"consent": given})})
        memories.write(db, new, actor=actor, act="consent" if given else "withdraw")
    return next(row for row in entities.fields(db, id_) if row.id == old.id)
