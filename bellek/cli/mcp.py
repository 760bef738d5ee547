"""``mcp``: serve this project's memory to clients that speak the Model Context Protocol."""

from typing import Annotated

import typer

import bellek
from bellek.cli.place import HomeOption, ProjectOption, lacking
from bellek.cli.screen import complain


def add_to(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(mcp)


def mcp(
    http: Annotated[int | None, typer.Option("--http", metavar="PORT", min=0, max=65535, help="Serve streamable HTTP on 127.0.0.1 instead of standard input and output; 0 takes a free port.")] = None,
    agent: Annotated[str, typer.Option("--agent", help="The name under which what it writes is signed.")] = "mcp",
    home: HomeOption = None, project: ProjectOption = None,
) -> None:  # fmt: skip
    """Serve this project's memory to an MCP client. Nothing it offers makes a row permanent or forgets one."""
    try:
        from bellek.mcp_server import server
    except ImportError as exc:
        raise lacking("the MCP server", "mcp", exc) from exc
    with bellek.open(home=home, project=project, agent=agent) as memory:
        if http is None:
            server.serve_stdio(memory)
            return
        token = server.token_path(memory.home)
        server.serve_http(
            memory, http, lambda port: complain(f"http://127.0.0.1:{port}/mcp, with the token in {token} as a bearer")
        )
