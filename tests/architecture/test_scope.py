"""R57: the scope of a project is spelled in one place, so that no arm can forget it."""

import re

from tree import ROOT, name_of

OTHERS = {  # another question than what a project sees
    "curator/hub_law.py": "the very projects that travel in a space",
    "curator/hub_merge.py": "the very projects that travel in a space",
    "kg/notices.py": "what is said of a project and of no project",
    "kg/queue.py": "items of several projects whose folders are gone",
    "kg/stones.py": "where a value may not come back",
}
SPELLED = re.compile(r"project IN \(|\bpany\b|replace\([\"']_[\"'], ?[\"']{2}\)")


def test_no_other_file_spells_the_scope():
    """Only kg/scope.py spells the predicate "this project or every project", in SQL or as words of the index."""
    found = [
        name_of(path)
        for floor in ("bellek", "curator", "context", "kg")
        for path in sorted((ROOT / floor).rglob("*.py"))
        if SPELLED.search(path.read_text(encoding="utf-8"))
    ]
    assert sorted(set(found) - set(OTHERS)) == ["kg/scope.py"]
