"""Pi's hook contract: what our extension file asks and is answered. Its sessions are read in `pi_ears`.

One of the prompt hook's rooms. The extension puts the answer into a message that the client stores and sends again.
"""

from bellek.clients import plain
from bellek.schemas.packet import Turn

CAP = 9_800  # UTF-16 units; the client has no cap of its own, so it is told no more than the strictest
EVENTS = {"session_start": "start", "session_compact": "start", "before_agent_start": "prompt", "agent_end": "over", "session_shutdown": "over"}  # fmt: skip


def turn(client: str, name: str, fields: "dict[str, str]") -> Turn:
    """An event of the extension; after a compaction it says so itself."""
    return plain.turn(client, EVENTS, name, fields)


answer = plain.context
