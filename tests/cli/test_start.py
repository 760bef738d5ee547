"""How the command line starts: each verb by its own room, and no room by another's."""

import subprocess
import sys

import pytest
from typer.main import get_command

from bellek.cli.main import ROOMS, build, rooms_for

LIGHT = "import sys; from bellek.cli import main\ntry: main.main()\nexcept SystemExit: print('bellek.schemas.memory' in sys.modules)"


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_has_the_verbs_that_it_is_known_by(room):
    """The table by which a verb finds its room is what the room adds to the command line."""
    assert set(get_command(build(room)).commands) == set(ROOMS[room])


@pytest.mark.parametrize(
    ("words", "rooms"),
    [
        (["queue", "peek"], ["queue"]),
        (["--home", "tick", "search", "x"], ["ask"]),
        (["--home=y", "claims"], ["claims"]),
        (["--help"], []),
        (["nonsense"], []),
        ([], []),
    ],
)
def test_a_line_loads_the_room_of_its_verb(words, rooms):
    """The verb is the first word that no option takes; help and words that nobody knows load every room."""
    assert rooms_for(words) == rooms


def test_help_loads_no_room(tmp_path):
    """`bellek --help` names every verb and loads none of their rooms: it waits for no validator."""
    done = subprocess.run([sys.executable, "-c", LIGHT.replace("except SystemExit: print", "finally: print"), "--help"], capture_output=True, text=True, check=True)  # fmt: skip
    *told, loaded = done.stdout.splitlines()
    assert loaded == "False"
    assert {line.split()[0] for line in told[told.index("Commands:") + 1 :] if line[2:3] != " "} == {
        verb for verbs in ROOMS.values() for verb in verbs
    }


def test_looking_into_the_queue_loads_no_models(tmp_path):
    """A verb that needs no typed rows does not wait for their validators."""
    done = subprocess.run(
        [sys.executable, "-c", LIGHT, "queue", "status", "--json", "--home", str(tmp_path / "h"), "--project", str(tmp_path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["{}", "False"]
