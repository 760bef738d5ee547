"""What belongs to one agent goes to that agent's knowledge: a page a topic, and an index page that lists every one of them.

The index is worked out anew after each write, from the pages themselves, so that none is dropped and none is left that is
gone. It must never make an agent: one that nobody heard is a structural change, and is proposed.
"""

from bellek.curator import route, writers
from bellek.curator.context_of import Place
from bellek.curator.writers import Kept
from bellek.kg import memories, pages
from bellek.kg.home import Home
from bellek.schemas.errors import Refused
from bellek.schemas.page import Page
from bellek.schemas.trust import lowest

PARTS = "--"  # between agent and topic: no kebab-case name holds it, so no agent's pages are another's
LETTERS = 80  # of a page's topic


def topic_of(agent: str, topic: str = "") -> str:
    """The topic of a page of an agent's knowledge; of its index where none is named."""
    return f"agent-{agent}" if not topic else f"agent-{agent}{PARTS}{route.kebab(topic)}"[:LETTERS].rstrip("-")


def write(place: Place, text: str, body: Page, *, agent: str, how: str, origin: str) -> Kept:
    """Write a page of an agent's knowledge and rebuild its index. Raises Refused for an agent that was never heard."""
    if not _heard(place.home, agent):
        raise Refused(
            f"agent: nobody heard an agent {agent}",
            why="a new agent is a structural change",
            hint="propose it with the structure `agent`",
        )
    child = body.model_copy(update={"topic": topic_of(agent, body.topic)})
    kept = writers.page_of(place, text, child, how=how, origin=origin)
    index = rebuild(place, agent)
    return Kept(kept.state, tuple(dict.fromkeys((*kept.ids, *index.ids))), kept.note or index.note)


def rebuild(place: Place, agent: str) -> Kept:
    """The index page of an agent: one line a page, by topic."""
    children = pages.beginning(place.home.memory, place.project, topic_of(agent) + PARTS)
    if not children:
        return Kept("absorbed", ())
    lines = [f"- {topic.partition(PARTS)[2]}: {' '.join(title.split())} ({id_})" for id_, topic, title in children]
    origins = [memories.read(place.home.memory, id_).origin for id_, _, _ in children]
    body = Page(topic=topic_of(agent), title=f"What {agent} knows")
    return writers.page_of(place, "\n".join(lines), body, how="replace", origin=lowest(["agent", *origins]))


def _heard(home: Home, agent: str) -> bool:
    """Whether an agent of that name spoke in any transcript (a plugin's stands behind its plugin's name)."""
    return bool(
        home.conversations.value(
            "SELECT EXISTS (SELECT 1 FROM messages WHERE agent = ?1 OR substr(agent, -length(?1) - 1) = ':' || ?1)",
            (agent,),
        )
    )
