"""What a person does on the page, form by form as a browser without scripts sends it."""

import threading

import page
import pytest
from page import AGENT, PERSON, Served, seed

from bellek.curator import review
from bellek.kg import audit, memories
from bellek.kg.home import open_home


@pytest.fixture
def folder(tmp_path):
    """The project's folder."""
    (tmp_path / "proje").mkdir()
    return tmp_path / "proje"


@pytest.fixture
def ids(home, folder):
    """The seeded rows by name."""
    return seed(home, folder)


@pytest.fixture
def start(home, folder):
    """Start pages over the home; all are closed at the end."""
    made = []

    def starting(found=PERSON):
        made.append(Served(home.path, folder, found))
        return made[-1]

    yield starting
    for one in made:
        one.close()


def state(home, id):
    """(tier, status, note, the actor of the latest act)."""
    row = memories.read(home.memory, id)
    return row.tier, row.status, row.note, audit.latest(home.memory, id=id, limit=1)[0].actor


def test_every_act_of_the_inbox_does_what_its_verb_does(home, ids, start):
    """R127: promote, refuse with a note, quarantine, let stand, put away, answer, decide, consent and withdraw, each a person's act on the page."""
    served = start()
    for act, id_, more in (
        ("promote", "first", {}), ("refuse", "nasty", {"note": "kurtarma\r\ngerekmez"}), ("apart", "twin", {"note": "bakacağım"}),
        ("release", "apart", {}), ("yes", "proposal", {"note": "evet"}), ("strong", "conflict", {"note": "sekme"}), ("consent", "field", {}),
    ):  # fmt: skip
        status, headers, text = served.act(act, ids[id_], **more)
        assert (status, headers["location"].startswith("/?did=b_")) == (303, True), (act, text)
    page_ = "person:page"
    assert state(home, ids["first"]) == ("T2", "current", "", page_)
    assert state(home, ids["nasty"]) == ("T1", "refused", "kurtarma\ngerekmez", page_)
    assert state(home, ids["twin"]) == ("T1", "quarantined", "bakacağım", page_)
    assert state(home, ids["apart"])[:2] == ("T1", "current")
    assert memories.read(home.memory, ids["proposal"]).body.state == "accepted"
    assert state(home, ids["weak"])[1] == "superseded"
    assert memories.read(home.memory, ids["field"]).body.consent
    assert served.act("withdraw", ids["field"], 2)[0] == 303
    assert not memories.read(home.memory, ids["field"]).body.consent
    assert served.act("drop", ids["twin"], 2)[0] == 303
    assert state(home, ids["twin"])[1] == "refused"


def test_an_act_can_be_taken_back_on_the_page(home, ids, start):
    """R126: after an act the page says what was done, as the trail has it, with a way back; undo leaves the row as it was."""
    served = start()
    told = served.act("promote", ids["first"])[1]["location"]
    _, _, text = served.ask("GET", told)
    batch = audit.latest(home.memory, id=ids["first"], limit=1)[0].batch
    assert f'name="batch" value="{batch}"' in text
    assert (
        served.ask("POST", "/act", form={"csrf": served.keys.csrf, "act": "undo", "batch": batch, "back": "inbox"})[0]
        == 303
    )
    assert state(home, ids["first"])[:2] == ("T1", "current")


def test_a_row_that_changed_since_it_was_shown_is_not_decided(home, ids, start):
    """Two tabs: who decides about other words than those they read gets a conflict and the row as it is now, and nothing is done."""
    served = start()
    assert served.act("apart", ids["first"], note="x")[0] == 303
    status, _, text = served.act("refuse", ids["first"], note="bu not kaybolmaz")
    assert status == 409
    assert "was changed since you saw it" in text
    assert "bu not kaybolmaz" in text, "what was typed is not lost"
    assert state(home, ids["first"])[1] == "quarantined"


def test_two_tabs_at_once_decide_once(home, ids, start):
    """Two forms for one row sent at the same time: one is done, the other refused, and the store is sound."""
    served = start()
    answers = []
    tabs = [threading.Thread(target=lambda: answers.append(served.act("promote", ids["first"])[0])) for _ in range(2)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert sorted(answers) == [303, 409]
    assert len([e for e in audit.latest(home.memory, id=ids["first"]) if e.act == "promote"]) == 1


def test_a_page_that_an_agent_started_only_shows(home, ids, start):
    """R122: started under a client the page shows, offers no form, refuses each act with the reason and keeps the try in the trail."""
    served = start(AGENT)
    status, _, text = served.ask("GET", "/")
    assert status == 200
    assert 'action="/act"' not in text
    for act, id_, verb in (
        ("promote", "first", "promote"),
        ("consent", "field", "entities consent"),
        ("release", "apart", "quarantine release"),
    ):
        status, _, text = served.act(act, ids[id_])
        assert status == 403
        assert f"`bellek {verb}` needs a person" in text
        assert state(home, ids[id_])[3] == "agent:claude-code"
        assert audit.latest(home.memory, id=ids[id_], limit=1)[0].act == "refused-try"


def test_a_passphrase_is_asked_on_the_page(home, ids, start):
    """Where a passphrase is set a promotion needs it, is signed with it, and a wrong one changes nothing and is shown nowhere."""
    with home.memory.transaction():
        review.set_passphrase(home, "uzun bir parola", actor=page.gate.TERMINAL)
    served = start()
    assert 'type="password" name="passphrase"' in served.ask("GET", f"/?at={ids['first']}")[2]
    for given in ({}, {"passphrase": "yanlis parola"}):
        status, _, text = served.act("promote", ids["first"], **given)
        assert (status, "yanlis parola" in text) == (409, False)
    assert served.act("promote", ids["first"], passphrase="uzun bir parola")[0] == 303
    assert review.unsigned(home.memory, "uzun bir parola") == []
    assert state(home, ids["first"])[0] == "T2"


def test_stored_text_is_text(home, ids, start):
    """R127: markup in a memory, in a note and in a message is shown as letters, hidden characters spelled out, in both languages."""
    served = start()
    for language in ("en", "tr"):
        for path in (f"/?at={ids['nasty']}", f"/memory/{ids['nasty']}"):
            _, _, text = served.ask("GET", path, accept_language=language)
            assert f'<html lang="{language}">' in text
            assert "<script>" not in text
            assert "<img" not in text
            assert "&lt;script&gt;" in text
            assert "&lt;/textarea&gt;" in text
            assert "\u200b" not in text
            assert "\u202e" not in text
            assert r'<span class="hid">\u200b</span>' in text
            assert "ZERO WIDTH SPACE" in text


def test_a_sensitive_value_without_consent_is_not_on_the_page(ids, start):
    """R11: the page withholds what `show` withholds."""
    served = start()
    for path in (f"/?at={ids['field']}", f"/memory/{ids['field']}", "/"):
        text = served.ask("GET", path)[2]
        assert "0 Rh+" not in text
    assert "withheld" in served.ask("GET", f"/?at={ids['field']}")[2]


def test_nothing_to_do_is_said(tmp_path, start, home):
    """An empty inbox, a row and a page that are not there: told in a sentence, with the status that says so."""
    served = start()
    assert "Nothing asks for your word." in served.ask("GET", "/")[2]
    assert served.ask("GET", "/memory/l_nothing")[0] == 404
    assert served.ask("GET", "/nothing")[0] == 404
    with open_home(home.path) as again:
        assert again.memory.value("SELECT count(*) FROM memories") == 0
