"""The words that move STATE and DRIVES, in Turkish and English: data alone.

Folded cues (`kg.fold`); one that ends in "*" is the beginning of a word (Turkish suffixes). A cue stands in one group. It must
never hold a word that praises or blames a person: what is read is the one who types, and only their own words.
"""

from bellek.curator.cues import Cues
from bellek.schemas.state import AROUSAL, CERTAINTY, CLOSENESS, LOAD, NOVELTY, TASK, THREAT, VALENCE

# (cues, channel → shift). A group counts once a message. The sums are bounded by schemas/state.py.
MOVES: tuple[tuple[Cues, dict[int, float]], ...] = (
    (("mutlu*", "sevindi*", "sevincli*", "neseli*", "happy", "glad", "delighted", "harika", "mukemmel*", "great", "awesome", "wonderful",
      "perfect", "bayildim", "begendim", "love it", "loved it", "guzel oldu", "cok guzel", "nice work", "eline saglik", "ellerine saglik"),
     {VALENCE: 0.15}),
    (("tesekkur*", "sagol*", "sag ol", "minnettar*", "thanks", "thank you", "grateful", "eyvallah", "appreciate it", "iyi ki varsin"),
     {VALENCE: 0.1, CLOSENESS: 0.1}),
    (("heyecanli*", "heyecanlan*", "excited", "thrilled", "cant wait", "can t wait", "sabirsizlan*", "yasasin", "woohoo"),
     {VALENCE: 0.15, AROUSAL: 0.15}),
    (("gurur*", "proud", "basardi*", "basarili oldu", "nailed it", "we did it"), {VALENCE: 0.15, CERTAINTY: 0.12}),
    (("sakin*", "huzurlu*", "rahatladi*", "calm", "relaxed", "relieved"), {VALENCE: 0.1, AROUSAL: -0.15, THREAT: -0.1}),
    (("merakli*", "merak ed*", "merak ett*", "curious", "i wonder", "wondering", "ilginc*", "interesting", "fascinating"),
     {NOVELTY: 0.15}),
    (("uzgun*", "uzuldu*", "huzunlu*", "sad", "heartbroken", "unhappy", "keyfim yok", "moralim bozuk", "down today"), {VALENCE: -0.15}),
    (("yorgun*", "yoruldu*", "bitkin*", "uykusuz*", "tired", "exhausted", "worn out", "burned out", "burnt out"),
     {VALENCE: -0.1, AROUSAL: -0.15, LOAD: 0.15}),
    (("bikkin*", "biktim", "hayal kirikligi*", "frustrated", "frustrating", "annoyed", "annoying", "sinir bozucu*", "yine bozuldu",
      "hala calismiyor", "still broken", "still not working", "still doesn t work", "ugh", "off ya"), {VALENCE: -0.15, LOAD: 0.12}),
    (("kizgin*", "ofkeli*", "sinirli*", "sinirlendi*", "angry", "furious", "rezalet", "berbat*", "terrible", "awful"),
     {VALENCE: -0.15, AROUSAL: 0.15}),
    (("kaygili*", "kaygilan*", "endiseli*", "endiselen*", "stresli*", "korkuyorum", "anxious", "worried", "nervous", "scared", "stressed"),
     {VALENCE: -0.1, THREAT: 0.15}),
    (("acil*", "hemen", "urgent", "asap", "right now", "immediately", "son dakika"), {AROUSAL: 0.12, TASK: 0.1}),
    (("tehlikeli*", "dangerous", "risky", "riskli*", "veri kaybi*", "data loss", "silindi", "got deleted", "wiped", "outage", "production down",
      "prod coktu", "canli coktu", "hacklen*", "leaked", "sizdi*", "breach"), {THREAT: 0.15, AROUSAL: 0.05}),
    (("eminim", "kesin*", "certain", "definitely", "no doubt", "i m sure", "suphesiz"), {CERTAINTY: 0.1}),
    (("emin degilim", "not sure", "unsure", "kararsiz*", "belki", "maybe", "galiba", "sanirim", "i guess", "confused", "kafam karisti*", "bilmiyorum", "i don t know"),
     {CERTAINTY: -0.12}),
    (("karmasik*", "karisik*", "cok fazla", "complicated", "overwhelming", "too much", "overloaded", "bunaldi*", "yetisemiyorum"), {LOAD: 0.12}),
    (("dostum", "canim", "kardesim", "my friend", "buddy", "arkadasim", "nasilsin", "how are you", "gunaydin", "good morning", "iyi geceler", "good night"),
     {CLOSENESS: 0.08}),
    (("duzelt*", "ekle*", "yaz", "uygula*", "calistir*", "fix", "implement", "refactor", "deploy", "test et", "run the", "build", "derle*"),
     {TASK: 0.06}),
    (("sohbet*", "laflayalim", "just chatting", "mola*", "break time", "kahve", "coffee"), {TASK: -0.1, CLOSENESS: 0.05}),
    (("yeni bir sey", "ilk kez", "ilk defa", "first time", "brand new", "never tried", "hic denemedi*", "deneyelim", "let s try", "experiment"), {NOVELTY: 0.1}),
)  # fmt: skip

# Groups in which "not" before a cue, or "degil" behind it, says the opposite (half of it: "not happy" is less than sad).
NOT_BEFORE = frozenset(("not", "never", "no", "isn", "aren", "don", "doesn", "hic", "less"))
NOT_BEHIND = ("degil", "degilim", "degiliz")

# Drive → what a message is about.
DRAWN: dict[str, Cues] = {
    "care": ("aile*", "annem*", "babam*", "esim*", "cocug*", "cocuk*", "kizim*", "oglum*", "saglik*", "hasta*", "doktor*", "yardim*", "destek*", "uzgun*", "family", "mother", "father",
             "child", "children", "kids", "health", "sick", "doctor", "help", "support", "kindness", "friend", "arkadas*"),
    "curiosity": ("neden", "nicin", "niye", "nasil", "merak*", "arastir*", "ogren*", "kesfet*", "incele*", "why", "how does", "how do", "curious", "wonder", "wondering", "research",
                  "explore", "learn", "investigate", "understand", "anlamak"),
    "mastery": ("duzelt*", "iyilestir*", "hizlandir*", "optimize*", "test*", "refactor*", "performans*", "hata*", "dogru*", "pratik*", "ustala*", "fix", "improve", "benchmark", "debug",
                "performance", "bug", "bugs", "correct", "practice", "master", "quality", "kalite*"),
    "protection": ("guvenlik*", "guvenli*", "yedek*", "sifre*", "gizli*", "koru*", "risk*", "tehlike*", "izin*", "security", "secure", "backup", "backups", "password", "secret", "secrets",
                   "protect", "privacy", "mahremiyet*", "danger", "permission", "permissions", "vulnerability"),
    "beauty": ("guzel*", "zarif*", "tasarim*", "estetik*", "renk*", "sade*", "arayuz*", "yazi tipi*", "sanat*", "muzik*", "siir*", "design", "elegant", "beautiful", "beauty", "style", "typography",
               "layout", "color", "colour", "music", "poem", "art", "clean look"),
    "creativity": ("fikir*", "hayal*", "yarat*", "icat*", "uret*", "hikaye*", "oyun*", "deney*", "prototip*", "idea", "ideas", "imagine", "create", "invent", "story", "brainstorm", "prototype", "novel",
                   "what if", "ya soyle", "experiment", "yeni bir"),
}  # fmt: skip
