"""`bellek web` as a process: who started it is who acts through it."""

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
from urllib.parse import urlencode

import pytest
import rows
from command import PROGRAM
from world import eventually

from bellek.kg import audit, memories
from bellek.kg.home import open_home

pytest.importorskip("starlette")
LINK = re.compile(r"http://127\.0\.0\.1:(\d+)(/enter\?token=[\w-]+)")


def through(link, id):
    """Open a link as a browser does, read the inbox, promote a row by its form; (status of the inbox, its text, status of the act)."""
    port, path = int(link[1]), link[2]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    cookie = {"Cookie": answer.headers["set-cookie"].split(";")[0]}
    connection.request("GET", "/", headers=cookie)
    answer = connection.getresponse()
    text = answer.read().decode()
    token = re.search(r'name="csrf" value="([^"]+)"', text)
    form = urlencode({"csrf": token[1] if token else "", "act": "promote", "id": id, "revision": "1", "back": "inbox"})
    sent = {**cookie, "Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/act", form, sent)
    act = connection.getresponse()
    act.read()
    connection.close()
    return answer.status, text, act.status


@pytest.fixture
def candidate(world):
    """A row that asks for a person's word."""
    with open_home(str(world.home)) as home:
        here = rows.project(home, world.work)
        return rows.write(home, here, rows.lesson("paketler uv ile kurulur", importance=2))[0]


def test_a_person_at_a_terminal_acts_through_the_page(person, world, candidate, tmp_path):
    """R122, R127: started at a person's terminal, the link that stands there opens the page, and an act on it is a person's."""
    pid = tmp_path / "pid"
    started = threading.Thread(
        target=person.bellek, args=("web",), kwargs={"wrap": f"sh -c 'echo $$ > {pid}; exec \"$@\"' sh {{}}"}
    )
    started.start()
    out = person.place / "1" / "out"
    try:
        link = eventually(lambda: out.exists() and LINK.search(out.read_text("utf-8")), "the link")
        status, text, act = through(link, candidate)
    finally:
        os.kill(int(pid.read_text()), signal.SIGINT)
        started.join()
    assert (status, act) == (200, 303)
    assert candidate in text
    with open_home(str(world.home)) as home:
        assert memories.read(home.memory, candidate).tier == "T2"
        assert [e.actor for e in audit.latest(home.memory, id=candidate) if e.act == "promote"] == ["person:page"]


def test_an_agents_page_only_shows(world, candidate, tmp_path):
    """R122: started without a terminal it says that it only shows, offers no form and refuses the act."""
    with (tmp_path / "out").open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "bellek", "web", "--home", str(world.home)], cwd=world.work, stdin=subprocess.DEVNULL, stdout=out,
            env=world.environment(PYTHONPATH=PROGRAM, CLAUDE_CONFIG_DIR=str(world.config)), start_new_session=True,
        )  # fmt: skip
        try:
            told = eventually(lambda: LINK.search((tmp_path / "out").read_text("utf-8")), "the link")
            status, text, act = through(told, candidate)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
    assert (status, act) == (200, 403)
    assert 'action="/act"' not in text
    assert "it only shows, and refuses each act" in (tmp_path / "out").read_text("utf-8")
    with open_home(str(world.home)) as home:
        assert memories.read(home.memory, candidate).tier == "T1"
