"""A real browser for the page: Debian's Chromium, driven by Playwright. Where it is missing tests skip; under ``CI`` they fail."""

import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))  # the pinned packages of npm

from lab.install import NotHereError, pinned

REPOSITORY = Path(__file__).resolve().parents[2]


def missing(what):
    """Skip, or fail where CI must run it."""
    pytest.fail(what) if os.environ.get("CI") else pytest.skip(what)


@pytest.fixture(scope="module")
def chromium():
    """The browser, started once a file. Its driver keeps an event loop, so that it must end before other files' tests."""
    found = shutil.which("chromium")
    if found is None:
        missing("chromium is not here (apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core, as npm's lock pins it."""
    try:
        return pinned("axe", Path("node_modules/axe-core/axe.min.js")).read_text(encoding="utf-8")
    except NotHereError as exc:
        missing(f"axe-core is not here: {exc}")


@pytest.fixture(scope="session")
def pictures():
    """Where screenshots are kept as output of the run."""
    folder = REPOSITORY / ".build" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
