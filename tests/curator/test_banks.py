"""Banks: what an agent with one of its own learns is seen by no other until it is shared."""

import pytest
import rows

from bellek.context import preview, quick, sections
from bellek.curator import banks, config, drain
from bellek.kg import (
    agents,
    blast,
    candidates,
    check,
    claims,
    fts_query,
    lessons,
    lookup,
    memories,
    scope,
    shared_log,
    tiers,
    typed,
)
from bellek.kg.ids import mint
from bellek.schemas.errors import PersonNeeded, Refused

PERSON = "person:terminal"


@pytest.fixture
def ada(home):
    """Claude Code's agent is called ada and has a bank of its own; pi's shares."""
    with open(home.path + "/config/config.toml", "w", encoding="utf-8") as file:
        file.write('[agents.ada]\nclient = "claude-code"\nbank = "own"\n[agents.pi]\nclient = "pi"\n')
    assert config.compile_into(home.memory, home.path) is None


@pytest.fixture
def kept(home, ada, talk):
    """Ada heard and drained one learning; its project."""
    said = talk().user("kurulum nasıl").agent("<!-- learning: paketler uv ile kurulur çünkü kilit zürafa tutar -->")
    said.hear()
    assert said.drain().written == {"event": 1, "lesson": 1}
    return said.project


def recalled(home, here, agent, prompt="paketler zürafa kurulur"):
    """Ids of the lines that a prompt of an agent brings from typed memory."""
    built = preview.next_packet(home, here, prompt, agent=agent)
    return [line.id for line, fate in built.fates if line.section in ("lessons", "wisdom", "journal", "rules")]


def test_what_one_agent_learns_is_absent_from_anothers_recall(home, kept):
    """R69: ada's rows are in her packet, list, search and recall, and in none of another agent's or of the project's."""
    own = agents.scope_of(home.memory, kept, "ada")
    assert own == scope.bank(kept, "ada")
    assert recalled(home, kept, "ada")
    assert recalled(home, kept, "pi") == []
    assert len(lessons.listed(home.memory, own)) == 1
    assert lessons.listed(home.memory, kept) == []
    for there, found in (
        (own, True),
        (kept, False),
        (scope.bank(kept, "pi"), False),
        (scope.bank(kept, "ad"), False),
        ("*", False),
    ):
        assert bool(typed.find(home.memory, "zürafa", there, now=rows.AT).rows) == found, there
        assert any(q.kind != "message" for q in quick.ask(home, "paketler zürafa kurulur", there)) == found, there
        assert bool(lookup.memories(home.memory, fts_query.match("zürafa", scope=scope.words(there)), limit=9)) == found


def test_what_is_shared_by_all_is_seen_from_a_bank(home, kept):
    """R69: a bank sees the project's rows and those of every project besides its own, and what others said in the project."""
    ids = rows.write(
        home,
        kept,
        rows.lesson("ortak fil bilgisi çünkü öyle", importance=2),
        rows.lesson("her yerde zebra çünkü", project="*", importance=2),
    )
    assert set(ids) <= set(recalled(home, kept, "ada", "fil zebra bilgisi"))
    assert set(ids) <= set(recalled(home, kept, "pi", "fil zebra bilgisi"))
    other = rows.write(home, "p_other0000000", rows.lesson("başka proje zürafa", importance=2))
    assert not set(other) & set(recalled(home, kept, "ada"))


def test_without_a_bank_everything_is_shared(home, talk):
    """R62: by default what one client's agent learned is seen by every other in the project."""
    said = talk().user("kurulum").agent("<!-- learning: paketler uv ile kurulur çünkü kilit zürafa tutar -->")
    said.hear()
    said.drain()
    assert recalled(home, said.project, "pi") == recalled(home, said.project, "claude-code") != []


def test_a_row_is_shared_on_purpose(home, kept):
    """R69: the agent whose bank it is shares a row, and then every agent sees it; another agent cannot."""
    (row,) = lessons.listed(home.memory, scope.bank(kept, "ada"))
    with pytest.raises(PersonNeeded), home.memory.transaction():
        banks.share(home.memory, row.id, agent="pi", actor="agent:pi")
    assert [(bank.agent, bank.rows) for bank in banks.listed(home.memory, kept)] == [("ada", 2)]
    with home.memory.transaction():
        shared = banks.share(home.memory, row.id, agent="ada", actor="agent:claude-code")
    assert shared.project == kept
    assert row.id in recalled(home, kept, "pi")
    with pytest.raises(Refused), home.memory.transaction():
        banks.share(home.memory, row.id, agent="ada", actor="agent:claude-code")


def test_what_is_permanent_in_a_bank_a_person_shares(home, kept):
    """The law of T2 holds in a bank: no agent shares a permanent row, a person does, and it stays permanent."""
    (row,) = lessons.listed(home.memory, scope.bank(kept, "ada"))
    with home.memory.transaction():
        tiers.promote(home.memory, memories.read(home.memory, row.id), actor=PERSON)
    with pytest.raises(PersonNeeded), home.memory.transaction():
        banks.share(home.memory, row.id, agent="ada", actor="agent:claude-code")
    with home.memory.transaction():
        assert banks.share(home.memory, row.id, agent="", actor=PERSON).tier == "T2"


def test_claims_of_two_banks_do_not_contest_each_other(home, ada):
    """R69: of a single-valued slot each bank has its own claim; shared, the law weighs it against the project's."""
    here = "p_x00000000000"
    (mine,) = rows.write(home, scope.bank(here, "ada"), rows.claim("proje", "deadline", "cuma"))
    (other,) = rows.write(home, scope.bank(here, "pi"), rows.claim("proje", "deadline", "salı"))
    assert {memories.read(home.memory, id_).status for id_ in (mine, other)} == {"current"}
    assert [row.id for row in claims.listed(home.memory, scope.bank(here, "ada"))] == [mine]
    assert claims.listed(home.memory, here) == []


def test_candidates_of_a_bank_are_its_own(home, kept):
    """A person sees a bank's candidates where they look into the bank."""
    with home.memory.transaction():
        row = memories.read(home.memory, lessons.listed(home.memory, scope.bank(kept, "ada"))[0].id)
        body = row.body.model_copy(update={"importance": 3})
        memories.write(home.memory, row.model_copy(update={"body": body, "batch": mint("b")}), actor="test")
    assert [c.id for c in candidates.listed(home.memory, scope.bank(kept, "ada"))] == [row.id]
    assert candidates.listed(home.memory, kept) == []


def test_a_persons_forgetting_looks_into_every_bank(home, kept):
    """R69, R116: words are forgotten in the banks of the project too where a person orders it, what was said there with them;
    another agent's order reaches no row of a bank.
    """
    own = scope.bank(kept, "ada")
    assert agents.banks_in(home.memory, kept) == [own]
    asked = {"query": "ZÜRAFA kilit", "keep_messages": True}
    assert not blast.reach(home, blast.Asked(kept, **asked))
    reached = blast.reach(home, blast.Asked(kept, banks=(own,), **asked))
    assert {(row.body.kind, row.project) for row in reached.held.values()} == {("lesson", own), ("event", own)}
    (row,) = lessons.listed(home.memory, own)
    assert blast.reach(home, blast.Asked(own, ids=(row.id,))).messages  # said in the project, kept in the bank


def test_the_log_lies_in_no_bank(home, kept, talk):
    """R73: what is addressed to the others is seen by them: ada's turn leaves a line in the project's log."""
    assert [row.agent for row in shared_log.listed(home.memory, kept)] == ["ada"] or shared_log.listed(
        home.memory, kept
    ) == []
    assert check.check_home(home) == []
    assert sections.signals(home.memory, kept, rows.AT) == []
    assert drain.drain_offline(home, kept).written == {}
