"""What a hidden marker is, where it is heard, and what is said about one that is not."""

import pytest

from bellek.curator.markers import Scan, one_edit_apart, scan, without_markers
from bellek.schemas.marker import MAX_PAYLOAD, CodePlace, InCode, Marker, NearMiss, TooLong, Unclosed

CHANNELS = ("learning", "profile-fact")
NOTHING = Scan((), ())


def payloads(text: str) -> list[str]:
    """What the markers of a text carry, in order."""
    return [marker.payload for marker in scan(text, CHANNELS).markers]


def places(text: str) -> list[CodePlace]:
    """The kinds of code that markers were left out of, in order."""
    return [report.place for report in scan(text, CHANNELS).reports if isinstance(report, InCode)]


class TestTheForm:
    """What a marker looks like."""

    def test_one_marker_is_one_item(self):
        """R1: assistant text with one marker gives exactly one item with its channel, trimmed body and place."""
        text = "Tamam.\n\n<!-- learning:   uv kullan çünkü pip kilit tutmaz  -->\n"
        assert scan(text, CHANNELS) == Scan((Marker("learning", "uv kullan çünkü pip kilit tutmaz", 8),), ())

    def test_lines_are_kept(self):
        """R2: newlines inside a payload are kept, and the next marker is still found."""
        text = "<!-- learning: bir\n\niki çünkü\n  üç -->\nSöz.\n<!-- learning: dört -->"
        assert payloads(text) == ["bir\n\niki çünkü\n  üç", "dört"]

    @pytest.mark.parametrize(
        "head", ["<!--learning:", "<!-- LEARNING :", "<!--\n  Learning\n:\n", "<!--\tlearning\t:\r\n", "<!-- learning:"]
    )
    def test_white_space_and_case_around_the_name(self, head):
        """White space and newlines may stand around the name, and its case does not matter."""
        assert scan(f"{head} x because y -->", CHANNELS).markers == (Marker("learning", "x because y", 0),)

    @pytest.mark.parametrize(
        "payload",
        ['{"type":"FIX","unknown":[1,2],"text":"a"}', "key: value\nother-key: [x, y", "{bozuk json", "no: on: 1.10"],
    )
    def test_payloads_are_never_interpreted(self, payload):
        """R6: keys, braces and broken JSON in a payload do not change what is heard."""
        assert payloads(f"<!-- learning: {payload} -->") == [payload]

    def test_an_indented_block_keeps_its_shape(self):
        """A YAML body in the block form loses its common indentation, never that of its first line alone."""
        text = "- x\n  <!-- profile-fact:\n    entity: Ayşe\n    fields:\n      rol: geliştirici\n  -->\n"
        assert payloads(text) == ["entity: Ayşe\nfields:\n  rol: geliştirici"]

    @pytest.mark.parametrize("text", ["<!-- learning: -->", "<!-- learning:\n\n-->", "<!--learning:-->"])
    def test_an_empty_payload_is_nothing(self, text):
        """An empty payload gives neither an item nor a report: nothing was lost."""
        assert scan(text, CHANNELS) == NOTHING

    def test_a_payload_has_a_largest_size(self):
        """A payload of the largest size is heard; one character more is reported with its length and skipped."""
        text = "<!-- learning: {} --> <!-- learning: sonra -->"
        assert [len(p) for p in payloads(text.format("x" * MAX_PAYLOAD))] == [MAX_PAYLOAD, 5]
        scanned = scan(text.format("x" * (MAX_PAYLOAD + 1)), CHANNELS)
        assert [m.payload for m in scanned.markers] == ["sonra"]
        assert scanned.reports == (TooLong("learning", MAX_PAYLOAD + 1, 0),)


class TestTheName:
    """Which names count."""

    def test_an_undeclared_channel_is_nothing(self):
        """R8: a marker of an undeclared channel gives no item and no report."""
        assert scan("<!-- profile-fact: x --> <!-- TODO: y --> <!-- prose -->", ["learning"]) == NOTHING

    @pytest.mark.parametrize(
        ("name", "intended"),
        [
            ("learnin", "learning"),
            ("learnnig", "learning"),
            ("leatning", "learning"),
            ("Learnings", "learning"),
            ("LEARNİNG", "learning"),
            ("profile-fct", "profile-fact"),
            ("profile_fact", "profile-fact"),
        ],
    )
    def test_one_edit_away_is_reported(self, name, intended):
        """R9: a name at Damerau distance 1 gives no item and one report that names the intended channel."""
        text = f"<!-- {name}: x because y -->"
        assert scan(text, CHANNELS) == Scan((), (NearMiss(name, intended, 0),))

    @pytest.mark.parametrize("name", ["learin", "lraening", "laernnig", "leanrnnig", "teaching", "note", "profile"])
    def test_two_edits_and_more_are_not_reported(self, name):
        """R9: distance 2, distance 3 and more are other words and give no report."""
        assert scan(f"<!-- {name}: x -->", CHANNELS) == NOTHING

    def test_a_namespace_is_not_a_misspelling(self):
        """R9: `wiki:index` and its like give no report, not even beside a channel one edit away."""
        assert scan("<!-- wiki:index --> <!-- wiki:start -->", ["wikis"]) == NOTHING

    def test_one_edit_apart_is_damerau_distance_one(self):
        """One letter added, left out or replaced or two neighbours swapped is one edit; equal words and two edits are not."""
        assert [one_edit_apart("abcd", w) for w in ("abcde", "bcd", "abxd", "abdc", "xabcd", "acd")] == [True] * 6
        assert [one_edit_apart("abcd", w) for w in ("abcd", "badc", "ab", "abxy", "", "cbad", "bcda")] == [False] * 7

    def test_positions_do_not_depend_on_channels(self):
        """A marker's position and payload stay the same when another channel is declared."""
        text = "<!-- note: ` ``` --> a <!-- learning: b --> <!-- profile-fact: c -->"
        alone = scan(text, ["learning"]).markers
        assert alone == tuple(m for m in scan(text, ["learning", "note", *CHANNELS]).markers if m.channel == "learning")
        assert text[alone[0].position :].startswith("<!-- learning: b")


class TestCode:
    """What stands in code or in a quotation is not heard."""

    def test_indented_code(self):
        """B48: four spaces or a tab after a blank line make code, which is reported; a nested list item is not code."""
        assert scan("Örnek:\n\n    <!-- learning: girintili -->\n", CHANNELS) == Scan(
            (), (InCode("learning", CodePlace.INDENTED, 12),)
        )
        assert places("Örnek:\n\n\t<!-- learning: sekme -->\n") == [CodePlace.INDENTED]
        assert places("Örnek:\n\n    kod\n    <!-- learning: ikinci satır -->\n") == [CodePlace.INDENTED]
        assert payloads("- dış\n\n    - iç <!-- learning: liste -->\n") == ["liste"]
        assert payloads("1. dış\n\n    <!-- learning: maddenin paragrafı -->\n") == ["maddenin paragrafı"]
        assert payloads("Söz\n    <!-- learning: boş satır yok -->\n") == ["boş satır yok"]

    def test_mentions_and_quotations(self):
        """B49: a marker in a code span is reported and not heard; one in a block quote is not heard."""
        assert scan("Şunu yazarım: `<!-- learning: x -->`", CHANNELS) == Scan(
            (), (InCode("learning", CodePlace.SPAN, 15),)
        )
        assert scan("> <!-- learning: kullanıcıdan alıntı -->", CHANNELS) == NOTHING
        assert scan("- > <!-- learning: maddede alıntı -->\n> > <!-- learning: iç içe -->", CHANNELS) == NOTHING

    @pytest.mark.parametrize("ticks", ["`", "``", "```", "`````"])
    def test_spans_of_any_length(self, ticks):
        """A code span may have any number of backticks, hold shorter runs, and cross a line but no paragraph."""
        shorter = ticks[1:]
        assert places(f"Bak {ticks} {shorter} x <!-- learning: a --> {ticks} son") == [CodePlace.SPAN]
        assert places(f"Bak {ticks}kod\n ve <!-- learning: a -->{ticks} son") == [CodePlace.SPAN]
        assert payloads(f"Bak {ticks}kod\n\nve <!-- learning: a --> {ticks} son") == ["a"]

    def test_a_lone_backtick_hides_nothing(self):
        """A backtick without a partner, an escaped one and one behind the next block leave a marker in prose."""
        assert payloads("Bir ` ve <!-- learning: a -->") == ["a"]
        assert payloads("Bir \\` ve <!-- learning: a --> son `") == ["a"]
        assert payloads("Bir `\n<!-- learning: a -->\nson `") == ["a"]

    def test_markup_around_a_marker(self):
        """B50: bold, italics, table cells and an indented list item around a directive do not silence it."""
        assert payloads("**<!-- learning: kalın içinde çünkü -->**") == ["kalın içinde çünkü"]
        assert payloads("_<!-- learning: eğik -->_ | <!-- learning: hücre --> |") == ["eğik", "hücre"]
        assert payloads("- madde\n    <!-- learning: girintili çünkü -->\n") == ["girintili çünkü"]
        assert payloads("* madde\n  - iç\n\n    <!-- learning: derin çünkü -->\n") == ["derin çünkü"]

    @pytest.mark.parametrize("fence", ["```", "~~~", "`````", "~~~~~~"])
    @pytest.mark.parametrize("info", ["", "html", " md title=x", "{.python}"])
    def test_fences(self, fence, info):
        """Fences of both kinds, any length and any info string hold code; a shorter run does not close them."""
        inner = fence[0] * (len(fence) - 1)
        text = f"{fence}{info}\n{inner}\n<!-- learning: kod -->\n{fence}\n<!-- learning: söz -->"
        assert (payloads(text), places(text)) == (["söz"], [CodePlace.FENCE])

    def test_fences_in_lists(self):
        """A fence that a list item opens, indented or on the item's own line, is closed by its closing line."""
        for text in ("1. x\n   ```\n<!-- learning: kod -->\n   ```\n", "- ```md\n  <!-- learning: kod -->\n  ```\n"):
            assert (payloads(text + "<!-- learning: söz -->"), places(text)) == (["söz"], [CodePlace.FENCE])

    def test_a_fence_in_a_quote_ends_with_it(self):
        """B51: a fence opened in a block quote does not leak; an unclosed one reports each marker that it swallows."""
        text = "> ```md\n> örnek\n\n<!-- learning: gerçek çünkü alıntı bitti -->"
        assert scan(text, CHANNELS) == Scan((Marker("learning", "gerçek çünkü alıntı bitti", 17),), ())
        text = "```\n<!-- learning: bir -->\n\nSöz\n<!-- learning: iki -->\n"
        assert scan(text, CHANNELS).markers == ()
        assert places(text) == [CodePlace.OPEN_FENCE] * 2

    def test_a_closing_fence_may_be_the_last_line(self):
        """A tilde fence that the very last line closes, without a line break, counts as closed."""
        assert places("~~~\n<!-- learning: kod -->\n~~~") == [CodePlace.FENCE]

    def test_a_payload_may_hold_blocks(self):
        """Fences, quotations and indented lines inside a payload belong to it and change nothing after it."""
        body = "Şöyle:\n\n    kod\n> alıntı\n```\nx\nçünkü y"
        assert payloads(f"<!-- learning:\n{body}\n-->\n\n<!-- learning: sonra -->") == [body, "sonra"]


class TestTheEnd:
    """Where a marker ends."""

    @pytest.mark.parametrize(
        "payload",
        [
            "`-->` ile biter çünkü HTML",
            '{"text":"a --> b","why":"say \\"c --> d\\" now"}',
            "{'text': 'a --> b'}",
            "“a --> b” ve «c --> d» çünkü ok",
            "``x ` --> y`` yaz",
            'use "<!-- learning: x -->" in `<!-- learning: y -->` form',
        ],
    )
    def test_signs_in_backticks_and_quotes_are_text(self, payload):
        """Inside backticks or quotation marks on one line, comment signs are part of the payload."""
        assert scan(f"<!-- learning: {payload} --> son.", CHANNELS) == Scan((Marker("learning", payload, 0),), ())

    def test_apostrophes_and_inches_quote_nothing(self):
        """Apostrophes, inch signs and a quotation mark without a partner protect no end."""
        assert payloads("<!-- learning: Ayşe'nin ekranı 5\" çünkü --> ekran'ı 5\" olan") == [
            "Ayşe'nin ekranı 5\" çünkü"
        ]
        assert payloads('<!-- learning: "yarım çünkü -->\n"başka" söz') == ['"yarım çünkü']

    def test_arrows_in_prose(self):
        """The first `-->` is the end, unless a later one before the next blank line ends its line: then that one."""
        assert payloads("<!-- learning: a --> b because c -->") == ["a --> b because c"]
        assert payloads("**<!-- learning: a --> b because c -->**\n") == ["a --> b because c"]
        assert payloads("<!-- learning: a --> b\nbecause c -->\nson") == ["a --> b\nbecause c"]
        assert payloads("<!-- learning: x because y --> Sonra A --> B olur.") == ["x because y"]
        assert payloads("<!-- learning: x --> söz\n\nbaşka bölüm -->") == ["x"]
        assert payloads("<!-- learning: a --> b -->\n<!-- learning: c --> d -->") == ["a --> b", "c --> d"]

    def test_the_block_form(self):
        """A payload on lines of its own ends at a line that is only `-->`, else as in the one-line form."""
        assert payloads("<!-- learning:\na --> b\nçünkü c -->\n  -->\nson") == ["a --> b\nçünkü c -->"]
        assert payloads("<!-- learning:\na çünkü b -->\nson") == ["a çünkü b"]
        assert payloads("<!-- learning:\na çünkü b -->\n<!-- learning: c\n-->") == ["a çünkü b", "c"]

    def test_an_opener_inside_an_unclosed_comment(self):
        """B54: an opening sign ends an unclosed comment: the first is reported, the second is heard alone."""
        text = "<!-- learning: kapanmadı\nmetin\n<!-- learning: ikinci çünkü tamam -->"
        assert scan(text, CHANNELS) == Scan((Marker("learning", "ikinci çünkü tamam", 31),), (Unclosed("learning", 0),))
        assert payloads("<!-- kapanmayan not\n<!-- learning: ikinci çünkü tamam -->") == ["ikinci çünkü tamam"]

    def test_an_unclosed_marker_at_the_end(self):
        """A marker that the message's end cuts off is reported and takes nothing with it."""
        assert scan("Özet.\n<!-- learning: kapanmayan işaret", CHANNELS) == Scan((), (Unclosed("learning", 6),))


@pytest.mark.parametrize(
    ("text", "items", "reports"),
    [
        ("<!-- learning: " * 20_000, 0, 20_000),
        ("`" * 20_000 + "<!-- learning: x -->", 0, 1),
        ("`<!-- learning: " * 20_000, 0, 20_000),
        ("```\n<!-- learning: x -->\n" * 20_000, 10_000, 10_000),
        ('<!-- learning: "a ' * 20_000, 0, 20_000),
        ('"' * 20_000 + "<!-- learning: x -->", 1, 0),
        ("<!-- learning: x -->" * 20_000, 20_000, 0),
        ('<!-- learning: "x ' * 5_000 + 'y" ' + '--> "' * 20_000, 0, 1),
        ("<!-- learning:\n" + "a --> b\n" * 20_000, 1, 0),
        ("<!--" + " " * 300_000 + "<!--", 0, 0),
        ("- " * 100_000 + "<!-- learning: x -->", 1, 0),
        (" ".join("`" * length for length in range(1, 600)) + "\n<!-- learning: x -->", 1, 0),
    ],
    ids=lambda value: None if isinstance(value, int) else f"{value[:12]!r}, {len(value)} characters",
)
def test_adversarial_text_is_linear(text, items, reports):
    """B55: 20,000 unfinished openers, backticks, fences or quotes finish in a plain test run (quadratic ones would not)."""
    scanned = scan(text, CHANNELS)
    assert (len(scanned.markers), len(scanned.reports)) == (items, reports)
    without_markers(text, CHANNELS)


@pytest.mark.parametrize("text", ["\ud800<!-- learning: \udfff\0 x -->", "\0", "<!-- \ud800: x -->", "<!-->", "<!--->"])
def test_odd_characters_never_raise(text):
    """Lone surrogates, NUL and stunted comments are text like any other."""
    assert all(marker.payload for marker in scan(text, CHANNELS).markers)


def test_assistant_texts_of_a_real_session():
    """R12: the assistant's texts of a recorded session give the markers meant and report the two that were not heard."""
    story = {
        'Tamam Ayşe, bundan sonra uv.\n\n<!-- learning: {"type":"FIX","text":"use uv, not pip"} -->': [
            '{"type":"FIX","text":"use uv, not pip"}'
        ],
        "Dosyada bir örnek işaret var.\n```html\n<!-- learning: KOD BLOĞUNDA, sayılmamalı -->\n```": [],
        'Çalıştırıyorum. <!-- learning: {"type":"TIP","text":"testler: uv run pytest -q"} -->': [
            '{"type":"TIP","text":"testler: uv run pytest -q"}'
        ],
        'Üç test geçti.\n<!-- learning: {"type":"TIP","text":"testler: uv run pytest -q"} -->\n'
        "<!-- learning: {bozuk json -->": ['{"type":"TIP","text":"testler: uv run pytest -q"}', "{bozuk json"],
        "Hatırladım.\n<!-- profile-fact:\nentity: Ayşe\nfields:\n  rol: geliştirici\n"
        "  sevdiği_editör: \"helix — 'vim değil'\"\n-->": [
            "entity: Ayşe\nfields:\n  rol: geliştirici\n  sevdiği_editör: \"helix — 'vim değil'\""
        ],
        'Haklısın, 9090.\n<!-- learning: {"type":"FIX","text":"port 9090, 8081 değil","why":"kullanıcı düzeltti"} -->': [
            '{"type":"FIX","text":"port 9090, 8081 değil","why":"kullanıcı düzeltti"}'
        ],
        "Özet: uv, 9090.\n<!-- learning: kapanmayan işaret": [],
    }
    for text, expected in story.items():
        assert payloads(text) == expected
    reports = [report for text in story for report in scan(text, CHANNELS).reports]
    assert reports == [InCode("learning", CodePlace.FENCE, 38), Unclosed("learning", 16)]


class TestWithoutMarkers:
    """What a person is shown."""

    def test_a_line_that_held_a_marker_goes(self):
        """What is shown is the message minus its markers, their own lines and the markup that held nothing else."""
        text = "Tamam.\n<!-- learning: a\nb -->\nSon **<!-- learning: c -->**söz.\n**<!-- learning: d -->**\n"
        assert without_markers(text, CHANNELS) == "Tamam.\nSon söz.\n"

    @pytest.mark.parametrize(
        "text",
        ["`<!-- learning: kod -->`", "> <!-- learning: alıntı -->", "<!-- learning: açık", "<!-- other: x -->", "düz"],
    )
    def test_everything_else_stays(self, text):
        """Examples in code, quotations, unclosed markers and other comments are shown as they were written."""
        assert without_markers(text, CHANNELS) == text
