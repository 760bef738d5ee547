"""WISDOM in a file that others read."""

import rows

from bellek.kg.home import open_home
from bellek.schemas.lesson import CRITICAL


def test_the_verb_writes_and_reports(world):
    """R93: `wisdom --to FILE` keeps the rest of the file, changes nothing the second time, and tells of an edit that it overwrote."""
    with open_home(str(world.home)) as home:
        rows.write(home, rows.project(home, world.work), rows.lesson("asla elle dağıtma", importance=CRITICAL))
    path = world.work / "AGENTS.md"
    path.write_text("# Benim dosyam\n", encoding="utf-8")
    assert "written" in world.bellek("wisdom", "--to", str(path))
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Benim dosyam\n\n<!-- bellek:wisdom ")
    assert "nothing changed" in world.bellek("wisdom", "--to", str(path))
    path.write_text(text.replace("asla elle dağıtma", "hep elle dağıt"), encoding="utf-8")
    assert "edited by hand" in world.bellek("wisdom", "--to", str(path))
    assert path.read_text(encoding="utf-8") == text
