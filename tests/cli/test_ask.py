"""Questions on the command line: conversations, typed memory, the journal's filters and files that are imported."""

import json
from datetime import datetime
from zoneinfo import ZoneInfo

import command
import pytest
import rows
from world import PROGRAM

from bellek.kg import conversations, memories
from bellek.kg.conversations import Message
from bellek.kg.home import open_home
from bellek.kg.worldview import WRITER
from bellek.schemas.claim import Claim
from bellek.schemas.event import Event
from bellek.schemas.memory import Memory
from bellek.schemas.worldview import Worldview

ZONE = ZoneInfo("Europe/Istanbul")  # the world's clock stands on Monday, 30 November 2026, 03:53 there


def run(world, *words):
    """Run one command; the finished process."""
    environment = world.environment(
        PYTHONPATH=PROGRAM, CLAUDE_CONFIG_DIR=str(world.config), BELLEK_HOME=str(world.home)
    )
    return command.run(words, cwd=world.work, env=environment)


def said(world, *words):
    """What a verb prints with --json; it must end with 0 and print nothing else."""
    done = run(world, *words, "--json")
    assert (done.returncode, done.stderr) == (0, b""), done
    return json.loads(done.stdout.decode())


def at(text):
    """UTC milliseconds of a local ISO time."""
    return int(datetime.fromisoformat(text).replace(tzinfo=ZONE).timestamp() * 1000)


def event(text, day, topic, mood="", **given):
    """A journal row of a day."""
    return {
        "text": text,
        "body": Event(day=day, topic=topic, mood=mood),
        "tier": "-",
        "said_at": at("2026-11-29T10:00"),
        **given,
    }


@pytest.fixture
def asked(world):
    """A project with two conversations, four journal rows, two lessons, a claim about the person and a worldview."""
    with open_home(str(world.home)) as home:
        here = rows.project(home, world.work)
        for name, when in (("salı", "2026-11-24T09:00"), ("eski", "2026-08-30T21:00")):
            conversations.append(home.conversations, "claude-code", [
                Message(id=f"{name}-{i}", conversation=name, seq=0, project=here, agent="*", author=author, origin=author, typed=i == 0, machine=False,
                        sidechain=False, at=at(when) + i * 60_000, offset_minutes=180, text=text)
                for i, (author, text) in enumerate((
                    ("user", "merhaba"), ("user", f"büyükannemin reçelini {name} gün pişirdik"), ("assistant", "Eline sağlık.\n\nTarifi deftere yazdım."),
                ))
            ])  # fmt: skip
        rows.write(
            home, here,
            event("sunucu taşındı", "2026-11-24", "deploy", "tired", body=Event(day="2026-11-24", topic="deploy", mood="tired", conversation="salı")),
            event("sürüm çıktı", "2026-11-24", "release", "happy"), event("sunucu kuruldu", "2026-08-30", "deploy-server", "happy"),
            event("toplantı yapıldı", "2026-11-10", "meeting"),
            rows.lesson("paketler uv ile kurulur, çünkü kilit dosyasını tutar", importance=2), rows.lesson("port 9107 metrics içindir"),
        )  # fmt: skip
        claim = Claim(category="person", subject="user", predicate="role", object="mimar", confidence=0.9)
        rows.write(home, "*", {"text": "user role mimar", "body": claim, "tier": "T1", "origin": "user"})
        view = Worldview(topic="work", week="2026-W47", evidence=("l_1",))
        view_row = Memory(id="v_1", project="*", agent="*", session="*", origin="inferred", tier="-", text="small steps beat large plans",
                          said_at=rows.AT, batch="b_1", body=view)  # fmt: skip
        with home.memory.transaction():
            memories.write(home.memory, view_row, actor=WRITER)
    return world


def test_a_relative_date_prints_the_whole_conversation(asked):
    """R103, R104: a Turkish date finds its week; the whole talk is printed around the hit with date, mood and outcome, and the quote is what is stored."""
    printed = run(asked, "conversations", "search", "geçen salı büyükannem için ne demiştim?").stdout.decode()
    assert "“geçen salı” is Tue 2026-11-24" in printed
    assert "conversation salı  2026-11-24, 3 messages, mood: tired" in printed
    assert "conversation eski" not in printed
    talk = [line for line in printed.splitlines() if "2026-11-24 09" in line]
    assert len(talk) == 3
    assert talk[1].startswith(">> 2026-11-24 09:01 user: büyükannemin reçelini")
    assert "outcome, as the assistant ended: Tarifi deftere yazdım." in printed
    hit, *_ = said(asked, "conversations", "search", "What were we saying three months ago when büyükannem came up?")
    assert (hit["conversation"], hit["text"], hit["outcome"]) == (
        "eski",
        "büyükannemin reçelini eski gün pişirdik",
        "Tarifi deftere yazdım.",
    )
    assert ([m["text"] for m in hit["before"]], len(hit["after"]), "mood" in hit) == (["merhaba"], 1, False)


def test_bounds_take_iso_dates_and_phrases(asked):
    """`--since` and `--until` take both, that day included; what is no date, and an end before its beginning, is a usage fault."""
    found = {words: {h["conversation"] for h in said(asked, "conversations", "search", "büyükannem", *words)} for words in (
        ("--since", "2026-11-01"), ("--since", "geçen hafta"), ("--until", "three weeks ago"), ("--until", "2026-08-30"), ("--speaker", "asistan"), ("--speaker", "me"),
    )}  # fmt: skip
    assert [sorted(talks) for talks in found.values()] == [
        ["salı"],
        ["salı"],
        ["eski"],
        ["eski"],
        ["eski", "salı"],
        ["eski", "salı"],
    ]
    for words in (("--since", "zürafa"), ("--since", "dün", "--until", "geçen ay"), ("--speaker", "zürafa")):
        assert run(asked, "conversations", "search", "x", *words).returncode == 2
    assert [t["id"] for t in said(asked, "conversations", "list", "--since", "geçen hafta")] == ["salı"]
    assert [m["author"] for m in said(asked, "conversations", "show", "salı", "--speaker", "assistant")] == [
        "assistant"
    ]


def test_nothing_found_is_said_and_is_no_error(asked):
    """R104, R105: a time without such words says so, and without any hit the JSON is [] with status 0."""
    assert said(asked, "conversations", "search", "dün zürafa") == []
    assert "nothing from then" in run(asked, "conversations", "search", "dün zürafa").stdout.decode()
    assert (
        "nothing from then has these words; from other times:"
        in run(asked, "conversations", "search", "dün büyükannem").stdout.decode()
    )


@pytest.mark.parametrize(
    ("question", "kind", "first"),
    [
        ("what did I learn", "lesson", "paketler"), ("ne öğrendim?", "lesson", "paketler"), ("metrics hakkında ne öğrendik", "lesson", "port 9107"),
        ("what happened", "event", "s"), ("geçen salı ne oldu", "event", "s"), ("üç ay önce neler oldu", "event", "sunucu kuruldu"),
        ("who am I", "claim", "user role"), ("ben kimim", "claim", "user role"), ("how do you think", "worldview", "small"), ("nasıl düşünüyorsun", "worldview", "small"),
    ],
)  # fmt: skip
def test_a_question_names_its_table(asked, question, kind, first):
    """R105: "what did I learn", "ne oldu", "ben kimim" and "how do you think" give rows of lessons, journal, claims and worldview alone."""
    found = said(asked, "search", question)
    assert {row["kind"] for row in found} == {kind}
    assert found[0]["text"].startswith(first)
    if "salı" in question:
        assert {row["day"] for row in found} == {"2026-11-24"}


def test_search_shows_sources_and_recall_writes_nothing(asked):
    """R100: `search` has sources beside each row; `recall` answers with ids in one step, changes no byte, and finds nothing good enough for an off-topic question."""
    (row,) = said(asked, "search", "metrics portu")
    assert (row["sources"], row["kind"]) == ([], "lesson")
    before = {
        path.name: path.read_bytes()
        for path in asked.home.iterdir()
        if path.suffix == ".db" or path.name.endswith("-wal")
    }
    quick = said(asked, "recall", "metrics port")
    assert [q["id"] for q in quick] == [row["id"]]
    assert {q["kind"] for q in said(asked, "recall", "büyükannemin reçeli")} == {"message"}
    assert said(asked, "recall", "fotosentez nasıl çalışır") == []
    assert "nothing kept here" in run(asked, "recall", "fotosentez nasıl çalışır").stdout.decode()
    after = {
        path.name: path.read_bytes()
        for path in asked.home.iterdir()
        if path.suffix == ".db" or path.name.endswith("-wal")
    }
    assert after == before


def test_recall_makes_no_store(world):
    """`recall` without a store answers nothing and leaves none behind."""
    assert said(world, "recall", "metrics port") == []
    assert not world.home.exists()


def test_the_journal_by_date_topic_and_mood(asked):
    """R91: each filter alone and combined, by the day of what happened and not of the run; Turkish words for a mood too."""

    def days(*words):
        return [row["text"] for row in said(asked, "journal", "list", *words)]

    assert days("--on", "geçen salı") == days("--since", "2026-11-20") == days("--on", "2026-11-24")
    assert sorted(days("--on", "geçen salı")) == ["sunucu taşındı", "sürüm çıktı"]
    assert days("--topic", "deploy") == ["sunucu taşındı", "sunucu kuruldu"]
    assert days("--mood", "mutlu") == days("--mood", "happy") == ["sürüm çıktı", "sunucu kuruldu"]
    assert days("--mood", "yorgun", "--topic", "deploy", "--on", "geçen hafta") == ["sunucu taşındı"]
    assert days("--mood", "happy", "--topic", "deploy", "--until", "2026-10-01") == ["sunucu kuruldu"]
    assert days("--mood", "angry") == []
    assert run(asked, "journal", "list", "--mood", "zürafa").returncode == 2


def test_a_file_of_messages_is_imported_once(asked, tmp_path):
    """An export comes in once a message id, redacted, and never as typed whatever the file says; a line that is none is told."""
    lines = said(asked, "conversations", "show", "salı")
    new = {
        **lines[0],
        "id": "yeni-1",
        "conversation": "yeni",
        "text": "zürafa AKIAIOSFODNN7EXAMPLE",
        "typed": True,
        "origin": "user",
    }
    path = tmp_path / "dışarı.jsonl"
    path.write_text(
        "\n".join([*map(json.dumps, lines), '{"conversation": 1, "author": 2}', json.dumps(new)]), encoding="utf-8"
    )
    first, again = (said(asked, "conversations", "import", str(path)) for _ in range(2))
    assert (first["stored"], first["messages"], first["unread"], again["stored"]) == (1, 4, 1, 0)
    (hit,) = said(asked, "conversations", "search", "zürafa")
    assert (hit["typed"], hit["origin"]) == (False, "file")
    assert "AKIAIOSFODNN7EXAMPLE" not in hit["text"]
    assert run(asked, "conversations", "import", str(asked.home / "memory.db")).returncode == 1
    assert run(asked, "conversations", "import", str(tmp_path / "yok")).returncode == 2


def test_a_transcript_is_imported_as_it_is_heard(asked, tmp_path):
    """A Claude Code transcript keeps the client's own mark of what was typed, and the folder of its line decides the project."""
    line = {"type": "user", "uuid": "u-1", "sessionId": "s-9", "timestamp": "2026-11-01T09:00:00.000Z", "cwd": str(asked.work), "version": "2.1.332",
            "entrypoint": "cli", "isSidechain": False, "promptSource": "typed", "message": {"role": "user", "content": "zebra gördüm"}}  # fmt: skip
    path = tmp_path / "s-9.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert said(asked, "conversations", "import", str(path))["stored"] == 1
    assert said(asked, "conversations", "import", str(path))["stored"] == 0
    (hit,) = said(asked, "conversations", "search", "zebra")
    assert (hit["typed"], hit["origin"], hit["conversation"]) == (True, "user", "s-9")


def test_the_graph_by_its_verbs(asked, tmp_path):
    """R111: neighbours, path, central, communities and export, with ids and tiers; an unknown name is an error with a next command, an unrelated one is not."""
    with open_home(str(asked.home)) as home:
        here = rows.project(home, asked.work)
        rows.write(
            home,
            here,
            rows.claim("Ali", "works_at", "Acme"),
            rows.claim("Zeynep", "works_at", "Acme"),
            rows.claim("Mars", "contains", "buz"),
        )
    steps = said(asked, "graph", "path", "Ali", "Zeynep")
    assert [(s["relation"], s["reached"], s["tier"]) for s in steps] == [
        ("works_at", "Acme", "T1"),
        ("works_at", "Zeynep", "T1"),
    ]
    assert said(asked, "graph", "path", "Ali", "Mars") == []
    assert "unverified" in run(asked, "graph", "neighbours", "acme").stdout.decode()
    assert {s["reached"] for s in said(asked, "graph", "neighbours", "Ali", "--depth", "2")} == {"Acme", "Zeynep"}
    assert said(asked, "graph", "neighbours", "ben")[0]["target"] == "mimar"
    assert {"Ali", "Zeynep", "Mars"} <= {n["name"] for n in said(asked, "graph", "central")}
    assert len(said(asked, "graph", "communities")) == 3
    unknown = run(asked, "graph", "neighbours", "zürafa")
    assert (unknown.returncode, b"bellek graph central" in unknown.stderr) == (1, True)
    files = [tmp_path / "çizge.svg", tmp_path / "çizge.graphml"]
    written = said(asked, "graph", "export", "--svg", str(files[0]), "--graphml", str(files[1]))
    assert [(w["nodes"], w["edges"]) for w in written] == [(7, 4)] * 2
    assert all(file.stat().st_mode & 0o777 == 0o600 and file.read_bytes().startswith(b"<") for file in files)
    assert run(asked, "graph", "export").returncode == 2
    assert run(asked, "graph", "export", "--svg", str(tmp_path / "yok" / "x.svg")).returncode == 2
