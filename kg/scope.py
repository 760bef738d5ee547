"""The one scope predicate, for every arm: a list, a section, recall and search ask for a project through this room (R57).

One of the prompt hook's rooms. A row is in sight of its own project and, where it holds in every project, of all. It must
never widen: a bank is seen from itself alone, a project that is unknown sees what holds everywhere and nothing else, and a message only its own project.
"""

from bellek.schemas.vocab import ANY, NO_PROJECT

BANK = "~"  # parts a project from the agent whose bank it is: p_3k9x0q2m7v1d~ada
NOWHERE = "pnowhere"  # an empty scope would mean any place to a query; this one is no project's word


def sees(at: str, *, alias: str = "m") -> str:
    """SQL: the row `alias` ("" for a bare column) is in sight of the project bound at the placeholder `at` ("?", "?1", ":project")."""
    column = f"{alias}{'.' if alias else ''}project"
    if at == "?":  # bound once and needed twice
        return f"{column} IN (WITH s (p) AS (SELECT ?) SELECT p FROM s UNION ALL SELECT '{ANY}' UNION ALL SELECT {_base_of('p')} FROM s)"
    return f"{column} IN ({at}, '{ANY}', {_base_of(at)})"


def sees_with(banks: int) -> str:
    """SQL: the row `m` is in sight of a project or lies in one of so many banks; placeholders for the project, then each bank."""
    return f"({sees('?')} OR m.project IN ({', '.join('?' * banks)}))"


def _base_of(at: str) -> str:
    return f"substr({at}, 1, instr({at} || '{BANK}', '{BANK}') - 1)"


def bank(project: str, agent: str) -> str:
    """The bank of an agent in a project: a scope of its own, which sees the project's rows and is seen by no other agent."""
    return f"{project}{BANK}{agent}"


def base(project: str) -> str:
    """The project that a bank lies in; a project itself otherwise."""
    return project.partition(BANK)[0]


def in_sight(owner: str, project: str) -> bool:
    """The same predicate of values: a row of `owner` is in sight of a project."""
    return owner in (project, ANY, base(project))


def word(project: str) -> str:
    """The scope word of a project in both indexes, as their views spell it; for no project one that no row has."""
    if project == ANY:
        return "pany"
    if project == NO_PROJECT:
        return "pnone"
    place, _, agent = project.partition(BANK)
    return (place.replace("_", "") + (f"b{agent.encode().hex()}" if agent else "")) or NOWHERE


def words(project: str) -> str:
    """The scope words that a project sees in the index of memories: its own, and that of every project."""
    if project == ANY:
        return "pany"
    own = (word(project), word(base(project))) if BANK in project else (word(project),)
    return " ".join((*own, "pany"))


def words_with_apart(project: str) -> str:
    """The same with the words of what is set apart from recall (quarantine): for who forgets or asks for it, not for who is told."""
    own = words(project).split()
    return " ".join((*own, *(f"apart{one}" for one in own)))
