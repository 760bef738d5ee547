"""Two agents and a person over plain files and the shared log, as whole processes."""

import json
import sys
from pathlib import Path

import rows
from world import Session, eventually

from bellek.kg import memories, scope, tiers
from bellek.kg.home import open_home


def test_a_person_sees_the_difference_and_takes_it_in(taught, person):
    """R128: an agent's `vault sync` puts an edit into the inbox; a person's shows the difference, asks, applies it, and the export stays byte-equal."""
    root = taught.root / "kasa"
    told = json.loads(taught.bellek("vault", "export", str(root), "--json"))
    path = next(
        root / p for p in told["written"] if "facts/" in p and "kilit dosyasını" in (root / p).read_text("utf-8")
    )
    text = path.read_text("utf-8").replace("uv ile kurulur", "yalnız uv ile kurulur")
    path.write_text(text, encoding="utf-8")
    tree = {p: p.read_bytes() for p in root.rglob("*.md")}
    agent = json.loads(taught.bellek("vault", "sync", str(root), "--json"))
    assert (agent["taken_in"], len(agent["asked"])) == ([], 1)
    (waits,) = json.loads(taught.bellek("proposals", "list", "--json"))
    assert (waits["origin"], waits["structure"]) == ("file", "edit")
    done = person.bellek("vault", "sync", root, types=[("take it in?", "y")])
    assert done.rc == 0, done.err
    assert "-paketler her zaman uv ile kurulur" in done.out
    assert "+paketler her zaman yalnız uv ile kurulur" in done.out
    assert json.loads(taught.bellek("proposals", "list", "--json")) == []
    assert any("yalnız uv" in row["text"] for row in json.loads(taught.bellek("lessons", "list", "--json")))
    taught.bellek("vault", "export", str(root))
    assert {p: p.read_bytes() for p in Path(root).rglob("*.md")} == tree


def test_what_is_permanent_is_pointed_to_and_a_dead_link_is_reported(taught):
    """R66: `vault index` names each permanent row with what it is and where its file lies, none of the others; a file that is gone is said."""
    with open_home(str(taught.home)) as home:
        here = rows.project(home, taught.work)
        (rule, _) = rows.write(
            home, here, rows.lesson("etiketten dağıt", topic="dagitim"), rows.lesson("başka bir söz")
        )
        with home.memory.transaction():
            tiers.promote(home.memory, memories.read(home.memory, rule), actor="person:terminal")
    taught.bellek("vault", "export", str(taught.root / "kasa"))
    (line,) = json.loads(taught.bellek("vault", "index", "--json"))
    assert (line["id"], line["name"], line["dead"]) == (rule, "dagitim", False)
    Path(line["path"]).unlink()
    assert json.loads(taught.bellek("vault", "index", "--json"))[0]["dead"]
    assert "dead link" in taught.bellek("vault", "index")


def test_a_decision_stands_until_the_agent_acknowledges_it(taught, person):
    """R75, R76: what somebody decided stands in an agent's next packet; its reply with the mark acknowledges it, and it is gone."""
    refused = person.bellek("decide", "uv kullanılır")
    assert refused.rc == 1
    assert "needs its reason" in refused.err
    done = person.bellek("decide", "uv kullanılır", "--reason", "kilit dosyası", "--json")
    entry = json.loads(done.out)["id"]
    packet = taught.prompt("devam et")
    assert f"[{entry}] uv kullanılır; because: kilit dosyası (decision by person, terminal" in packet
    assert f"not acknowledged by you in the shared log: {entry}." in taught.prompt("başka bir şey", "s-2")
    Session(taught).turn("devam et", f"Gördüm, uv ile. <!-- ack: {entry} -->", packet=packet)
    taught.send("Stop")
    eventually(lambda: entry not in taught.prompt("sonra ne var", "s-3"), "the acknowledgement")
    rows = json.loads(taught.bellek("log", "read", "--json"))
    assert [(row["type"], row["agent"]) for row in rows] == [("decision", "person"), ("ack", "claude-code")]


def test_only_a_person_looks_into_a_named_bank(world, person):
    """R69: an agent's bank is shown to a person who names it, and to nobody else: without a terminal the command ends with 3."""
    (world.home / "config").mkdir(parents=True)
    (world.home / "config" / "config.toml").write_text('[agents.ada]\nclient = "pi"\nbank = "own"\n', encoding="utf-8")
    with open_home(str(world.home)) as home:
        here = rows.project(home, world.work)
        rows.write(home, scope.bank(here, "ada"), rows.lesson("zürafa mavidir çünkü öyle"))
    assert "zürafa" not in person.bellek("search", "zürafa").out.replace("zürafa has", "")
    shown = person.run(sys.executable, "-m", "bellek", "--bank", "ada", "search", "zürafa", "--home", world.home)
    assert "zürafa mavidir" in shown.out, shown.err
    refused = world.run("--bank", "ada", "search", "zürafa")
    assert refused.returncode == 3
    assert b"mavidir" not in refused.stdout
    assert [row["agent"] for row in json.loads(person.bellek("bank", "list", "--json").out)] == ["ada"]


def test_a_deleted_file_is_forgotten_by_a_yes_alone(taught, person):
    """R67: a deleted file is a question; a no at the file brings it back, a yes to the proposal forgets the row and nothing it was said in."""
    root = taught.root / "kasa"
    told = json.loads(taught.bellek("vault", "export", str(root), "--json"))
    path = next(
        root / p for p in told["written"] if "facts/" in p and "kilit dosyasını" in (root / p).read_text("utf-8")
    )
    path.unlink()
    kept = person.bellek("vault", "sync", root, types=[("forget it for good?", "n")])
    assert kept.rc == 0, kept.err
    assert path.exists()
    path.unlink()
    (asked,) = json.loads(taught.bellek("vault", "export", str(root), "--json"))["asked"]
    assert "kilit dosyasını" in taught.bellek("lessons", "list")
    done = person.bellek("proposals", "answer", asked, "yes")
    assert "is forgotten" in done.out, done.err
    assert "kilit dosyasını" not in taught.bellek("lessons", "list")
    assert json.loads(taught.bellek("vault", "export", str(root), "--json"))["written"] == []
    assert not path.exists()
