"""The one scope predicate, for every arm: a list, a section, recall and search ask for a project through this room (R57).

One of the prompt hook's rooms. A row is in sight of its own project and, where it holds in every project, of all. It must
never widen: a project that is unknown sees what holds everywhere and nothing else, and a message only its own project.
"""

from bellek.schemas.vocab import ANY, NO_PROJECT

NOWHERE = "pnowhere"  # an empty scope would mean any place to a query; this one is no project's word


def sees(at: str, *, alias: str = "m") -> str:
    """SQL: the row `alias` ("" for a bare column) is in sight of the project bound at the placeholder `at` ("?", "?1", ":project")."""
    return f"{alias}{'.' if alias else ''}project IN ({at}, '{ANY}')"


def in_sight(owner: str, project: str) -> bool:
    """The same predicate of values: a row of `owner` is in sight of a project."""
    return owner in (project, ANY)


def word(project: str) -> str:
    """The scope word of a project in both indexes, as their views spell it; for no project one that no row has."""
    if project == ANY:
        return "pany"
    return "pnone" if project == NO_PROJECT else project.replace("_", "") or NOWHERE


def words(project: str) -> str:
    """The scope words that a project sees in the index of memories: its own, and that of every project."""
    return "pany" if project == ANY else word(project) + " pany"


def words_with_apart(project: str) -> str:
    """The same with the words of what is set apart from recall (quarantine): for who forgets or asks for it, not for who is told."""
    own = words(project).split()
    return " ".join((*own, *(f"apart{one}" for one in own)))
