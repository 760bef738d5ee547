"""A curator's answer is read whole or refused whole, whatever a model wrote around it."""

import json

import pytest
from typed_world import World, claim, lesson

from bellek.curator.answers import read_rows
from bellek.schemas.errors import Refused

ROW = {"verdict": "drop", "items": ["q_1"], "reason": "küçük söz {sic}"}
JSON = json.dumps(ROW, ensure_ascii=False)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (JSON, 1), (f"[{JSON}, {JSON}]", 2), (f'{{"verdicts": [{JSON}]}}', 1), (f"{JSON}\n\n{JSON}\n", 2), ("[]", 0),
        (f"Konuşmaya göre {{seyahat}}, sonuç: [{JSON}] umarım yardımcı olur", 1), (f"```json\n[{JSON}]\n```", 1),
        (f"First:\n```json\n[{JSON}]\n```\nand then\n```\n{JSON}\n```", 2), (f"[note] {{}} [1, 2] {JSON}", 1),
    ],
)  # fmt: skip
def test_verdicts_are_found_among_prose(text, count):
    """B66: an array, an object with `verdicts`, one a line, prose with braces, one fence and two fences are all read."""
    assert read_rows(text) == [ROW] * count


@pytest.mark.parametrize(
    "text",
    [
        "", "sorry, nothing today", "{seyahat}", f"[{JSON}", f"ok: [{JSON}] and also {JSON[:-2]}", '{"claims":[{"object":"\\u12 şeker"}]}',
        f'{{"verdict": "drop", "note": "\\u12 şeker"}} {JSON}', "[" * 100_000, '{"verdict": "drop", "verdict": "write"}', "1" * 10_000,
        '{"verdict": "drop", "reason": "\x00"}',
    ],
)  # fmt: skip
def test_what_cannot_be_read_whole_is_refused(text):
    """B66, B68: no JSON, a cut or broken part, a bad escape, a key that stands twice, endless nesting: refused, with a way on, and nothing is done."""
    with pytest.raises(Refused) as caught:
        read_rows(text)
    assert "apply --schema" in str(caught.value)


def test_not_a_number_is_refused_by_its_field(home):
    """B67: NaN, which JSON readers let through, is refused where it stands, and a good row beside it is written."""
    world = World(home)
    message = world.say("I live in İzmir")
    verdict = claim(message, "I live in İzmir", "lives_in", "İzmir", confidence=float("nan"))
    rows = read_rows(json.dumps([lesson("önbellek boşaltılır"), verdict]))
    assert "NaN" in json.dumps(verdict)
    good, bad = world.apply(*rows)
    assert (good.state, bad.state) == ("written", "refused")
    assert "confidence" in bad.reason
