"""The compiled wiki: the section that answers, and what is not known."""

import rows
from hypothesis import given
from hypothesis import strategies as st

from bellek.context import wiki
from bellek.schemas.memory import Source
from bellek.schemas.page import Page

TEXT = """Fırın hakkında bilinenler.

# Sıcaklık

Ekmek 220 derecede pişer.

## Not

```
# Maya
```

# Maya

Ekşi maya buzdolabında on gün durur."""


def page(home, topic, text, **more):
    """A page of the project p_x."""
    body = Page(topic=topic, title=more.pop("title", topic))
    (id_,) = rows.write(
        home,
        "p_x",
        {"text": text, "body": body, "tier": "T1", "sources": (Source(conversation="c", message="m-7"),), **more},
    )
    return id_


def test_a_hit_names_page_section_line_and_sources(home):
    """R80: the best section of the best page, with its heading, first line and source ids; Turkish suffixes meet."""
    id_ = page(home, "firin", TEXT, title="Fırın")
    page(home, "kargo", "Paketler salı günü gelir.")
    hit = wiki.search(home.memory, "maya buzdolabı", "p_x").hits[0]
    assert (hit.id, hit.section.heading, hit.section.line, hit.sources) == (id_, "Maya", 13, ("m-7",))
    assert wiki.search(home.memory, "ekmeğin derecesi", "p_x").hits[0].section.heading == "Sıcaklık"


def test_what_no_page_knows_is_said(home):
    """R80: without an answer the result is empty and names the words that no page holds; another project's page answers nothing."""
    page(home, "firin", TEXT)
    found = wiki.search(home.memory, "helikopter pisti", "p_x")
    assert (found.hits, set(found.unknown)) == ((), {"helikopter", "pisti"})
    found = wiki.search(home.memory, "maya helikopter", "p_x")
    assert found.unknown == ("helikopter",)
    assert wiki.search(home.memory, "maya buzdolabı", "p_y").hits == ()
    assert wiki.search(home.memory, "?!", "p_x") == wiki.Answer((), ())


def test_the_better_section_comes_first(home):
    """R80: sections are ranked by the share of the question that they carry, over all pages."""
    first = page(home, "bir", "# A\nkırmızı kalem masada\n# B\nmavi defter")
    second = page(home, "iki", "# C\nkırmızı kalem mavi defter")
    hits = wiki.search(home.memory, "kırmızı kalem mavi defter", "p_x").hits
    assert hits[0].id == second
    assert {hit.id for hit in hits} == {first, second}
    assert [hit.share for hit in hits] == sorted((hit.share for hit in hits), reverse=True)


@given(
    st.lists(st.sampled_from(["# a", "## b ##", "#x", "```", "~~~", "söz", "", "    # kod"]), max_size=12).map(
        "\n".join
    )
)
def test_sections_are_the_page(text):
    """Joined by newlines the sections are the page again, whatever it holds, and each line number is that of its first line."""
    parts = wiki.sections(text)
    assert "\n".join(part.text for part in parts) == text
    lines = text.split("\n")
    assert all(lines[part.line - 1] == part.text.split("\n")[0] for part in parts)
