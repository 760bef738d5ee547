"""Laws of the marker scanner that hold for every text."""

from hypothesis import given
from hypothesis import strategies as st

from bellek.curator.markers import scan, without_markers
from bellek.schemas.marker import describe

PIECES = [
    "<!--", "-->", "<!-- learning:", "<!-- note: ", "learning", ":", "\n", "\n\n", "    ", "\t", "> ", "- ", "1. ", "`",
    "```", "~~~", '"', "'", "\\", "**", " ", "a", "çünkü", "\r\n", "\0", "\ud800", "\u2028", "5", "“", "”",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map("".join)
words = st.text(alphabet="abcçğıİöşü 0.,:;{}[]#-\n", min_size=1, max_size=30).filter(
    lambda text: (
        "--" not in text and text.split("\n")[0].strip()
    )  # the block form, which also drops indentation, has its own test
)


@given(texts)
def test_a_scan_never_raises_and_points_at_comments(text):
    """Any text can be scanned; each marker and each report stands at a `<!--`, in rising order, without a double."""
    scanned = scan(text, ["learning", "notes"])
    for found in (scanned.markers, scanned.reports):
        at = [one.position for one in found]
        assert at == sorted(set(at))
        assert all(text.startswith("<!--", position) for position in at)
    assert not {m.position for m in scanned.markers} & {r.position for r in scanned.reports}
    assert all(m.payload and m.payload == m.payload.strip() for m in scanned.markers)
    assert all("\n" not in describe(report) for report in scanned.reports)


@given(texts)
def test_what_is_heard_does_not_depend_on_other_channels(text):
    """Declaring another channel changes no marker of the first one."""
    both = scan(text, ["learning", "note"]).markers
    assert scan(text, ["learning"]).markers == tuple(m for m in both if m.channel == "learning")


@given(st.lists(st.tuples(words, words), max_size=8))
def test_well_formed_markers_are_all_heard(pairs):
    """Text made of n well-formed markers between prose gives exactly n, in order, with their payloads trimmed."""
    text = "".join(f"söz {prose.strip(' -')}\n\n<!-- learning: {payload} -->\n\n" for payload, prose in pairs)
    heard = scan(text, ["learning"])
    assert [m.payload for m in heard.markers] == [payload.strip() for payload, _ in pairs]
    assert heard.reports == ()


@given(texts)
def test_what_is_shown_is_a_part_of_what_was_written(text):
    """Leaving markers out adds nothing, and changes nothing where the channel is not named."""
    shown = without_markers(text, ["learning"])
    rest = iter(text)
    assert all(character in rest for character in shown)
    if "learning" not in text:
        assert shown == text
