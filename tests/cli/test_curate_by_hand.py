"""What waits, answered by somebody else than our own rules: `queue take` → `apply` → lists, as a client's subagent does it.

Every command here is started as the agent files name it: by the start file's path, under `-I`, from the project's folder.
"""

import json
import subprocess
import sys

import pytest
from world import REPOSITORY, Session

from bellek.kg import queue

PROMPT = "Bana hep kısa yanıtlar ver, uzun açıklamaları okumuyorum"
LEARNED = "dışa aktarmayı anlık kopyadan yap, çünkü ikinci bir SQLite kilitleri düşürür"
ENGLISH = "run pytest through uv, because plain pytest misses the lock file"
TALK = "durum: testler geçti"


def bellek(world, *words, text="", status=0, env=None):
    """One command as an agent types it; its standard output."""
    order = [sys.executable, "-I", str(REPOSITORY / "bellek" / "__main__.py"), "--home", str(world.home), *words]
    done = subprocess.run(
        order,
        cwd=world.work,
        input=text.encode(),
        capture_output=True,
        check=False,
        timeout=60,
        env=world.environment(**(env or {})),
    )
    assert done.returncode == status, done.stderr.decode() + done.stdout.decode()
    return done.stdout.decode()


def take(world, *words, **more):
    """What `queue take --json` hands out."""
    return json.loads(bellek(world, "queue", "take", *words, "--json", **more))


@pytest.fixture
def heard(world):
    """Three marks in one conversation wait: a Turkish one, an English one, and one that holds nothing."""
    session = Session(world)
    session.turn(PROMPT, f"Olur. 📝 Öğrenildi.\n<!-- learning: {LEARNED} -->")
    session.turn(
        "and how are the tests run?", f"Through uv.\n<!-- learning: {ENGLISH} -->\n\n<!-- learning: {TALK} -->"
    )
    world.bellek("tick")
    return world


def by_payload(taken):
    """Items by what they say."""
    return {item["payload"]: item for item in taken["items"]}


def verdicts(items):
    """A curator's answer to the three items: a claim with the person's words, two lessons, a task, a drop."""
    first, second, third = (items[said] for said in (LEARNED, ENGLISH, TALK))
    typed = next(line for line in first["context"] if line["typed"])
    lesson = {"kind": "lesson", "learning": "convention", "importance": "high"}
    claim = {
        "kind": "claim", "category": "preference", "subject": "user", "predicate": "prefers", "object": "kısa yanıtlar",
        "confidence": 0.9, "quote": typed["text"],
    }  # fmt: skip
    return [
        {"verdict": "write", "items": [first["id"]], "evidence": [typed["id"]], "memory": claim},
        {
            "verdict": "write",
            "items": [first["id"]],
            "evidence": [first["message"]],
            "memory": {**lesson, "text": LEARNED},
        },
        {"verdict": "write", "items": [second["id"]], "memory": {**lesson, "text": ENGLISH}},
        {"verdict": "write", "items": [second["id"]], "memory": {"kind": "task", "text": "pin the lock file"}},
        {"verdict": "drop", "items": [third["id"]], "reason": "status talk"},
    ]


def test_taken_items_become_typed_rows(heard):
    """R29, R32: take → apply → each item's rows stand in their lists with its id as their source, and nothing waits."""
    taken = take(heard)
    items = by_payload(taken)
    answer = json.loads(
        bellek(
            heard,
            "apply",
            "-",
            "--token",
            taken["token"],
            "--json",
            text=json.dumps(verdicts(items), ensure_ascii=False),
        )
    )
    assert [receipt["state"] for receipt in answer] == ["written", "written", "written", "written", "dropped"]
    assert json.loads(bellek(heard, "queue", "peek", "--json")) == []
    lessons = json.loads(bellek(heard, "lessons", "list", "--json"))
    assert sorted(row["text"] for row in lessons) == sorted([LEARNED, ENGLISH])
    assert [row["text"] for row in json.loads(bellek(heard, "tasks", "list", "--json"))] == ["pin the lock file"]
    (claim,) = json.loads(bellek(heard, "claims", "list", "--json"))
    assert claim["origin"] == "user"
    shown = json.loads(bellek(heard, "show", claim["id"], "--json"))
    assert [source["item"] for source in shown["sources"]] == [items[LEARNED]["id"]]


def test_an_item_comes_with_what_was_said_around_it(heard):
    """An item's context holds the marked message and the person's line before it, each with its id and word for word."""
    items = by_payload(take(heard))
    context = items[LEARNED]["context"]
    assert [(line["author"], line["typed"]) for line in context][:2] == [("user", True), ("assistant", False)]
    assert context[0]["text"] == PROMPT
    assert LEARNED in context[1]["text"]
    assert context[1]["id"] == items[LEARNED]["message"]
    assert "context" not in json.loads(bellek(heard, "queue", "peek", "--json"))[0]


def test_context_of_long_messages_is_cut_where_it_matters(world):
    """Of a long reply the part around the mark is shown, of the whole context never more than the budget, word for word."""
    session = Session(world)
    session.turn(
        "kısa soru", "\n\n".join(["uzun bir yanıt " * 40] * 10) + f"\n\n<!-- learning: {LEARNED} -->\n\n" + "son " * 300
    )
    for n in range(5):
        session.turn(f"{n} " + "uzun soru " * 90, "tamam")
    world.bellek("tick")
    (item,) = take(world)["items"]
    marked = next(line for line in item["context"] if line["id"] == item["message"])
    assert LEARNED in marked["text"]
    assert marked["cut"]
    assert "kısa soru" in [line["text"] for line in item["context"]]
    assert sum(len(line["text"]) for line in item["context"]) <= 2_400


def test_a_refused_verdict_says_why_and_can_be_mended(heard):
    """R118: a false quote refuses its own verdict with the reason, the item stays taken and is named, and a mended verdict closes it."""
    taken = take(heard)
    items = by_payload(taken)
    answers = verdicts(items)
    good = answers[0]["memory"]["quote"]
    answers[0]["memory"]["quote"] = "Bana kısa yanıt verme"
    told = bellek(heard, "apply", "-", "--token", taken["token"], text=json.dumps(answers), status=1)
    assert "0: refused quote: these words do not stand in the cited message" in told
    assert f"still taken and unanswered: {items[LEARNED]['id']}" in told
    answers[0]["memory"]["quote"] = good
    told = bellek(heard, "apply", "-", "--token", taken["token"], text=json.dumps(answers[:2]))
    assert [line.split()[1] for line in told.splitlines()] == ["written", "already"]
    assert json.loads(bellek(heard, "queue", "peek", "--json")) == []
    assert len(json.loads(bellek(heard, "lessons", "list", "--json"))) == 2


def test_an_item_is_answered_by_one_curator_only(heard):
    """R29: what one token holds is not handed to a second, nor answered under it."""
    first, second = take(heard), take(heard)
    assert (len(first["items"]), second["items"]) == (3, [])
    answer = [{"verdict": "drop", "items": [first["items"][0]["id"]], "reason": "mine"}]
    assert "refused" in bellek(heard, "apply", "-", text=json.dumps(answer), status=1)
    assert len(json.loads(bellek(heard, "queue", "peek", "--json"))) == 3


def test_a_curator_that_died_gives_its_items_back(heard):
    """R29, R40: items of a token that was never used again wait again once it expired, and the late answer writes nothing."""
    first = take(heard)
    later = {"BELLEK_CLOCK": str(heard.clock + queue.TOKEN_MS + 60_000)}
    assert len(take(heard, env=later)["items"]) == 3
    text = json.dumps(verdicts(by_payload(first)))
    answered = subprocess.run(
        [sys.executable, "-I", str(REPOSITORY / "bellek" / "__main__.py"), "--home", str(heard.home), "apply", "-", "--token", first["token"]],
        cwd=heard.work, input=text.encode(), capture_output=True, check=False, timeout=60, env=heard.environment(**later),
    )  # fmt: skip
    assert answered.returncode != 0
    assert json.loads(bellek(heard, "lessons", "list", "--json")) == []


def test_an_empty_queue_hands_out_nothing(world):
    """R41: with nothing heard, take answers an empty list and applying nothing is fine."""
    assert take(world)["items"] == []
    assert bellek(world, "apply", "-", text="[]").strip() == "no verdicts"
