"""Scripts that a person runs by hand before a release."""

import importlib.util
import sys
from pathlib import Path

import pytest

import bellek
from bellek.kg import candidates

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def script(name):
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_the_bill_of_materials_names_all_that_comes_along():
    """Issue 9: every package that bellek needs here is in the bill with version and licence, those that they need as well."""
    sbom = script("sbom")
    names, missing = sbom.closure(frozenset())
    assert missing == []
    assert {"apsw", "pydantic", "pydantic-core", "typer", "zstandard"} <= set(names)
    assert "pytest" not in names
    parts = sbom.bill(names)["components"]
    assert all(part["version"] and part["licenses"][0]["license"]["name"] for part in parts)
    assert "anyio" in sbom.closure(frozenset({"mcp"}))[0]


def test_the_pictures_show_what_was_written(tmp_path):
    """The pictures' store is made through `bellek.open`: each verdict is carried out, and something waits for a person."""
    pytest.importorskip("playwright")
    pictures = script("pictures")
    (tmp_path / "bookshop").mkdir()
    with bellek.open(home=tmp_path / "home", project=tmp_path / "bookshop") as memory:
        written = pictures.fill(memory)
        assert written == len(pictures.FACTS) + len(pictures.LEARNED)
        assert len(candidates.listed(memory.store().memory, memory.project)) == 3
