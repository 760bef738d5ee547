"""`bellek review` at a terminal, and what a pipe gets."""

import rows

from bellek.kg import memories
from bellek.kg.home import open_home
from bellek.schemas.proposal import Proposal


def test_one_key_an_act(person, world):
    """R127: at a terminal each row is shown in full; p promotes, u takes it back, r asks why and refuses, a full stop ends."""
    with open_home(str(world.home)) as home:
        here = rows.project(home, world.work)
        first, second = rows.write(
            home,
            here,
            rows.lesson("paketler uv ile kurulur", importance=2),
            rows.lesson("kilit dosyası elle değişmez", importance=2, said_at=rows.AT + 1),
        )
    keys = (("[1/2]", "p"), ("[1/1]", "u"), ("[1/2]", "j"), ("[2/2]", "r"))
    types = [(shows, key, "at once") for shows, key in keys] + [("why:", "gerekmiyor"), ("[1/1]", ".", "at once")]
    done = person.bellek("review", types=types, wrap="{{ TERM=tmux {} > /dev/tty; }}")
    assert done.rc == 0, done.err
    with open_home(str(world.home)) as home:
        assert memories.read(home.memory, first).tier == "T1"
        row = memories.read(home.memory, second)
        assert (row.status, row.note) == ("refused", "gerekmiyor")


def test_a_question_is_answered_by_key(person, world):
    """A proposal takes y or n and a note; a key that its kind does not have does nothing."""
    with open_home(str(world.home)) as home:
        here = rows.project(home, world.work)
        body = Proposal(structure="rule", title="commit messages in English")
        (id_,) = rows.write(home, here, {"text": "write commit messages in English", "body": body, "tier": "-"})
    types = [("[1/1]", "p", "at once"), ("does nothing", "n", "at once"), ("why:", "Türkçe kalsın")]
    done = person.bellek("review", types=types, wrap="{{ TERM=tmux {} > /dev/tty; }}")
    assert done.rc == 0, done.err
    with open_home(str(world.home)) as home:
        answered = memories.read(home.memory, id_).body
        assert (answered.state, answered.answer) == ("declined", "Türkçe kalsın")


def test_a_pipe_gets_the_list(taught):
    """Plain lines where nobody can press a key."""
    assert "of high importance" in taught.bellek("review")
