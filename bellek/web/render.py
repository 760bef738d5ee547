"""Values into HTML: one environment in which everything is escaped and every hidden character is spelled out.

It must never mark stored text as markup. Whatever a template prints goes through `visible`, whether it asks for that or not.
"""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from bellek.cli import shown
from bellek.cli.screen import hides, one_line, visible
from bellek.kg import clock
from bellek.web import words

PAGES = ("inbox", "search", "packet", "timeline", "graph", "health")  # in the order of the menu


def _finalized(value: Any) -> Any:
    """Plain strings are spelled out, then escaped by the environment; what it made itself passes."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def text(stored: str) -> Markup:
    """Stored text with each hidden character marked, so that it is seen and told from what stands there in letters."""
    if visible(stored) == stored:
        return escape(stored)
    parts = [Markup('<span class="hid">{}</span>').format(visible(c)) if _marked(c) else escape(c) for c in stored]
    return Markup("").join(parts)


def _marked(char: str) -> bool:
    return hides(char) and visible(char) != char


def when(at: int, offset_minutes: int = 0) -> str:
    """An instant (UTC milliseconds) as a person reads it; "" for none."""
    return clock.stamp(at, offset_minutes)[:16].replace("T", " ") if at else ""


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("bellek.web", "templates"), autoescape=True, undefined=StrictUndefined, finalize=_finalized,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters.update(text=text, when=when, line=one_line, hidden=shown.hidden)
    return made


ENVIRONMENT = _environment()


def page(name: str, request: Request | None, status: int = 200, **values: Any) -> HTMLResponse:
    """One page. A request brings language and place; the door's own pages have none."""
    language = (
        words.chosen(request.cookies.get(words.COOKIE, ""), request.headers.get("accept-language", ""))
        if request
        else "en"
    )
    state = request.app.state if request else None
    html = ENVIRONMENT.get_template(name).render(
        t=words.speaker(language), language=language, path=request.url.path if request else "", pages=PAGES,
        csrf=state.keys.csrf if state else "", may_act=bool(state and not state.found[1]), inside=request is not None, **values,
    )  # fmt: skip
    return HTMLResponse(html, status)
