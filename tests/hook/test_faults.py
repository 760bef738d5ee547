"""What the hook does with odd inputs and broken stores: one JSON object or nothing, status 0, and not a byte of anything else."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from world import Session, World, eventually

from bellek.schemas.packet import SCHEMA_VERSION

TELLING = ("SessionStart", "UserPromptSubmit")
ODD_INPUTS = {
    "empty": b"", "blank": b"  \n", "not JSON": b"hello", "a list": b"[1, 2]", "a number": b"7", "cut": b'{"session_id": "s', "NUL bytes": b"\0\0\0",
    "not UTF-8": b'{"prompt": "\xff\xfe"}', "deep": b"[" * 100_000, "two values": b"{} {}",
    "odd types": b'{"session_id": 7, "cwd": [], "prompt": {"a": 1}, "source": null}',
}  # fmt: skip


@pytest.mark.parametrize("event", TELLING)
@pytest.mark.parametrize("name", ODD_INPUTS)
def test_odd_standard_input_costs_nothing(taught, name, event):
    """Input that is no JSON object of the client's is answered with nothing or one packet, and status 0."""
    answer = taught.raw(event, ODD_INPUTS[name])
    assert (answer.code, answer.err) == (0, b"")
    assert "9107" not in answer.context, "another project's row was told to a turn without a folder"


def test_a_prompt_of_five_megabytes_is_answered(taught):
    """A pasted log of 5 MB gets its packet: it is read at both ends only."""
    paste = "at frame 12 in module port metrics service\n" * 125_000
    answer = taught.raw("UserPromptSubmit", json.dumps(taught.fields("UserPromptSubmit", prompt=paste)).encode())
    assert (answer.code, answer.err) == (0, b"")
    assert taught.log() == ""


@pytest.mark.parametrize("prompt", ["yarım \ud83d emoji port 9107", "NUL \0 port 9107", "\ud800", "\0"])
def test_half_surrogates_and_nul_in_a_prompt(taught, prompt):
    """A prompt with a lone surrogate or a NUL is answered like any other."""
    context = taught.prompt(prompt)
    assert ("port 9107" in prompt) <= ("listens on port 9107" in context)
    assert taught.log() == ""


@pytest.mark.parametrize("event", ["Nonsense", "PreToolUse", "--", "Notification"])
def test_an_unknown_event_says_nothing(taught, event):
    """An event that means nothing to us has no output."""
    assert taught.send(event).out == b""


@pytest.mark.parametrize("client", ["nobody", "../evil", "claude code", "injected", "claude_files", ""])
def test_an_unknown_client_says_nothing(taught, client):
    """A client without an adapter is not answered in another client's form."""
    answer = taught.raw("SessionStart", json.dumps(taught.fields("SessionStart")).encode(), client=client)
    assert (answer.code, answer.err) == (0, b"")
    if client:
        assert answer.out == b""


@pytest.mark.parametrize("event", [*TELLING, "Stop", "SessionEnd"])
def test_a_nested_session_is_left_alone(taught, event):
    """B43: with our guard variable set the hook exits at once, with empty output, and starts nothing."""
    before = sorted(p.name for p in taught.home.iterdir())
    answer = taught.raw(event, json.dumps(taught.fields(event)).encode(), env=taught.environment(BELLEK_NESTED="1"))
    assert (answer.code, answer.out, answer.err) == (0, b"", b"")
    assert sorted(p.name for p in taught.home.iterdir()) == before


@pytest.mark.parametrize("link", [False, True])
def test_a_session_inside_the_data_home_is_left_alone(taught, link):
    """B43: a working folder inside the data home, also by way of a link, is our own work: nothing is told."""
    folder = taught.home / "config"
    if link:
        (taught.root / "kestirme").symlink_to(taught.home)
        folder = taught.root / "kestirme" / "config"
    assert taught.prompt("metrics service port", cwd=str(folder)) == ""
    assert taught.prompt("metrics service port", "s-2") != ""


@pytest.mark.parametrize("cwd", ["", None, ".", "proje", "/nowhere/at/all", "/", "x\0y"])
def test_an_unknown_folder_gets_nothing_of_another_project(taught, cwd):
    """B133: a missing, relative or unknown working folder is no project: no project's row is told."""
    context = taught.prompt("metrics service port uv paketler", cwd=cwd)
    assert "9107" not in context
    assert "uv ile" not in context
    assert "Zeynep" not in context


def _break(world, how):
    world.check_at_end = False
    home = world.home
    memory = home / "memory.db"
    match how:
        case "no home":
            shutil.rmtree(home)
        case "no store":
            for file in home.glob("*.db*"):
                file.unlink()
        case "text":
            memory.write_text("bu bir veritabanı değil\n" * 100, encoding="utf-8")
        case "zeroed first page":
            data = memory.read_bytes()
            memory.write_bytes(b"\0" * 4096 + data[4096:])
        case "empty file":
            memory.write_bytes(b"")
        case "a folder":
            memory.unlink()
            memory.mkdir()
        case "cut":
            memory.write_bytes(memory.read_bytes()[:5000])


@pytest.mark.parametrize("event", TELLING)
@pytest.mark.parametrize("how", ["no home", "no store", "text", "zeroed first page", "empty file", "a folder", "cut"])
def test_a_broken_store_costs_no_prompt(taught, how, event):
    """A missing or damaged memory.db is answered with nothing (or one packet), status 0; the fault's place is all the log holds."""
    _break(taught, how)
    answer = taught.send(event, prompt="metrics service port", source="startup")
    assert len(answer.context) <= 10_000
    for line in taught.log().splitlines():
        kind, place = line.split(" ")
        assert kind.isidentifier()
        name, _, number = place.partition(":")
        assert name.endswith(".py")
        assert number.isdigit()


def test_damaged_conversations_leave_the_typed_memory_to_be_told(taught):
    """A damaged conversations.db costs its own section only."""
    taught.check_at_end = False
    (taught.home / "conversations.db").write_bytes(b"not a database " * 1000)
    assert "9107" in taught.prompt("metrics service port")


@pytest.mark.parametrize("event", [*TELLING, "Stop"])
def test_a_newer_store_keeps_its_bytes(world, event):
    """A store of a newer version, in whatever journal mode, is left as it is to the byte."""
    world.check_at_end = False
    world.home.mkdir(mode=0o700)
    path = world.home / "memory.db"
    con = sqlite3.connect(path)
    con.executescript(
        f"CREATE TABLE memories (x); INSERT INTO memories VALUES ('gelecek'); PRAGMA user_version = {SCHEMA_VERSION + 98}"
    )
    con.close()
    before = path.read_bytes()
    assert world.send(event, prompt="x", source="startup").out == b""
    assert path.read_bytes() == before


def test_the_log_never_holds_text(taught):
    """A fault is logged as type, file and line; no word of the prompt, the path or the error's message."""
    taught.check_at_end = False
    (taught.home / "memory.db").write_bytes(b"gizli metin " * 1000)
    taught.prompt("çok gizli istem")
    (line,) = taught.log().splitlines()
    assert line.split(" ")[0] == "StoreDamaged"
    assert len(line.split(" ")) == 2
    assert (taught.home / "hook.log").stat().st_mode & 0o077 == 0


def test_without_any_home_nothing_is_written(world):
    """HOME unset and no home named: no answer, status 0, and no log file in the root folder or the working folder."""
    log = Path("/hook.log")  # where an empty home's name would lead to

    def seen():
        return sorted(os.listdir(world.work)), log.stat().st_size if log.exists() else None

    before = seen()
    answer = world.raw("UserPromptSubmit", b"{}", home=False, env=world.environment(HOME=None))
    assert (answer.code, answer.out, answer.err) == (0, b"", b"")
    assert seen() == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_another_users_home_is_not_read(taught):
    """A home that belongs to another user is not told from: they could have planted it."""
    os.chown(taught.home, 12345, 12345)
    assert taught.prompt("metrics service port") == ""
    os.chown(taught.home, 0, 0)


def _bound_by_modes(words):
    """The command so that file modes bind it: for root without the capability that overrides them."""
    if os.geteuid() != 0:
        return words
    if shutil.which("setpriv") is None:
        pytest.skip("root is bound by no file mode, and there is no setpriv to change that")
    return ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", *words]


@pytest.mark.parametrize("event", TELLING)
def test_a_read_only_home_costs_no_prompt(taught, event):
    """In a home where nothing can be written the prompt goes through: a packet or nothing, status 0, not a word on stderr."""
    paths = [taught.home, *taught.home.rglob("*")]
    for path in paths:
        path.chmod(0o500 if path.is_dir() else 0o400)
    hook = str(Path(__file__).resolve().parents[2] / "bellek" / "hook.py")
    words = _bound_by_modes([sys.executable, "-I", hook, event, "--home", str(taught.home)])
    fields = json.dumps(taught.fields(event, prompt="metrics service port")).encode()
    done = subprocess.run(words, input=fields, capture_output=True, env=taught.environment(), check=False)
    for path in paths:
        path.chmod(0o700 if path.is_dir() else 0o600)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"" or list(json.loads(done.stdout)) == ["hookSpecificOutput"]
    print(event, done.stdout)


@pytest.mark.parametrize(
    "more",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"LANG": "tr_TR.ISO-8859-9", "PYTHONUTF8": "0"},
    ],
)
def test_the_locale_does_not_matter(taught, more):
    """B160: under a C locale and under cp1252 the answer is valid UTF-8 JSON with every letter in its place, status 0."""
    answer = taught.raw(
        "UserPromptSubmit",
        json.dumps(taught.fields("UserPromptSubmit", prompt="paketler uv")).encode(),
        env=taught.environment(**more),
    )
    assert (answer.code, answer.err) == (0, b"")
    assert "çünkü kilit dosyasını yalnız uv tutar" in answer.context
    assert "çünkü" in taught.bellek("search", "paketler", **more)
    assert json.loads(taught.bellek("tick", "--json", **more))["files"] >= 0


HOLDER = """
import sys
sys.path.append(sys.argv[2])
from bellek.kg.db import open_database
with open_database(sys.argv[1]).transaction():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_busy_store_is_told_from_without_a_receipt(taught):
    """While another process holds the write lock the packet goes out all the same, without its receipt."""
    here = str(Path(__file__).resolve().parents[2])
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(taught.home / "memory.db"), here],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout.readline() == b"held\n"
        assert "9107" in taught.prompt("metrics service port")
    finally:
        holder.communicate(b"")
    assert taught.log() == ""
    first = next(row["id"] for row in taught.json("lessons", "list") if "9107" in row["text"])
    assert taught.json("why", first) == []
    assert "9107" in taught.prompt("metrics service port"), "without a receipt the same lines are told once more"
    assert [row["fate"] for row in taught.json("why", first)] == ["told"]


def test_a_closed_standard_output_is_the_clients_choice(taught):
    """A client that hung up costs nothing: status 0, no traceback."""
    read, write = os.pipe()
    os.close(read)
    process = taught.start("UserPromptSubmit", stdout=write)
    os.close(write)
    _, err = process.communicate(
        json.dumps(taught.fields("UserPromptSubmit", prompt="metrics port")).encode(), timeout=30
    )
    assert (process.returncode, err) == (0, b"")


def test_descriptors_that_are_closed_from_the_start(taught):
    """Started with no standard streams at all, the hook exits with 0 and the store stays whole."""
    words = f"'{sys.executable}' -I '{Path(__file__).resolve().parents[2]}/bellek/hook.py' UserPromptSubmit --home '{taught.home}' <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", words], env=taught.environment(), check=False).returncode == 0
    assert taught.json("lessons", "list")


@pytest.mark.parametrize("event", ["Stop", "SessionEnd"])
def test_the_end_of_a_turn_returns_at_once_and_is_heard(world, event):
    """Stop and SessionEnd print nothing; a detached child hears the transcript and queues its marker, once."""
    Session(world).turn("öğren", "<!-- learning: a her zaman b, çünkü c -->")
    assert world.send(event, given={"env": world.environment(CLAUDE_CONFIG_DIR=str(world.config))}).out == b""
    items = eventually(
        lambda: (world.home / "memory.db").exists() and world.json("queue", "peek"), "the queued learning"
    )
    assert [item["payload"] for item in items] == ["a her zaman b, çünkü c"]


def test_the_end_of_a_turn_waits_for_nobody_and_its_child_does(taught):
    """B88: while another process holds the write lock Stop returns 0 at once, and its child waits for the lock and then queues the marker, once."""
    Session(taught).turn("öğren", "<!-- learning: a her zaman b, çünkü c -->")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(taught.home / "memory.db"), str(Path(__file__).resolve().parents[2])],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert holder.stdout.readline() == b"held\n"
        taught.send("Stop", given={"env": taught.environment(CLAUDE_CONFIG_DIR=str(taught.config))})
        lock = taught.home / "hearing.lock"
        eventually(lambda: lock.exists() and lock.read_text(), "the child at work")
    finally:
        holder.communicate(b"")
    items = eventually(lambda: taught.json("queue", "peek"), "the queued learning")
    assert [item["payload"] for item in items] == ["a her zaman b, çünkü c"]
    assert taught.log() == ""


def test_a_child_that_fails_leaves_its_place_in_the_log(world):
    """What the detached child raises goes to the log as type, file and line: it has no terminal to tell it to."""
    world.check_at_end = False
    world.home.mkdir(mode=0o700)
    (world.home / "memory.db").write_text("değil " * 2000, encoding="utf-8")
    world.send("Stop")
    assert eventually(world.log, "the child's fault").startswith("StoreDamaged db.py:")


def test_worlds_are_separate(world):
    """A world without a store tells nothing (the fixtures do not leak into one another)."""
    assert isinstance(world, World)
    assert world.prompt("metrics service port") == ""
