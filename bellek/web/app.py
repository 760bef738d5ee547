"""The page's server: routes, and the one place that listens. Loopback alone; what it shows is one project's memory.

It must never listen on anything but 127.0.0.1, never answer around the door (`guard.py`), and never block the loop: a page is
made in a thread, on that thread's own connections.
"""

import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio.to_thread
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bellek.api import Memory
from bellek.schemas.errors import BellekError, NotFound
from bellek.web import acts, looks, pages
from bellek.web.guard import App, Keys, guarded
from bellek.web.render import page

THREADS = 4  # pages at once; each thread keeps a pair of connections
STATIC = Path(__file__).with_name("static")


@asynccontextmanager
async def _lifespan(_: Starlette) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    yield


def _missing(request: Request, exc: Exception) -> Response:
    status = exc.status_code if isinstance(exc, HTTPException) else 500
    fault = NotFound("no such page", why=f"status {status}", hint="go back to the inbox")
    return page("fault.html", request, status, fault=fault)


def built(memory: Memory, keys: Keys, found: tuple[str, str]) -> App:
    """The guarded application. `found` is what the gate saw when the server was started: (who, why not a person or "")."""
    routes = [
        Route("/", pages.inbox),
        Route("/memory/{id}", pages.memory),
        Route("/search", looks.search),
        Route("/conversation/{id:path}", looks.conversation),
        Route("/packet", looks.told),
        Route("/health", looks.health),
        Route("/timeline", looks.timeline),
        Route("/picture/{name}.svg", looks.picture),
        Route("/graph", looks.network),
        Route("/language/{language}", pages.language),
        Route("/act", acts.act, methods=["POST"]),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    app = Starlette(
        routes=routes, exception_handlers={BellekError: pages.faulty, HTTPException: _missing}, lifespan=_lifespan
    )
    app.state.memory, app.state.keys, app.state.found = memory, keys, found
    entered = page("entered.html", None)
    entered.set_cookie(keys.cookie, keys.session, samesite="strict", httponly=True)
    return guarded(app, keys, entered, page("dead.html", None, 401))


def serve(memory: Memory, port: int, found: tuple[str, str], ready: Callable[[str], None]) -> None:
    """Serve on 127.0.0.1 until the process is ended; `ready` is told the link (port 0 asks for a free one)."""
    logging.disable(logging.INFO)  # what a library says of a request may hold its words
    with socket.create_server(("127.0.0.1", port)) as listening:
        keys = Keys(listening.getsockname()[1])
        config = uvicorn.Config(built(memory, keys, found), log_level="critical", access_log=False, server_header=False)
        ready(keys.link())
        uvicorn.Server(config).run(sockets=[listening])
