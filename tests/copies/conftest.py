"""Homes with something in them, copies of them, and everything that a store holds as plain values."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import rows
from whole import VERSION

from bellek.curator import review
from bellek.kg import backups
from bellek.kg.home import open_home


@pytest.fixture
def lived(make_home, tmp_path):
    """A home in which something was said and kept: two lessons, one of them permanent, an event, a task, four messages, a person's file."""
    home = make_home("ev")
    work = tmp_path / "iş"
    work.mkdir()
    here = rows.project(home, work)
    lesson, *_ = rows.write(
        home, here, rows.lesson("paketler uv ile kurulur"), rows.lesson("the metrics service listens on 9107"), rows.event("göç bitti"), rows.task("ask Zeynep")
    )  # fmt: skip
    rows.say(home, here, "uv kullan lütfen", "why 9107?", "çünkü 9100 dolu", "tamam")
    review.promote(home, lesson, actor="person:terminal")
    with open(home.path + "/config/identity.md", "w", encoding="utf-8") as file:
        file.write("Adım Ayşe.\n")
    return home


@pytest.fixture
def copied(lived, tmp_path):
    """A copy of it, outside."""
    return backups.make(lived, str(tmp_path / "kopyalar"), program=VERSION).copy


@pytest.fixture
def reopened():
    """Open a home by its path, for a look."""
    opened = []

    def look(path):
        opened.append(open_home(str(path)))
        return opened[-1]

    yield look
    for home in opened:
        home.close()
