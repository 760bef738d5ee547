"""How lessons fare: applied and violated, once a message, by a bound that few tries do not pass, within what origin and tier allow."""

import pytest
import rows
from hypothesis import given
from hypothesis import strategies as st

from bellek.context import sections, wisdom_block
from bellek.curator import apply, review
from bellek.curator.consolidate import by_rule
from bellek.kg import memories, observations
from bellek.schemas.errors import Refused
from bellek.schemas.lesson import CEILING, CRITICAL, HIGH, LOW, MEDIUM, Lesson, standing, wilson
from bellek.schemas.vocab import ORIGINS

COUNTS = st.integers(0, 60)


@given(hits=COUNTS, misses=COUNTS)
def test_the_bound_is_below_the_share_and_grows(hits, misses):
    """R92: Wilson's lower bound lies between 0 and the share; another hit never lowers it."""
    tries = hits + misses
    bound = wilson(hits, tries)
    assert -1e-12 <= bound <= (hits / tries if tries else 0) + 1e-12
    assert wilson(hits + 1, tries + 1) >= bound - 1e-12


@given(
    importance=st.integers(LOW, CRITICAL), applied=COUNTS, violated=COUNTS, origin=st.sampled_from(ORIGINS), tier=st.sampled_from(("T1", "T2"))
)  # fmt: skip
def test_outcomes_move_a_step_and_never_past_origin_and_tier(importance, applied, violated, origin, tier):
    """R92, R123: at most one step either way; never above what the origin allows, unless it was said to be; a permanent one stays."""
    lesson = Lesson(topic="x", learning="pattern", importance=importance, applied=applied, violated=violated)
    found = standing(lesson, origin=origin, tier=tier)
    assert LOW <= found <= CRITICAL
    assert abs(found - importance) <= 1
    assert found <= max(importance, CEILING.get(origin, MEDIUM))
    assert tier == "T1" or found == importance


def told(home, project, result, id_, message):
    """The receipt of one outcome."""
    row = {"verdict": "outcome", "id": id_, "result": result, "evidence": [message]}
    (receipt,) = apply.apply(home, project, [row], actor="curator")
    return receipt


def test_four_that_held_raise_a_lesson_into_wisdom_and_failures_take_it_out(home, tmp_path):
    """R92, R93: three messages prove nothing, the fourth raises it; a message counts once; then what did not hold brings it down."""
    here = rows.project(home, tmp_path / "proje")
    (id_,) = rows.write(home, here, rows.lesson("uv kullan, çünkü kilit dosyası tek", importance=MEDIUM))
    rows.say(home, here, *(f"oldu {n}" for n in range(40)))
    lane = lambda: [line.id for line in sections.wisdom(home.memory, here, "T1")]  # noqa: E731
    for n in range(3):
        assert told(home, here, "applied", id_, f"talk-1-{n}").state == "noted"
    assert "counted already" in told(home, here, "applied", id_, "talk-1-2").reason
    assert lane() == []
    told(home, here, "applied", id_, "talk-1-3")
    assert lane() == [id_]
    for n in range(4, 40):
        told(home, here, "violated", id_, f"talk-1-{n}")
    assert lane() == []
    body = memories.read(home.memory, id_).body
    assert (body.importance, body.applied, body.violated) == (MEDIUM, 4, 36)


def test_a_permanent_lesson_and_a_made_up_message_are_left_alone(home, tmp_path):
    """R129: an outcome of a permanent lesson changes no revision of it; one without a heard message is refused."""
    here = rows.project(home, tmp_path / "proje")
    (id_,) = rows.write(home, here, rows.lesson("asla elle dağıtma", importance=HIGH))
    rows.say(home, here, "dağıttım")
    with home.memory.transaction():
        review.promote(home, id_, actor="person:terminal")
    before = home.memory.rows("SELECT * FROM memories")
    assert told(home, here, "violated", id_, "talk-1-0").state == "noted"
    assert home.memory.rows("SELECT * FROM memories") == before
    assert told(home, here, "violated", id_, "m-yok").state == "refused"
    assert (
        apply.apply(home, here, [{"verdict": "outcome", "id": id_, "result": "applied"}], actor="c")[0].state
        == "refused"
    )


def test_a_correction_is_a_lesson_at_once(home, tmp_path):
    """R92: a typed correction becomes one lesson, in Turkish and in English; a question and an agent's line become none."""
    here = rows.project(home, tmp_path / "proje")
    rows.say(home, here, "No, use pnpm, not npm", "hayır, tab yerine boşluk kullan", "neden npm?")
    rows.say(home, here, "use pnpm, not npm", talk="talk-2", author="assistant", origin="agent")
    with home.memory.transaction():
        for talk, n in (("talk-1", 0), ("talk-1", 1), ("talk-1", 2), ("talk-2", 0)):
            observations.point(home.memory, session=talk, project=here, kind="typed", message=f"{talk}-{n}", at=rows.AT)
    steps = by_rule(home, here, observations.waiting(home.memory, here)).steps
    assert [step.verdict["memory"]["text"] for step in steps] == [
        "No, use pnpm, not npm",
        "hayır, tab yerine boşluk kullan",
    ]
    assert {step.verdict["memory"]["kind"] for step in steps} == {"lesson"}


def lanes(home, project):
    """The two lanes of WISDOM."""
    return [sections.wisdom(home.memory, project, tier) for tier in ("T2", "T1")]


def test_the_same_store_gives_the_same_block(home, tmp_path):
    """R93: WISDOM as text is the same bytes twice, ordered by standing, and holds both lanes; without a lesson there is none."""
    here = rows.project(home, tmp_path / "proje")
    assert wisdom_block.block(lanes(home, here)) == ""
    ids = rows.write(
        home, here, rows.lesson("önce yedek al <b>", importance=HIGH), rows.lesson("asla elle dağıtma", importance=CRITICAL), rows.lesson("önemsiz", importance=LOW)
    )  # fmt: skip
    with home.memory.transaction():
        review.promote(home, ids[0], actor="person:terminal")
    text = wisdom_block.block(lanes(home, here))
    assert text == wisdom_block.block(lanes(home, here))
    assert [line.split("]")[0][3:] for line in text.splitlines() if line.startswith("- [")] == [ids[0], ids[1]]
    assert "<b>" not in text
    assert "önemsiz" not in text


FILES = st.text(alphabet=st.characters(blacklist_categories=("Cs",)), max_size=80).filter(
    lambda t: "bellek:wisdom" not in t
)


@given(before=FILES, after=FILES, edit=st.sampled_from(["", "\n- benim kuralım", "x"]))
def test_nothing_outside_the_marks_changes_and_an_edit_inside_is_told(before, after, edit):
    """R93: whatever stands around the block stays; an edit between the marks is overwritten, and reported, and only then."""
    first = wisdom_block._sum("a")
    old = f"{wisdom_block.BEGIN}{first} -->\na{edit}\n{wisdom_block.END}"
    new = f"{wisdom_block.BEGIN}{wisdom_block._sum('b')} -->\nb\n{wisdom_block.END}"
    done = wisdom_block.put(before + old + after, new)
    assert done.text == before + new + after
    assert done.edited == bool(edit)
    assert wisdom_block.put(done.text, new) == wisdom_block.Put(done.text, edited=False, changed=False)
    assert wisdom_block.put(before, new).text.startswith(before)


def test_a_block_without_its_end_is_not_guessed():
    """R93: where the end mark is gone nothing is written, and it is said what to do."""
    with pytest.raises(Refused, match="end"):
        wisdom_block.put(f"üst\n{wisdom_block.BEGIN}x -->\nyarım", "yeni")
