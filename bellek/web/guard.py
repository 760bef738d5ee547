"""What stands before every page: who may ask, from where, and what a browser may do with the answer.

A one-time token in the link becomes a cookie; after that the link is dead. Host and Origin are ours, an act carries the token of
its form, no answer may run a script or load a thing that is not ours. It must never let a request by that lacks one of these,
and never say in its refusal more than which one.
"""

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

FORM = "bellek.form"  # where a page finds the fields of its form
BODY_MAX = 64 * 1024  # bytes of a form: a note has some hundred
FIELDS_MAX = 50
ENTER = "/enter"
OPEN = ("/static/",)  # answered to anybody on this machine: our own style and script, the same for everyone
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with "no-referrer" a browser sends `Origin: null` with a form
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Keys:
    """The secrets of one server: the link's token (gone once used), the cookie's value, the token of forms."""

    __slots__ = ("cookie", "csrf", "port", "session", "token")

    def __init__(self, port: int) -> None:
        self.port = port
        self.token = secrets.token_urlsafe(32)
        self.session = secrets.token_urlsafe(32)
        self.csrf = secrets.token_urlsafe(32)
        self.cookie = f"bellek-{port}"  # browsers keep cookies apart by host, not by port

    @property
    def hosts(self) -> tuple[str, str]:
        """The names under which a browser may ask for us."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    def link(self) -> str:
        """The link that lets one browser in, once."""
        return f"http://{self.hosts[0]}{ENTER}?token={self.token}"

    def take(self, given: str) -> bool:
        """Whether it is the token; from then on it is not."""
        if not self.token or not hmac.compare_digest(given.encode(), self.token.encode()):
            return False
        self.token = ""
        return True

    def holds(self, header: str) -> bool:
        """Whether a Cookie header names the session."""
        try:
            found = SimpleCookie(header).get(self.cookie)
        except CookieError:
            return False
        return found is not None and hmac.compare_digest(found.value.encode(), self.session.encode())


def guarded(app: App, keys: Keys, entered: Response, dead: Response) -> App:
    """The app behind its door. `entered` greets who came by the link, `dead` answers who has no session."""

    async def door(scope: Scope, receive: Receive, send: Send) -> None:
        """One request; everything that is no request for a page is turned away."""
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
        elif scope["type"] == "http":
            answer = await _refusal(scope, receive, keys, entered, dead) or app
            await answer(scope, receive, _dressed(send))

    return door


def _dressed(send: Send) -> Send:
    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return sending


async def _refusal(scope: Scope, receive: Receive, keys: Keys, entered: Response, dead: Response) -> Response | None:
    """The answer of the door itself, None where the page answers."""
    headers = Headers(scope=scope)
    host = headers.get("host", "")
    if host not in keys.hosts:
        return _no(403, "this host name is not ours")
    if scope["method"] not in ("GET", "HEAD", "POST"):
        return _no(405, "only GET and POST are answered")
    if scope["path"].startswith(OPEN) and scope["method"] != "POST":
        return None
    if scope["path"] == ENTER:
        return _enter(scope, keys, entered, dead)
    if not keys.holds(headers.get("cookie", "")):
        return dead
    return await _act(scope, receive, headers, host, keys) if scope["method"] == "POST" else None


def _enter(scope: Scope, keys: Keys, entered: Response, dead: Response) -> Response:
    """The link: its token is taken by a GET alone, so that nobody's look at its headers uses it up."""
    given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
    return entered if scope["method"] == "GET" and keys.take(given) else dead


async def _act(scope: Scope, receive: Receive, headers: Headers, host: str, keys: Keys) -> Response | None:
    """Refuse what did not come from a form of ours; else lay its fields down for the page."""
    if headers.get("origin", "") != f"http://{host}" or headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return _no(403, "this form came from another page")
    if headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        return _no(415, "a form is expected")
    body = await _body(receive)
    if body is None:
        return _no(413, "the form is too large")
    try:
        fields = dict(
            parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=FIELDS_MAX, errors="replace")
        )
    except ValueError:
        return _no(400, "this is no form")
    if not hmac.compare_digest(fields.pop("csrf", "").encode(), keys.csrf.encode()):
        return _no(403, "the form lacks its token: load the page again")
    scope[FORM] = fields
    return None


async def _body(receive: Receive) -> bytes | None:
    """The whole body, None where it is larger than a form may be or the browser went away."""
    held = bytearray()
    while True:
        message = await receive()
        held += message.get("body", b"")
        if message["type"] != "http.request" or len(held) > BODY_MAX:
            return None
        if not message.get("more_body"):
            return bytes(held)


def _no(status: int, why: str) -> Response:
    return PlainTextResponse(f"bellek: {why}\n", status)
