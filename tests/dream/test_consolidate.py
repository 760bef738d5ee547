"""`sleep` without a model: what a person stated in clear words becomes provisional, once, and nothing else does."""

from bellek.curator import consolidate
from bellek.kg import observations


def slept(person):
    """Sleep by rule; what it did."""
    return consolidate.sleep(person.home, person.project)


def test_what_was_stated_in_clear_words_becomes_t1(person):
    """R48: a preference, a constraint and a decision of a typed line become T1 rows of the person's origin, in both languages."""
    person.types(
        "I prefer tabs over spaces in Go files. How are you?",
        "Commit mesajlarını her zaman Türkçe yaz.",
        "Kuyruk için Postgres kullanmaya karar verdik, teşekkürler",
        "let's look at the parser",
    )
    done = slept(person)
    assert done.states == {"written": 3}
    assert person.rows() == [
        ("claim", "T1", "user", True, "user prefers tabs over spaces in Go files"),
        ("claim", "T1", "user", False, "user requires Commit mesajlarını her zaman Türkçe yaz"),
        ("lesson", "T1", "agent", False, "Kuyruk için Postgres kullanmaya karar verdik, teşekkürler"),
    ]
    assert observations.waiting(person.home.memory, person.project) == []
    assert slept(person).ids == []
