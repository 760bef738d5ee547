"""The collected cases and the tests that prove them: none is lost when a test is renamed."""

import ast
import json
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MAP = tomllib.loads((HERE / "map.toml").read_text(encoding="utf-8"))
CASES = {case["id"]: case for case in map(json.loads, (HERE / "cases.jsonl").read_text(encoding="utf-8").splitlines())}


def docstring(entry):
    """The docstring of the test that an entry ``path::name`` names; fails where there is none."""
    path, _, name = entry.partition("::")
    tree = ast.parse((HERE.parent / path).read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name]
    assert found, f"{entry} does not exist"
    return ast.get_docstring(found[0]) or ""


@pytest.mark.parametrize("case", MAP)
def test_each_mapped_test_exists_and_names_its_case(case):
    """Each entry of the map is a test that exists and whose docstring names the case."""
    assert case in CASES
    for entry in MAP[case]:
        assert case in docstring(entry), entry


def test_every_case_has_a_test():
    """No case is without one."""
    assert sorted(CASES.keys() - MAP.keys()) == []
