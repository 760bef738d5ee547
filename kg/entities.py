"""Entities with their aliases and fields. Names meet by their normal form; nothing is merged on a name alone.

It must never hand out a sensitive field without a person's consent: the lists ask for it by name.
"""

from dataclasses import dataclass

from bellek.kg import names, scope
from bellek.kg.db import Database
from bellek.schemas.entity import Entity, EntityField
from bellek.schemas.errors import NotFound, Refused


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity for a list."""

    id: str
    project: str
    tier: str
    origin: str
    name: str
    type: str
    aliases: tuple[str, ...]
    said_at: int
    offset_minutes: int
    text: str


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field of an entity; `value` is "" where it is sensitive and not consented to."""

    id: str
    entity: str
    tier: str
    origin: str
    status: str
    name: str
    key: str
    value: str
    sensitivity: str
    consent: bool
    said_at: int
    offset_minutes: int


def put(db: Database, id: str, entity: Entity) -> None:
    """Write the typed row and its aliases. No claim is touched: what an alias joins is answered when it is asked for."""
    db.run(
        "INSERT INTO entities (id, name, key, type) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET name = excluded.name, key = excluded.key, type = excluded.type",
        (id, entity.name, names.key(entity.name), entity.type),
    )
    db.run("DELETE FROM aliases WHERE entity = ?", (id,))
    for alias in entity.aliases:
        db.run("INSERT OR IGNORE INTO aliases (key, entity, alias) VALUES (?, ?, ?)", (names.key(alias), id, alias))


def put_field(db: Database, id: str, field: EntityField) -> None:
    """Write the typed row; called by `memories.put` inside its transaction."""
    db.run(
        "INSERT INTO fields (id, entity, name, key, value, sensitivity, consent) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET entity = excluded.entity, name = excluded.name, key = excluded.key, value = excluded.value,"
        " sensitivity = excluded.sensitivity, consent = excluded.consent",
        (id, field.entity, field.name, names.snake(field.name), field.value, field.sensitivity, int(field.consent)),
    )


_HOLDERS = (
    "SELECT e.id, e.key, m.tier FROM entities e JOIN memories m ON m.id = e.id WHERE e.key = ?1 AND m.status = 'current'"
    " UNION SELECT e.id, e.key, m.tier FROM aliases a JOIN entities e ON e.id = a.entity JOIN memories m ON m.id = e.id"
    " WHERE a.key = ?1 AND m.status = 'current'"
)


def _holder(db: Database, key: str) -> str:
    """The one current entity that a normal form means, or ''. A permanent one keeps its names against a provisional one."""
    rows = db.rows(_HOLDERS, (key,))
    strong = [row for row in rows if row[2] == "T2"] or rows
    return str(strong[0][0]) if len(strong) == 1 else ""


def subject_keys(db: Database, name: str) -> tuple[str, ...]:
    """Every normal form that means the same subject as a name, its own first: name and aliases of the one entity that has it.

    A name that several entities have joins nothing, and a join is never carried on to another entity's names: who shares
    a name with both A and C makes them no single person. A function of the entities as they stand, so that neither the
    order of writing nor a withdrawn alias leaves anything behind.
    """
    own = names.key(name)
    holder = _holder(db, own)
    if not holder:
        return (own,)
    rows = db.rows(
        "SELECT key FROM entities WHERE id = ?1 UNION SELECT key FROM aliases WHERE entity = ?1 ORDER BY key", (holder,)
    )
    others = [str(key) for (key,) in rows if key != own]
    return (own, *(key for key in others if _holder(db, key) == holder))


def neighbour_keys(db: Database, keys: tuple[str, ...]) -> tuple[str, ...]:
    """These normal forms and all names of every entity that has one of them: whose joining a change of a name can touch."""
    found = dict.fromkeys(keys)
    for key in keys:
        for id_, *_ in db.rows(_HOLDERS, (key,)):
            rows = db.rows(
                "SELECT key FROM entities WHERE id = ?1 UNION SELECT key FROM aliases WHERE entity = ?1 ORDER BY key",
                (id_,),
            )
            found.update(dict.fromkeys(str(row[0]) for row in rows))
    return tuple(found)


_NAMED = (  # a union of three indexed look-ups: an OR over both tables would read all of them
    "SELECT e.id FROM entities e JOIN memories m ON m.id = e.id WHERE e.id = ?1 AND m.status = 'current'"
    " UNION SELECT e.id FROM entities e JOIN memories m ON m.id = e.id WHERE e.key = ?2 AND m.status = 'current'"
    " UNION SELECT a.entity FROM aliases a JOIN memories m ON m.id = a.entity WHERE a.key = ?2 AND m.status = 'current' ORDER BY 1"
)


def find(db: Database, given: str) -> str:
    """The id of the one current entity with this id, name or alias. Raises NotFound, or Refused where several have it."""
    rows = db.rows(_NAMED, (given, names.key(given)))
    if not rows:
        raise NotFound(f"no entity {given[:60]!r}", why="no id, name or alias is so", hint="run `bellek entities list`")
    if len(rows) > 1:
        raise Refused(f"{given[:60]!r} names several entities", why="a name alone tells not which", hint="give the id")
    return str(rows[0][0])


def named(db: Database, name: str, project: str) -> list[str]:
    """Ids of current entities with this id, name or alias, in a project or in every project."""
    ids = [str(row[0]) for row in db.rows(_NAMED, (name, names.key(name)))]
    sees = f"SELECT 1 FROM memories m WHERE m.id = ? AND {scope.sees('?')}"
    return [id_ for id_ in ids if db.value(sees, (id_, project))]


def listed(db: Database, project: str, *, type: str = "", limit: int = 1000) -> list[EntityRow]:
    """Current entities of a project and of every project by name."""
    rows = db.rows(
        "SELECT m.id, m.project, m.tier, m.origin, e.name, e.type, m.said_at, m.offset_minutes, m.text FROM entities e"
        f" JOIN memories m ON m.id = e.id WHERE {scope.sees('?1')} AND m.status = 'current' AND (?2 = '' OR e.type = ?2) ORDER BY e.key, e.id LIMIT ?3",
        (project, type, limit),
    )
    return [EntityRow(*row[:6], aliases(db, str(row[0])), *row[6:]) for row in rows]  # type: ignore[arg-type, call-arg]


def aliases(db: Database, id: str) -> tuple[str, ...]:
    """Other names of an entity, in order."""
    return tuple(str(row[0]) for row in db.rows("SELECT alias FROM aliases WHERE entity = ? ORDER BY alias", (id,)))


def fields(db: Database, entity: str, *, contested: bool = False) -> list[FieldRow]:
    """Current fields of an entity, contested ones too when asked; the value of a sensitive one without consent is withheld."""
    rows = db.rows(
        "SELECT m.id, f.entity, m.tier, m.origin, m.status, f.name, f.key, CASE WHEN f.sensitivity = '' OR f.consent THEN f.value ELSE '' END,"
        " f.sensitivity, f.consent, m.said_at, m.offset_minutes FROM fields f JOIN memories m ON m.id = f.id"
        " WHERE f.entity = ? AND (m.status = 'current' OR (? AND m.status = 'contested')) ORDER BY f.key, m.id",
        (entity, int(contested)),
    )
    return [FieldRow(*row[:9], bool(row[9]), *row[10:]) for row in rows]  # type: ignore[arg-type, call-arg]
