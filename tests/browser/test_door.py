"""The door of the page: who is let in, and what is turned away, asked by plain HTTP."""

import http.client
import re
import secrets

import page
import pytest

from bellek.kg import check, memories
from bellek.kg.home import open_home


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """(page started by a person, its seeded rows by name): one for this file, since nothing here may change it."""
    place = tmp_path_factory.mktemp("door")
    (place / "proje").mkdir()
    with open_home(str(place / "home")) as home:
        ids = page.seed(home, place / "proje")
    made = page.Served(home.path, place / "proje")
    yield made, ids
    made.close()
    with open_home(home.path) as home:
        assert check.check_home(home) == []
        assert memories.read(home.memory, ids["first"]).tier == "T1"


@pytest.fixture
def served(held):
    """The page with a link that nobody used yet."""
    held[0].keys.token = secrets.token_urlsafe(32)
    return held[0]


@pytest.fixture
def ids(held):
    """The seeded rows by name."""
    return held[1]


def tier_of(served, id):
    """The tier that a row has now."""
    return memories.read(served.memory.store().memory, id).tier


def test_a_link_opens_the_page_once(served):
    """R127: the token of the link becomes a cookie that scripts cannot read and other sites cannot send; used again it is refused."""
    token = served.keys.token
    status, headers, _ = served.ask("GET", f"/enter?token={token}", cookie=None)
    assert status == 200
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=strict" in headers["set-cookie"]
    cookie = headers["set-cookie"].split(";")[0]
    assert served.ask("GET", "/", cookie=cookie)[0] == 200
    again, headers, text = served.ask("GET", f"/enter?token={token}", cookie=None)
    assert again == 401
    assert "set-cookie" not in headers
    assert "webhook" not in text


@pytest.mark.parametrize("given", ["", "?token=", "?token=wrong"])
def test_a_wrong_token_opens_nothing_and_uses_nothing_up(served, given):
    """A guess is refused and the right link still works; a look at its headers alone does not use it up either."""
    assert served.ask("GET", f"/enter{given}", cookie=None)[0] == 401
    assert served.ask("HEAD", f"/enter?token={served.keys.token}", cookie=None)[0] == 401
    assert served.ask("GET", f"/enter?token={served.keys.token}", cookie=None)[0] == 200


@pytest.mark.parametrize(
    "cookie", [None, "bellek-1=x", "bellek={port}", "{name}=", "{name}=guess", "{name}=\u00e9", '{name}="']
)
def test_without_the_cookie_nothing_is_shown(served, cookie):
    """Every page but style and script needs the session: no cookie, another port's or a guessed one shows no word of memory."""
    given = cookie and cookie.format(name=served.keys.cookie, port=served.keys.port)
    for path in ("/", "/memory/l_1", "/search", "/act", "/nothing"):
        status, _, text = served.ask("GET", path, cookie=given)
        assert (status, "webhook" in text) == (401, False)
    assert served.ask("GET", "/static/page.css", cookie=given)[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", None]
)
def test_a_foreign_host_is_refused(served, host):
    """R127: a name that some DNS points at this machine is not ours, with the right cookie too; static files included."""
    given = host and host.format(port=served.keys.port)
    for path in ("/", "/static/page.css", f"/enter?token={served.keys.token}"):
        assert served.ask("GET", path, host=given)[0] in (400, 403)
    assert served.ask("GET", "/", host=f"localhost:{served.keys.port}")[0] == 200


FOREIGN = {
    "origin of another site": {"origin": "https://evil.example"}, "origin of another port": {"origin": "http://127.0.0.1:1"},
    "opaque origin": {"origin": "null"}, "no origin": {"origin": None}, "another site, by the browser": {"sec_fetch_site": "cross-site"},
    "same site, another port": {"sec_fetch_site": "same-site"}, "not a form": {"content_type": "text/plain"},
    "a foreign form's kind": {"content_type": "multipart/form-data; boundary=x"}, "no cookie": {"cookie": None},
}  # fmt: skip


@pytest.mark.parametrize("how", FOREIGN)
def test_an_act_that_no_page_of_ours_sent_is_refused(served, ids, how):
    """R127: a foreign or missing Origin, another content type, no session: nothing is changed and nothing of the row is told."""
    form = {"csrf": served.keys.csrf, "act": "promote", "id": ids["first"], "revision": "1", "back": "inbox"}
    status, _, text = served.ask("POST", "/act", form=form, **FOREIGN[how])
    assert status in (401, 403, 415)
    assert "webhook" not in text
    assert tier_of(served, ids["first"]) == "T1"


@pytest.mark.parametrize("given", [{}, {"csrf": ""}, {"csrf": "guess"}, {"csrf": "\u00e9"}])
def test_an_act_without_the_token_of_its_form_is_refused(served, ids, given):
    """R127: each act carries the token of the page it stands on."""
    form = {"act": "promote", "id": ids["first"], "revision": "1", **given}
    assert served.ask("POST", "/act", form=form)[0] == 403
    assert tier_of(served, ids["first"]) == "T1"


def test_bad_forms_are_refused_with_a_reason(served, ids):
    """Too large, too many fields, no act, an unknown one, a revision that is no number, an id of another kind: refused, nothing changed."""
    assert served.act("promote", ids["first"], note="x" * 70_000)[0] == 413
    many = {f"f{n}": "" for n in range(60)}
    assert served.ask("POST", "/act", form={"csrf": served.keys.csrf, **many})[0] == 400
    for act, id_, revision in (
        ("", ids["first"], 1),
        ("explode", ids["first"], 1),
        ("promote", ids["first"], "x"),
        ("promote", ids["first"], "²"),
        ("strong", ids["first"], 1),
    ):
        assert served.act(act, id_, revision)[0] == 400
    assert served.act("promote", "l_nothing")[0] == 404
    assert served.ask("DELETE", "/")[0] == 405
    assert tier_of(served, ids["first"]) == "T1"


def test_every_answer_tells_the_browser_to_run_and_load_nothing_foreign(served):
    """R127: a strict policy without inline script or style, no framing, no sniffing, nothing kept; pages name no outside address."""
    for path, cookie in (("/", ""), ("/nothing", ""), ("/static/keys.js", ""), ("/", None)):
        _, headers, text = served.ask("GET", path, **({} if cookie == "" else {"cookie": None}))
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        if "html" in headers["content-type"]:
            assert re.findall(r"(?:src|href|action)=\"(?:https?:)?//", text) == []
            assert re.findall(r"<script(?! src=\"/static/)|<style|\sstyle=|\son\w+=\"", text) == []


def test_it_listens_on_this_machine_alone(served):
    """R109: the listening socket is bound to 127.0.0.1."""
    assert served._listening.getsockname()[0] == "127.0.0.1"
    connection = http.client.HTTPConnection("127.0.0.1", served.keys.port, timeout=10)
    connection.request("GET", "/")
    assert connection.getresponse().status == 401
    connection.close()
