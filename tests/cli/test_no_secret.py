"""A secret that comes in by any door is in no file of the home, in no output and in no log: looked for byte by byte."""

import json

import pytest
from world import Session, eventually, said

from bellek.kg.home import open_home

SECRETS = {
    "key": "sk-ant-api03-Zürafa0000",
    "github": "ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R",
    "aws": "AKIAQ3ZZ7EXAMPLE9XY4",
    "card": "5204740000001002",
    "iban": "TR330006100519786457841326",
    "tckn": "10000000146",
    "phone": "+905321234567",
    "url": "Sakl4mbac-url",
    "named": "Sakl4mbac-parola",
}
SECRETS["key"] = "sk-ant-api03-Zurafa0000Kaplumbaga1111"
# As it is written into a text, so that each rule has something to know it by.
WRITTEN = {**SECRETS, "url": f"postgres://u:{SECRETS['url']}@h/db", "named": f"parola: {SECRETS['named']}"}
ALL = " ; ".join(WRITTEN.values())
ESCAPED_KEY = "-----BEGIN RSA PRIVATE KEY-----\\nSakl4mbacPEM00\\n-----END RSA PRIVATE KEY-----"
NEEDLES = [*SECRETS.values(), "Sakl4mbacPEM00"]


def leaks(*places):
    """(file or name, secret) of every secret that stands in the bytes of a place, in any of the ways in which it can be spelt."""
    found = []
    for name, data in places:
        for secret in NEEDLES:
            spelled = (secret, secret.casefold(), json.dumps(secret)[1:-1])
            if any(one.encode() in data or one.encode("utf-16-le") in data for one in spelled):
                found.append((name, secret))
    return found


def files(home):
    """Every file of a home with its bytes: databases, -wal, logs, receipts, config."""
    return [(str(path.relative_to(home)), path.read_bytes()) for path in sorted(home.rglob("*")) if path.is_file()]


@pytest.fixture
def door(world):
    """Run a verb in the project with the home; its whole output, kept for the search at the end."""
    spoken = []

    def run(*words, stdin=""):
        done = world.run(*words, stdin=stdin.encode())
        spoken.append((" ".join(words)[:40], done.stdout + done.stderr))
        return done

    run.spoken = spoken
    return run


def everything_read(world, door):
    """Ask every verb that reads for what it holds, and look at all of it."""
    for words in (
        ("status", "--json"), ("doctor",), ("doctor", "--json"), ("queue", "peek", "--json"), ("queue", "status", "--json"), ("lessons", "list"), ("journal", "list", "--json"),
        ("tasks", "list", "--all"), ("claims", "list", "--json"), ("entities", "list", "--json"), ("pages", "list", "--json"), ("log", "read"),
        ("proposals", "list", "--json"), ("conflicts",), ("conversations", "list"), ("packet", "--prompt", "parola anahtar deploy"), ("quarantine", "list"), ("channels", "check"),
    ):  # fmt: skip
        door(*words)
    assert leaks(*files(world.home), *door.spoken) == []


def test_what_is_said_and_marked(world, door):
    """R54: a prompt, a reply, every kind of mark, YAML keys and values, a misspelt and an unclosed mark, a tool's path, names in a line."""
    talk = Session(world)
    talk.turn(f"deploy için {ALL} kullan\n{ESCAPED_KEY}", f"tamam, {ALL} yazdım ve {ESCAPED_KEY}")
    talk.turn(
        "devam", f"<!-- learning: deploy {ALL} ile olur, çünkü anahtar bu -->\n[SELF_TASK: {WRITTEN['github']} yenile]"
    )
    talk.turn(
        "profil",
        f"<!-- profile-fact:\nentity: Ali {WRITTEN['github']}\ntype: {WRITTEN['aws']}\nsource: {WRITTEN['key']}\nfields:\n  {WRITTEN['key']}: {WRITTEN['github']}\n"
        f"  password: {SECRETS['named']}\n  notes: [{WRITTEN['aws']}, {WRITTEN['card']}]\n-->\n<!-- profile-fact: entity: [{WRITTEN['key']} -->",
    )
    talk.turn(
        "son",
        f"<!-- learnin: {WRITTEN['key']} -->\n<!-- {WRITTEN['github']}: x -->\n<!-- learning: {WRITTEN['aws']} kapanmadı\n[SELF_TASK_DONE: {WRITTEN['key']}]",
    )
    talk.lines({"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": "t1", "name": WRITTEN["github"], "input": {"file_path": f"/srv/{WRITTEN['key']}/x.py", "command": f"echo {WRITTEN['aws']}"}}]}},
        {**said("adlar"), "uuid": WRITTEN["github"], "attributionAgent": WRITTEN["key"], "isSidechain": True})  # fmt: skip
    with world.transcript().open("a", encoding="utf-8") as file:
        file.write('{"type":"user","message":{"content":"' + WRITTEN["key"] + '"\n')
        file.write('{"type":"user"}}{"type":"assistant" ' + WRITTEN["github"] + "\n")
    world.send("Stop")
    eventually(lambda: b"adlar" in door("conversations", "search", "adlar").stdout, "the talk was heard")
    door("tick")
    door("drain", "--offline")
    door("queue", "take", "--json")
    door("drain", "--offline", "--json")
    door("sweep", "next", "--channel", "learning", "--json")
    with open_home(str(world.home)) as home:
        assert home.memory.value("SELECT count(*) FROM entities")
        assert home.memory.value("SELECT count(*) FROM queue WHERE state = 'dead'")
        assert home.memory.value("SELECT count(*) FROM notices")
        assert "[redacted:" in str(home.memory.value("SELECT path FROM observations WHERE path <> ''"))
    everything_read(world, door)


def test_what_is_captured_and_asked_for(world, door):
    """R54: `capture`, and the words of every command that fails: an id, a project, a file, a verb, a search."""
    assert door("capture", "--", ALL, ESCAPED_KEY).returncode == 0
    for words in (
        ("queue", "ack", WRITTEN["key"]), ("show", WRITTEN["github"]), ("why", WRITTEN["key"]), ("conversations", "show", WRITTEN["key"]), ("apply", f"/no/{WRITTEN['github']}"),
        ("lint", f"/no/{WRITTEN['key']}"), (WRITTEN["github"],), ("search", "--limit", WRITTEN["key"]), ("quarantine", "release", WRITTEN["github"]),
        ("proposals", "answer", WRITTEN["key"], "yes"), ("pages", "show", WRITTEN["github"]), ("entities", "show", WRITTEN["key"]), ("tick", "--file", f"/no/{WRITTEN['key']}.jsonl"),
        ("sweep", "next", "--channel", WRITTEN["github"]), ("conversations", "search", WRITTEN["key"]), ("why-not", WRITTEN["key"]),
    ):  # fmt: skip
        door(*words)
    everything_read(world, door)


def texts(value):
    """Every place of a verdict that holds a free text."""
    return [
        key
        for key, item in value.items()
        if isinstance(item, str)
        and key not in ("kind", "verdict", "learning", "importance", "category", "structure", "how")
    ]


KINDS = [
    {"kind": "claim", "category": "person", "subject": "user", "predicate": "describes", "object": "o", "confidence": 0.5, "quote": "q", "message": "m", "note": "n", "valid_from": "2026-01-01"},
    {"kind": "lesson", "text": "t", "topic": "p", "learning": "convention", "importance": "high"},
    {"kind": "event", "text": "t", "topic": "p", "day": "2026-01-01"},
    {"kind": "task", "text": "t"},
    {"kind": "page", "topic": "p", "title": "b", "text": "t", "how": "replace"},
    {"kind": "entity", "name": "a", "type": "y"},
    {"kind": "log", "type": "decision", "text": "t", "reason": "r"},
]  # fmt: skip
OTHERS = [
    {"verdict": "absorb", "into": "i"},
    {"verdict": "improve", "id": "i", "text": "t"},
    {"verdict": "drop", "reason": "r"},
    {"verdict": "open_conflict", "left": "l", "right": "r", "reason": "r"},
    {"verdict": "resolve_conflict", "conflict": "c", "winner": "w", "reason": "r"},
    {"verdict": "propose", "structure": "rule", "title": "b", "text": "t"},
    {"verdict": "x"},
]


def test_every_text_of_every_verdict(world, door):
    """R54: every text field of every verdict, keys of fields, unknown keys, ids that do not exist, and what is no JSON."""
    Session(world).turn("merhaba", "<!-- learning: uv kullan, çünkü kilit tutar -->")
    door("tick")
    (item,) = json.loads(door("queue", "peek", "--json").stdout)
    rows = []
    for secret in WRITTEN.values():
        for body in KINDS:
            rows += [{"verdict": "write", "memory": {**body, key: f"{body[key]} {secret}"}} for key in texts(body)]
        rows += [{**other, key: f"{other[key]} {secret}"} for other in OTHERS for key in texts(other)]
        rows += [
            {"verdict": "write", "memory": {"kind": "entity", "name": "Ali", "aliases": [secret], "fields": {secret: secret, "password": SECRETS["named"]}}},
            {"verdict": "write", "memory": {"kind": "task", "text": "t", secret: secret}},
            {"verdict": "write", "items": [secret], "evidence": [secret], "memory": {"kind": "task", "text": "t"}},
            {"verdict": "drop", "items": [item["id"]], "reason": secret},
            secret,
            {secret: secret},
        ]  # fmt: skip
    assert door("apply", "-", "--json", stdin=json.dumps(rows)).returncode == 1
    door("apply", "-", stdin=f"not json {ALL}")
    door(
        "apply",
        "-",
        "--token",
        WRITTEN["github"],
        "--json",
        stdin=json.dumps([{"verdict": "drop", "items": [item["id"]], "reason": ALL}]),
    )
    with open_home(str(world.home)) as home:
        assert home.memory.value("SELECT count(*) FROM memories")
        assert home.memory.value("SELECT count(*) FROM applied")
        assert home.memory.value("SELECT count(*) FROM drops")
    everything_read(world, door)


def test_manifests_and_hook_faults(world, door):
    """R54: a manifest's texts reach the rows of the hook redacted; a fault of the hook leaves type, file and line in its log, no text."""
    folder = world.home / "config" / "channels"
    folder.mkdir(parents=True)
    door("status")
    (folder / "ops.toml").write_text(
        f'name = "ops"\ndrain = "none"\nrule = "run {WRITTEN["github"]}"\ndescribes = "{WRITTEN["key"]}"\n'
    )
    (folder / "bad.toml").write_text(f'name = "{WRITTEN["key"]}"\n{WRITTEN["github"]}\n')
    door("channels", "list", "--json")
    door("status")
    world.raw("UserPromptSubmit", f'{{"prompt": "{WRITTEN["key"]}", '.encode())
    world.prompt(ALL)
    own = [
        file for file in files(world.home) if not file[0].startswith("config/")
    ]  # a person's own files stay as they are
    assert leaks(*own, *door.spoken) == []


def test_the_search_itself_finds_a_secret(world):
    """The search of these tests finds a secret that is there, in a file's bytes in each spelling."""
    assert leaks(("x", b"a " + SECRETS["key"].encode())) == [("x", SECRETS["key"])]
    assert leaks(("x", SECRETS["github"].encode("utf-16-le"))) == [("x", SECRETS["github"])]
