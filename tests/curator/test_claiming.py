"""Claims: supersession, contradiction, duplicates, confidence, names and scopes, through the one way they are written."""

import pytest
from typed_world import AT, DAY, World, claim, lesson, write

from bellek.curator import claiming
from bellek.curator.context_of import Place, affirms
from bellek.kg import claims, clock, memories, names, queue
from bellek.schemas.claim import Claim
from bellek.schemas.kinds import PERSONAL, claim_scope
from bellek.schemas.predicates import MANY, ONE


def row_of(world, predicate, object_):
    """The one claim of these words that is not superseded by itself; the newest."""
    return [row for row in world.claims(predicate) if row.object == object_][-1]


def test_a_newer_claim_of_equal_trust_supersedes_and_history_is_kept(world):
    """R88: of a single-valued predicate the newer row of equal trust stands, and the older one keeps its words, its time and its successor."""
    world.told("lives_in", "Ankara", at=AT)
    new = world.told("lives_in", "İzmir", at=AT + DAY)
    old = row_of(world, "lives_in", "Ankara")
    assert world.current("lives_in") == ["İzmir"]
    assert (old.status, old.ended, old.ended_by, old.valid_from, old.valid_to) == (
        "superseded",
        "superseded",
        new.ids[0],
        AT,
        AT + DAY,
    )


def test_a_weaker_claim_opens_a_conflict_and_the_stronger_stays(world):
    """R88, R117: what an agent says against the person is contested by it and a conflict names both."""
    world.told("lives_in", "Ankara")
    world.told("lives_in", "İzmir", by="agent")
    assert world.current("lives_in") == ["Ankara"]
    assert world.open_conflicts() == [("ankara", "izmir")]


def test_many_valued_claims_live_side_by_side(world):
    """R88: of a many-valued predicate both stand, and nothing is contested."""
    for object_ in ("çay", "kahve"):
        world.told("likes", object_, category="preference")
    assert world.current("likes") == ["kahve", "çay"]
    assert world.open_conflicts() == []


@pytest.mark.parametrize("predicate", ["lives_in", "likes"])
def test_the_same_meaning_twice_is_one_row(world, predicate):
    """R90: the same claim again, in other letters and a synonym's name, is one row with two sightings."""
    message = world.say("user lives in İzmir, likes İzmir")
    for name, object_ in ((predicate, "İzmir"), ({"lives_in": "şehir", "likes": "sever"}[predicate], "izmir.")):
        world.apply(claim(message, "İzmir", name, object_))
    rows = world.claims(predicate)
    assert [(row.object, row.sightings) for row in rows] == [("İzmir", 2)]


@pytest.mark.parametrize("predicate", ["lives_in", "likes"])
@pytest.mark.parametrize("first", ["user", "agent"])
def test_an_agreeing_claim_of_other_trust_never_contests(world, predicate, first):
    """R90: the person and an agent who say the same make one standing claim, the person's, in either order."""
    second = "agent" if first == "user" else "user"
    world.told(predicate, "İzmir", by=first)
    world.told(predicate, "İzmir", by=second)
    standing = [row for row in world.claims(predicate) if row.status in ("current", "contested")]
    assert [(row.status, row.origin) for row in standing] == [("current", "user")]
    assert world.open_conflicts() == []


def test_values_that_only_a_sign_tells_apart(world):
    """B79: C, C++ and C#, 5 and -5, 5 and 5 % are different objects."""
    for object_ in ("C", "C++", "C#", "5", "-5", "5%", "$5"):
        world.told("uses", object_, text=f"user uses {object_}", category="preference")
    assert len(world.current("uses")) == 7


def test_a_convention_changed_twice(world):
    """B71: of three learnings in a row about one single-valued thing the last is what stands, also out of one message in one batch."""
    text = "Kapı 8080 olsun. Yok, kapı 9090. SON karar: kapı 7070, öncekiler geçersiz."
    message = world.say(text)
    world.apply(*(claim(message, quote, "port", object_, subject="sunucu", category="project")
                  for quote, object_ in (("Kapı 8080 olsun", "8080"), ("SON karar: kapı 7070", "7070"), ("kapı 9090", "9090"))))  # fmt: skip
    assert world.current("port", subject="sunucu") == ["7070"]
    assert [row.status for row in world.claims("port")].count("superseded") == 2


def test_a_correction_supersedes_and_raises_nothing(world):
    """B46: the person's "no, that was somebody else" raises nothing on the old claim, by whatever verdict it comes, and what they say instead stands."""
    first = world.told(
        "has_condition", "ceviz alerjisi", category="health", text="ceviz alerjisi var, cevize alerjik", by="agent"
    ).ids[0]
    message = world.say("Hayır, ceviz alerjisi yok bende, o başkasıydı")
    world.apply({"verdict": "absorb", "into": first, "evidence": [message]},
                claim(message, "ceviz alerjisi", "has_condition", "ceviz alerjisi", category="health"))  # fmt: skip
    old = memories.read(world.db, first).body
    assert (old.confidence, old.turns) == (0.7, 0)
    world.told("preferred_name", "Ali")
    world.told("preferred_name", "Veli", text="Hayır, bana Veli de")
    assert world.current("preferred_name") == ["Veli"]
    assert row_of(world, "preferred_name", "Ali").confidence == 0.7


@pytest.mark.parametrize("by", ["user", "agent"])
def test_what_the_person_takes_back_is_ended_by_their_own_word(world, by):
    """B46: "no, I have no such allergy, that was somebody else" → its claim, a conflict, a decision: the old claim is superseded, its confidence as it was."""
    old = world.told(
        "has_condition", "ceviz alerjisi", category="health", by=by, text="ceviz alerjisi var, cevize alerjik"
    ).ids[0]
    message = world.say("Hayır, cevize alerjim yok, o başkasıydı", at=AT + DAY)
    denial = claim(message, "cevize alerjim yok", "describes", "cevize alerjim yok", category="health")
    denied = world.apply(denial)[0].ids[0]
    opened = world.apply({"verdict": "open_conflict", "left": old, "right": denied, "reason": "taken back"})[0].ids[0]
    decided = world.apply({"verdict": "resolve_conflict", "conflict": opened, "winner": denied, "reason": "the person's later word"})  # fmt: skip
    assert decided[0].state == "resolved"
    row = row_of(world, "has_condition", "ceviz alerjisi")
    assert (row.status, row.ended, row.confidence) == ("superseded", "wrong", 0.7)
    assert world.current("has_condition") == []


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("I live in Ankara", True), ("Evet. Ankara'da yaşıyorum.", True), ("Hayır! Ben Ankara'da yaşıyorum.", True), ("I don't live in Ankara", False),
        ("Ankara'da yaşamıyorum", False), ("No, not Ankara", False), ("Ankara değil", False), ("> lives in Ankara\nwhy do you say so?", False),
        ('You wrote "lives in Ankara" yesterday', False), ("“Ankara” yazmışsın", False), ("I moved", False), ("Ankara yanlış", False),
    ],
)  # fmt: skip
def test_only_a_line_that_affirms_is_evidence(world, text, evidence):
    """R123: a denial, a correction and a quotation add no evidence, in Turkish and in English."""
    message = world.say(text)
    from bellek.kg import conversations

    said = next(m for m in conversations.show(world.home.conversations, "talk") if m.id == message)
    assert (
        affirms(
            said, "", Claim(category="person", subject="user", predicate="lives_in", object="Ankara", confidence=0.5)
        )
        is evidence
    )


def test_a_statement_comes_back_after_it_was_superseded(world):
    """B77, R39: A, then B, then A again in the same words ends at A, through queue, take and apply; the first A keeps its time."""
    for n, city in enumerate(("Ankara", "İzmir", "Ankara")):
        words = f"The user lives in {city}."
        said = world.say(words, at=AT + n * DAY)
        item = world.item(words, message=said, at=AT + n * DAY)
        token = queue.take(world.db, world.project).token
        world.apply(
            claim(said, words, "lives_in", city, items=[item]), lesson(f"ders {city}", items=[item]), token=token
        )
        assert world.waiting() == []
    assert world.current("lives_in") == ["Ankara"]
    assert [(row.object, row.status) for row in world.claims("lives_in")] == [
        ("Ankara", "superseded"),
        ("İzmir", "superseded"),
        ("Ankara", "current"),
    ]
    assert world.hear("The user lives in Ankara.") == "current"
    held = [claims.as_of(world.db, world.project, AT + n * DAY + 5, predicate="lives_in")[0].object for n in range(3)]
    assert held == ["Ankara", "İzmir", "Ankara"]


def test_a_re_statement_is_a_sighting_not_a_second_row(world):
    """B77: the same learning said again while its row stands is counted, and no second row is made."""
    first = world.told("lives_in", "Ankara", at=AT)
    again = world.told("lives_in", "Ankara", at=AT + 60 * DAY)
    assert (again.state, again.ids) == ("absorbed", first.ids)
    row = world.claims("lives_in")[0]
    assert (row.sightings, row.last_at) == (2, AT + 60 * DAY)


def test_the_person_saying_it_again_settles_what_an_agent_contested(world):
    """R88: a conflict ends when the person says again, later, what stands."""
    world.told("lives_in", "Ankara", at=AT)
    world.told("lives_in", "İzmir", at=AT + DAY, by="agent")
    world.told("lives_in", "Ankara", at=AT + 2 * DAY)
    assert world.standings() == [("user", "lives_in", "current", "ankara", 6)]
    assert world.open_conflicts() == []


def test_an_agents_echo_settles_nothing(world):
    """R123: an agent that repeats the person's older word neither ends a conflict nor makes the claim surer."""
    world.told("lives_in", "Ankara", at=AT)
    world.told("lives_in", "İzmir", at=AT + DAY, by="agent")
    world.told("lives_in", "Ankara", at=AT + 2 * DAY, by="agent")
    row = row_of(world, "lives_in", "Ankara")
    assert (row.confidence, row.sightings, row.last_at) == (0.7, 2, 0)
    assert world.open_conflicts() == [("ankara", "izmir")]


def test_when_the_stronger_side_falls_its_successor_takes_the_conflict(world):
    """R117: a conflict whose stronger side is contradicted by an older, stronger claim moves on to what stands now."""
    world.told("lives_in", "Ankara", at=AT)
    world.told("lives_in", "İzmir", at=AT + 2 * DAY, by="agent")
    world.told("lives_in", "Bursa", at=AT + DAY)
    assert world.current("lives_in") == ["Bursa"]
    assert world.open_conflicts() == [("bursa", "izmir")]


def conflict_of(world):
    """The one open conflict."""
    (row,) = [row for row in world.rows("conflicts") if row["state"] == "open"]
    return row


def decide(world, winner, *, actor="curator"):
    """Resolve the open conflict in somebody's name."""
    open_ = conflict_of(world)
    place = Place(world.home, world.project, actor, "b_test")
    with world.db.transaction():
        claiming.resolve(
            place, open_["id"], {"strong": open_["strong"], "weak": open_["weak"], "": ""}[winner], "because"
        )


def test_the_weaker_side_cannot_win_without_a_person(world):
    """R117: a verdict may let the stronger side win or call both true in a scope; the weaker wins only when a person says so."""
    world.told("lives_in", "Ankara")
    world.told("lives_in", "İzmir", by="agent")
    open_ = conflict_of(world)
    refused = world.apply(
        {"verdict": "resolve_conflict", "conflict": open_["id"], "winner": open_["weak"], "reason": "r"}
    )[0]
    assert "winner" in refused.reason
    assert (
        "winner"
        in world.apply({"verdict": "resolve_conflict", "conflict": open_["id"], "winner": "c_other", "reason": "r"})[
            0
        ].reason
    )
    decide(world, "weak", actor="person")
    assert world.current("lives_in") == ["İzmir"]
    assert row_of(world, "lives_in", "Ankara").ended == "wrong"
    assert world.apply({"verdict": "resolve_conflict", "conflict": open_["id"], "reason": "r"})[0].state == "refused"


def test_after_a_decision_the_loser_does_not_come_back_by_retelling(world):
    """R83: what was found wrong is not brought back by the agent that says it again; a new word of the person is."""
    world.told("lives_in", "Ankara")
    world.told("lives_in", "İzmir", by="agent")
    decide(world, "strong")
    assert world.told("lives_in", "İzmir", by="agent").state == "absorbed"
    assert world.open_conflicts() == []
    world.told("lives_in", "İzmir")
    assert world.current("lives_in") == ["İzmir"]


def test_both_may_be_true_in_their_scope(world):
    """R117: both sides stand; a later claim of the slot leaves the scoped one alone."""
    world.told("lives_in", "Ankara")
    world.told("lives_in", "İzmir", by="agent")
    decide(world, "")
    assert world.current("lives_in") == ["Ankara", "İzmir"]
    world.told("lives_in", "Bursa")
    assert world.current("lives_in") == ["Bursa", "İzmir"]


def test_a_contradiction_that_no_predicate_shows(world):
    """R117: `open_conflict` contests the weaker of two claims that stand; it is free again when the stronger falls, and wins for good when chosen."""
    likes = world.told("likes", "deniz", category="preference").ids[0]
    city = world.told("lives_in", "Ankara").ids[0]
    opened = world.apply({"verdict": "open_conflict", "left": likes, "right": city, "reason": "no sea there"})[0]
    assert opened.state == "opened"
    assert row_of(world, "likes", "deniz").status == "contested"
    for sides in ((likes, city), (city, city), (city, "c_zzzzzzzzzzzz")):
        assert (
            world.apply({"verdict": "open_conflict", "left": sides[0], "right": sides[1], "reason": "r"})[0].state
            == "refused"
        )
    world.told("lives_in", "İzmir")
    assert row_of(world, "likes", "deniz").status == "current"
    assert world.open_conflicts() == []
    other = world.told("likes", "kar", category="preference").ids[0]
    world.apply(
        {"verdict": "open_conflict", "left": other, "right": row_of(world, "lives_in", "İzmir").id, "reason": "no snow"}
    )
    decide(world, "weak", actor="person")
    assert {row.status for row in world.claims() if row.ended != "superseded"} >= {"current"}
    assert world.open_conflicts() == []


def test_a_claim_contested_from_outside_its_slot_stays_contested(world):
    """R117: a later weaker claim in its slot does not set free what a verdict contests."""
    city = world.told("lives_in", "Ankara", at=AT).ids[0]
    sea = world.told("goal", "deniz kenarı", at=AT + DAY).ids[0]
    world.apply({"verdict": "open_conflict", "left": city, "right": sea, "reason": "r"})
    world.told("lives_in", "Konya", at=AT + 2 * DAY, by="agent")
    assert row_of(world, "lives_in", "Ankara").status == "contested"
    world.told("lives_in", "İzmir", at=AT + 3 * DAY)
    assert world.current("lives_in") == ["İzmir"]
    assert world.open_conflicts() == []


def test_a_project_does_not_contest_what_all_projects_hold(world):
    """R57: a project's claim is contested by what holds everywhere; another project's claims never decide here."""
    world.told("lives_in", "Ankara", at=AT)
    other = World(world.home, "p_two")
    other.told("lives_in", "İzmir", by="agent", at=AT + DAY)
    world.told("version", "1.0", subject="bellek", category="project", at=AT)
    other.told("version", "2.0", subject="bellek", category="project", at=AT + DAY)
    assert world.open_conflicts() == []
    assert other.open_conflicts() == [("ankara", "izmir")]
    assert (world.current("version"), other.current("version")) == (["1.0"], ["2.0"])
    world.told("lives_in", "Bursa", at=AT + 2 * DAY)
    assert other.current("lives_in") == ["Bursa"]
    assert other.open_conflicts() == []


@pytest.mark.parametrize("category", [*PERSONAL, "project", "constraint"])
@pytest.mark.parametrize("by", ["user", "agent"])
def test_where_a_claim_holds(world, category, by):
    """The person's own words about themselves hold in every project; everything else stays in its project."""
    world.told("describes", "something", by=by, category=category)
    everywhere = category in PERSONAL and by == "user"
    assert world.claims("describes")[0].project == ("*" if everywhere else world.project)
    assert (claim_scope(category, by) == "everywhere") is everywhere


def test_a_time_given_by_the_verdict_never_makes_an_interval_run_backwards(world):
    """A later claim supersedes whatever time it names; what it replaced never ends before it began."""
    world.told("lives_in", "Ankara", at=AT)
    message = world.say("Doğrusu 2010'dan beri İzmir", at=AT + DAY)
    world.apply(claim(message, "2010'dan beri İzmir", "lives_in", "İzmir", valid_from="2010-01-01"))
    assert world.current("lives_in") == ["İzmir"]
    assert [row.object for row in claims.as_of(world.db, world.project, AT + 5)] == ["İzmir"]
    assert [row.object for row in claims.as_of(world.db, world.project, 1_500_000_000_000)] == ["İzmir"]


# Names


def test_aliases_meet_before_anything_is_looked_up(world):
    """B74: with the alias CC for Claude Code, the same claim about either is one row."""
    world.apply(write("entity", name="Claude Code", aliases=["CC"]))
    for subject in ("CC", "Claude Code", "claude-code"):
        world.told("owner", "kapı", subject=subject, category="project")
    assert [(row.subject, row.sightings) for row in world.claims("owner")] == [("CC", 3)]


@pytest.mark.parametrize("learned", ["before", "after, with the entity", "after, on a known entity"])
def test_an_alias_joins_slots_whenever_it_is_learned(world, learned):
    """An alias that is learned after the claims joins them as one that was known before; the stored claims are not rewritten."""
    alias = write("entity", name="Robert", aliases=["Bob"])
    world.apply(alias if learned == "before" else write("entity", name="Robert" if "known" in learned else "Somebody"))
    world.told("lives_in", "Ankara", subject="Bob", at=AT)
    world.told("lives_in", "İzmir", subject="Robert", at=AT + DAY)
    world.apply(alias)
    assert world.current("lives_in", subject="bob") == world.current("lives_in", subject="ROBERT") == ["İzmir"]
    assert {row["subject_key"] for row in world.rows("claims")} == {"bob", "robert"}


def test_a_name_that_two_have_joins_nothing(world):
    """B78: when a second entity has the alias too, what it joined is parted again, and the claims stand for themselves."""
    world.apply(write("entity", name="Robert", aliases=["Bob"]))
    world.told("lives_in", "Ankara", subject="Bob", at=AT)
    world.told("lives_in", "İzmir", subject="Robert", at=AT + DAY)
    world.apply(write("entity", name="Bobby Tables", aliases=["Bob"]))
    assert world.current("lives_in", subject="Bob") == ["Ankara"]
    assert world.current("lives_in", subject="Robert") == ["İzmir"]


def test_aliases_do_not_chain(world):
    """B78: A that is also called B, and B's own entity that is also called C, make no person of A, B and C."""
    world.apply(write("entity", name="Beta", aliases=["Gamma"]), write("entity", name="Alfa", aliases=["Beta"]))
    for subject, city in (("Alfa", "Ankara"), ("Beta", "Bursa"), ("Gamma", "Giresun")):
        world.told("lives_in", city, subject=subject)
    assert world.current("lives_in", subject="Alfa") == ["Ankara"]


def test_names_alike_are_not_merged(world):
    """B78: Ali Kaya, Ali Kayahan and Ali K. are three; a second Ali Kaya, born on another day, is refused until the curator says that he is another."""
    for name in ("Ali Kaya", "Ali Kayahan", "Ali K."):
        world.apply(write("entity", name=name, type="person"))
    first = world.apply(write("entity", name="Ali Kaya", fields={"doğum tarihi": "1990-01-01"}))[0].ids[0]
    refused = world.apply(write("entity", name="ali kaya", fields={"birthday": "1975-05-05"}))[0]
    assert refused.reason.startswith("fields.birthday")
    second = world.apply(write("entity", name="Ali Kaya", fields={"birthday": "1975-05-05"}, another=True))[0].ids[0]
    assert first != second
    assert len(world.rows("entities")) == 4
    assert "several" in world.apply(write("entity", name="Ali Kaya", type="person"))[0].reason
    assert world.apply(write("entity", name=second, aliases=["Büyük Ali"]))[0].ids[0] == second


def test_which_names_meet():
    """B79: C, C++ and C# stay apart, .NET and Net too; Node.js and nodejs, İpek and ipek meet."""
    apart = ["C", "C++", "C#", ".NET", "Net", "Node.js", "İpek"]
    assert len({names.key(name) for name in apart}) == len(apart)
    assert names.key("Node.js") == names.key("nodejs")
    assert names.key("İpek") == names.key("ipek") == names.key("IPEK")


def test_who_the_person_is(world):
    """The person is "user", "kullanıcı", "ben", "I"; Ben is somebody's name, and nobody else may be called "user"."""
    assert {names.key(name) for name in ("user", "Kullanıcı", "ben", "I", "me")} == {names.SELF}
    assert names.key("Ben") == "ben"
    assert "aliases" in world.apply(write("entity", name="Mallory", aliases=["kullanıcı"]))[0].reason
    world.apply(write("entity", name="user", aliases=["Cem"]))
    world.told("lives_in", "Ankara", subject="user")
    world.told("lives_in", "İzmir", subject="Cem")
    assert world.current("lives_in", subject="user") == ["İzmir"]


def test_the_persons_name_alone_makes_nobody_the_person(world):
    """B78: that the user is called Cem does not make every Cem the user."""
    world.told("name", "Cem")
    world.told("lives_in", "İzmir", subject="Cem")
    assert world.current("lives_in", subject="user") == []


def test_a_permanent_entity_keeps_its_names(world):
    """R129: a provisional entity that takes a permanent one's alias does not part it from its claims."""
    from bellek.schemas.entity import Entity

    world.permanent(Entity(name="Robert", aliases=("Bob",)), "Robert", project="*")
    world.told("lives_in", "Ankara", subject="Bob")
    world.apply(write("entity", name="Eve", aliases=["Bob"], another=True))
    assert world.current("lives_in", subject="Robert") == ["Ankara"]


def test_an_alias_that_brings_two_permanent_claims_together_changes_neither(world):
    """R129: an agent's alias joins two slots in which a permanent claim stands each; both stay, and later claims are still taken."""
    one = world.permanent_claim("lives_in", "Ankara", subject="Bob")
    two = world.permanent_claim("lives_in", "İzmir", subject="Robert", said_at=AT + DAY)
    assert world.apply(write("entity", name="Robert", aliases=["Bob"]))[0].state == "written"
    assert world.told("lives_in", "Konya", subject="Bob", at=AT + 2 * DAY).state == "written"
    assert [memories.read(world.db, id_).status for id_ in (one, two)] == ["current", "current"]
    assert ("izmir", "konya") in world.open_conflicts()


def test_the_vocabulary_has_one_cardinality_each():
    """A predicate is single-valued or many-valued, never both."""
    assert not set(ONE) & set(MANY)


def test_the_clock_of_a_claim_is_its_messages(world):
    """A claim's time is when it was said, not when it was applied; without a time of its own it holds since then."""
    world.told("lives_in", "Ankara", at=AT)
    row = world.claims("lives_in")[0]
    assert (row.said_at, row.valid_from) == (AT, AT)
    assert clock.stamp(row.said_at, row.offset_minutes).endswith("+03:00")
