"""What every verb takes: --home, --project, --json; and how a verb opens the home and finds its project."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated

import typer

from bellek.curator import channels, config
from bellek.kg import agents, paths, projects, registry
from bellek.kg.home import Home, open_home
from bellek.schemas.errors import Busy, StoreReadOnly, UsageFault

HomeOption = Annotated[
    str | None,
    typer.Option("--home", metavar="DIR", help="The data home (default: BELLEK_HOME, else the XDG data folder)."),
]
ProjectOption = Annotated[
    str | None, typer.Option("--project", metavar="PATH", help="The project's folder (default: the folder you are in).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]


def typed(words: str) -> str:
    """Words of the command line as text: under a locale without UTF-8 Python hands their bytes over as surrogates."""
    return os.fsencode(words).decode("utf-8", "replace") if not words.isascii() else words


@contextmanager
def opened(home: str | None) -> Iterator[Home]:
    """The home, made on first use; what its manifests declare is laid down for the prompt hook, which reads no TOML."""
    with open_home(paths.find_home(home)) as store:
        with suppress(Busy, StoreReadOnly):  # the next command or hearing does it
            channels.compile_into(store.memory, channels.load(store.path))
            config.compile_into(store.memory, store.path)  # a fault in it is doctor's to tell
        yield store


@contextmanager
def as_it_is(home: str | None) -> Iterator[Home | None]:
    """The home for a verb that must change no byte of it (`--dry-run`): nothing is made or compiled; None where there is none."""
    path = paths.find_home(home)
    if not os.path.exists(paths.memory_db(path)):
        yield None
        return
    with open_home(path) as store:
        yield store


def folder_of(project: str | None) -> str:
    """The given folder's absolute path, or that of the folder you are in."""
    return os.path.abspath(os.path.expanduser(project or "."))  # Path would raise on ~nobody


def project_id(store: Home, project: str | None) -> str:
    """The id of the given folder's project (or the current folder's), registered on first sight; a gone folder has one too."""
    folder = folder_of(project)
    found = projects.find(store.memory, folder)
    if found:
        return found
    with store.memory.transaction():
        return registry.register(store.memory, folder)


def known_project(store: Home, project: str | None) -> str:
    """The id of the given folder's project (or the current folder's), "" where it has none; nothing is registered."""
    return projects.find(store.memory, os.path.abspath(os.path.expanduser(project or ".")))


def sight(store: Home, project: str | None) -> str:
    """Where a verb that shows typed memory looks from: the project, or the bank of the agent that runs it or that a person named."""
    return seen_from(store, project_id(store, project))


def seen_from(store: Home, here: str) -> str:
    """The same of a project that is known already."""
    if not os.environ.get(agents.BANK) and not agents.any_bank(store.memory):
        return here
    from bellek import who  # with the gate and the kinds' models: only where somebody has a bank

    return who.looks_from(store, here)


def lacking(what: str, extra: str, exc: ImportError) -> UsageFault:
    """The error of a verb whose packages are not there: which one, and the extra that brings it."""
    return UsageFault(
        f"{what} is not installed", why=f"the package {exc.name} is missing", hint=f"install bellek[{extra}], for example `uv tool install 'bellek[{extra}]'`"
    )  # fmt: skip
