"""Why a row was told, and what kept another out: receipts and the recall's own arithmetic, put into sentences. Reads only."""

from bellek.context import recall
from bellek.kg import fts_query, lookup, memories, receipts, scope
from bellek.kg.home import Home
from bellek.schemas.errors import NotFound
from bellek.schemas.vocab import ORIGINS_KEPT_OUT

CANDIDATES = 5


def full_id(home: Home, given: str) -> str:
    """The id of a memory by its first letters, or of a message that receipts name. Raises NotFound, Refused."""
    if given in ("identity", "habit"):
        return given
    if home.conversations.value("SELECT 1 FROM messages WHERE id = ?", (given,)):
        return given
    try:
        return memories.find_id(home.memory, given)
    except NotFound:
        short = home.conversations.rows(
            "SELECT id FROM messages WHERE substr(id, 1, ?) = ? LIMIT 2", (len(given), given)
        )
        if given and len(short) == 1:
            return str(short[0][0])
        raise


def why_not(home: Home, project: str, text: str, prompt: str) -> list[tuple[str, str, str]]:
    """(id, text, reason) of the memories that best fit some words, of any project."""
    match = fts_query.match(text, column="own")
    rows = lookup.memories(home.memory, match, limit=CANDIDATES) if match else []
    return [(str(row[0]), str(row[9]), _reason(home, project, str(row[0]), str(row[10]), prompt)) for row in rows]


def _reason(home: Home, project: str, id_: str, shadow: str, prompt: str) -> str:
    memory = memories.read(home.memory, id_)
    if not scope.in_sight(memory.project, project):
        return "it belongs to another project"
    if memory.status not in ("current", "contested"):
        return f"it is {memory.status}" + (f": {memory.note}" if memory.note else "")
    if memory.origin in ORIGINS_KEPT_OUT and memory.tier != "T2" and not memory.let_in:
        return f"its origin is {memory.origin}: such rows are told only after a person let them in (`bellek quarantine release {id_}`)"
    considered = receipts.of_memory(home.memory, id_, limit=1)
    if prompt:
        return _for_prompt(home, project, shadow, prompt)
    if considered:
        receipt, line = considered[0]
        return {"told": f"it was told in packet {receipt.id}", "cut": f"it did not fit into packet {receipt.id}"}.get(
            line.fate, f"packet {receipt.id}: {line.fate}"
        )
    return "no prompt here carried enough of its words yet (give --prompt to see the arithmetic)"


def _for_prompt(home: Home, project: str, shadow: str, prompt: str) -> str:
    weights = recall.weigh(home.memory, prompt, scope.words(project))
    share = recall.carried(weights, shadow)
    words = ", ".join(f"{word} {weight:.1f}" for word, weight in weights.words.items())
    verdict = "and would be told" if share >= recall.FLOOR else "too little (one shared word must be rare here)"
    return f"it carries {share:.2f} of that prompt's weight, {verdict}; the floor is {recall.FLOOR}, the words weigh: {words}"
