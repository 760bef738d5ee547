"""Fixtures for tests that run the real client. Where it cannot run they skip and say why; under ``CI`` they fail."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # so that `lab` is a package here and in the model's process

from lab.install import NotHereError
from lab.install import claude_cli as installed_claude
from lab.lab import Lab
from lab.product import Bellek, interpreter


@pytest.fixture(scope="session")
def claude_cli() -> Path:
    """The pinned client's ``cli.js``, installed on first use."""
    try:
        return installed_claude()
    except NotHereError as missing:
        if os.environ.get("CI"):
            pytest.fail(f"CI must run the real client: {missing}")
        pytest.skip(f"the real client is not here: {missing}")


@pytest.fixture
def lab(tmp_path: Path, claude_cli: Path) -> Lab:
    """A laboratory with folders of its own."""
    return Lab(tmp_path, claude_cli)


@pytest.fixture(scope="session")
def product_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter that our hooks and commands run with."""
    return interpreter(tmp_path_factory.mktemp("product") / "venv")


@pytest.fixture
def bellek(lab: Lab, product_python: Path) -> Bellek:
    """Our program, its hooks written into this laboratory's client by our own installer."""
    bellek = Bellek(lab, product_python)
    bellek.install()
    return bellek
