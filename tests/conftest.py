"""What every test gets: a home of its own that is checked in full when the test is over."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / "stage"))  # what several folders of tests stand on

import loopback
import rows
from person import Person
from world import PROGRAM, World

from bellek.kg import check
from bellek.kg.home import Home, open_home

loopback.only_loopback()


@pytest.fixture(autouse=True)
def _own_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees this machine's own home, client settings, store or time zone."""
    for name in list(os.environ):
        if name.startswith(("BELLEK_", "CLAUDE", "ANTHROPIC", "XDG_")) and not name.startswith("BELLEK_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv(
        "BELLEK_EMBEDDER", "none"
    )  # to load one costs a second a process; tests of meaning ask for theirs
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("TZ", "Europe/Istanbul")
    time.tzset()  # the variable alone reaches only processes that start later


@pytest.fixture
def make_home(tmp_path: Path) -> Iterator[Callable[[str], Home]]:
    """Open homes by name under the test's folder; every invariant of each is checked at the end."""
    opened: list[Home] = []

    def make(name: str = "home") -> Home:
        opened.append(open_home(str(tmp_path / name)))
        return opened[-1]

    yield make
    for home in opened:
        home.close()
    for path in {home.path for home in opened}:
        with open_home(path) as home:
            assert check.check_home(home) == []


@pytest.fixture
def home(make_home: Callable[[str], Home]) -> Home:
    """One open home."""
    return make_home("home")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A client's folders and a project; the data home does not exist yet. A home that is sound at the end is checked in full."""
    made = World(tmp_path)
    yield made
    if made.check_at_end and (made.home / "memory.db").exists():
        with open_home(str(made.home)) as home:
            assert check.check_home(home) == []


@pytest.fixture
def person(world: World) -> Iterator[Person]:
    """A person at a terminal in the world's project; `person.bellek` runs a command of ours there."""
    made = Person(
        world.work, world.environment(PYTHONPATH=PROGRAM, CLAUDE_CONFIG_DIR=str(world.config), LANG="C.UTF-8")
    )
    made.bellek = lambda *words, **given: made.run(
        sys.executable, "-m", "bellek", *words, "--home", world.home, **given
    )
    yield made
    made.close()


@pytest.fixture
def taught(world: World) -> World:
    """The world's project knows three things: a lesson that stands, one that does not, and an open task."""
    with open_home(str(world.home)) as home:
        here = rows.project(home, world.work)
        rows.write(
            home,
            here,
            rows.lesson("paketler her zaman uv ile kurulur, çünkü kilit dosyasını yalnız uv tutar", importance=2),
            rows.lesson("the metrics service listens on port 9107, because 9100 is taken"),
            rows.task("Zeynep'e şema göçünü sor"),
        )
    return world
