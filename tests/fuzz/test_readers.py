"""Readers of other people's bytes never raise what is not an error of ours. Bounded here; ``scripts/fuzz.py TARGET`` in full, guided by coverage."""

import importlib.util
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("fuzz", ROOT / "scripts" / "fuzz.py")
fuzz = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fuzz)
RUNS = int(os.environ.get("BELLEK_TEST_FUZZ", "500"))
FOUND = sorted(path for path in fuzz.FINDINGS.rglob("*") if path.is_file())


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_mutated_input_is_read_or_refused(target):
    """So many mutations of each form are read or refused with an error of ours (BELLEK_TEST_FUZZ=N for more)."""
    assert fuzz.plain(target, RUNS, 60, 1) == RUNS


def test_every_form_has_its_seeds():
    """The targets that the command names are those that there is a reader for."""
    assert set(fuzz.TARGETS) == set(fuzz.readers())


def test_what_was_a_finding_once():
    """Each input that once raised is read or refused now."""
    for path in FOUND:
        fuzz.readers()[path.parent.name][0](path.read_bytes())
