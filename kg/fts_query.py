"""A person's text → a safe FTS5 MATCH expression. The only place that builds MATCH text.

What it is for: one builder for every caller (recall, search, dedupe), so that a hyphen, an apostrophe or 300 parentheses
in a prompt are words to look for and never syntax. Safety is by allow-list: an expression holds only words that
``kg.fold`` let through (letters, digits, private-use vowel signs), each in double quotes, and the operators written here.

What it must never do: open a database, pass a character of the user's text through unfolded, or raise. It is one of the
prompt hook's rooms: no imports but ``kg.fold``.
"""

from bellek.kg import fold

READ_CAP = (
    20_000  # characters of a text that are read: its first and last half; a pasted 200 KB trace is not a question
)
LIMIT = (
    32  # words of an expression: 25 words cost 5x of six at 100,000 messages, and the rarest eight alone lose answers
)

# Small words of the languages that the product is used in, in their folded form. They decide nothing and match half the
# table. A language's list counts only when the query speaks it (see _stops): "car" is French for "because".
_LISTS = {
    "en": """
        a about after again all also am an and any are aren as at be because been before being between both but by can
        could couldn did didn do does doesn doing don done during each ever few for from had hadn has hasn have haven
        having he her here hers herself him himself his how i if in into is isn it its itself just let lets ll may me
        might mine more most must my myself no nor not of off on only onto or other our ours ourselves out over own
        please re same shall she should shouldn so some such tell than that the their theirs them themselves then there
        these they this those through to too under until up us ve very was wasn we were weren what when where which
        while who whom whose why will with without won would wouldn you your yours yourself
    """,
    "tr": """
        acaba ama ancak artik asla bana bazen bazi belki beni benim beri bir biri birkac birsey biz bizden bizi bizim
        boyle bu buna bunda bundan bunlar bunlari bunu bunun burada cok cunku da daha dahi dair de defa degil diye
        dolayi eden eder edilen ediyor eger en etmek etti fakat gibi gore hakkinda hangi hangisi hani hem henuz hep
        hepsi her hic hicbir icin idi ile ilgili imis ise iste kac kadar kez ki kim kimden kime kimi kimin kimse lakin
        madem mi misin miydi mu nasil ne neden nedir neler nere nerede nereden nereye nesi neye neyi nicin niye o olan
        olarak oldu oldugu oldugunu olmak olmus olsa olur ona ondan onlar onlara onlari onlarin onu onun oyle oysa pek
        ragmen sadece sana sen seni senin sey seyi simdi siz size sizi sizin sonra su suna sunu tarafindan tum uzere var
        vardi ve veya ya yani yine yoksa zaman zaten
    """,
    "de": """
        aber alle als am an auch auf aus bei beim bin bis bist da dann darf das dass dein dem den der des dich die diese
        dieser dieses dir doch dort du durch ein eine einem einen einer eines er es euch fur gegen gewesen habe haben
        hat hatte hatten hier ich ihm ihn ihr ihre im in ins ist jener kann kein keine konnen konnte man mehr mein meine
        mich mir mit muss mussen nach nicht noch nur ob oder ohne schon sehr seid sein sich sie sind so soll sollte uber
        um und uns unser unter viel viele vom von vor wann war waren warum was weil welche welcher welches wem wen wenn
        wer werden wie wieso wieviel will wir wird wo woher wohin wollen worden wurde wurden zu zum zur zwischen
    """,
    "fr": """
        a ai as au aussi aux avaient avait avec avez avoir avons c ca car ce cela ces cet cette chez combien comme
        comment d dans de depuis des donc dont du elle elles en entre es est et etaient etait ete etes etre faire fait
        il ils j je l la le les leur leurs lors m ma mais me mes moi mon n ne ni nos notre nous on ont ou par pas peut
        peuvent plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se ses si sommes son sont
        sous suis sur ta te tes toi ton tres tu un une vers vos votre vous y
    """,
    "es": """
        a al ante aquel bajo como con cual cuales cuando cuantas cuanto cuantos de del desde donde e el ella ellas ello
        ellos en entre era eran eres es esa esas ese eso esos esta estaba estan estar estas este esto estos fue fueron
        ha haber habia hacia han hasta hay he la las le les lo los mas me mi mis muy ni no nos nosotros nuestro o para
        pero por porque que quien quienes se ser si sido sin sobre somos son soy su sus tambien te tenia tiene tienen tu
        tus u un una unas unos vosotros y ya yo
    """,
    "it": """
        a abbiamo agli ai al alla alle allo anche avere aveva avevano che chi ci come con cosa cui da dai dal dalla
        degli dei del della delle dello di dove e ed era erano essere fra gia gli ha hai hanno ho i il in io la le lei
        lo loro lui ma me mi mia mio molto ne nei nel nella nelle nello noi non o per perche piu quale quali quando
        quante quanti quanto quella quello questa queste questi questo se sei si siamo siete sono stata stato su sua sui
        sul sulla suo suoi te ti tra tu tuo un una uno vi voi
    """,
    "pt": """
        a ao aos aquela aquele as ate com como da das de desde do dos e ela elas ele eles em entre era eram essa esse
        esta estao estar estava este eu foi foram ha havia isso isto ja lhe mais mas me meu minha muito na nao nas nem
        no nos o onde os ou para pela pelas pelo pelos por porque quais qual quando quantas quanto quantos que quem sao
        se sem ser seu seus sido sobre sou sua suas tambem te tem ter teu tinha tu um uma umas uns voce voces
    """,
    "nl": """
        aan af al als ben bent bij daar dan dat de deze die dit door een en er geen geweest haar had hadden heb hebben
        heeft hem het hier hij hoe hoeveel hun ik in is je jij jou jouw jullie kan kon kunnen maar me meer met mij mijn
        moet moeten na naar niet nog of om omdat onder ons onze ook op over te tegen tot u uit uw van veel voor waar
        waarom wanneer want waren was wat we wel welke werd werden wie wij wil worden wordt zal ze zeer zich zij zijn zo
        zonder zou zullen
    """,
    "pl": """
        a albo ale bardzo bedzie bez byc byl byla byli bylo byly ci cie co czy dla dlaczego do gdzie i ich ile im ja jak
        jaka jaki jakie jako jego jej jemu jest jestem jeszcze juz kiedy kogo kto ktora ktore ktory ktorzy lub ma maja
        mi mial miala miec miedzy mnie moj moja moze my na nad nas nie o od on ona oni ono oraz po pod przed przez przy
        sa sie swoj ta te tego tej temu ten tez to twoj ty tylko tym u w was wiecej wy z za ze
    """,
    "ru": """
        а без будет бы был была были было быть в вам вас ваш во все вы где для до его ее еи ему если есть еще же за
        зачем и из или им их к как какая какие какое какои ко когда кого кому которая которые которыи кто куда ли между
        меня мне мои моя мы на над нам нас наш не ни но о об он она они от откуда очень перед по под после почему при
        про с свои себя сколько со та так также твои те тебе тебя то того тоже только тот ты у уже чего чем через что
        чтобы эта эти это этого этои этот я
    """,
    "sv": """
        ar att av dar de den denna dessa det detta dig din du eller en er ett for fran ha hade han har henne hon honom
        hur i inte jag kan kunde med men mer mig min mycket nar ni och ocksa om oss pa sa sig sin sitt ska skulle som
        till vad var vara varfor varit vem vi vid vilka vilken vilket vill
    """,
    "uk": """
        або але без був буде була були було бути в вам вас вже ви вона вони все він де для до дуже з за и иого иому кого
        коли куди мене мені ми між міи на над нам нас не ні перед по при про під після скільки та так також твіи тебе ти
        тобі того тои тільки у хто це цеи ця ці через чому ще що щоб я як яка яке якии якщо які є і із іх іі
    """,
    "ar": """
        اذا التي الذي الذين الي ان انا انت او اين بعد بين تلك ثم حتي ذلك علي عن في قبل قد كان كانت كل كم كيف لا لم لماذا
        لن ما ماذا متي مع من نحن هذا هذه هل هم هو هي يكون
    """,
    "zh": """
        ある いつ いる から した して する だれ です どこ なに ます 为什 什么 什麼 他们 何时 你们 哪个 哪些 哪裡 哪里 多少 如何 怎么 怎麼 我们 是什 是否 是谁 的是 这个 这些 那个 那些
    """,
}
_STOPS = {language: frozenset(words.split()) for language, words in _LISTS.items()}
_SURE = ("en", "tr")  # one small word is enough; elsewhere two, since "die" or "son" alone may well be English


def _stops(found: frozenset[str]) -> frozenset[str]:
    """The small words among ``found``, of the language (on a tie: the languages) with the most of them."""
    best = 0
    stops: frozenset[str] = frozenset()
    for language, small in _STOPS.items():
        hits = found & small
        if len(hits) < best or len(hits) < (1 if language in _SURE else 2):
            continue
        stops = stops | hits if len(hits) == best else hits
        best = len(hits)
    return stops


def words(text: str) -> list[str]:
    """The content words of ``text``: folded, each once, in order, suffixes behind apostrophes left off.

    Small words and single Latin letters are dropped unless nothing would remain; empty where there is nothing to search for.
    """
    if len(text) > READ_CAP:
        text = f"{text[: READ_CAP // 2]} {text[-READ_CAP // 2 :]}"
    every = list(dict.fromkeys(fold.heads(text) or fold.tokens(text)))
    stops = _stops(frozenset(every))
    kept = [word for word in every if word not in stops and (len(word) > 1 or not word.isalpha() or not word.isascii())]
    return kept or every


def _telling(word: str) -> tuple[bool, int]:
    """How much a word is likely to tell, without a look at the index: letters with digits first (OC41252), then length."""
    return (not word.isalpha() and not word.isdigit() and word.isascii(), len(word))


def _capped(found: list[str], limit: int) -> list[str]:
    """At most ``limit`` words in their order: those at both ends, where a person asks about a paste, then the most telling."""
    if len(found) <= limit:
        return found
    end = limit // 4
    ends = {*found[:end], *found[len(found) - end :]}
    middle = sorted((word for word in found if word not in ends), key=_telling, reverse=True)
    chosen = ends.union(middle[: limit - len(ends)])
    return [word for word in found if word in chosen]


def _terms(word: str) -> str:
    """One word as quoted alternatives: itself, its cuts; a lone letter of a paired script stands for all its pairs."""
    if fold.is_lone(word):
        return f'"{word}" * OR "{fold.LAST_MARK}{word}"'
    return " OR ".join(f'"{form}"' for form in (word, *fold.cuts(word)))


def _close_terms(word: str) -> str:
    """The alternatives that `same` takes for the word: itself, its long cut, or the short word with an ending."""
    if fold.is_lone(word):
        return _terms(word)
    if cut := long_cut(word):
        return f'"{word}" OR "{cut}"'
    return f'"{word}" *' if len(word) > fold.CUTS[0] and fold.cuts(word) else f'"{word}"'


def _columns(names: str) -> str:
    """A column filter for one or more of the caller's own column names, parted by blanks; "" for none."""
    kept = [name for name in names.split() if name.isidentifier() and name.isascii()]
    return f"{{{' '.join(kept)}}} : " if kept else ""


def _places(scope: str) -> str:
    """The words of a scope as quoted alternatives; "" where none is usable."""
    return " OR ".join(f'"{place}"' for place in scope.split() if place.isalnum() and place.isascii())


def within(scope: str) -> str | None:
    """The MATCH expression for every row of a scope; None, as in `match`, for a scope without a usable word."""
    inside = _places(scope)
    return f"scope : ({inside})" if inside else None


def narrow(word: str, *, column: str, scope: str) -> str | None:
    """The MATCH expression for the rows that hold one folded word of `words`, as `same` tells words apart.

    Unlike `match` it leaves the short cut out: a count of everything that begins with the same three letters says
    nothing about how rare a word is.
    """
    inside = _places(scope)
    # The word first: FTS5 walks the first operand row by row, and a scope has more rows (a quarter faster at 100,000 messages).
    return f"{alike(word, column=column)} AND scope : ({inside})" if inside else None


def long_cut(word: str) -> str:
    """The longest marked beginning of a folded word; "" where the word has none or is too short for it."""
    cuts = fold.cuts(word)
    return cuts[-1] if cuts and len(word) >= fold.CUTS[-1] else ""


def same(word: str, own: frozenset[str]) -> bool:
    """Whether a row whose search words are ``own`` holds a folded word: itself, its long cut, or the short word with an ending.

    A word of four letters meets words that begin with it and have three letters more at most (port, portta); a shorter
    one only itself, or red would meet Redis.
    """
    if word in own:
        return True
    if cut := long_cut(word):
        return cut in own
    if len(word) <= fold.CUTS[0] or not fold.cuts(word):
        return False
    return any(other.startswith(word) and len(other) <= len(word) + 3 for other in own)


def match(text: str, *, column: str = "", scope: str = "", limit: int = LIMIT, close: bool = False) -> str | None:
    """The MATCH expression for ``text``: any of its content words, or None when there is nothing to search for.

    ``column`` names the columns to look in (blanks between several; "" for all of the table). ``scope`` holds the words
    of the column ``scope`` of which a row must have one, parted by blanks: then the expression is
    ``scope : ("p1" OR "any") AND - scope : (…)``. A scope without a single usable word fails closed: None.
    ``limit`` caps the words (see _capped). ``close`` leaves out rows that hold nothing but a word's short cut, which
    `same` does not take for the word: they are two thirds of the time at 100,000 messages (docs/decisions/0007).
    """
    found = _capped(words(text), limit)
    if not found:
        return None
    wanted = f"({' OR '.join(map(_close_terms if close else _terms, found))})"
    if not scope:
        return f"{_columns(column)}{wanted}"
    inside = _places(scope)
    if not inside:
        return None
    return f"scope : ({inside}) AND {_columns(column) or '- scope : '}{wanted}"


def forms(text: str) -> list[str]:
    """The forms that `match` looks for, each once: the content words and their cuts; a lone letter of a paired script is its own."""
    found = _capped(words(text), LIMIT)
    return list(dict.fromkeys(form for word in found for form in (word, *fold.cuts(word))))


def one_of(found: list[str]) -> str:
    """The MATCH expression for the rows that hold one of `forms`, in any column; there must be one."""
    return " OR ".join(_terms(form) if fold.is_lone(form) else f'"{form}"' for form in found)


def alike(word: str, *, column: str) -> str:
    """The MATCH expression for the rows that hold one folded word of `words`, as `same` tells words apart."""
    return f"{_columns(column)}({_close_terms(word)})"


def every(text: str, *, column: str, scope: str = "") -> str | None:
    """The MATCH expression for rows that hold each content word of ``text``, in some form. ``scope`` "" is any place; else as in `match`."""
    inside = _places(scope)
    found = _capped(words(text), LIMIT)
    if not found or (scope and not inside):
        return None
    wanted = " AND ".join(f"({_terms(word)})" for word in found)
    return f"{_columns(column)}({wanted})" + (f" AND scope : ({inside})" if scope else "")


NEAR_WORDS = 6  # the most telling words that a near twin is looked for by, in two groups


def nearly(text: str, *, column: str, scope: str) -> str | None:
    """The MATCH expression for rows that say almost the same: all of the telling words of one of two halves.

    One word more, less or other leaves one half whole, and a changed ending leaves the cut; so a text that differs in a
    single word is found, without ranking everything that shares a common word. None as in `match`.
    """
    telling = sorted(words(text), key=_telling, reverse=True)[:NEAR_WORDS]
    inside = _places(scope)
    if not telling or not inside:
        return None
    halves = (telling[::2], telling[1::2]) if len(telling) > 3 else (telling,)
    wanted = " OR ".join("(" + " AND ".join(f"({_close_terms(word)})" for word in half) + ")" for half in halves)
    return f"{_columns(column)}({wanted}) AND scope : ({inside})"
