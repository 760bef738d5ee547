"""`mine`: what was ordered in two sessions or corrected twice becomes one provisional row, without a model."""

import pytest
from dreaming import dump

from bellek.curator import consolidate, forgetting, review
from bellek.curator.mine import mine
from bellek.kg import blast
from bellek.kg.blast import Asked

ORDERS = [
    ("Please run the tests with uv before each commit.", "run the tests with uv before each commit"),
    ("Testleri her commit'ten önce uv ile çalıştır!", "lütfen testleri her committen önce UV ile çalıştır"),
    ("Never push to main directly", "never push to main directly."),
    ("Asla main'e doğrudan push etme", "ASLA MAİN'E DOĞRUDAN PUSH ETME"),
]  # fmt: skip


def candidates(person):
    """The rows that stand: (text, sessions)."""
    rows = person.home.memory.rows("SELECT id, text FROM memories WHERE status = 'current' ORDER BY n")
    return [(str(text), person.sources(str(id_))) for id_, text in rows]


@pytest.mark.parametrize(("first", "second"), ORDERS)
def test_the_same_order_in_two_sessions_is_one_candidate(person, first, second):
    """R20: an instruction of two sessions becomes one T1 claim with both as sources, whatever its case, politeness and marks."""
    person.types(first, session="s1").types("bir şey daha", second, session="s2")
    mine(person.home, person.project)
    ((text, sessions),) = candidates(person)
    assert sessions == ["s1", "s2"]
    ((kind, tier, origin, everywhere, _),) = person.rows()
    assert (kind, tier, origin, everywhere) == ("claim", "T1", "user", False)
    assert text == "user requires " + first.removeprefix("Please ").rstrip(".!")


@pytest.mark.parametrize(("first", "second"), ORDERS)
def test_mining_again_adds_nothing(person, first, second):
    """R20, R59: a second and third run change no byte of any table; a third session only counts on the same row."""
    person.types(first, session="s1").types(second, session="s2")
    mine(person.home, person.project)
    before = dump(person.home)
    assert mine(person.home, person.project).states == {}
    assert mine(person.home, person.project).states == {}
    assert dump(person.home) == before
    person.types(second, session="s3")
    assert mine(person.home, person.project).states == {"absorbed": 1}
    assert [sessions for _, sessions in candidates(person)] == [["s1", "s2", "s3"]]


def test_within_one_session_nothing_is_mined(person):
    """R20: the same instruction five times in one session makes no row."""
    person.types(*["run the tests with uv before each commit"] * 5)
    assert mine(person.home, person.project).states == {}
    assert person.rows() == []


def test_what_is_not_typed_is_not_mined(person):
    """R20: `-p` prompts, fenced and quoted text, questions and long pastes give nothing, in however many sessions."""
    order = "Never push to main directly"
    for n in range(3):
        person.types(order, session=f"p{n}", promptSource="sdk", entrypoint="sdk-cli")
        person.types(f"```\n{order}\n```\n> {order}\nHe said “{order}”. {order}?", session=f"q{n}")
        person.types(f"{order}\n" + "log line\n" * 400, session=f"l{n}")
    mine(person.home, person.project)
    assert person.rows() == []


def test_opposite_orders_do_not_meet(person):
    """R20: "use" and "never use", and two numbers, are different instructions, in both languages."""
    person.types("testlerde gerçek veritabanı kullan", "always use port 8080 for the server", session="s1")
    person.types("testlerde gerçek veritabanı kullanma lütfen", "always use port 9090 for the server", session="s2")
    mine(person.home, person.project)
    assert person.rows() == []


def test_two_projects_do_not_add_up(person, stranger):
    """R20, R57: one session in each of two projects makes no candidate; two in one make it there alone."""
    order = "Never push to main directly"
    person.types(order, session="s1")
    stranger.types(order, session="t1")
    mine(person.home, person.project)
    mine(stranger.home, stranger.project)
    assert person.rows() == []
    stranger.types(order, session="t2")
    mine(stranger.home, stranger.project)
    assert person.home.memory.rows("SELECT project, count(*) FROM memories") == [(stranger.project, 1)]


def test_sleep_and_mine_make_one_row_of_one_sentence(person):
    """Whichever comes first, a sentence that both read becomes one row."""
    person.types("Never push to main directly", session="s1").types("never push to main directly", session="s2")
    consolidate.sleep(person.home, person.project)
    assert mine(person.home, person.project).states == {}
    assert [sessions for _, sessions in candidates(person)] == [["s1", "s2"]]


CORRECTIONS = [
    ("No, use pnpm", "no, use pnpm, not npm", "user prefers pnpm, not npm"),
    ("Hayır, pnpm kullan", "npm değil, pnpm", "user prefers npm değil, pnpm"),
    ("Hayır. npm yerine pnpm kullan.", "don't use npm, use pnpm", "user prefers npm değil, pnpm"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "text"), CORRECTIONS)
def test_the_second_correction_of_a_subject_is_a_preference(person, first, second, text):
    """R83: one correction makes nothing; the second of the same subject makes one T1 preference; a third counts on it."""
    person.types(first, session="s1")
    mine(person.home, person.project)
    assert person.rows() == []
    person.types(second, session="s2")
    mine(person.home, person.project)
    assert candidates(person) == [(text, ["s1", "s2"])]
    assert person.home.memory.rows("SELECT category, predicate FROM claims") == [("preference", "prefers")]
    person.types("no, use pnpm", session="s3")
    mine(person.home, person.project)
    mine(person.home, person.project)
    assert candidates(person) == [(text, ["s1", "s2", "s3"])]


def test_two_corrections_of_two_subjects_are_no_preference(person):
    """R83: different subjects do not add up; "no problem" and a pointing word correct nothing."""
    person.types("no, use pnpm", "no, use tabs", "no problem, thanks", "no, use that one", session="s1")
    person.types("no problem, thanks", "no, use that one", session="s2")
    mine(person.home, person.project)
    assert person.rows() == []


@pytest.mark.parametrize("how", ["forgotten", "refused"])
def test_what_is_gone_is_not_mined_again(person, how):
    """R115: an order whose row was forgotten or refused does not come back when two other sessions give it again, by mining or by sleep."""
    for session in ("s1", "s2"):
        person.types("Always use tabs in Go files", session=session)
    (id_,) = mine(person.home, person.project).ids
    if how == "refused":
        with person.home.memory.transaction():
            review.refuse(person.home, id_, note="spaces", actor="person:terminal")
    else:
        reached = blast.reach(person.home, Asked(person.project, (id_,)))
        assert forgetting.carry_out(person.home, reached, actor="person").state == "proven"
    for session in ("s3", "s4"):
        person.types("ALWAYS use tabs in Go files!", session=session)
    for _ in range(3):
        mine(person.home, person.project)
        consolidate.sleep(person.home, person.project)
    db = person.home.memory
    assert db.rows("SELECT text FROM memories WHERE status IN ('current', 'contested', 'quarantined')") == []
