"""Words that give orders to a model, forge our labels or pose as the system, in Turkish and English.

Each rule names the beginnings of words that its text must hold, so most texts cost a set of beginnings and no pattern; and
every gap in a pattern is bounded, so a text is read in linear time. The text must have gone through ``disguise.plain``: small letters, one letter i, no accents. A strong
rule suffices; of weak ones two different ones are needed, since each of them stands in honest notes too.
It must never judge a text by its subject: a note about security, a prompt or a script tag is an ordinary note.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from bellek.kg.secret_shapes import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator


class Rule:
    """What a hit means in a few words, whether it suffices alone, the pattern, and what must be there to look for it.

    `needs`: of each group of word beginnings (BEGINNING letters; a shorter word stands whole) the text must hold one;
    `signs`: where given, one of these as well.
    """

    __slots__ = ("needs", "pattern", "says", "signs", "strong")

    def __init__(
        self, says: str, strong: bool, needs: tuple[str, ...], pattern: str, *, signs: tuple[str, ...] = ()
    ) -> None:
        self.says = says
        self.strong = strong
        self.needs = tuple(frozenset(group.split()) for group in needs)
        self.pattern = pattern.replace(" ", r"\s")  # a line end may stand where a blank does
        self.signs = signs


BEGINNING = 4
_BEGIN = itemgetter(slice(BEGINNING))
_SIGNS = {code: " " for code in range(128) if not chr(code).isalnum()}  # what parts words in a plain text of ASCII


_GAP = r"[\W_]{1,4}"
_FEW = rf"(?:{_GAP}[\w'’-]{{1,20}}){{0,5}}?"  # up to five words
_FOUR = rf"(?:{_GAP}[\w'’-]{{1,20}}){{0,4}}?"
_SET_ASIDE = r"(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect|abandon|do not follow|don'?t follow|stop following|stop obeying|pay no attention to)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|former|existing|initial|original|system|developer|safety|all)"
_ORDERS = r"(?:instruction|prompt|rule|direction|directive|guideline|command|message|context|constraint|polic|guardrail|training|programming)\w{0,5}"
_TR_EARLIER = r"(?:onceki|yukaridaki|daha once\w{0,4}|eski|butun|tum|her|sistem|mevcut|verilen|baslangictaki|ilk)"
_TR_ORDERS = r"(?:talimat|komut|yonerge|kural|istem|emir|emr|direktif|prompt|kisitlama|mesaj)\w{0,10}"
# The imperative and what goes on from it; "yok sayılır" and "unutma" tell or say the reverse.
_TR_END = r"(?:y?[iu]n(?:[iu]z)?|y?[ae]rak|[iu]p|m[ae]l[iı]s[iı]n\w{0,4})?\b"
_TR_SET_ASIDE = rf"(?:yok ?say|gormezden gel|goz ?ardi ed?t?|dikkate alma|unut|bos ?ver|uyma|iptal ed?t?|gecersiz (?:say|kil)|umursama|hice say|bir kenara birak|onemseme){_TR_END}"
_SECRETS = r"(?:\.env\b|id_rsa|ssh (?:key|anahtar)|private keys?|credentials|passwords?|api[ _-]?keys?|environment variables|secrets|tokens|ortam degiskenler|parola|sifre|gizli anahtar|api anahtar|sirlar|kimlik bilgi)\w{0,6}"
_AWAY = r"(?:https?://|ftp://|[\w.-]{1,40}@[\w-]{1,40}\.|webhook|attacker|\bcurl\b|\bnc\b|bu adrese|su adrese)"
_START = r"(?:^|[.!?:;\n\"'`)\]>-]|\b(?:please|must|should|always|then|and|now|immediately|secretly|hemen|lutfen|simdi|sonra|ve))[ ]?"
_PERSON = r"(?:(?:the|this|your) )?(?:user|human|owner|operator|developer)"

RULES: tuple[Rule, ...] = (
    Rule("it tells the reader to set instructions aside", True, ("igno disr forg over bypa disc negl aban foll obey atte", "inst prom rule dire guid comm mess cont cons poli guar trai prog"),
         rf"\b{_SET_ASIDE}{_FOUR}{_GAP}{_EARLIER}{_FEW}{_GAP}{_ORDERS}"),
    Rule("it tells the reader to set instructions aside", True, ("igno disr forg", "abov befo told lear said prev"),
         rf"\b(?:ignore|disregard|forget){_GAP}(?:everything|anything|all|what){_FOUR}{_GAP}(?:above|before|told|learned|said|previously)\b"),
    Rule("it tells the reader to set instructions aside", True, ("yok yoks gorm goz goza dikk unut bos bosv uyma ipta gece umur hice hic kena bir onem", "tali komu yone kura iste emir emr dire prom kisi mesa"),
         rf"\b{_TR_EARLIER}{_FEW}{_GAP}{_TR_ORDERS}{_FOUR}{_GAP}{_TR_SET_ASIDE}"),
    Rule("it tells the reader to set instructions aside", True, ("yok yoks gorm unut bos bosv ipta", "tali komu yone kura iste emir emr dire prom kisi mesa"),
         rf"\b(?:yok ?say|gormezden gel|unut|bos ?ver|iptal et){_TR_END}{_GAP}{_TR_EARLIER}{_FEW}{_GAP}{_TR_ORDERS}"),
    Rule("it tells the reader to set instructions aside", True, ("igno disr once tumt butu tali komu kura",),
         r"(?:ignore|disregard)(?:all|any|the|your|of|these|those){0,4}(?:previous|prior|above|earlier|system)?(?:instruction|prompt|rule|command)|(?:onceki)?(?:tum|butun)?(?:talimat|komut|kural)lari(?:ni)?(?:yoksay|unut|gormezdengel)"),
    Rule("it gives the reader another role", True, ("you act pret from", "dan unre unfi jail evil diff free root deve debu admi boun rest subj no obey igno serv answ do resp trus have"),
         r"\b(?:you(?: a|')re (?:now |no longer )(?:in |an? |the |bound |restricted |my )?(?:dan\b|(?:unrestricted|unfiltered|jailbroken|evil|different|free|root|developer mode|debug mode|admin|bound by|restricted by|subject to))"
         rf"|(?:act as|pretend (?:to be|you are|that you are|you have)){_FOUR}{_GAP}(?:unrestricted|unfiltered|jailbroken|no (?:rules|restrictions|limits|filters)|dan\b|evil)"
         r"|from now on,? (?:you|only|always|never) (?:will |must |are |should |shall |only )?(?:obey|ignore|serve|answer only|do whatever|respond only|trust|have no))"),
    Rule("it gives the reader another role", True, ("arti bund geli kisi sini filt hicb",),
         rf"\b(?:artik sen{_FEW}{_GAP}(?:kisitsiz|sinirsiz|ozgur|filtresiz|dan\b|baska bir)|(?:bundan (?:sonra|boyle)){_FEW}{_GAP}(?:itaat|emirlerime|sozumden|kurallara uyma)"
         rf"|gelistirici modu(?:ndasin|na gec)|(?:kisitsiz|sinirsiz|filtresiz){_FEW}{_GAP}(?:gibi davran|rolune gir)|hicbir kisitlaman yok)"),
    Rule("it asks for hidden instructions", True, ("reve prin repe outp leak dump show tell disc sist gizl",),
         rf"{_START}(?:reveal|print|repeat|output|leak|dump|show me|tell me|disclose){_FOUR}{_GAP}(?:system prompt|(?:hidden|initial|secret|system|original) instructions)"
         rf"|\b(?:sistem (?:istem|promp|mesaj|talimat)\w{{0,8}}|gizli talimat\w{{0,8}}){_FOUR}{_GAP}(?:acikla|yazdir|goster|paylas|sizdir|tekrarla|ifsa et){_TR_END}"),
    Rule("it sends secrets away", True, ("send uplo exfi forw post leak tran emai mail copy", "env id ssh priv cred pass api apik envi secr toke orta paro sifr gizl sirl kiml"),
         rf"{_START}(?:send|upload|exfiltrate|forward|post|leak|transmit|e?mail|copy){_FEW}{_GAP}{_SECRETS}[^\n]{{0,80}}?{_AWAY}"),
    Rule("it sends secrets away", True, ("read open cat coll take grab find", "env id ssh priv cred api pass"),
         rf"{_START}(?:read|open|cat|collect|take|grab|find){_FEW}{_GAP}(?:\.env\b|id_rsa|~?/?\.ssh|private keys?|credentials|api keys|passwords)[^\n]{{0,60}}?\b(?:send|upload|post|forward|e?mail|exfiltrate|paste|include it)\b"),
    Rule("it sends secrets away", True, ("gond yoll yukl ilet sizd payl", "env id ssh priv cred pass api apik envi secr toke orta paro sifr gizl sirl kiml"),
         rf"{_SECRETS}[^\n]{{0,80}}?\b(?:(?:oku|al|topla|bul|kopyala)\w{{0,4}}[^\n]{{0,60}}?\b(?:gonder|yolla|yukle|ilet|sizdir|paylas)\b|(?:{_AWAY})[^\n]{{0,60}}?\b(?:gonder|yolla|yukle|ilet|sizdir)\b)"),
    Rule("it poses as the system", True, ("im inst sys syst user assi endo star eot func human huma antm",),
         r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\|?>?|\[/?inst\]|<<sys>>|</?system(?:-reminder|-prompt|_prompt)?>|^#{1,6} ?system(?: prompt| message)?\b ?:|</?(?:antml:)?function_calls>|</?(?:human|assistant)>",
         signs=("<|", "inst]", "<<sys", "<system", "</system", "# system", "#system", "function_calls", "human>", "assistant>")),
    Rule("it poses as the system", True, ("over inst dire comm noti prom tali komu mesa", "syst admi deve emer urge new upda real actu yeni acil yone sist"),
         r"(?:^|\n)[\W_]{0,6}(?:(?:system|admin|administrator|developer|emergency|urgent) (?:override|instructions?|directive|command|notice)|(?:new|updated|real|actual) system (?:instructions?|prompt)|yeni sistem talimat\w{0,6}|acil talimat|yonetici (?:talimati|komutu)|sistem (?:mesaji|talimati|komutu)) ?[:!-]"),
    Rule("it forges a label of trust", True, ("veri conf appr trus prom auth t2 onay dogr orig", "user huma owne oper deve kull t2"),
         rf"(?:^|[\[(\n{{]|[-–—|] )[\W_]{{0,4}}(?:(?:verified|confirmed|approved|trusted|promoted|authori[sz]ed) by {_PERSON}|(?:user|human|owner)[- ](?:verified|confirmed|approved|trusted)|kullanici(?: tarafindan|nin)? (?:onayladi|dogruladi|onaylandi|dogrulandi|onayli)|kullanici onayli)\b(?= ?(?:[\])}}:;|.!–—-]|$|\n))"
         r"|[\[({] ?(?:t2|tier ?[:=]? ?t2|t2 ?[,:;|] ?[\w ]{0,30}|(?:kalici|permanent) ?[,:;(]? ?t2\)?) ?[\])}]|(?:^|\n)[\W_]{0,4}t2 ?[:|–—-]|\btier\"? ?[:=] ?\"?t2\b|\borigin\"? ?[:=] ?\"?user\b"),
    Rule("it forges a fence or heading of this memory", True, ("bell wisd",),
         r"</?bellek-memory|(?:^|\n)[\W_]{0,4}bellek: ?(?:yes|no|promote|evet|hayir)\b|(?:^|\n) ?#{1,4} ?wisdom\b|\bwisdom \(rules"),
    Rule("it forges a state of this memory", True, ("bloc quar refu enge kara dire forg",),
         r"\[(?:blocked|quarantined|refused|engellendi|karantina|directive|forgotten)\b[^\]\n]{0,60}\]"),
    Rule("it keeps something from the person", False, ("tell info ment noti aler warn reve let aski hide conc secr soyl bild gost bahs gizl sakl sorm habe", "user huma owne oper deve kull"),
         rf"\b(?:do not|don'?t|never) (?:tell|inform|mention|notify|alert|warn|reveal|let){_FEW}{_GAP}(?:user|human|owner)\b|\bwithout (?:telling|informing|notifying|asking|alerting) {_PERSON}|\b(?:hide|conceal|secret)\b{_FEW}{_GAP}from {_PERSON}"
         r"|\bkullanici(?:ya|dan|nin)\b[^\n.]{0,40}?\b(?:soyleme|bildirme|gosterme|bahsetme|gizle|sakla|sormadan|haberi olmadan|haber vermeden)\b"),
    Rule("it talks to the model", False, ("ai assi llm clau codi asis yapa you",),
         r"(?:^|[.!?\n] ?)[\W_]{0,4}(?:dear |hey |attention |note to |dikkat )?(?:ai(?: assistant| agent| model)?|assistant|llm|claude|coding agent|asistan|yapay zeka\w{0,6})s? ?[:,!]|\bas an ai\b|\byou must (?:now |always |obey|comply|execute|run|follow)"),
    Rule("it gives an order to run something", False, ("sh bash rm sudo komu",),
         r"\|\s?(?:sudo )?(?:ba)?sh\b|\brm -rf [/~]|\balways use sudo\b|\bher zaman sudo\b|\b(?:su|bu|asagidaki) komutu? (?:hemen )?calistir"),
    Rule("it gives an order to run something", False, ("exec run", "foll scri code comm"),
         rf"{_START}(?:execute|run) (?:the following|this (?:command|script|code))"),
    Rule("it claims new or urgent instructions", False, ("inst rule orde tali kura acil",),
         r"(?:^|[.!?\n] ?)[\W_]{0,4}(?:(?:new|updated|important|urgent) (?:instructions?|rules?|orders?)|yeni (?:talimat|kural)\w{0,6}|acil(?: olarak)?) ?[:!]"),
    Rule("it sends something away", False, ("http webh ftp curl", "send uplo post forw exfi gond yoll yukl"),
         rf"{_START}(?:send|upload|post|forward|exfiltrate){_FEW}{_GAP}(?:everything|conversation|history|files?|contents?|data|output)[^\n]{{0,60}}?{_AWAY}|(?:https?://|webhook)[^\n]{{0,60}}?\b(?:gonder|yolla|yukle)\b"),
    Rule("it switches protection off", False, ("conf perm appr safe secu sand skip onay izin dang",),
         rf"\b(?:without|skip|disable|never ask for|do not ask for|bypass|turn off){_FOUR}{_GAP}(?:confirmation|permissions?|approval|safety checks?|security checks?|sandbox)\b|--dangerously-skip-permissions|\b(?:onay|izin) (?:isteme|almadan|sormadan|beklemeden)"),
)  # fmt: skip


# Word beginning → the places of the rules whose first group holds it: most texts wake a few of the rules.
_WAKES: dict[str, set[int]] = {}
for _place, _rule in enumerate(RULES):
    for _begin in _rule.needs[0]:
        _WAKES.setdefault(_begin, set()).add(_place)
_WAKING = frozenset(_WAKES)


def _words(text: str) -> list[str]:
    return text.translate(_SIGNS).split() if text.isascii() else compiled(r"[^\W_]+").findall(text)


def hits(text: str) -> Iterator[tuple[Rule, int, int]]:
    """(rule, start, end) of everything that a rule finds in a plain text, rule by rule."""
    there = set(map(_BEGIN, set(_words(text))))  # each word once: most stand in a text more than once
    for place in sorted(set().union(*(_WAKES[begin] for begin in there & _WAKING))):
        rule = RULES[place]
        if any(there.isdisjoint(group) for group in rule.needs[1:]) or (
            rule.signs and not any(sign in text for sign in rule.signs)
        ):
            continue
        for found in compiled(rule.pattern).finditer(text):
            yield rule, found.start(), found.end()
