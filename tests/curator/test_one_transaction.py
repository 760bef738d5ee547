"""What hearing asks once a transaction: lines that are heard together leave what lines that are heard one by one leave."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bellek.kg.home import open_home
from bellek.schemas import fence

WORK = "şu modülü yeniden düzenle ve testlerini yaz"
COLUMNS = {
    "watch": "session, channel, turns, points, quiet, nudges, due, last_at, last_message",
    "sessions": "id, client, reset, machine, first_at, last_at", "receipts": "id, state", "packet_seen": "session, packet",
    "queue": "channel, payload, message, position, sightings, state, generation", "seen": "message, channel, position",
    "notices": "kind, position, text", "drops": "item, reason", "observations": "session, kind, path, message, at",
}  # fmt: skip
KINDS = (
    "work",
    "thanks",
    "long",
    "long",
    "long",
    "marked",
    "twice",
    "fenced",
    "seen",
    "seen",
    "seen",
    "lost",
    "compacted",
    "aside",
    "old",
)
LINES = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(("s1", "s1", "s2"))), min_size=6, max_size=16)


def put(said, kind, session):
    """One more line of a talk, by its kind."""
    apart = {"sessionId": session}
    match kind:
        case "work" | "thanks":
            said.user(WORK if kind == "work" else "teşekkürler", **apart)
        case "long":
            said.agent("ş" * 700, **apart)
        case "marked" | "twice" | "fenced":
            marks = "<!-- learning: uv, çünkü kilit -->" * (1 + (kind == "twice")) + "\n<!-- task: x: y -->"
            said.agent(f"```\n{marks}" if kind == "fenced" else marks, **apart)
        case "seen" | "lost":
            content = [fence.wrap(f"k_{session}" if kind == "seen" else "k_none", "x")]
            said.user(
                "", type="attachment", attachment={"type": "hook_additional_context", "content": content}, **apart
            )
        case "compacted":
            said.user("", type="system", subtype="compact_boundary", **apart)
        case "aside":
            said.agent("ş" * 900, isSidechain=True, **apart)
        case "old":
            said.agent("ş" * 400, timestamp="2026-11-30T09:00:02.000Z", **apart)


def left(home):
    """What a home holds of what was heard, without the ids and times that it made itself."""
    rows = {table: sorted(home.memory.rows(f"SELECT {columns} FROM {table}")) for table, columns in COLUMNS.items()}
    rows["seen"] = [
        row for row in rows["seen"] if row[1] != "turn-line"
    ]  # a pass ends a turn, so their number is a matter of passes
    return rows


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(lines=LINES, offered=st.integers(0, 4))
def test_lines_heard_together_are_lines_heard_one_by_one(talk, tmp_path_factory, lines, offered):
    """R12, R18, R113: marks, the watchdog's counts, sessions and receipts do not depend on how many lines a pass takes in."""
    folder = tmp_path_factory.mktemp("once")
    (folder / "proje").mkdir()
    results = []
    for name in ("together", "apart"):
        with open_home(str(folder / name)) as home:
            said = type(talk())(home, folder / "proje").user(WORK)
            said.hear()
            for session in ("s1", "s2"):
                home.memory.run(
                    "INSERT INTO receipts (id, session, project, event, at, state, units, lines) VALUES (?, ?, '-', 'UserPromptSubmit', ?, 'offered', 1, '[]')",
                    (f"k_{session}", session, 1_796_029_200_000 + 1_000 * offered),
                )
            for kind, session in lines:
                put(said, kind, session)
                if name == "apart":
                    said.hear()
            said.hear()
            results.append(left(home))
            last = home.conversations.rows("SELECT id, last_at FROM conversations ORDER BY id")
            assert home.memory.rows("SELECT id, last_at FROM sessions ORDER BY id") == last
    assert results[0] == results[1]


def test_a_refusal_among_the_lines_holds_for_the_next(home, talk):
    """R132, R115: a typed "no" is carried out before the marks behind it in the same pass: the words do not wait again."""
    said = talk().agent("<!-- learning: pip ile kur çünkü hızlı -->")
    said.hear()
    said.drain()
    (row,) = home.memory.rows("SELECT id FROM memories WHERE kind = 'lesson'")
    home.memory.run(
        "INSERT INTO typed_answers (session, target, answer, at, state, message) VALUES ('s1', ?, 'no', 1, 'noted', '')", row
    )  # fmt: skip
    said.user(f"bellek: no {row[0]} olmaz").agent("<!-- learning: Pip ile kur; çünkü HIZLI! -->").hear()
    assert home.memory.rows("SELECT status FROM memories WHERE id = ?", row) == [("refused",)]
    assert home.memory.rows("SELECT payload FROM queue") == []
    assert json.dumps(home.memory.rows("SELECT reason FROM drops")) == '[["refused or forgotten before"]]'
