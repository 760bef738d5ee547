"""R132: an answer typed where the person is counts when the hook saw it and the transcript marks it as typed; nothing else does."""

import json

import pytest
from world import Session, said

from bellek.curator import apply, review, typed
from bellek.kg import check, memories
from bellek.kg.home import open_home
from bellek.schemas import answer

PERSON = "person:terminal"


@pytest.fixture
def proposal(taught):
    """The id of a proposal that waits in the world's project."""
    with open_home(str(taught.home)) as home:
        project = str(home.memory.value("SELECT project FROM memories LIMIT 1"))
        verdict = {"verdict": "propose", "structure": "rule", "title": "t", "text": "test önce yazılır"}
        (receipt,) = apply.apply(home, project, [verdict], actor="curator")
        return receipt.ids[0]


@pytest.fixture
def lesson(taught):
    """The id of a provisional lesson."""
    with open_home(str(taught.home)) as home:
        return str(home.memory.value("SELECT id FROM lessons ORDER BY importance DESC LIMIT 1"))


def row(world, id_):
    """A memory as it stands."""
    with open_home(str(world.home)) as home:
        return memories.read(home.memory, id_)


def switch(world, on):
    """A person turned typed promotions on or off."""
    with open_home(str(world.home)) as home, home.memory.transaction():
        typed.let_promote(home, on, actor=PERSON)


def types(world, line, session="s-1", *, noted=True, environment=None, **marks):
    """A prompt whose first line this is: the hook sees it, the transcript keeps it, the turn ends and is heard."""
    context = ""
    if noted:
        given = {"env": world.environment(**environment)} if environment else None
        context = world.send("UserPromptSubmit", session, given=given, prompt=line).context
    marks = {"promptSource": "typed", **marks}
    talk = Session(world, session)
    talk.count = len(world.transcript(session).read_text().splitlines()) if world.transcript(session).exists() else 0
    talk.lines({"type": "user", "message": {"role": "user", "content": line}, **marks}, said("Tamam."))
    world.bellek("tick")
    return context


@pytest.mark.parametrize(("word", "state"), [("yes", "accepted"), ("no", "declined"), ("YES", "accepted")])
def test_a_proposal_is_answered_by_a_typed_line(taught, proposal, word, state):
    """R36, R132: `bellek: yes ID` and `bellek: no ID NOTE` answer a proposal, the note is kept, and the actor is the typed line."""
    context = types(taught, f"bellek: {word} {proposal} çünkü öyle\nve işe devam et")
    assert "carries it out by itself" in context
    answered = row(taught, proposal).body
    assert (answered.state, answered.answer) == (state, "çünkü öyle")
    with open_home(str(taught.home)) as home:
        assert (
            home.memory.value("SELECT actor FROM audit WHERE id = ? ORDER BY seq DESC", (proposal,)) == "person:typed"
        )


@pytest.mark.parametrize(
    "marks",
    [
        {"promptSource": "sdk", "entrypoint": "sdk-cli"}, {"promptSource": None, "entrypoint": "sdk-cli"}, {"promptSource": "system"},
        {"isMeta": True}, {"origin": {"kind": "task-notification"}}, {"turnOrigin": "agent"}, {"isSidechain": True}, {"rowSource": "client", "promptSource": None},
    ],
)  # fmt: skip
def test_a_line_that_is_not_marked_as_typed_answers_nothing(taught, proposal, marks):
    """R132: a line of `-p`, of a notice, of another agent, of the client itself or of a nested run answers nothing."""
    types(taught, f"bellek: yes {proposal}", **marks)
    assert row(taught, proposal).body.state == "waiting"


def test_a_line_that_the_hook_did_not_see_answers_nothing(taught, proposal):
    """R132: a transcript alone, which an agent can write, is one witness of two; a nested run's hook says nothing."""
    types(taught, f"bellek: yes {proposal}", noted=False)
    types(taught, f"bellek: yes {proposal}", environment={"BELLEK_NESTED": "1"})
    types(taught, f"bellek: yes {proposal}", "s-2", noted=False)
    assert row(taught, proposal).body.state == "waiting"


def test_the_hook_alone_answers_nothing_and_keeps_no_text(taught, proposal):
    """R132: the hook notes session, id and answer, no word more; without the transcript nothing is carried out."""
    taught.prompt(f"bellek: no {proposal} gizli gerekçe")
    taught.bellek("tick")
    assert row(taught, proposal).body.state == "waiting"
    with open_home(str(taught.home)) as home:
        assert home.memory.rows("SELECT session, target, answer, state, message FROM typed_answers") == [
            ("s-1", proposal, "no", "noted", "")
        ]
    assert b"gizli" not in b"".join(p.read_bytes() for p in taught.home.rglob("*") if p.is_file())


def test_an_answer_is_carried_out_once(taught, proposal):
    """R132: hearing the same transcript again, or the same line again, changes nothing more and is no fault."""
    types(taught, f"bellek: yes {proposal}")
    revision = json.loads(taught.bellek("show", proposal, "--json"))["history"]
    taught.bellek("tick")
    assert json.loads(taught.bellek("show", proposal, "--json"))["history"] == revision
    types(taught, f"bellek: no {proposal} vazgeçtim")
    assert row(taught, proposal).body.state == "accepted"
    assert "answered already" in taught.bellek("status")


def test_promotion_by_a_line_is_off_until_a_person_turns_it_on(taught, lesson):
    """R132: `bellek: promote ID` does nothing, and says why, until a person turned it on; then the row is permanent."""
    types(taught, f"bellek: promote {lesson}")
    assert row(taught, lesson).tier == "T1"
    assert "typed lines may not promote" in taught.bellek("status")
    switch(taught, on=True)
    types(taught, f"bellek: promote {lesson}")
    assert row(taught, lesson).tier == "T2"
    switch(taught, on=False)
    with open_home(str(taught.home)) as home:
        assert check.check_home(home) == []


def test_where_promotions_are_signed_no_line_promotes(taught, lesson):
    """R122, R132: a line has no passphrase, so it cannot promote where promotions are signed."""
    switch(taught, on=True)
    with open_home(str(taught.home)) as home, home.memory.transaction():
        review.set_passphrase(home, "üç kelimelik söz", actor=PERSON)
    types(taught, f"bellek: promote {lesson}")
    assert row(taught, lesson).tier == "T1"


def test_a_row_is_refused_by_a_line_with_its_note(taught, lesson):
    """R53, R132: `bellek: no ID NOTE` refuses a provisional row; without a note nothing is refused."""
    types(taught, f"bellek: no {lesson}")
    assert row(taught, lesson).status == "current"
    types(taught, f"bellek: no {lesson} artık doğru değil")
    assert (row(taught, lesson).status, row(taught, lesson).note) == ("refused", "artık doğru değil")


def test_a_permanent_row_is_not_refused_by_a_line(taught, lesson):
    """R129, R132: what a person made permanent at a terminal is not undone by a typed line."""
    with open_home(str(taught.home)) as home, home.memory.transaction():
        review.promote(home, lesson, actor=PERSON)
    types(taught, f"bellek: no {lesson} yanlış")
    assert (row(taught, lesson).tier, row(taught, lesson).status) == ("T2", "current")


@pytest.mark.parametrize(
    "prompt",
    ["", "bellek", "bellek: ", "bellek: yes", "bellek: maybe r_1234", "please type bellek: yes r_1234", " bellek: yes r_1234", "> bellek: yes r_1234",
     "`bellek: yes r_1234`", "bellek: yes ../../etc", "bellek: yes " + "a" * 21, "x\nbellek: yes r_1234", "bellek: yes r_1234\n" + "yapıştırılan satır\n" * 9],
)  # fmt: skip
def test_what_is_no_answer_line(prompt):
    """R132: only a first line in the very form answers: no quotation, no code, no later line, no long paste, no odd id."""
    assert answer.read(prompt) is None


def test_an_answer_line_is_read():
    """R132: word, id and note, whatever blanks stand between them."""
    read = answer.read("Bellek:  NO   r_1234abcd   çünkü: eski\nsonra")
    assert (read.answer, read.target, read.note) == ("no", "r_1234abcd", "çünkü: eski")
