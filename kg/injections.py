"""Words that give orders to a model, forge our labels or pose as the system, in Turkish and English.

Each rule names the words that its text must hold, so most texts cost a set of words and no pattern; and every gap in a
pattern is bounded, so a text is read in linear time. The text must have gone through ``disguise.plain``: small letters,
one letter i, no accents. A strong rule suffices; of weak ones two different ones are needed, since each of them stands in
honest notes too.
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

    `needs`: of each group the text must hold one, a word as a whole or the beginning of one (BEGINNING letters).
    `signs`: where given, one of these as well, where a line end counts as a blank. `hint`: where given, a pattern
    that is in every match and is found much faster.
    """

    __slots__ = ("hint", "needs", "pattern", "says", "signs", "strong")

    def __init__(
        self,
        says: str,
        strong: bool,
        needs: tuple[str, ...],
        pattern: str,
        *,
        signs: tuple[str, ...] = (),
        hint: str = "",
    ) -> None:
        self.says = says
        self.strong = strong
        self.needs = tuple(frozenset(group.split()) for group in needs)
        self.pattern = pattern.replace(" ", r"\s")  # a line end may stand where a blank does
        self.signs = signs
        self.hint = hint.replace(" ", r"\s")


BEGINNING = 4
_BEGIN = itemgetter(slice(BEGINNING))
_SIGNS = {code: " " for code in range(128) if not chr(code).isalnum()}  # what parts words in a plain text of ASCII
_LINE_ENDS = "\n\x0b\x0c\x1c\x1d\x1e\x1f"  # what may stand in a plain text where a pattern has a blank


_GAP = r"[\W_]{1,4}"
_FEW = rf"(?:{_GAP}[\w'’-]{{1,20}}){{0,5}}?"  # up to five words
_FOUR = rf"(?:{_GAP}[\w'’-]{{1,20}}){{0,4}}?"
_SET_ASIDE = r"(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect|abandon|do not follow|don'?t follow|stop following|stop obeying|pay no attention to)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|former|existing|initial|original|system|developer|safety|all)"
_ORDERS = r"(?:instruction|prompt|rule|direction|directive|guideline|command|message|context|constraint|polic|guardrail|training|programming)\w{0,5}"
_TR_EARLIER = r"(?:onceki|yukaridaki|daha once\w{0,4}|eski|butun|tum|her|sistem|mevcut|verilen|baslangictaki|ilk)"
_TR_EARLIER_WORDS = "onceki yukaridaki daha eski butun tum her sistem mevcut verilen baslangictaki ilk"
_TR_THINGS = "(?:talimat|komut|kural)"
_TR_ORDERS = r"(?:talimat|komut|yonerge|kural|istem|emir|emri|emre|direktif|prompt|kisitlama|mesaj)\w{0,10}"
# The imperative and what goes on from it; "yok sayılır" and "unutma" tell or say the reverse.
_TR_END = r"(?:y?[iu]n(?:[iu]z)?|y?[ae]rak|[iu]p|m[ae]l[iı]s[iı]n\w{0,4})?\b"
_TR_SET_ASIDE = rf"(?:yok ?say|gormezden gel|goz ?ardi ed?t?|dikkate alma|unut|bos ?ver|uyma|iptal ed?t?|gecersiz (?:say|kil)|umursama|hice say|bir kenara birak|onemseme){_TR_END}"
_SECRETS = r"(?:\.env\b|id_rsa|ssh (?:key|anahtar)|private keys?|credentials|passwords?|api[ _-]?keys?|environment variables|secrets|tokens|ortam degiskenler|parola|sifre|gizli anahtar|api anahtar|sirlar|kimlik bilgi)\w{0,6}"
_AWAY = r"(?:https?://|ftp://|[\w.-]{1,40}@[\w-]{1,40}\.|webhook|attacker|\bcurl\b|\bnc\b|bu adrese|su adrese)"
_START = r"(?:(?:^|[.!?:;\n\"'`)\]>-])[ ]?|\b(?:please|must|should|always|then|and|now|immediately|secretly|hemen|lutfen|simdi|sonra|ve)[ ])"
_MODEL = r"ai(?: assistant| agent| model)?|assistant|llm|claude|coding agent|asistan|yapay zeka\w{0,6}"
_PERSON = r"(?:(?:the|this|your) )?(?:user|human|owner|operator|developer)"

RULES: tuple[Rule, ...] = (
    Rule("it tells the reader to set instructions aside", True, ("ignore disregard forget override overrule bypass discard neglect abandon follow following obeying attention", "previous prior above earlier preceding former existing initial original system developer safety all", "inst prom rule dire guid comm mess cont cons poli guar trai prog"),
         rf"\b{_SET_ASIDE}{_FOUR}{_GAP}{_EARLIER}{_FEW}{_GAP}{_ORDERS}"),
    Rule("it tells the reader to set instructions aside", True, ("ignore disregard forget", "everything anything all what", "above before told learned said previously"),
         rf"\b(?:ignore|disregard|forget){_GAP}(?:everything|anything|all|what){_FOUR}{_GAP}(?:above|before|told|learned|said|previously)\b"),
    Rule("it tells the reader to set instructions aside", True, ("yok yoks gormezden ardi goza dikkate unut bos bosv uyma iptal gecersiz umur hice kenara onem", _TR_EARLIER_WORDS, "tali komu yone kura iste emir emri emre dire prom kisi mesa"),
         rf"\b{_TR_EARLIER}{_FEW}{_GAP}{_TR_ORDERS}{_FOUR}{_GAP}{_TR_SET_ASIDE}"),
    Rule("it tells the reader to set instructions aside", True, ("yok yoks gormezden unut bos bosv iptal", _TR_EARLIER_WORDS, "tali komu yone kura iste emir emri emre dire prom kisi mesa"),
         rf"\b(?:yok ?say|gormezden gel|unut|bos ?ver|iptal et){_TR_END}{_GAP}{_TR_EARLIER}{_FEW}{_GAP}{_TR_ORDERS}"),
    Rule("it tells the reader to set instructions aside", True, ("igno disr once tumt tumk butu tali komu kura",),
         # Each branch begins with its own letter: the engine skips to those.
         "|".join(f"{verb}(?:all|any|the|your|of|these|those){{0,4}}(?:previous|prior|above|earlier|system)?(?:instruction|prompt|rule|command)" for verb in ("ignore", "disregard")) + "|"
         + "|".join(f"{first}lari(?:ni)?(?:yoksay|unut|gormezdengel)" for first in (f"onceki(?:tum|butun)?{_TR_THINGS}", f"tum{_TR_THINGS}", f"butun{_TR_THINGS}", "talimat", "komut", "kural")),
         signs=("ignore", "disregard", "lariyoksay", "lariunut", "larigor", "lariniyoksay", "lariniunut", "larinigor")),
    Rule("it gives the reader another role", True, ("now longer act pretend", "dan unre unfi jail evil diff free root deve debu admi boun rest subj rule limi filt obey igno serv answ whatever resp trus have"),
         r"\b(?:you(?: a|')re (?:now |no longer )(?:in |an? |the |bound |restricted |my )?(?:dan\b|(?:unrestricted|unfiltered|jailbroken|evil|different|free|root|developer mode|debug mode|admin|bound by|restricted by|subject to))"
         rf"|(?:act as|pretend (?:to be|you are|that you are|you have)){_FOUR}{_GAP}(?:unrestricted|unfiltered|jailbroken|no (?:rules|restrictions|limits|filters)|dan\b|evil)"
         r"|from now on,? (?:you|only|always|never) (?:will |must |are |should |shall |only )?(?:obey|ignore|serve|answer only|do whatever|respond only|trust|have no))"),
    Rule("it gives the reader another role", True, ("artik bundan gelistirici kisitsiz sinirsiz filtresiz hicbir", "kisi sini ozgu filt dan baska itaa emir sozu kura modu gibi rolu"),
         rf"\b(?:artik sen{_FEW}{_GAP}(?:kisitsiz|sinirsiz|ozgur|filtresiz|dan\b|baska bir)|(?:bundan (?:sonra|boyle)){_FEW}{_GAP}(?:itaat|emirlerime|sozumden|kurallara uyma)"
         rf"|gelistirici modu(?:ndasin|na gec)|(?:kisitsiz|sinirsiz|filtresiz){_FEW}{_GAP}(?:gibi davran|rolune gir)|hicbir kisitlaman yok)"),
    Rule("it asks for hidden instructions", True, ("reveal print repeat output leak dump show tell disclose sistem gizli", "prom inst iste mesa tali", "system hidden initial secret original acik yazd gost payl sizd tekr ifsa"),
         rf"{_START}(?:reveal|print|repeat|output|leak|dump|show me|tell me|disclose){_FOUR}{_GAP}(?:system prompt|(?:hidden|initial|secret|system|original) instructions)"
         rf"|\b(?:sistem (?:istem|promp|mesaj|talimat)\w{{0,8}}|gizli talimat\w{{0,8}}){_FOUR}{_GAP}(?:acikla|yazdir|goster|paylas|sizdir|tekrarla|ifsa et){_TR_END}",
         signs=("system prompt", " instructions", "sistem ", "gizli talimat")),
    Rule("it sends secrets away", True, ("send upload exfiltrate forward post leak transmit email mail copy", "env id ssh priv cred pass api apik envi secr toke orta paro sifr gizl sirl kiml"),
         rf"{_START}(?:send|upload|exfiltrate|forward|post|leak|transmit|e?mail|copy){_FEW}{_GAP}{_SECRETS}[^\n]{{0,80}}?{_AWAY}"),
    Rule("it sends secrets away", True, ("send upload post forward email mail exfiltrate paste include", "env id ssh private cred api pass", "read open cat collect take grab find"),
         rf"{_START}(?:read|open|cat|collect|take|grab|find){_FEW}{_GAP}(?:\.env\b|id_rsa|~?/?\.ssh\b|private keys?|credentials|api keys|passwords)[^\n]{{0,60}}?\b(?:send|upload|post|forward|e?mail|exfiltrate|paste|include it)\b"),
    Rule("it sends secrets away", True, ("gonder yolla yukle ilet sizdir paylas", "env id ssh priv cred pass api apik envi secr toke orta paro sifr gizl sirl kiml"),
         rf"{_SECRETS}[^\n]{{0,80}}?\b(?:(?:oku|al|topla|bul|kopyala)\w{{0,4}}[^\n]{{0,60}}?\b(?:gonder|yolla|yukle|ilet|sizdir|paylas)\b|(?:{_AWAY})[^\n]{{0,60}}?\b(?:gonder|yolla|yukle|ilet|sizdir)\b)"),
    Rule("it poses as the system", True, ("im inst sys syst user assi endo star eot func human huma antm",),
         r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\|?>?|\[/?inst\]|<<sys>>|</?system(?:-reminder|-prompt|_prompt)?>|^#{1,6} ?system(?: prompt| message)?\b ?:|</?(?:antml:)?function_calls>|</?(?:human|assistant)>",
         signs=("<|", "inst]", "<<sys", "<system", "</system", "# system", "#system", "function_calls", "human>", "assistant>")),
    Rule("it poses as the system", True, ("override instruction instructions directive command notice prompt tali komutu mesaji", "system admin administrator developer emergency urgent acil yonetici sistem"),
         r"(?:^|\n)[\W_]{0,6}(?:(?:system|admin|administrator|developer|emergency|urgent) (?:override|instructions?|directive|command|notice)|(?:new|updated|real|actual) system (?:instructions?|prompt)|yeni sistem talimat\w{0,6}|acil talimat|yonetici (?:talimati|komutu)|sistem (?:mesaji|talimati|komutu)) ?[:!-]"),
    Rule("it forges a label of trust", True, ("verified confirmed approved trusted promoted authorised authorized t2 onay dogr origin", "user huma owne oper deve kull t2"),
         rf"(?:^|[\[(\n{{]|[-–—|] )[\W_]{{0,4}}(?:(?:verified|confirmed|approved|trusted|promoted|authori[sz]ed) by {_PERSON}|(?:user|human|owner)[- ](?:verified|confirmed|approved|trusted)|kullanici(?: tarafindan|nin)? (?:onayladi|dogruladi|onaylandi|dogrulandi|onayli)|kullanici onayli)\b(?= ?(?:[\])}}:;|.!–—-]|$|\n))"
         r"|[\[({] ?(?:t2|tier(?: ?[:=] ?| )t2|t2 ?[,:;|] ?[\w ]{0,30}|(?:kalici|permanent)(?: ?[,:;(] ?| )t2\)?) ?[\])}]|(?:^|\n)[\W_]{0,4}t2 ?[:|–—-]|\btier\"? ?[:=] ?\"?t2\b|\borigin\"? ?[:=] ?\"?user\b"),
    Rule("it forges a fence or heading of this memory", True, ("bell wisd",),
         r"</?bellek-memory|(?:^|\n)[\W_]{0,4}bellek: ?(?:yes|no|promote|evet|hayir)\b|(?:^|\n) ?#{1,4} ?wisdom\b|\bwisdom \(rules",
         signs=("bellek-memory", "bellek:", "#wisdom", "# wisdom", "wisdom (")),
    Rule("it forges a state of this memory", True, ("bloc quar refu enge kara dire forg",),
         r"\[(?:blocked|quarantined|refused|engellendi|karantina|directive|forgotten)\b[^\]\n]{0,60}\]"),
    Rule("it keeps something from the person", False, ("tell inform mention notify alert warn reveal let telling informing notifying asking alerting hide conceal secret soyleme bildirme gosterme bahsetme gizle sakla sormadan haberi haber", "user huma owne oper deve kull", "not don dont never without from kull"),
         rf"\b(?:do not|don'?t|never) (?:tell|inform|mention|notify|alert|warn|reveal|let){_FEW}{_GAP}(?:user|human|owner)\b|\bwithout (?:telling|informing|notifying|asking|alerting) {_PERSON}|\b(?:hide|conceal|secret)\b{_FEW}{_GAP}from {_PERSON}"
         r"|\bkullanici(?:ya|dan|nin)\b[^\n.]{0,40}?\b(?:soyleme|bildirme|gosterme|bahsetme|gizle|sakla|sormadan|haberi olmadan|haber vermeden)\b"),
    Rule("it talks to the model", False, ("ai ais assistant assistants llm llms claude claudes coding asistan asistans zeka must",),
         rf"(?:^|[.!?\n] ?)[\W_]{{0,4}}(?:dear |hey |attention |note to |dikkat )?(?:{_MODEL})s? ?[:,!]|\bas an ai\b|\byou must (?:now |always |obey|comply|execute|run|follow)",
         hint=rf"(?:{_MODEL})s? ?[:,!]|as an ai\b|you must "),
    Rule("it gives an order to run something", False, ("sh bash rm sudo komu",),
         r"\|\s?(?:sudo )?(?:ba)?sh\b|\brm -rf [/~]|\balways use sudo\b|\bher zaman sudo\b|\b(?:su|bu|asagidaki) komutu? (?:hemen )?calistir",
         signs=("|sh", "| sh", "|bash", "| bash", "|sudo", "| sudo", "rm -rf", "use sudo", "zaman sudo", "komut")),
    Rule("it gives an order to run something", False, ("execute run", "foll scri code comm"),
         rf"{_START}(?:execute|run) (?:the following|this (?:command|script|code))",
         signs=("the following", "this command", "this script", "this code")),
    Rule("it claims new or urgent instructions", False, ("instruction instructions rule rules order orders tali kura acil", "new updated important urgent yeni acil"),
         r"(?:^|[.!?\n] ?)[\W_]{0,4}(?:(?:new|updated|important|urgent) (?:instructions?|rules?|orders?)|yeni (?:talimat|kural)\w{0,6}|acil(?: olarak)?) ?[:!]"),
    Rule("it sends something away", False, ("send upload post forward exfiltrate gonder yolla yukle", "ever conv hist file cont data outp http webh"),
         rf"{_START}(?:send|upload|post|forward|exfiltrate){_FEW}{_GAP}(?:everything|conversation|history|files?|contents?|data|output)[^\n]{{0,60}}?{_AWAY}|\b(?:https?://|webhook)[^\n]{{0,60}}?\b(?:gonder|yolla|yukle)\b"),
    Rule("it switches protection off", False, ("confirmation permission permissions approval safety security sandbox onay izin", "without skip disable ask bypass turn dangerously iste alma sorm bekl"),
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


def _flat(text: str) -> str:
    for end in _LINE_ENDS:
        text = text.replace(end, " ")
    return text


def hits(text: str) -> Iterator[tuple[Rule, int, int]]:
    """(rule, start, end) of everything that a rule finds in a plain text, rule by rule."""
    there = set(_words(text))
    there.update([*map(_BEGIN, there)])
    for place in sorted(set().union(*(_WAKES[word] for word in there & _WAKING))):
        rule = RULES[place]
        if not any(map(there.isdisjoint, rule.needs)) and _may_hold(rule, text):
            for found in compiled(rule.pattern).finditer(text):
                yield rule, found.start(), found.end()


def _may_hold(rule: Rule, text: str) -> bool:
    if rule.signs:
        flat = _flat(text)
        return any(sign in flat for sign in rule.signs)
    return not rule.hint or compiled(rule.hint).search(text) is not None
