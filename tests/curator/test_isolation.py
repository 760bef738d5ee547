"""Projects do not mix: one predicate for every arm, the folder of each line, and doubt that waits for the person (R57)."""

import pytest
from typed_world import AT, World, claim, lesson, write

from bellek.context import preview, reasons, recall, sections
from bellek.curator import dedupe, forgetting, tasks
from bellek.curator.drain import drain_offline
from bellek.kg import (
    blast,
    claims,
    conflicts,
    conversations,
    entities,
    fts_query,
    journal,
    lessons,
    lookup,
    memories,
    pages,
    parts,
    projects,
    proposals,
    registry,
    scope,
    talks,
)
from bellek.kg import tasks as task_rows
from bellek.kg.answers import Where
from bellek.kg.blast import Asked
from bellek.schemas.vocab import NO_PROJECT

WORDS = "zümrüdüanka kolonisi toplanıyor"


class Neighbour(World):
    """The same home seen from another project."""

    def __init__(self, home, folder):
        super().__init__(home)
        with home.memory.transaction():
            self.project = registry.register(home.memory, str(folder))


@pytest.fixture
def neighbour(world, tmp_path):
    """Another project of the same home."""
    (tmp_path / "komşu").mkdir()
    return Neighbour(world.home, tmp_path / "komşu")


def fill(world):
    """A row of every kind that a project can have of its own, each with the same words."""
    world.apply(
        lesson(WORDS, learning="convention", importance="critical"), write("event", text=WORDS), write("task", text=WORDS),
        write("page", topic="anka", title=WORDS, text=WORDS), {"verdict": "propose", "structure": "rule", "title": WORDS, "text": WORDS},
    )  # fmt: skip
    message = world.say(WORDS, origin="agent", typed=False)
    world.apply(claim(message, WORDS, "uses", WORDS, subject="proje", category="project"))
    return {row["id"] for row in world.rows("memories") if row["project"] == world.project}, {message}


ARMS = {
    "lessons": lambda home, p: [r.id for r in lessons.listed(home.memory, p)],
    "journal": lambda home, p: [r.id for r in journal.listed(home.memory, p)],
    "tasks": lambda home, p: [r.id for r in task_rows.listed(home.memory, p, closed=True)],
    "pages": lambda home, p: [r.id for r in pages.listed(home.memory, p)],
    "proposals": lambda home, p: [r.id for r in proposals.listed(home.memory, p, answered=True)],
    "claims": lambda home, p: [r.id for r in claims.listed(home.memory, p, ended=True)],
    "claims as of": lambda home, p: [r.id for r in claims.as_of(home.memory, p, AT + 10**9)],
    "a slot": lambda home, p: [r.id for r in claims.in_slot(home.memory, p, "proje", "uses")],
    "conflicts": lambda home, p: [r.id for r in conflicts.listed(home.memory, p, resolved=True)],
    "entities": lambda home, p: [r.id for r in entities.listed(home.memory, p)],
    "search": lambda home, p: [
        str(r[0]) for r in lookup.memories(home.memory, fts_query.match(WORDS, scope=scope.words(p)) or '""')
    ],
    "messages": lambda home, p: [
        str(r[2])
        for r in lookup.messages(
            home.conversations, fts_query.match(WORDS) or '""', parts.all_of(home.conversations, p)
        )
    ],
    "talks": lambda home, p: [t.id for t in talks.listed(home.conversations, Where(p))],
    "recall": lambda home, p: [line.id for line in recall.lessons(home.memory, WORDS, scope.words(p))],
    "recall of talk": lambda home, p: [line.id for line in recall.talks(home.conversations, WORDS, p, "")],
    "standing": lambda home, p: [line.id for line in sections.standing(home.memory, home.path, p)],
    "waits": lambda home, p: [line.text for line in sections.waits(home.memory, p)],
    "packet": lambda home, p: [line.id for line, _ in preview.next_packet(home, p, WORDS).fates if line.id[1:2] == "_"],
    "near twin": lambda home, p: [dedupe.twin(home.memory, "lesson", p, WORDS)],
    "task by words": lambda home, p: [getattr(tasks.choose(home.memory, p, WORDS), "id", "")],
    "counts": lambda home, p: [kind for kind, n in memories.counts(home.memory, p).items() if n],
    "forget by words": lambda home, p: [
        *(found := blast.reach(home, Asked(p, query="zümrüdüanka"))).memories,
        *found.messages,
    ],
    "forget by time": lambda home, p: [*(found := blast.reach(home, Asked(p, since=1))).memories, *found.messages],
}


@pytest.mark.parametrize("arm", ARMS)
def test_no_arm_shows_another_project(world, neighbour, arm):
    """R57: what one project has is in sight of every arm there (most of them), and of no arm of another project."""
    rows, said = fill(world)
    seen = {id_ for id_ in ARMS[arm](world.home, neighbour.project) if id_}
    assert seen & (rows | said) == set()
    assert not any("waits" in text for text in seen)
    for nowhere in ("", NO_PROJECT, "p_zzzzzzzzzzzz"):
        assert {id_ for id_ in ARMS[arm](world.home, nowhere) if id_} & (rows | said) == set()


def test_the_arms_do_see_their_own(world):
    """The law above is not true because nothing is ever seen."""
    rows, said = fill(world)
    blind = [arm for arm, ask in ARMS.items() if not {id_ for id_ in ask(world.home, world.project) if id_}]
    assert sorted(blind) == ["conflicts", "entities"]
    assert rows
    assert said


def test_what_holds_everywhere_is_seen_everywhere(world, neighbour):
    """R57: the person's own preference is of every project."""
    world.told("likes", "çay")
    assert [row.object for row in claims.listed(world.db, neighbour.project)] == ["çay"]


def test_one_transcript_of_two_folders(home, talk, tmp_path):
    """B131: müze and möze share the client's folder name and here even the file; the folder of each line decides, in every arm."""
    told = talk()
    folders = [tmp_path / name for name in ("müze", "möze")]
    for folder in folders:
        folder.mkdir()
        told.agent(f"<!-- learning: {folder.name} kapısı 8080, çünkü vekil öyle kurulu -->", cwd=str(folder))
    told.hear()
    for folder in folders:
        drain_offline(home, projects.find(home.memory, str(folder)))
    for folder, other in (folders, folders[::-1]):
        here = projects.find(home.memory, str(folder))
        texts = [row.text for row in (*lessons.listed(home.memory, here), *journal.listed(home.memory, here))]
        assert len(texts) == 2
        assert all(text.startswith(folder.name) for text in texts)
        packet = preview.next_packet(home, here, "kapısı vekil 8080 hangi").text
        assert folder.name in packet
        assert other.name not in packet


def test_without_a_folder_a_candidate_waits(home, talk):
    """B133, R57: a learning heard without a working folder is no candidate of any project: quarantined, with the reason."""
    told = talk().agent("<!-- learning: kapı 8080 açık kalır, çünkü vekil oraya bakar -->", cwd="")
    told.hear()
    drain_offline(home, NO_PROJECT)
    found = home.memory.rows("SELECT kind, project, status, note FROM memories ORDER BY kind")
    assert found == [
        ("event", NO_PROJECT, "current", ""),
        ("lesson", NO_PROJECT, "quarantined", "scope_ambiguous: it was heard without a working folder"),
    ]
    assert "8080" not in preview.next_packet(home, "", "kapı 8080 vekil").text


def test_evidence_of_another_project_makes_a_candidate_wait(world, neighbour):
    """R57: a session that went through two folders: what is shown by a line of the other one is quarantined as ambiguous."""
    item = world.item("kapı 8080 açık")
    message = neighbour.say("kapı 8080 açık, çünkü vekil oraya bakar", origin="agent", typed=False)
    session = world.home.conversations.value("SELECT conversation FROM messages WHERE id = ?", (message,))
    world.db.run("UPDATE queue SET session = ? WHERE id = ?", (session, item))
    (receipt,) = world.apply({**lesson("kapı 8080 açık kalır", items=[item]), "evidence": [message]})
    row = memories.read(world.db, receipt.ids[0])
    assert (row.status, row.note.split(":")[0]) == ("quarantined", "scope_ambiguous")


def test_a_forgotten_entity_of_one_project(world, neighbour):
    """B135: Mira, on either side of claims in two projects, is forgotten in one: no arm there has her, the other is untouched."""
    for place in (world, neighbour):
        for subject, object_ in (("Mira", "kırmızı araba"), ("depo", "Mira")):
            text = f"{subject} kullanır {object_}"
            place.apply(
                claim(
                    place.say(text, origin="agent", typed=False),
                    text,
                    "uses",
                    object_,
                    subject=subject,
                    category="project",
                )
            )
        place.apply(lesson("Mira'nın sunucusu gece kapanır"), write("event", text="bugün Mira geldi"))
    before = [r for r in world.rows("memories") if r["project"] == neighbour.project]
    said = world.home.conversations.rows(
        "SELECT id, text FROM messages WHERE project = ? ORDER BY n", (neighbour.project,)
    )
    reached = blast.reach(world.home, Asked(world.project, entity="Mira"))
    assert forgetting.carry_out(world.home, reached, actor="person").state == "proven"
    assert [r for r in world.rows("memories") if r["project"] == neighbour.project] == before
    assert (
        world.home.conversations.rows(
            "SELECT id, text FROM messages WHERE project = ? ORDER BY n", (neighbour.project,)
        )
        == said
    )
    assert [r for r in world.rows("memories") if r["project"] == world.project] == []
    assert lookup.memories(world.db, fts_query.match("Mira", scope=scope.words(world.project)), hidden=True) == []
    here = parts.all_of(world.home.conversations, world.project)
    assert lookup.messages(world.home.conversations, fts_query.match("Mira"), here) == []
    assert (
        world.db.rows(
            "SELECT 1 FROM revisions WHERE body LIKE '%Mira%' AND json_extract(body, '$.project') = ?", (world.project,)
        )
        == []
    )
    assert reasons.why_not(
        world.home, world.project, "Mira", ""
    )  # the other project's rows exist, and are said to be another project's


def test_a_word_that_begins_alike_is_another(world):
    """R116: forgetting Mira does not take Miranda along."""
    world.apply(lesson("Mira kapıyı açtı"), lesson("Miranda pencereyi kapattı"))
    reached = blast.reach(world.home, Asked(world.project, entity="Mira"))
    assert [memory.text for memory in reached.held.values()] == ["Mira kapıyı açtı"]


def test_what_stands_beside_a_message_is_of_its_project(home, talk, tmp_path):
    """R57: one session in two folders: neither the index nor the lines around a hit show what was said in the other one."""
    told = talk()
    for name, words in (
        ("müze", "müze kapısı açıldı"),
        ("möze", "gizli kasa kapandı"),
        ("müze", "müze kapısı kapandı"),
    ):
        (tmp_path / name).mkdir(exist_ok=True)
        told.agent(words, cwd=str(tmp_path / name))
    told.hear()
    here = projects.find(home.memory, str(tmp_path / "müze"))
    part = parts.all_of(home.conversations, here)
    assert lookup.messages(home.conversations, fts_query.match("kasa"), part) == []
    (hit, *_) = lookup.messages(home.conversations, fts_query.match("açıldı"), part)
    _, before, after = conversations.around(home.conversations, int(hit[0]))
    assert [m.text for m in (*before, *after)] == ["müze kapısı kapandı"]
