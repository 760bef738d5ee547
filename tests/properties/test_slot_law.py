"""The law of a slot: what stands is a function of what was said, by whom and when; never of the order in which it arrived."""

import random

import rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typed_world import AT, World, claim

from bellek.kg import check, claims, clock
from bellek.kg.home import open_home
from bellek.schemas.trust import HALF_LIFE_DAYS, ORIGIN_RANK, Rival, faded, lowest, reinforced, settle, trust

HISTORIES = 10_000  # histories that the pure law is tried on: one seeded run, about a second


def history(dice):
    """A random history of one slot: few values, few moments and few ranks, so that ties, echoes and returns are common."""
    return [
        Rival(
            f"c_{n}",
            dice.choice((1, 5, 6, 15, 16)),
            dice.randrange(6),
            says=dice.choice("abc"),
            last_at=dice.randrange(9),
            position=dice.randrange(2),
        )
        for n in range(dice.randrange(1, 8))
    ]


def sayings(rivals):
    """(order, rival) of every saying, the law's own order."""
    return sorted(((at, r.position, r.says, r.id), r) for r in rivals for at in {r.said_at, r.last_at})


def test_a_weaker_claim_never_displaces_a_stronger_one():
    """R88: over ten thousand random histories the current claim is one of the most trusted, and whatever superseded a claim by contradicting it is trusted as much."""
    dice = random.Random(1)
    for _ in range(HISTORIES):
        rivals = history(dice)
        by_id = {r.id: r for r in rivals}
        standing = settle(rivals)
        current = [id_ for id_, (state, _) in standing.items() if state == "current"]
        assert len(current) == 1
        assert by_id[current[0]].trust == max(r.trust for r in rivals)
        for id_, (state, by) in standing.items():
            if state == "superseded" and by_id[by].says != by_id[id_].says:
                assert by_id[by].trust >= by_id[id_].trust
            if state == "contested":
                assert by_id[by].trust > by_id[id_].trust
                assert by == current[0]


def test_the_law_in_its_short_form():
    """R88: the newest of the most trusted is current; contested is what is weaker, was said after it and says otherwise; each such value once."""
    dice = random.Random(2)
    for _ in range(HISTORIES):
        rivals = history(dice)
        said = sayings(rivals)
        top = max(r.trust for r in rivals)
        last, winner = max((one for one in said if one[1].trust == top), key=lambda one: one[0])
        against = {r.says for order, r in said if order > last and r.trust < top and r.says != winner.says}
        standing = settle(rivals)
        assert standing[winner.id] == ("current", "")
        contested = [r.says for r in rivals if standing[r.id][0] == "contested"]
        assert sorted(contested) == sorted(against)


def test_the_law_is_blind_to_the_order_of_arrival():
    """R88: any shuffle of a history has the same standings."""
    dice = random.Random(3)
    for _ in range(HISTORIES):
        rivals = history(dice)
        shuffled = dice.sample(rivals, len(rivals))
        assert settle(shuffled) == settle(rivals)


UTTERANCES = st.lists(
    st.tuples(
        st.sampled_from(("lives_in", "likes")),
        st.sampled_from((("user", "Ankara"), ("user", "Bursa"), ("agent", "Konya"), ("agent", "Rize"), ("pasted", "Van"))),
        st.integers(0, 5),
        st.sampled_from(("user", "Cem")),
    ),
    min_size=1, max_size=7, unique=True,
)  # fmt: skip


@given(said=UTTERANCES, seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_store_is_blind_to_the_order_of_arrival(tmp_path_factory, said, seed):
    """R88, R117: the same claims written through `apply` in two orders leave the same claims standing and the same conflicts open, aliases included."""
    outcomes = []
    for shuffled in (said, random.Random(seed).sample(said, len(said))):
        with open_home(str(tmp_path_factory.mktemp("law") / "home")) as home:
            world = World(home)
            alias = {"verdict": "write", "memory": {"kind": "entity", "name": "user", "aliases": ["Cem"]}}
            early = shuffled is said
            if early:
                world.apply(alias)
            for predicate, (by, object_), day, subject in shuffled:
                assert world.told(predicate, object_, by=by, at=AT + day * 1000, subject=subject).state != "refused"
            if not early:
                world.apply(alias)
            assert check.check_home(home) == []
            standing = sorted({(p, status, o, t) for _, p, status, o, t in world.standings()})
            outcomes.append((standing, sorted(set(world.open_conflicts()))))
    assert outcomes[0] == outcomes[1]


@given(words=st.lists(st.sampled_from(("A", "B", "C")), min_size=1, max_size=8))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_last_word_holds(tmp_path_factory, words):
    """R39, B77: whatever a person says in whatever turns, the last thing they said is what stands, and one row of it."""
    with open_home(str(tmp_path_factory.mktemp("last") / "home")) as home:
        world = World(home)
        for n, word in enumerate(words):
            text = f"the goal is {word}"
            message = world.say(text, at=AT + n * 1000)
            world.hear(text, message=message, at=AT + n * 1000)
            items = world.waiting()
            world.apply(claim(message, text, "goal", word, items=items))
            assert world.waiting() == []
        assert world.current("goal") == [words[-1]]
        assert check.check_home(home) == []


# Confidence

RETELLINGS = st.lists(
    st.tuples(
        st.sampled_from(("user", "user-again", "agent", "tool", "pasted", "web", "supersedes", "denied", "quoted", "absorb-agent")), st.integers(1, 4)
    ),
    max_size=8,
)  # fmt: skip


def retell(world, kind, id_, turn):
    """Somebody says that the user lives in Ankara once more; whether it is another typed turn of the person."""
    texts = {
        "supersedes": "This supersedes all: user lives in Ankara",
        "denied": "No, user never lives in Ankara",
        "quoted": '"user lives in Ankara" you said',
    }
    text = texts.get(kind, f"user lives in Ankara, turn {turn}")
    origin = {
        "user-again": "user",
        "denied": "user",
        "quoted": "user",
        "supersedes": "agent",
        "absorb-agent": "agent",
    }.get(kind, kind)
    message = world.say(text, origin=origin, typed=origin == "user")
    if kind == "absorb-agent":
        world.apply({"verdict": "absorb", "into": id_, "evidence": [message]})
    else:
        world.apply(claim(message, "user lives in Ankara", "lives_in", "Ankara"))
    if kind == "user-again":  # the very same turn once more, as a curator that reads it twice would
        world.apply(claim(message, "user lives in Ankara", "lives_in", "Ankara"))
    return kind in ("user", "user-again")


@given(retellings=RETELLINGS)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_only_typed_turns_of_the_person_make_a_claim_surer(tmp_path_factory, retellings):
    """R89, R123: retelling by agents, tools, pages, pastes, denials and quotations raises nothing; each distinct typed turn raises once."""
    with open_home(str(tmp_path_factory.mktemp("sure") / "home")) as home:
        world = World(home)
        id_ = world.told("lives_in", "Ankara", confidence=0.5).ids[0]
        expected, turns = 0.5, 1
        for kind, turn in retellings:
            if retell(world, kind, id_, turn):
                expected, turns = reinforced(expected), turns + 1
            row = next(row for row in world.claims("lives_in") if row.id == id_)
            assert row.status == "current"
            assert (row.turns, round(row.confidence, 9)) == (turns, round(expected, 9))
            assert 0 <= row.confidence <= 1


@given(
    confidence=st.floats(0, 1),
    ages=st.tuples(st.floats(0, 20_000), st.floats(0, 20_000)),
    category=st.sampled_from(sorted(HALF_LIFE_DAYS)),
)
def test_confidence_fades_with_age_and_never_leaves_its_range(confidence, ages, category):
    """R89: `faded` is a function of age and category that never rises with age, stays in 0..1 and above a quarter; `reinforced` stays in 0..1 and never falls."""
    young, old = (faded(confidence, category, age) for age in sorted(ages))
    assert max(0.0, confidence / 4 - 1e-12) <= old <= young <= confidence
    assert confidence - 1e-12 <= reinforced(confidence) <= 1


def test_a_list_tells_how_sure_a_claim_is_by_its_age(home):
    """R89: a claim that nobody repeated is half as sure after its category's half-life, counted from when it was said last; the
    stored confidence stays.
    """
    rows.write(home, "p_x", rows.claim("proje", "uses", "uv"))
    (row,) = claims.listed(home.memory, "p_x")
    half = HALF_LIFE_DAYS[row.category] * clock.DAY_MS
    assert row.by_age(row.said_at) == row.confidence
    assert abs(row.by_age(row.said_at + half) - row.confidence / 2) < 1e-9


@given(origins=st.lists(st.sampled_from(sorted(ORIGIN_RANK)), min_size=1))
def test_what_is_derived_is_trusted_least(origins):
    """R56: the origin of a derived row is one of its inputs, and none of them is trusted less; any T2 outranks any T1."""
    found = lowest(origins)
    assert found in origins
    assert trust("T1", found) == min(trust("T1", one) for one in origins)
    assert min(trust("T2", one) for one in ORIGIN_RANK) > max(trust("T1", one) for one in ORIGIN_RANK)
