"""A packet by hand: what the next turn would be told, and an earlier packet built again from its receipt. Reads only."""

from bellek.context import packet, recall, sections
from bellek.context.packet import Packet
from bellek.context.turn import TOKEN_CAP, known_lines
from bellek.kg import agents, clock, memories, receipts, scope
from bellek.kg.home import Home
from bellek.schemas.packet import Line
from bellek.schemas.vocab import FORGOTTEN

CAP = 9_800  # as for the strictest client that counts letters
PREVIEW_ID = "k_preview"
CLIENT = "claude-code"  # whose tone a packet by hand has


def next_packet(home: Home, project: str, prompt: str, session: str = "", agent: str = "") -> Packet:
    """The packet of an agent's next prompt in a project; without a session, the full one."""
    lines = sections.unasked(
        home.memory, home.path, project, clock.now(), session=session, agent=agent, person=True, prompt=True
    )
    if prompt:
        lines += recall.lessons(home.memory, prompt, scope.words(agents.scope_of(home.memory, project, agent)))
        lines += recall.talks(home.conversations, prompt, project, session)
    known = known_lines(home.memory, session) if session else {}
    lines += sections.changed(home.memory, known)
    lines += sections.tone(home.memory, CLIENT, clock.now(), known)
    return packet.build(PREVIEW_ID, lines, known, cap=CAP, token_cap=TOKEN_CAP)


def again(home: Home, packet_id: str) -> Packet:
    """An earlier packet from its receipt: the very revisions it told; a forgotten row reads ``[forgotten]``."""
    receipt = receipts.load(home.memory, packet_id)
    lines = [_line(home, line) for line in receipt.lines if line.fate == "told"]
    return packet.build(receipt.id, lines, {}, cap=CAP, token_cap=TOKEN_CAP)


def _line(home: Home, old: receipts.Line) -> Line:
    if old.section in ("identity", "habit", "tone", "signals"):
        return Line(old.section, old.id, old.revision, f"[the {old.section} text of that time is not kept]")
    if old.section == "conversations":
        row = home.conversations.one(
            "SELECT text, author, conversation, at, offset_minutes FROM messages WHERE id = ?", (old.id,)
        )
        if row is None:
            return Line(old.section, old.id, old.revision, FORGOTTEN)
        text, author, talk, at, offset = row
        return Line(
            old.section,
            old.id,
            old.revision,
            str(text),
            recall.talk_tail(str(author), str(talk), int(str(at)), int(str(offset))),
        )
    return Line(old.section, old.id, old.revision, _text_of(home, old))


def _text_of(home: Home, old: receipts.Line) -> str:
    """The words of that revision; consent counts as it is now, not as it was then."""
    then = memories.of_revision(home.memory, old.id, old.revision)
    if then is None:
        return FORGOTTEN
    now = memories.read(home.memory, old.id)
    if now.status == "hidden" and home.memory.value("SELECT 1 FROM audit WHERE id = ? AND act = 'forget'", (old.id,)):
        return FORGOTTEN
    hidden = memories.shown(now)
    return then.text if hidden is now else hidden.text
