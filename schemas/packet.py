"""What a packet is made of. One of the prompt hook's rooms: plain classes, no imports."""

SCHEMA_VERSION = 1  # of memory.db and conversations.db; a test holds it equal to the newest file under schemas/sql

# Stable parts first, volatile last, so that a client's prompt cache survives (DESIGN, "The packet").
SECTIONS = (
    "identity",
    "habit",
    "rules",
    "wisdom",
    "claims",
    "index",
    "worldview",
    "tasks",
    "journal",
    "log",
    "tone",
    "changed",
    "signals",
    "lessons",
    "conversations",
)


class Line:
    """One line that a packet may hold. `id` and `revision` say which row; `text` is raw stored text; `tail` is our own.

    `scores` maps an arm's name to its score, larger is better.
    """

    __slots__ = ("id", "revision", "scores", "section", "tail", "text")

    def __init__(
        self, section: str, id: str, revision: int, text: str, tail: str = "", scores: "dict[str, float] | None" = None
    ) -> None:
        self.section = section
        self.id = id
        self.revision = revision
        self.text = text
        self.tail = tail
        self.scores = scores or {}


class Turn:
    """A client's event, told apart once. `event` is "start", "prompt", "over" or "" for one that says nothing to us.

    `name` is the client's own event name, `source` why a session started; `machine` marks a prompt that is no person's.
    """

    __slots__ = ("client", "cwd", "event", "machine", "name", "prompt", "session", "source", "transcript")

    def __init__(
        self,
        client: str,
        name: str,
        event: str,
        session: str,
        cwd: str,
        prompt: str = "",
        source: str = "",
        transcript: str = "",
        *,
        machine: bool = False,
    ) -> None:
        self.client = client
        self.name = name
        self.event = event
        self.session = session
        self.cwd = cwd
        self.prompt = prompt
        self.source = source
        self.transcript = transcript
        self.machine = machine
