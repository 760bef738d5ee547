"""``web``: this project's memory in a browser, on loopback."""

from typing import Annotated

import typer

import bellek
from bellek import gate
from bellek.cli.place import HomeOption, ProjectOption, lacking
from bellek.cli.screen import say
from bellek.schemas.errors import UsageFault


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(web)


def web(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port on 127.0.0.1; 0 takes a free one.")] = 0,
    home: HomeOption = None, project: ProjectOption = None,
) -> None:  # fmt: skip
    """Show this project's memory in a browser: what waits for you, where it comes from, and your word on it. Ends with Ctrl-C."""
    try:
        from bellek.web import app
    except ImportError as exc:
        raise lacking("the page", "web", exc) from exc
    found = gate.look()  # who starts the server is who acts through it
    with bellek.open(home=home, project=project, agent="page") as memory:
        try:
            app.serve(memory, port, found, lambda link: say(*_told(link, found[1])))
        except OSError as exc:
            raise UsageFault(
                f"port {port} cannot be listened on", why=exc.strerror or "", hint="give another one, or --port 0"
            ) from exc


def _told(link: str, why: str) -> list[str]:
    only = [f"it only shows, and refuses each act: {why}"] if why else []
    return ["open this link in your browser; it works once:", link, *only]
