"""Which task a few words close: the right one or none."""

import pytest
import rows

from bellek.curator import tasks as marks
from bellek.kg import tasks


def states(home, project):
    """Words of each task and the state it is in."""
    return {row.text: row.state for row in tasks.listed(home.memory, project, closed=True)}


@pytest.fixture
def with_tasks(talk):
    """A talk in which tasks were opened and drained."""

    def open_(*texts):
        said = talk()
        for text in texts:
            said.agent(f"[SELF_TASK: {text}]")
        said.hear()
        said.drain()
        return said

    return open_


def close(said, text, mark="TASK_DONE"):
    """Let the agent close a task, hear and drain; what the drain did."""
    said.agent(f"[{mark}: {text}]").hear()
    return said.drain()


def test_an_exact_text_wins_over_one_that_holds_it(home, with_tasks):
    """B80: `test` closes the task `test` and not `test raporunu gönder`; an id is always accepted."""
    said = with_tasks("test", "test raporunu gönder")
    close(said, "Test")
    assert states(home, said.project) == {"test": "done", "test raporunu gönder": "open"}
    (other,) = tasks.listed(home.memory, said.project)
    close(said, other.id, "TASK_DELETE")
    assert states(home, said.project)["test raporunu gönder"] == "deleted"


def test_what_is_ambiguous_closes_nothing_and_names_the_candidates(home, with_tasks):
    """B81: `rapor` among three report tasks closes none; the dead letter lists them, and no signal is left."""
    said = with_tasks("raporu kapat", "raporu gönder", "rapor şablonu")
    done = close(said, "rapor")
    assert set(states(home, said.project).values()) == {"open"}
    ((_, reason),) = done.failed
    assert all(text in reason for text in ("raporu kapat", "raporu gönder", "rapor şablonu"))
    assert home.memory.value("SELECT state FROM queue") == "dead"


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        ("raporu kapattım", "haftalık raporu kapat"), ("raporun kapatılması", "haftalık raporu kapat"), ("toplantı notlarını yazdım", "toplantı notlarını yaz"),
        ("updated the docs", "update the README docs"), ("keys rotated", "rotate the staging API keys"), ("haftalık rapor", "haftalık raporu kapat"),
    ],
)  # fmt: skip
def test_part_of_the_words_closes_the_right_one(home, with_tasks, text, opened):
    """R97: partial text with Turkish suffixes or another English form closes the one task that is clearly meant."""
    every = ["haftalık raporu kapat", "toplantı notlarını yaz", "update the README docs", "rotate the staging API keys"]
    said = with_tasks(*every)
    close(said, text)
    assert {t for t, state in states(home, said.project).items() if state == "done"} == {opened}


@pytest.mark.parametrize(
    ("opened", "text"),
    [("raporu kapat", "sunumu kapat"), ("toplama ayarı", "toplantıyı ayarla"), ("issue 13", "issue 12"), ("raporu kapat", "call the dentist"),
     ("raporu kapat", "ve ile"), ("raporu kapat", "!!!"), ("testereyi bile", "testi yaz")],
)  # fmt: skip
def test_other_words_close_nothing(home, with_tasks, opened, text):
    """A mark whose words are another task's closes nothing, even where one task alone is open."""
    said = with_tasks(opened)
    assert len(close(said, text).failed) == 1
    assert states(home, said.project) == {opened: "open"}


def test_a_repeated_mark_is_no_failure(home, with_tasks):
    """What is closed already is said to be so again: nothing fails, nothing is opened anew, nothing is written."""
    said = with_tasks("raporu kapat")
    close(said, "raporu kapat")
    done = close(said.user("?"), "raporu kapat")
    assert done.failed == []
    assert done.written == {}
    said.agent("[SELF_TASK: sunum]").agent("<!-- task: Sunum! -->").hear()
    said.drain()
    assert [row.text for row in tasks.listed(home.memory, said.project)] == ["sunum"]


def test_two_open_tasks_of_the_same_words_are_ambiguous(home, with_tasks):
    """A task is chosen only where one is meant: the score never breaks a tie."""
    said = with_tasks("raporu gönder", "raporu gönderin")
    found = marks.choose(home.memory, said.project, "raporu gönderdim")
    assert isinstance(found, list)
    assert len(found) == 2


def test_learnings_do_not_crowd_a_task_out(home, with_tasks, monkeypatch):
    """R97: a task is looked for among tasks: however many rows of other kinds hold the mark's words better, it is closed."""
    said = with_tasks("haftalık raporu yöneticilere gönderilecek biçimde kapat")
    rows.write(home, said.project, *(rows.lesson(f"raporu kapat {n}", topic=f"r-{n}") for n in range(9)))
    monkeypatch.setattr(marks, "POOL", 3)
    close(said, "raporu kapat")
    assert list(states(home, said.project).values()) == ["done"]
