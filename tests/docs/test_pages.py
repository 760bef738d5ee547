"""Pages that speak of the repository say what is there."""

import os
import subprocess
import sys
import tomllib

import pytest
from pages import ROOT, links, pages, text_of

UPDATE = os.environ.get("BELLEK_TEST_UPDATE") == "1"


def generated(what: str = "--print") -> str:
    """The command line's page (or its help) as the program writes it now."""
    command = [sys.executable, str(ROOT / "scripts" / "cli_page.py"), what]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONPATH": path})
    return done.stdout.decode()


def test_the_command_line_page_is_the_command_line():
    """docs/cli.md is what the program's own verbs, options and help texts give; BELLEK_TEST_UPDATE=1 rewrites it."""
    now = generated()
    if UPDATE:
        (ROOT / "docs" / "cli.md").write_text(now, encoding="utf-8")
    assert text_of("docs/cli.md") == now, "run ./scripts/gen-cli-docs"


def test_the_help_is_the_command_line():
    """`bellek --help` prints a file that is what the program's own verbs and options give; BELLEK_TEST_UPDATE=1 rewrites it."""
    now, file = generated("--print-help"), ROOT / "bellek" / "cli" / "help.txt"
    if UPDATE:
        file.write_text(now, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == now, "run ./scripts/gen-cli-docs"


def test_every_verb_is_on_the_page():
    """Each verb that the program offers has its own heading, and no heading is another's."""
    from typer.main import get_command

    from bellek.cli.main import build

    verbs = []
    for name, command in get_command(build()).commands.items():
        verbs += [f"bellek {name} {below}" for below in getattr(command, "commands", {})] or [f"bellek {name}"]
    headings = [line[4:-1] for line in text_of("docs/cli.md").splitlines() if line.startswith("## `")]
    assert headings == verbs


def test_the_plugins_texts_are_the_installers():
    """The plugin's agents and skill are the installer's templates with the command by its name; BELLEK_TEST_UPDATE=1 rewrites them."""
    from bellek.install.laid import AGENTS, COMMAND

    install, plugin = ROOT / "bellek" / "install", ROOT / "plugin"
    pairs = {install / "agents" / f"{name}.md": plugin / "agents" / f"{name}.md" for name in AGENTS}
    pairs[install / "skill.md"] = plugin / "skills" / "bellek-memory" / "SKILL.md"
    for template, copy in pairs.items():
        ships = template.read_text(encoding="utf-8").replace(COMMAND, "bellek")
        if UPDATE:
            copy.write_text(ships, encoding="utf-8")
        assert copy.read_text(encoding="utf-8") == ships, "run BELLEK_TEST_UPDATE=1 pytest tests/docs/test_pages.py"


@pytest.mark.parametrize("page", pages())
def test_links_lead_somewhere(page):
    """Each relative link of a page names a file or folder of the repository."""
    folder = (ROOT / page).parent
    assert [link for link in links(page) if not (folder / link).exists()] == []


def test_each_dependency_has_its_reason():
    """Every package that the project installs, for running or for development, is named in decision 0002."""
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    wanted = [
        *project["dependencies"],
        *(word for extra in project["optional-dependencies"].values() for word in extra),
    ]
    names = {word.split(">")[0].split("=")[0].split("[")[0].strip() for word in wanted}
    page = text_of("docs/decisions/0002-dependencies.md")
    assert sorted(name for name in names if f"`{name}`" not in page) == []


def test_decisions_have_their_four_parts():
    """Each decision says context, choice, consequence, and what would change our mind."""
    for page in pages():
        if page.startswith("docs/decisions/"):
            heads = [line[3:] for line in text_of(page).splitlines() if line.startswith("## ")]
            assert heads == ["Context", "Choice", "Consequence", "What would change our mind"], page
