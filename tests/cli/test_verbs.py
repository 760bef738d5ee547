"""The command line as a person or a program drives it: a process, its exit status, its two streams."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import command
import pytest
import rows
from world import PROGRAM, Session

from bellek.kg import queue
from bellek.kg.home import open_home
from bellek.schemas.packet import SCHEMA_VERSION

NASTY = (
    "'; DROP TABLE memories; --", "%s%n{}{0}$(rm -rf /)`id`", "\x1b[2Jekran", "--home", "-n", "null", "undefined", "NaN", "1e309", "true", "\u202Egnp.exe",
    "İIıi ŞŞ ẞß ﬃ", "👩‍👩‍👧‍👦 🇹🇷 ✈️", "\ufeffbom", "a\u0000b", "الأمان ١٢٣", "数据库连接", "x" * 5_000, "<script>alert(1)</script>", "../../etc/passwd", "C:\\Users\\x",
    "[/bold]", '{"a": 1}', "line\u2028sep", "\\", "%", "_", "*", '"', "Ω≈ç√∫", "\ud7ff\ue000", "Ṱ̫̺̳o͞ ̷i̲̬n̝̗v̟̜o̘̪k̪e͜",
)  # fmt: skip


def run(world, *words, env=None, cwd=None, stdin=b""):
    """Run one command; the finished process with bytes on both streams."""
    environment = world.environment(
        PYTHONPATH=PROGRAM, CLAUDE_CONFIG_DIR=str(world.config), BELLEK_HOME=str(world.home)
    )
    return command.run(words, cwd=cwd or world.work, stdin=stdin, env={**environment, **(env or {})})


def said(world, *words, **given):
    """The one JSON value that a verb prints with --json; it must end with 0 and print nothing else."""
    done = run(world, *words, "--json", **given)
    assert (done.returncode, done.stderr) == (0, b""), done
    return json.loads(done.stdout.decode())


EMPTY = {
    ("queue", "status"): {}, ("queue", "peek"): [], ("queue", "recover"): [], ("queue", "retry"): [], ("search", "yok"): [], ("search",): [], ("search", "   "): [],
    ("conversations", "search", "yok"): [], ("conversations", "search"): [], ("conversations", "list"): [], ("lessons", "list"): [],
    ("journal", "list"): [], ("tasks", "list"): [], ("why-not", "yok"): [],
}  # fmt: skip


@pytest.mark.parametrize("words", EMPTY)
def test_an_empty_store_gives_an_empty_value(world, words):
    """R25, R41: with nothing there each verb prints [] or {} and exits 0; without --json it says so in words."""
    assert said(world, *words) == EMPTY[words]
    told = run(world, *words)
    assert told.returncode == 0
    assert told.stdout.strip()


@pytest.mark.parametrize(
    "words",
    [("status",), ("doctor",), ("project", "list"), ("tick",), ("drain", "--offline"), ("packet",), ("queue", "take")],
)
def test_json_is_one_value_and_nothing_else(taught, words):
    """Each verb with --json prints exactly one JSON value."""
    done = run(taught, *words, "--json")
    assert done.returncode == (1 if words == ("doctor",) and b'"FAIL"' in done.stdout else 0)
    json.loads(done.stdout.decode())


def heard(world, *payloads):
    """A session with one marker a payload, heard."""
    Session(world).turn("öğren", "\n\n".join(f"<!-- learning: {payload} -->" for payload in payloads))
    return said(world, "tick")


def test_peek_and_status_have_their_shapes(world):
    """R25: peek is an array of objects with id, channel, payload and enqueued_at; status maps a channel to its count."""
    heard(world, "bir, çünkü iki", "üç, çünkü dört")
    Session(world, "s-2").turn("görev", "<!-- task: [SELF_TASK: sor] -->")
    run(world, "tick")
    items = said(world, "queue", "peek")
    assert [set(item) for item in items] == [{"id", "channel", "payload", "enqueued_at"}] * 3
    assert [item["payload"] for item in items] == ["bir, çünkü iki", "üç, çünkü dört", "[SELF_TASK: sor]"]
    assert said(world, "queue", "status") == {"learning": 2, "task": 1}
    assert [item["payload"] for item in said(world, "queue", "peek", "--channel", "task")] == ["[SELF_TASK: sor]"]
    done = run(world, "queue", "peek", "--channel", "nobody", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, [])
    assert b"no manifest declares the channel nobody" in done.stderr


def test_ack_errors_loudly(world):
    """R26: a wrong, an ambiguous, an empty and an already acknowledged id end with a status, and the queue is unchanged."""
    heard(world, "bir, çünkü iki", "üç, çünkü dört")
    before = said(world, "queue", "peek")
    for wrong in ("q_nothere", "q_", "", "%", "q_'; DROP TABLE queue; --"):
        done = run(world, "queue", "ack", "--", wrong)
        assert done.returncode == 1, wrong
        assert done.stdout == b""
        assert b"bellek: " in done.stderr
        assert said(world, "queue", "peek") == before
    first = before[0]["id"]
    assert said(world, "queue", "ack", first) == {"id": first, "state": "acknowledged"}
    assert run(world, "queue", "ack", first).returncode == 1
    assert said(world, "queue", "peek") == before[1:]


def test_an_item_of_another_project_cannot_be_seen_or_acknowledged(world, tmp_path):
    """R24: items of one project are invisible in another, also to ack."""
    heard(world, "bir, çünkü iki")
    other = tmp_path / "öteki"
    other.mkdir()
    (item,) = said(world, "queue", "peek")
    assert said(world, "queue", "peek", cwd=other) == []
    assert run(world, "queue", "ack", item["id"], cwd=other).returncode == 1
    assert said(world, "queue", "peek", "--project", str(world.work), cwd=other) == [item]


def test_five_scans_an_ack_and_more_scans(world):
    """R13, R39: five scans queue a marker once; acknowledged it never comes back, not even with the cursor lost."""
    heard(world, "bir, çünkü iki")
    for _ in range(4):
        assert said(world, "tick")["queued"] == 0
    (item,) = said(world, "queue", "peek")
    run(world, "queue", "ack", item["id"])
    for _ in range(2):
        assert said(world, "tick")["queued"] == 0
        with open_home(str(world.home)) as home, home.memory.transaction():
            home.memory.run("DELETE FROM cursors")
    assert said(world, "queue", "peek") == []


def test_words_behind_two_dashes_are_words(world):
    """`--` ends options: a query and a text that begin with a dash are taken as they are."""
    heard(world, "seçenek --frob kullanılmaz, çünkü eskidi")
    run(world, "drain", "--offline")
    assert {row["kind"] for row in said(world, "search", "--limit", "5")} == set()
    done = run(world, "search", "--json", "--", "--frob")
    assert {row["kind"] for row in json.loads(done.stdout)} == {"lesson", "event"}
    assert run(world, "search", "--frob").returncode == 2


@pytest.mark.parametrize(
    "words",
    [
        ("nonsense",),
        ("queue", "nonsense"),
        ("search", "--frob"),
        ("queue", "ack"),
        ("tick", "--throttle", "10x"),
        ("tick", "--client", "nobody"),
        ("search", "--limit", "0", "x"),
        ("drain",),
        ("install", "nobody"),
    ],
)
def test_wrong_words_end_with_two(world, words):
    """Status 2 for the command's own words: one sentence on stderr with what to run next, no traceback, nothing on stdout."""
    done = run(world, *words)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
    assert b"--help" in done.stderr or b"bellek " in done.stderr or b"give " in done.stderr.lower()


def test_no_words_at_all_give_the_help(world):
    """A bare command and a bare group print their help and end with 2."""
    for words in ((), ("queue",), ("conversations",)):
        done = run(world, *words)
        assert done.returncode == 2
        assert b"Usage:" in done.stderr


def test_the_home_is_named_in_four_ways(world, tmp_path):
    """--home before or behind the verb wins over BELLEK_HOME, which wins over the XDG folder."""
    one, two, xdg = tmp_path / "bir", tmp_path / "iki", tmp_path / "xdg"
    assert said(world, "status", "--home", str(one), env={"BELLEK_HOME": str(two)})["home"] == str(one)
    assert json.loads(run(world, "--home", str(one), "status", "--json", env={"BELLEK_HOME": str(two)}).stdout)[
        "home"
    ] == str(one)
    assert said(world, "status", env={"BELLEK_HOME": str(two)})["home"] == str(two)
    assert said(world, "status", env={"BELLEK_HOME": "", "XDG_DATA_HOME": str(xdg)})["home"] == str(xdg / "bellek")
    none = run(world, "status", env={"BELLEK_HOME": "", "HOME": ""})
    assert none.returncode == 2
    assert b"BELLEK_HOME" in none.stderr


def test_a_folder_that_is_gone_is_still_a_project(world, tmp_path):
    """--project takes the path of a folder that no longer exists: its memory is where it was."""
    gone = tmp_path / "geçici"
    gone.mkdir()
    talk = Session(world)
    talk.lines(
        {
            "type": "assistant",
            "cwd": str(gone),
            "message": {"content": [{"type": "text", "text": "<!-- learning: zürafa kuralı, çünkü öyle -->"}]},
        }
    )
    run(world, "tick")
    shutil.rmtree(gone)
    assert [item["payload"] for item in said(world, "queue", "peek", "--project", str(gone))] == [
        "zürafa kuralı, çünkü öyle"
    ]
    run(world, "drain", "--offline", "--project", str(gone))
    assert said(world, "search", "zürafa", "--project", str(gone))
    assert said(world, "search", "zürafa") == []


def test_stranded_items_are_recovered(world, tmp_path):
    """R43: items of a deleted folder show in doctor; recover lists them, moves them with --apply, keeps their times, once."""
    gone = tmp_path / "silinmiş"
    gone.mkdir()
    Session(world).lines(
        {
            "type": "assistant",
            "cwd": str(gone),
            "message": {"content": [{"type": "text", "text": "<!-- learning: bir, çünkü iki -->"}]},
        }
    )
    run(world, "tick")
    shutil.rmtree(gone)
    (item,) = said(world, "queue", "peek", "--project", str(gone))
    assert "no longer exists" in run(world, "doctor").stdout.decode()
    world.clock += 86_400_000
    assert [(row["id"], row["recovered"]) for row in said(world, "queue", "recover")] == [(item["id"], False)]
    assert said(world, "queue", "peek") == []
    assert said(world, "queue", "recover", "--apply")[0]["id"] == item["id"]
    assert said(world, "queue", "peek") == [item]
    assert said(world, "queue", "recover", "--apply") == []


def doctor(world):
    """Exit status and findings by id."""
    done = run(world, "doctor", "--json")
    return done.returncode, {row["id"]: row for row in json.loads(done.stdout)}


def test_doctor_fails_only_on_a_failure(world):
    """B84, R45: an empty home warns; a queue that nobody drained for nine days fails, with its age, the last drain and what failed."""
    run(world, "install", "claude-code")
    heard(world, "bir, çünkü iki")
    code, found = doctor(world)
    assert found["queue"]["state"] == "OK"
    assert code == 0
    world.clock += 9 * 86_400_000
    code, found = doctor(world)
    assert (code, found["queue"]["state"]) == (1, "FAIL")
    assert "9 days" in found["queue"]["what"]
    assert "never" in found["queue"]["why"]
    assert found["queue"]["next"] == "bellek drain --offline"
    assert b"bellek drain --offline" in run(world, "doctor").stdout
    with open_home(str(world.home)) as home:
        (item,) = queue.peek(home.memory, rows.project(home, world.work))
        with home.memory.transaction():
            queue.fail(home.memory, item, "the writer said no")
    code, found = doctor(world)
    assert (code, found["queue"]["why"]) == (
        1,
        "last drained never; 1 could not be written so far, one of them: the writer said no",
    )


def test_a_damaged_store_ends_with_five(taught):
    """Status 5 for a store that cannot be used: what, why, what next; its bytes stay as they are."""
    taught.check_at_end = False
    memory = taught.home / "memory.db"
    for content in (b"not a database " * 500, b"\0" * 4096 + memory.read_bytes()[4096:]):
        memory.write_bytes(content)
        for words in (("search", "x"), ("tick",), ("queue", "peek", "--json"), ("drain", "--offline")):
            done = run(taught, *words)
            assert (done.returncode, done.stdout) == (5, b"")
            assert b"restore" in done.stderr
        assert memory.read_bytes() == content
        assert doctor(taught)[0] == 1


def test_a_newer_store_ends_with_five_unchanged(world):
    """A store of a newer version is refused with 5 and not a byte of it changes."""
    world.check_at_end = False
    world.home.mkdir(mode=0o700)
    path = world.home / "memory.db"
    con = sqlite3.connect(path)
    con.executescript(f"CREATE TABLE t (x); PRAGMA user_version = {SCHEMA_VERSION + 98}")
    con.close()
    before = path.read_bytes()
    for words in (("status",), ("tick",), ("search", "x")):
        done = run(world, *words)
        assert done.returncode == 5
        assert b"newer" in done.stderr
        assert b"upgrade" in done.stderr.lower()
    assert path.read_bytes() == before


HOLDER = """
import sys
from bellek.kg import locks
with locks.held(sys.argv[1], "drain") as mine:
    print(mine, flush=True)
    sys.stdin.read()
"""


def test_a_second_drain_ends_with_four(taught):
    """R29: while one drain works another ends with 4 and takes nothing."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(taught.home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PROGRAM},
    )
    try:
        assert holder.stdout.readline() == b"True\n"
        done = run(taught, "drain", "--offline")
        assert done.returncode == 4
        assert b"another drain" in done.stderr
    finally:
        holder.communicate(b"")
    assert run(taught, "drain", "--offline").returncode == 0


def test_a_drain_prints_a_short_summary(world):
    """R37: a drain of many items prints one line."""
    heard(world, *[f"{i}. kural, çünkü {i}" for i in range(20)])
    done = run(world, "drain", "--offline")
    assert len(done.stdout.splitlines()) == 1
    assert b"20 acknowledged" in done.stdout


QUERIES = (
    "@nasa #etiket a=b foo&bar x\\y [br] a,b a;b neden? hadi! 50% <x> a|b", "hata OR yanlış-defter OR mistakes", "Ankara'da", "don't", "14'ünde", "Ali’nin",
    "OC-41252", "AND", "NOT", "foo AND", "NEAR(a b)", "*", "^x", "{a b}", '"açık tırnak', "", "   ", "🎉", "@", "。", "...", "(" * 300 + "a" + ")" * 300, "at x.py:12\n" * 18_000,
)  # fmt: skip


@pytest.fixture
def sayings(world):
    """One lesson and one message for the query cases; the home is made in process, the queries are processes."""
    texts = (
        "here: @nasa #etiket a=b foo&bar x\\y [br] a,b a;b neden? hadi! 50% <x> a|b", "mistakes only", "Ankara’ya gidildi, Ali'ye soruldu", "we dont know",
        "ayın 14’ü son gün", "ticket OC-41252 closed", "kutlama 🎉", "açık tırnak", "foo and near x a b",
    )  # fmt: skip
    with open_home(str(world.home)) as home:
        here = rows.project(home, world.work)
        rows.write(home, here, *[rows.lesson(text) for text in texts])
        rows.say(home, here, *texts)
    return world


@pytest.mark.parametrize("query", QUERIES, ids=lambda q: q[:12])
def test_no_query_is_syntax(sayings, query):
    """B03, B04, B05, B07, B09, B10, B11: any text is words to look for, in both searches and in the prompt hook: no error, status 0."""
    stored_word = any(
        w in query
        for w in (
            "nasa",
            "mistakes",
            "Ankara",
            "don't",
            "14'",
            "Ali",
            "OC-41252",
            "foo",
            "NEAR",
            "^x",
            "{a b}",
            "açık",
            "🎉",
        )
    )
    words = ("search", "--", query[:100_000]) if len(query) > 100_000 else ("search", "--", query)
    for group in ((), ("conversations",)):
        done = run(sayings, *group, words[0], "--json", *words[1:])
        assert (done.returncode, done.stderr) == (0, b"")
        found = json.loads(done.stdout)
        assert bool(found) >= stored_word
        assert query.strip() or found == []
    sayings.prompt(query, f"s-{len(query)}")
    assert sayings.log() == ""


def test_an_identifier_is_found_whole(sayings):
    """B07: OC-41252 finds its row through search, conversation search, the prompt hook and why-not."""
    assert "OC-41252" in said(sayings, "search", "OC-41252")[0]["text"]
    assert "OC-41252" in said(sayings, "conversations", "search", "OC-41252")[0]["text"]
    assert "OC-41252" in sayings.prompt("what about OC-41252")
    assert "OC-41252" in said(sayings, "why-not", "OC-41252")[0]["text"]


CONTROL = (
    "claim \x1b]0;x\x07 \x1b[2J \x1b]8;;http://evil.test\x07tıkla",
    "dosya \u202egnp.exe",
    "etiket \U000e0041\U000e0042 son",
)


@pytest.mark.parametrize("text", CONTROL)
def test_control_characters_never_reach_the_terminal(world, text):
    """B22, B159: escapes, direction overrides and invisible letters are spelled out on screen and in JSON alike; stored as they were."""
    with open_home(str(world.home)) as home:
        here = rows.project(home, world.work)
        (id_,) = rows.write(home, here, rows.lesson(f"zürafa {text}", origin="user"))  # an agent's would be set apart
        rows.say(home, here, f"zürafa {text}", talk="talk-1")
        assert home.memory.value("SELECT text FROM memories WHERE id = ?", (id_,)) == f"zürafa {text}"
    screens = [
        run(world, *words).stdout.decode()
        for words in (
            ("search", "zürafa"),
            ("conversations", "search", "zürafa"),
            ("show", id_),
            ("lessons", "list"),
            ("packet", "--prompt", "zürafa"),
            ("conversations", "show", "talk-1"),
        )
    ]
    shown = [
        json.dumps(said(world, *words), ensure_ascii=False)
        for words in (("search", "zürafa"), ("conversations", "search", "zürafa"), ("show", id_), ("lessons", "list"))
    ]
    for out in (*screens, *shown):
        assert "zürafa" in out
        assert not [c for c in out if not c.isprintable() and c not in "\n\t"]


def test_errors_show_no_control_characters(world):
    """B159: what a person or a path brings into an error sentence is spelled out, too."""
    for words in (("queue", "ack", "\x1b[2J"), ("conversations", "show", "\x1b[2J"), ("\x1b[2J",)):
        assert b"\x1b" not in run(world, *words).stderr


@pytest.mark.parametrize("more", [{"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_the_screen_is_utf8_in_every_locale(world, more):
    """B160: tick and search print UTF-8 and exit 0 under cp1252 and under a C locale."""
    heard(world, "📝 Öğrenildi işareti 🎉 kalır, çünkü UTF-8 yazılır")
    run(world, "drain", "--offline")
    done = run(world, "search", "öğrenildi", env=more)
    assert done.returncode == 0
    assert "🎉" in done.stdout.decode()
    assert said(world, "search", "öğrenildi", env=more)
    assert said(world, "tick", env=more)["queued"] == 0


def test_nasty_strings_go_through_every_door(world):
    """B179: each nasty string as a learning, as the folder's name and as a query: stored once, listed, searched, no error."""
    payloads = [f"{text} kalır, çünkü veri" for text in NASTY if "\ud7ff" not in text]
    talk = Session(world)
    for payload in payloads:
        talk.turn("öğren", f"<!-- learning: {payload} -->")
    assert said(world, "tick")["queued"] == len(payloads)
    done = said(world, "drain", "--offline")
    assert (done["acknowledged"], done["failed"]) == (len(payloads), [])
    apart = [row for row in said(world, "quarantine", "list") if row["kind"] == "lesson"]
    assert len(said(world, "lessons", "list")) + len(apart) == len(payloads)
    assert all("turned order" in row["note"] for row in apart)


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_a_nasty_query_and_folder_name(taught, text):
    """B179: a nasty string as query and as the name of the project's folder is data: status 0 and valid JSON."""
    if "\0" not in text:
        assert isinstance(
            said(taught, "search", "--project", str(taught.work), *([] if text.startswith("-") else [text])), list
        )
    name = text.replace("/", "⁄").replace("\0", "")[:80]
    folder = taught.root / f"k {name}"
    folder.mkdir()
    assert said(taught, "queue", "status", cwd=folder) == {}
    assert run(taught, "project", "list").returncode == 0


def test_conversation_search_prints_each_message_once(world):
    """Hits of one conversation are one block: each message once, hits marked, a line of dots between distant ones; JSON is a hit a value."""
    with open_home(str(world.home)) as home:
        here = rows.project(home, world.work)
        rows.say(home, here, *[f"{i}. söz {'zürafa' if i in (3, 4, 12) else ''}" for i in range(16)])
        rows.say(home, here, "zürafa burada da var", talk="talk-2")
    printed = run(world, "conversations", "search", "zürafa").stdout.decode()
    lines = [line for line in printed.splitlines() if " user: " in line]
    assert len(lines) == len(set(lines))
    marked = [line for line in lines if line.startswith(">>")]
    assert {line for line in lines if "zürafa" in line} <= set(marked)
    assert printed.count("conversation talk-1") == 1
    hits = said(world, "conversations", "search", "zürafa")
    assert len(hits) == len(marked)
    assert all(set(hit) >= {"id", "conversation", "text", "before", "after", "score"} for hit in hits)
    narrow = run(world, "conversations", "search", "zürafa", "--limit", "3").stdout.decode()
    assert narrow.count(">>") == 3


def test_why_and_receipt_tell_what_a_turn_was_told(taught):
    """R114: `why` names the packets, fates and scores of a row; `packet --receipt` builds one again; no text is in the receipt."""
    taught.prompt("which port does the metrics service use?")
    (hit,) = [row for row in said(taught, "lessons", "list") if "9107" in row["text"]]
    (reason,) = said(taught, "why", hit["id"])
    assert (reason["fate"], reason["section"], reason["state"]) == ("told", "lessons", "offered")
    assert reason["scores"]["share"] >= 0.32
    assert "9107" in said(taught, "packet", "--receipt", reason["packet"])["text"]
    assert run(taught, "packet", "--receipt", "k_nothere").returncode == 1
    with open_home(str(taught.home)) as home:
        assert "9107" not in str(home.memory.rows("SELECT * FROM receipts"))
    assert "would be told" in said(taught, "why-not", "metrics", "--prompt", "metrics port")[0]["reason"]
    assert run(taught, "why", "l_nothere").returncode == 1


def test_packet_by_hand_records_nothing(taught):
    """`packet` shows the next turn's text, whole with --full, without what a session has seen with --session."""
    first = said(taught, "packet", "--prompt", "metrics port")
    assert "9107" in first["text"]
    assert said(taught, "packet", "--prompt", "metrics port") == first
    taught.begin()
    taught.prompt("metrics port")
    assert said(taught, "packet", "--prompt", "metrics port", "--session", "s-1")["text"] == ""
    assert said(taught, "packet", "--prompt", "metrics port", "--session", "s-1", "--full") == first


def test_a_reader_that_went_away_gets_no_traceback(taught):
    """A closed pipe behind a verb ends it without a traceback."""
    words = f"'{sys.executable}' -m bellek status --json | head -c 1"
    done = subprocess.run(
        ["sh", "-c", words],
        capture_output=True,
        cwd=taught.work,
        check=False,
        env=taught.environment(PYTHONPATH=PROGRAM, BELLEK_HOME=str(taught.home)),
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0


def test_poison_items_are_shown(world):
    """B83: an item that cannot be written is parked with its reason and shown; the others are written."""
    heard(world, "bir, çünkü iki")
    Session(world, "s-2").turn("kapat", "<!-- task: [TASK_DONE: hiç olmayan görev] -->")
    run(world, "tick")
    done = said(world, "drain", "--offline")
    assert done["acknowledged"] == 1
    assert len(done["failed"]) == 1
    assert said(world, "queue", "status") == {}
    assert "could not be written" in run(world, "doctor").stdout.decode()
    with open_home(str(world.home)) as home:
        (parked,) = queue.dead(home.memory, rows.project(home, world.work))
    assert run(world, "queue", "ack", parked.id).returncode == 0
    assert Path(world.home).exists()


def test_a_dead_letter_waits_again_when_a_person_says_so(world):
    """B83: `queue retry` lists what is parked with its reason and changes nothing; with an id it waits again, with all its tries."""
    Session(world).turn("kapat", "<!-- task: [TASK_DONE: raporu gönder] -->")
    run(world, "tick")
    said(world, "drain", "--offline")
    (parked,) = said(world, "queue", "retry")
    assert (parked["state"], parked["attempts"], parked["retried"]) == ("dead", 1, False)
    assert "raporu gönder" in parked["reason"]
    assert b"not written: " in run(world, "queue", "retry").stdout
    assert said(world, "queue", "peek") == []
    Session(world, "s-2").turn("aç", "<!-- task: [SELF_TASK: raporu gönder] -->")
    run(world, "tick")
    said(world, "drain", "--offline")
    assert said(world, "queue", "retry", parked["id"])[0]["retried"] is True
    assert run(world, "queue", "retry", parked["id"]).returncode == 1
    assert [(item["state"], item["attempts"], item["reason"]) for item in said(world, "queue", "take")["items"]] == [
        ("taken", 0, "")
    ]
    world.clock += queue.TOKEN_MS + 1000
    assert said(world, "drain", "--offline")["acknowledged"] == 1
    assert said(world, "tasks", "list") == []
    Session(world, "s-3").turn("kapat", "<!-- task: [TASK_DONE: hiç olmayan] -->")
    run(world, "tick")
    said(world, "drain", "--offline")
    assert [row["retried"] for row in said(world, "queue", "retry", "--all")] == [True]
    assert len(said(world, "queue", "peek")) == 1
