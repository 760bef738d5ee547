"""The MATCH builder against a real FTS5 table: nothing raises, what is stored is found, scope fails closed."""

import sqlite3
from collections.abc import Iterator

import apsw
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bellek.kg import fold, fts_query

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
Table = apsw.Connection


def table(*texts: str, scope: str = "p1") -> Table:
    """A real in-memory table with two of the product's columns; row ids count from 1."""
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE f USING fts5(scope, own, tokenize='unicode61 remove_diacritics 0')")
    for text in texts:
        put(db, text, scope)
    return db


def put(db: Table, text: str, scope: str = "p1") -> int:
    """Store one text as the product does and return its row id."""
    db.execute("INSERT INTO f(scope, own) VALUES (?, ?)", (scope, fold.index_text(text)))
    return db.last_insert_rowid()


def hits(db: Table, text: str, **how: str) -> list[int]:
    """Row ids that the product's own expression finds, best first; none when there is nothing to search for."""
    expression = fts_query.match(text, **how)
    if expression is None:
        return []
    return [row[0] for row in db.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank", (expression,))]


@pytest.fixture(scope="module")
def shared() -> Iterator[Table]:
    """One table that a property test clears at each example: creating one a time costs more than the test."""
    db = table()
    yield db
    db.close()


def test_b03() -> None:
    """B03: one hyphenated term in a long query takes no other term's hits away."""
    db = table("mistakes")
    assert hits(db, "hata OR yanlış-defter OR mistakes") == [1]


@pytest.mark.parametrize(
    ("query", "stored"),
    [
        ("Ankara'da", "Ankara’ya gittik"),
        ("Ankara'da", "ankara"),
        ("don't", "I don’t know"),
        ("14'ünde", "Ayın 14'ü"),
        ("Ali’nin", "Ali'ye sor"),
    ],
)
def test_b04(query: str, stored: str) -> None:
    """B04: apostrophes are no syntax, and the stem before one meets rows with other suffixes."""
    assert hits(table("başka bir satır", stored), query) == [2]


B05 = ["@nasa", "#etiket", "a=b", "foo&bar", "x\\y", "[br]", "a,b", "a;b", "neden?", "hadi!", "50%", "<x>", "a|b"]


@pytest.mark.parametrize("text", B05)
def test_b05(text: str) -> None:
    """B05: every sign is quoted by allow-list, and a text finds the row that holds it."""
    assert hits(table(text), text) == [1]


NASTY = [
    *["!", '"', "#", "$", "%", "&", "'", "(", ")", "*", "+", ",", "-", ".", "/", ":", ";", "<", "=", ">", "?", "@", "[", "\\", "]", "^", "_", "`", "{", "|", "}", "~"],
    '"', '""', "'\"'", "'''", '"a', 'a"', '"a" "b', 'a""b', "'; DROP TABLE f; --", "1' OR '1'='1", "1;--",
    "Robert'); DROP TABLE Students;--", "/* comment */", "a -- b", "NULL", "null", "undefined", "nil", "None", "NaN",
    "Infinity", "-1", "1e309", "0x7f", "1/0", "9" * 400, "1.10", "12:30:00", "no", "on", "true", "%s%n%x", "%00",
    "{0}", "{{7*7}}", "${HOME}", "$(rm -rf ~)", "`id`", "<script>alert(1)</script>", "&lt;b&gt;", "]]>", "<!-- x",
    "--><img src=x onerror=y>", "javascript:alert(1)", "../../etc/passwd", "C:\\con\\nul", "con", "\\\\host\\share",
    "~/.ssh/id", "a/b/../c", "file:///etc", "NEAR(a b)", "NEAR(a b, 5)", "a NEAR/2 b", "AND", "OR", "NOT", "a AND",
    "AND a", "a NOT", "(a", "a)", "((a) OR", "{a b}", "{own scope} : a", "own:a", "own : a", "- own : a", "scope:p1",
    "nosuch:a", "^a", "^", "a*", "*a", "* *", "a + b", "+", "a ^ b", "rank", "rowid", "f", "f MATCH 'a'",
    "\x00", "a\x00b", "\ud800", "\udfff", "\ud83d", "a\udc00b", "\ufeff", "\ufeffa", "\u200b", "a\u200bb", "\u202eabc",
    "\u2066x\u2069", "\u00ad", "\u2028", "\u2029a", "\x1b[31mred\x1b[0m", "\x07", "\r\n", "\t", "\x0b\x0c", "\x85",
    "Z̡̖̜͈̰A̧̮̯L̤̦͖G̛̟O", "\u0301", "\u0301\u0301a", "\u093e", "क\u094d", "\u3099", "\u1160", "ﷺ", "ﷻ", "Ⅷ", "①②", "½", "㎏",
    "ﬁﬂ", "ß", "ẞ", "ŉ", "ǰ", "İ", "ı", "ſ", "K", "Å", "ª", "º", "ªankar", "º断", "ux1f389", "\ue000", "\uf8ff",
    "\U000f0000", "\U0010ffff", "\uffff", "\ufdd0", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇹🇷", "👍🏿", "❤️", "☃", "田中さんにあげて下さい",
    "パーティーへ行かないか", "和製漢語", "사회과학원", "ด้้้้้็็็็็้้้้้", "ثم نفس سقطت", "בְּרֵאשִׁית", "ɐnbᴉlɐ", "𝕿𝖍𝖊", "⒯⒣⒠", "﷽",
    "(ノಥ益ಥ)ノ ┻━┻", "¯\\_(ツ)_/¯", "😍😍", "─" * 50, "█▓▒░", "⠋⠙⠹", "don't'", "'tis", "rock'n'roll", "a'b'c'd",
    "''a''", "C++", "C#", ".NET", "F#", "g++", "+++", "###", "a++b", "++i", "i--", "--flag", "-x", "...", "a..b", ".",
    ".a", "a.", "_", "__init__", "a__b", "v1", "v", "v.", "v2.", "1.2.3.4.5.6.7.8.9", "a-b-c-d-e-f-g-h", "-" * 300,
    "SELECT * FROM f WHERE f MATCH 'x'", "=cmd|' /C calc'!A0", "+1+1", "@SUM(1)", "a\\", "\\", "\\\\", "\\0", "\\x00",
    "[link](http://x)", "[[wiki]]", "[/bold]", "![img]", "# head", "> quote", "| a | b |", "```", '<ctx id="1">',
    "[LEARNING: x | y]", '{"a": [1, 2', "key: - value", "!!python/object", "&anchor *alias", "a" * 5000, "ж" * 5000,
    "断" * 500, "🎉" * 500, "a " * 2000, "'" * 500, "a'" * 500, "." * 500, "a." * 500, "(" * 300 + "a" + ")" * 300,
]  # fmt: skip


@pytest.mark.parametrize("text", NASTY)
def test_b05_b179_nasty_text(text: str) -> None:
    """B05 B179: text that breaks parsers is found where it has a word, is cleanly nothing where it has none, never raises."""
    db = table("something else entirely", text)
    assert (2 in hits(db, text)) == bool(fold.tokens(text))


def test_the_nasty_list_is_long_enough() -> None:
    """The list keeps at least a hundred different texts."""
    assert len(set(NASTY)) >= 100


@pytest.mark.parametrize("query", ["AND", "NOT", "foo AND", "NEAR(a b)", "*", "^x", "{a b}", '"açık tırnak', "", "   "])
def test_b09(query: str) -> None:
    """B09: operators, stars and unbalanced quotes are searched as words; a blank query is None, not an error."""
    db = table("unrelated words", query)
    assert (fts_query.match(query) is None) == (query.strip(" *") == "")
    assert (2 in hits(db, query)) == (query.strip(" *") != "")


def test_b10() -> None:
    """B10: 300 parentheses and a 200 KB stack trace give a capped expression that runs."""
    assert hits(table("a"), "(" * 300 + "a" + ")" * 300) == [1]
    trace = "".join(f"  at com.example.Part{n}$Inner.call(Part{n}.java:{n})\n" for n in range(4_000))
    assert len(trace) > 200_000
    expression = fts_query.match(trace)
    assert expression is not None
    assert expression.count('"') <= fts_query.LIMIT * 2 * 3
    assert hits(table("the umbrella leaks"), trace + "why does the umbrella leak?") == [1]
    assert hits(table("the umbrella leaks"), "Umbrella leak, why?\n" + trace) == [1]


def test_b11() -> None:
    """B11: an emoji finds its row; a query of punctuation alone is None."""
    db = table("bugün", "kutlama 🎉")
    assert hits(db, "🎉") == [2]
    assert [fts_query.match(text) for text in ("@", "。", "...")] == [None, None, None]


def test_b12() -> None:
    """B12: a part of a Chinese run is found by the script of its words, not after a first empty answer."""
    db = table("聊天记录记忆断裂问题", "昨晚部署")
    assert hits(db, "记忆断裂") == [1]
    assert hits(db, "昨晚") == [2]


def test_b13() -> None:
    """B13: Latin glued to CJK is a word of its own."""
    assert hits(table("修改的计划", "修改youer服务端的计划"), "youer") == [2]


def test_b14() -> None:
    """B14: two-character words, and single characters in every place of a run, are found."""
    db = table("去广西", "桂林山水", "北京")
    assert sorted(hits(db, "广西 OR 桂林")) == [1, 2]
    assert [hits(db, char) for char in "去西桂林水京"] == [[1], [1], [2], [2], [2], [3]]


@pytest.mark.parametrize(
    ("query", "row"),
    [("inşaat", 1), ("INSAAT", 1), ("ışık", 2), ("IŞIK", 2), ("isik", 2), ("ısparta", 3), ("Isparta", 3)],
)
def test_b15(query: str, row: int) -> None:
    """B15: İ, I, ı and i are one letter, whatever the case of the query or the row."""
    assert hits(table("İnşaat", "Işık kapandı", "ISPARTA gezisi"), query) == [row]


SCRIPTS = {
    "latin": ("the gardener planted rhododendrons yesterday", "rhododendrons"),
    "turkish": ("dün bahçıvan ortancaları suladı", "ortancaları"),
    "vietnamese": ("hôm qua tôi đã tưới hoa cẩmtúcầu", "cẩmtúcầu"),
    "cyrillic": ("вчера садовник посадил рододендроны", "рододендроны"),
    "greek": ("χθες ο κηπουρός φύτεψε ορτανσίες", "ορτανσίες"),
    "arabic": ("أمس زرع البستاني زهور الأقحوان", "الأقحوان"),
    "hebrew": ("אתמול שתל הגנן חרציות", "חרציות"),
    "devanagari": ("कल माली ने गुलदाउदी लगाई", "गुलदाउदी"),
    "bengali": ("গতকাল মালী চন্দ্রমল্লিকা লাগিয়েছে", "চন্দ্রমল্লিকা"),
    "tamil": ("நேற்று தோட்டக்காரர் செவ்வந்தி நட்டார்", "செவ்வந்தி"),
    "thai": ("เมื่อวานคนสวนปลูกดอกเบญจมาศ", "เบญจมาศ"),
    "khmer": ("ម្សិលមិញអ្នកថែសួនដាំផ្កាកុលាប", "កុលាប"),
    "hangul": ("어제 정원사가 수국을 심었다", "수국"),
    "kana": ("きのう にわしが アジサイを うえた", "アジサイ"),
    "han": ("昨天园丁种了绣球花", "绣球花"),
    "georgian": ("გუშინ მებაღემ ქრიზანთემა დარგო", "ქრიზანთემა"),
    "armenian": ("երեկ այգեպանը քրիզանթեմ տնկեց", "ՔՐԻԶԱՆԹԵՄ"),
    "amharic": ("ትናንት አትክልተኛው ጽጌረዳ ተከለ", "ጽጌረዳ"),
    "emoji": ("dikildi 🌸 bugün", "🌸"),
    "adlam": ("𞤀𞤣𞤤𞤢𞤥 𞤆𞤵𞤤𞤢𞤪", "𞤆𞤵𞤤𞤢𞤪"),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_row_is_found_by_its_rarest_word(script: str) -> None:
    """In every script a stored text is found, and first, by its rarest word."""
    text, word = SCRIPTS[script]
    db = table(*(stored for stored, _ in SCRIPTS.values()))
    assert hits(db, word)[:1] == [list(SCRIPTS).index(script) + 1]
    assert text


def test_any_sqlite_finds_the_same() -> None:
    """The shadow text needs no tokenizer of ours: the standard library's older SQLite finds what the product finds."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE f USING fts5(scope, own, tokenize='unicode61 remove_diacritics 0')")
    db.executemany("INSERT INTO f VALUES ('p1', ?)", [(fold.index_text(stored),) for stored, _ in SCRIPTS.values()])
    for row, (_, word) in enumerate(SCRIPTS.values(), 1):
        found = db.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank", (fts_query.match(word),)).fetchone()
        assert found == (row,)
    db.close()


INFLECTED = [
    ("arabamızı sattık", "arabalar"), ("kitapçıdan geldim", "kitapçılar"), ("we were running late", "run late runner"),
    ("die Versicherungen kamen", "versicherung"), ("купил книгами", "книги"), ("les voitures rouges", "voiture"),
    ("las ventanas abiertas", "ventana"), ("toplantıyı erteledik", "TOPLANTILARIN"),
]  # fmt: skip


@pytest.mark.parametrize(("stored", "query"), INFLECTED)
def test_other_endings_meet(stored: str, query: str) -> None:
    """A word is found by another of its forms in Turkish, English and others, with no stemmer and no language named."""
    assert hits(table("etwas anderes", stored), query) == [2]


NAMES = [
    "C++",
    "C#",
    ".NET",
    "Node.js",
    "nodejs",
    "v2.10.3",
    "2.10.3",
    "OC-41252",
    "oc41252",
    "fold.py",
    "src/kg/fold.py",
    "foldpy",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_find_their_row_first(name: str) -> None:
    """A name with signs ranks the row that holds it above rows that hold only its letters."""
    kin = {
        "nodejs": "Node.js",
        "2.10.3": "v2.10.3",
        "oc41252": "OC-41252",
        "foldpy": "src/kg/fold.py",
        "fold.py": "src/kg/fold.py",
    }
    stored = kin.get(name, name)
    db = table("c vitamin net node js", "v2 10 3 oc 41253", "src kg fold lines", f"we use {stored} now and then")
    assert hits(db, name)[:1] == [4]


def test_small_words_are_dropped_only_in_their_language() -> None:
    """A small word goes when the query speaks its language, stays when it may be a word of substance, and never alone."""
    assert fts_query.words("When did she sell the car?") == ["sell", "car"]
    assert fts_query.words("car insurance") == ["car", "insurance"]
    assert fts_query.words("her son is on the bus") == ["son", "bus"]
    assert fts_query.words("Toplantı ne zaman ve nerede?") == ["toplanti"]
    assert fts_query.words("Wann wurde die Brücke gebaut?") == ["brucke", "gebaut"]
    assert fts_query.words("Когда он был в Москве?") == ["москве"]
    assert fts_query.words("¿Dónde está la biblioteca?") == ["biblioteca"]
    assert fts_query.words("ne zaman") == ["ne", "zaman"]
    assert fts_query.words("the") == ["the"]
    assert fts_query.words(" ?! ") == []


def test_small_words_are_kept_in_their_folded_form() -> None:
    """A list entry that folding would change could never match a folded word."""
    for small in fts_query._STOPS.values():
        assert [word for word in small if fold.tokens(word) != [word]] == []


def test_scope_is_kept_and_fails_closed() -> None:
    """Only rows of the named scopes are found, a scope word is no content, and a scope without a word finds nothing."""
    db = table("red kite")
    put(db, "red kite", "p2")
    put(db, "red kite", "any")
    assert hits(db, "kite", scope="p1") == [1]
    assert sorted(hits(db, "kite", scope="p2 any")) == [2, 3]
    assert hits(db, "p1", scope="p1") == []
    assert hits(db, "kite", scope='p1" OR "p2') == []
    assert fts_query.match("kite", scope="-") is None
    assert fts_query.match("kite", scope="  ") is None


def test_columns_are_an_allow_list() -> None:
    """A search may be held to columns; a column name is an identifier or it is nothing."""
    db = table("red kite")
    assert hits(db, "p1", column="own") == []
    assert hits(db, "p1", column="scope") == [1]
    assert hits(db, "kite", column="own", scope="p1") == [1]
    assert fts_query.match("kite", column="own scope") == '{own scope} : ("kite" OR "ªkit")'


def test_the_limit_keeps_the_most_telling_words() -> None:
    """With fewer words allowed than given, identifiers and long words stay, in the order of the text."""
    text = "ab OC-41252 internationalisation xy zw"
    assert fts_query.match(text, limit=2) == '("oc41252" OR "internationalisation" OR "ªint" OR "ªinter")'


@given(ANY_TEXT)
@example("\x00")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_raises_and_every_text_finds_itself(shared: Table, text: str) -> None:
    """For any text the expression runs, and it is None exactly where the text has no word; else it finds the row."""
    shared.execute("DELETE FROM f")
    row = put(shared, text)
    assert (fts_query.match(text) is None) == (fold.tokens(text) == [])
    assert hits(shared, text, scope="p1") == ([row] if fold.tokens(text) else [])


@given(st.lists(ANY_TEXT, min_size=1, max_size=5), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_query_and_index_agree(shared: Table, parts: list[str], data: st.DataObject) -> None:
    """Any word between blanks of a stored text, and any of its folded words, finds the row."""
    text = " ".join(parts)
    shared.execute("DELETE FROM f")
    row = put(shared, text)
    candidates = [word for word in text.split() + fold.tokens(text) if fold.tokens(word)]
    if candidates:
        word = data.draw(st.sampled_from(candidates))
        assert hits(shared, word) == [row]
