"""The page in a real browser: keys, mouse, no scripts, two tabs, what a browser would run, and whether all can read it."""

import json

import pytest
from page import Served, seed

from bellek.context import preview
from bellek.kg import memories

DEVICES = {"wide": {"width": 1280, "height": 900}, "phone": {"width": 375, "height": 740}}
PAGES = (
    "/",
    "/search?q=webhook",
    "/conversation/talk-1?hit=talk-1-0",
    "/packet?prompt=webhook",
    "/timeline",
    "/graph?at=project",
    "/health",
)


@pytest.fixture
def served(home, tmp_path):
    """The seeded page, started by a person; `served.ids` are its rows by name."""
    (tmp_path / "proje").mkdir()
    ids = seed(home, tmp_path / "proje")
    made = Served(home.path, tmp_path / "proje")
    made.ids = ids
    yield made
    made.close()


@pytest.fixture
def enter(chromium, served):
    """Open the page by its link in a browser of its own; a fault of a script or of the policy fails the test."""
    contexts, faults = [], []

    def entering(**given):
        context = chromium.new_context(**{"locale": "en-GB", **given})
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(15_000)
        tab.on("pageerror", lambda error: faults.append(str(error)))
        tab.on(
            "console",
            lambda said: faults.append(said.text) if said.type == "error" and "status of 4" not in said.text else None,
        )
        tab.on(
            "request",
            lambda asked: faults.append(asked.url) if not asked.url.startswith(f"http://{served.host}/") else None,
        )
        tab.goto(served.keys.link())
        tab.wait_for_url(f"http://{served.host}/")
        return tab

    yield entering
    for context in contexts:
        context.close()
    assert faults == []


def shown(tab):
    """The id of the row that the inbox shows in full."""
    return tab.locator(".one code").first.inner_text()


def press(tab, key):
    """Press a key and wait for the page that it leads to."""
    with tab.expect_navigation():
        tab.keyboard.press(key)


def test_a_candidate_goes_from_the_inbox_to_the_next_packet_by_two_keys(home, served, enter):
    """R127, issue 9: j to the candidate, p on it, and the next packet tells it as a person's rule; u takes it back."""
    first = served.ids["first"]
    tab = enter()
    tab.goto(f"http://{served.host}/?at={served.ids['proposal']}")
    here = served.memory.project
    assert f"[{first}]" not in preview.next_packet(home, here, "").text.partition("observations")[0]
    press(tab, "j")
    assert shown(tab) == first
    press(tab, "p")
    assert memories.read(home.memory, first).tier == "T2"
    assert (
        f"[{first}]"
        in preview.next_packet(home, here, "").text.partition("WISDOM, rules")[2].partition("observations")[0]
    )
    press(tab, "u")
    assert memories.read(home.memory, first).tier == "T1"


def test_the_inbox_is_walked_and_decided_by_keys(home, served, enter):
    """R127: j and k walk, r asks for a note and refuses with it, q sets apart; keys in a field are letters."""
    tab = enter()
    start = shown(tab)
    press(tab, "j")
    assert shown(tab) != start
    press(tab, "k")
    assert shown(tab) == start
    tab.goto(f"http://{served.host}/?at={served.ids['second']}")
    tab.keyboard.press("r")
    tab.keyboard.type("jkpq: istemem")
    press(tab, "Enter")
    row = memories.read(home.memory, served.ids["second"])
    assert (row.status, row.note) == ("refused", "jkpq: istemem")
    tab.goto(f"http://{served.host}/?at={served.ids['first']}")
    press(tab, "q")
    assert memories.read(home.memory, served.ids["first"]).status == "quarantined"


@pytest.mark.parametrize("scripts", [True, False])
def test_every_act_is_a_button_with_and_without_scripts(home, served, enter, scripts):
    """R127: by mouse alone a candidate is promoted, one refused with a note, a proposal declined, consent given, and an act taken back."""
    tab = enter(java_script_enabled=scripts)

    def click(at, button, note=""):
        tab.goto(f"http://{served.host}/?at={served.ids[at]}")
        form = tab.locator("form.act", has=tab.get_by_role("button", name=button, exact=True))
        if note:
            form.get_by_label("Reason").fill(note)
        with tab.expect_navigation():
            form.get_by_role("button").click()

    click("second", "Refuse", "not ours")
    click("proposal", "No")
    click("field", "Consent: keep and show it")
    click("first", "Promote")
    assert memories.read(home.memory, served.ids["first"]).tier == "T2"
    with tab.expect_navigation():
        tab.get_by_role("button", name="Undo").click()
    assert memories.read(home.memory, served.ids["first"]).tier == "T1"
    assert memories.read(home.memory, served.ids["second"]).note == "not ours"
    assert memories.read(home.memory, served.ids["proposal"]).body.state == "declined"
    assert memories.read(home.memory, served.ids["field"]).body.consent


def test_two_tabs_and_a_used_link(home, served, enter, chromium):
    """R127: a second tab of the same browser works, its stale form is refused with the reason, and the link opens no second browser."""
    link = served.keys.link()
    tab = enter()
    other = tab.context.new_page()
    for one in (tab, other):
        one.goto(f"http://{served.host}/?at={served.ids['first']}")
    press(tab, "q")
    with other.expect_navigation():
        other.get_by_role("button", name="Promote", exact=True).click()
    assert "was changed since you saw it" in other.get_by_role("alert").inner_text()
    assert memories.read(home.memory, served.ids["first"]).status == "quarantined"
    stranger = chromium.new_context().new_page()
    assert stranger.goto(link).status == 401
    assert stranger.goto(f"http://{served.host}/").status == 401
    stranger.context.close()


def test_the_graph_moves_and_leads_to_evidence(served, enter):
    """R127: plus looks closer, a drag moves, a line leads to the row behind it."""
    tab = enter()
    tab.goto(f"http://{served.host}/graph?at=project")
    frame = tab.locator("#net").get_attribute("viewBox")
    tab.keyboard.press("+")
    closer = tab.evaluate("document.getElementById('net').viewBox.baseVal.width")
    assert closer < float(frame.split()[2])
    with tab.expect_navigation():
        tab.locator("#net a[href^='/memory/']").first.focus()
        tab.keyboard.press("Enter")
    assert "/memory/c_" in tab.url


def test_another_sites_form_does_nothing(home, served, enter):
    """R127: a page of another origin in the same browser cannot act: the cookie is not sent, and its form is refused."""
    tab = enter()
    evil = tab.context.new_page()
    form = f'<form method=post action="http://{served.host}/act"><input name=act value=promote><input name=id value="{served.ids["first"]}"></form>'
    evil.route("http://evil.example/", lambda route: route.fulfill(body=form, content_type="text/html"))
    evil.goto("http://evil.example/")
    with evil.expect_navigation():
        evil.evaluate("document.forms[0].submit()")
    assert "webhook" not in evil.content()
    assert memories.read(home.memory, served.ids["first"]).tier == "T1"


def test_stored_markup_runs_nowhere(served, enter):
    """R127: a stored script, a closing textarea and an image with a handler are letters on the page; the title stays ours."""
    tab = enter()
    for path in (f"/?at={served.ids['nasty']}", f"/memory/{served.ids['nasty']}"):
        tab.goto(f"http://{served.host}{path}")
        said = tab.locator("blockquote").first.inner_text()
        assert '<script>document.title = "taken"</script></textarea><img src=x' in said
        assert "\\u200b" in said
        assert tab.locator("blockquote img, blockquote script").count() == 0
        assert "taken" not in tab.title()


@pytest.mark.parametrize(("device", "scheme"), [("wide", "light"), ("phone", "dark")])
def test_axe_finds_nothing_serious_and_nothing_runs_over(served, enter, axe, pictures, device, scheme):
    """R127: each page, light on a wide screen and dark on a phone: no serious finding of axe, no sideways scrolling, and a picture is kept."""
    language = "tr-TR" if scheme == "dark" else "en-GB"
    tab = enter(viewport=DEVICES[device], color_scheme=scheme, locale=language)
    for path in PAGES:
        tab.goto(f"http://{served.host}{path}")
        tab.screenshot(
            path=pictures / f"{path.strip('/').partition('?')[0].partition('/')[0] or 'inbox'}-{device}-{scheme}.png",
            full_page=True,
        )
        tab.evaluate(axe)
        found = tab.evaluate(
            "async () => (await axe.run()).violations.map(v => [v.impact, v.id, v.nodes.map(n => n.html)])"
        )
        assert [one for one in found if one[0] in ("serious", "critical")] == [], json.dumps(found)
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert tab.evaluate("document.documentElement.lang") == language[:2]
