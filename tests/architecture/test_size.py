"""How long files and functions may be."""

import ast
from pathlib import Path

from tree import PACKAGES, name_of, parsed, sources

FILE_AIM, FILE_CAP = 250, 400  # lines
FUNCTION_AIM, FUNCTION_CAP = 30, 60


def functions(path: Path) -> list[tuple[str, int]]:
    """(name, lines) of every function of a file, decorators left out."""
    return [
        (node.name, (node.end_lineno or node.lineno) - node.lineno + 1)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def measured() -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """(lines, name) of all files and of all functions, longest first."""
    files = [(len(p.read_text(encoding="utf-8").splitlines()), name_of(p)) for p in sources(*PACKAGES)]
    inner = [(lines, f"{name_of(p)} {name}") for p in sources(*PACKAGES) for name, lines in functions(p)]
    return sorted(files, reverse=True), sorted(inner, reverse=True)


def test_no_file_or_function_grows_over_its_cap():
    """A file holds at most 400 lines and a function at most 60; what is over the aims of 250 and 30 is printed."""
    files, inner = measured()
    assert len(files) > 50, "the sources were not found"
    print(f"\nfiles over {FILE_AIM} lines and functions over {FUNCTION_AIM}:")
    for lines, name in [f for f in files if f[0] > FILE_AIM] + [f for f in inner if f[0] > FUNCTION_AIM]:
        print(f"{lines:5}  {name}")
    assert [f for f in files if f[0] > FILE_CAP] == []
    assert [f for f in inner if f[0] > FUNCTION_CAP] == []
