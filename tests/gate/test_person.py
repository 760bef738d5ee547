"""The gate from outside: a person at a terminal passes, everybody else is refused with exit 3 and leaves a trace."""

import json
import shlex
import subprocess
import sys

import pytest
from world import PROGRAM

from bellek.kg import audit, memories, promotions
from bellek.kg.home import open_home


@pytest.fixture
def lesson(taught):
    """The id of the lesson of high importance."""
    with open_home(str(taught.home)) as home:
        return str(home.memory.value("SELECT m.id FROM memories m JOIN lessons l USING (id) WHERE l.importance = 2"))


def tier(world, id_):
    """A row's tier."""
    with open_home(str(world.home)) as home:
        return memories.read(home.memory, id_).tier


def tries(world):
    """(actor, verb, id) of each try that the trail holds."""
    with open_home(str(world.home)) as home:
        return [(e.actor, e.kind, e.id) for e in audit.entries(home.memory) if e.act == "refused-try"]


def test_a_person_promotes_and_the_next_packet_shows_it(taught, person, lesson):
    """R47, R53, R56: at a terminal `promote` makes the row permanent, and the next packet has it among the rules, without the mark."""
    before = taught.bellek("packet")
    assert "observations (unverified" in before.split(lesson)[0]
    done = person.bellek("promote", lesson)
    assert done.rc == 0, done.err
    assert f"{lesson} is permanent now" in done.out
    after = taught.bellek("packet")
    assert "rules (a person made them permanent)" in after.split(lesson)[0]
    assert "unverified" not in after.split(lesson)[0]
    with open_home(str(taught.home)) as home:
        assert [p.person for p in promotions.of(home.memory, lesson)] == ["person:terminal"]
    again = person.bellek("promote", lesson)
    assert (again.rc, "permanent already" in again.err) == (1, True)


@pytest.mark.parametrize("words", [["promote", "{}"], ["refuse", "{}", "--note", "x"], ["entities", "consent", "Eve", "maas"], ["gate", "passphrase"],
                                   ["gate", "typed-promote", "on"], ["proposals", "answer", "r_nosuchrow000", "yes"],
                                   ["conflicts", "resolve", "x_nosuchrow000", "both", "--note", "x"]])  # fmt: skip
def test_without_a_terminal_nobody_is_a_person(taught, lesson, words):
    """R47, R122: without a terminal each of a person's verbs ends with 3, says why, changes no row, and the try is in the trail."""
    given = [word.format(lesson) for word in words]
    done = run(taught, *given)
    assert done.returncode == 3
    assert b"needs a person" in done.stderr
    assert b"terminal" in done.stderr
    assert tier(taught, lesson) == "T1"
    verb = " ".join(given[:2]) if given[0] in ("entities", "gate", "proposals", "conflicts") else given[0]
    assert [(kind, id_) for _, kind, id_ in tries(taught)] == [
        (verb, given[1] if given[0] in ("promote", "refuse") else tries(taught)[0][2])
    ]


def run(world, *words, **given):
    """A command without any terminal, as CI and an agent's shell have it."""
    return world.run(*words, stdin=None, new_session=True, env=given)


AGENT = """
import os, subprocess, sys
sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""


@pytest.fixture
def client(tmp_path):
    """A program that looks like a client in the table of processes: a script by the client's name that runs a command."""
    path = tmp_path / "bin" / "claude"
    path.parent.mkdir()
    path.write_text(f"#!{sys.executable}\n{AGENT}")
    path.chmod(0o755)
    return str(path)


WAYS = {
    "plain": "{}",
    "cleared environment": "env -i PYTHONPATH=" + shlex.quote(PROGRAM) + " {}",
    "script": "script -qec {quoted} /dev/null",
    "setsid in script": "script -qec {quoted_setsid} /dev/null",
    "nohup": "nohup {}",
    "a shell between": "sh -c {quoted}",
    "its tty": "sh -c {quoted_tty}",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_client_above_is_refused_whatever_it_clears(taught, person, client, lesson, way):
    """R47, R122: with a client among the ancestors the gate refuses at a real terminal too: by `env -i`, `script`, `setsid`, `nohup`."""
    words = shlex.join([sys.executable, "-m", "bellek", "promote", lesson, "--home", str(taught.home)])
    line = (
        WAYS[way]
        .replace("{quoted_setsid}", shlex.quote("setsid -w " + words))
        .replace("{quoted_tty}", shlex.quote(words + " < /dev/tty"))
    )
    line = line.replace("{quoted}", shlex.quote(words)).replace("{}", words)
    done = person.run(client, "sh", "-c", f"{line}; exit $?")
    assert done.rc == 3, (done.out, done.err)
    assert tier(taught, lesson) == "T1"
    assert tries(taught) == [("agent:claude-code", "promote", lesson)]


def test_a_process_cut_off_from_its_shell_is_refused(taught, person, lesson):
    """R122: a command that let itself be adopted by init keeps the terminal of somebody gone: it is refused."""
    words = shlex.join([sys.executable, "-m", "bellek", "promote", lesson, "--home", str(taught.home)])
    done = taught.root / "cut-off"
    inside = f"( ( {words} < /dev/tty > {done}.out 2>&1; echo $? > {done}.new; mv {done}.new {done} ) & ) ; while [ ! -e {done} ]; do sleep 0.05; done; cat {done}.out; exit $(cat {done})"
    ended = person.run("sh", "-c", inside)
    assert ended.rc == 3, ended
    assert "cut off" in ended.out
    assert tier(taught, lesson) == "T1"


def test_a_terminal_made_for_nobody_is_refused(taught, lesson):
    """R122: `script` started where there is no terminal makes one at which nobody sits."""
    words = shlex.join([sys.executable, "-m", "bellek", "promote", lesson, "--home", str(taught.home)])
    done = subprocess.run(
        ["script", "-qec", words, "/dev/null"], cwd=taught.work, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False,
        start_new_session=True, env=taught.environment(PYTHONPATH=PROGRAM),
    )  # fmt: skip
    assert done.returncode == 3, done
    assert tier(taught, lesson) == "T1"


@pytest.mark.parametrize("mark", ["CLAUDECODE", "CODEX_SANDBOX", "BELLEK_NESTED"])
def test_a_clients_mark_is_a_sign_too(taught, person, lesson, mark):
    """R122: at a terminal without a client above, a mark that a client leaves in its commands' environment refuses."""
    done = person.bellek("promote", lesson, wrap=f"env {mark}=1 {{}}")
    assert done.rc == 3
    assert tier(taught, lesson) == "T1"


def test_a_dry_run_changes_no_byte(taught, person, lesson):
    """R53: `promote --dry-run` shows the row, for anybody, and changes no byte of the home."""
    taught.bellek("status")
    before = {path: path.read_bytes() for path in taught.home.rglob("*") if path.is_file()}
    assert lesson in taught.bellek("promote", lesson, "--dry-run")
    assert {path: path.read_bytes() for path in taught.home.rglob("*") if path.is_file()} == before
    assert person.bellek("promote", lesson, "--dry-run").rc == 0
    assert tier(taught, lesson) == "T1"


def test_a_refusal_at_a_terminal(taught, person, lesson):
    """R53: a refusal needs a note; the row is in no packet any more, stays readable with its note, and is not promoted."""
    assert person.bellek("refuse", lesson).rc == 2
    done = person.bellek("refuse", lesson, "--note", "yanlış kural")
    assert done.rc == 0, done.err
    assert lesson not in taught.bellek("packet", "--prompt", "uv ile paketler nasıl kurulur")
    assert "yanlış kural" in taught.bellek("show", lesson)
    assert person.bellek("promote", lesson).rc == 1


def test_a_passphrase_signs_what_is_promoted(taught, person, lesson):
    """R122: once a passphrase is set, `promote` asks for it on the terminal, a wrong one promotes nothing, a right one signs."""
    secret = "üç kelimelik söz"
    set_ = person.bellek("gate", "passphrase", types=(("new passphrase:", secret), ("once more:", secret)))
    assert set_.rc == 0, set_.err
    assert person.bellek("promote", lesson, types=(("passphrase:", "yanlış söz"),)).rc == 1
    assert tier(taught, lesson) == "T1"
    done = person.bellek("promote", lesson, types=(("passphrase:", secret),))
    assert (done.rc, "signed" in done.out) == (0, True), done.err
    assert secret not in done.out + done.err
    with open_home(str(taught.home)) as home:
        (promotion,) = promotions.of(home.memory, lesson)
        assert len(promotion.signature) == 32


def test_the_try_holds_no_text(taught, lesson):
    """R122: what stands in the trail of a try is the verb and an id; free text in its place is left out."""
    run(taught, "promote", "the password is hunter2")
    assert tries(taught)[-1] == ("unknown", "promote", "")


def test_json_of_a_decision(taught, person, lesson):
    """R53: with --json a decision is one object with what it was and what it is."""
    done = json.loads(person.bellek("promote", lesson, "--json").out)
    assert (done["id"], done["was"]["tier"], done["tier"], done["dry_run"]) == (lesson, "T1", "T2", False)
