"""The page's own words in both languages. Stored text is never translated, and no word here is ever taken from it."""

from collections.abc import Callable

LANGUAGES = ("en", "tr")
COOKIE = "bellek-lang"

# Key → (English, Turkish).
WORDS: dict[str, tuple[str, str]] = {
    "title": ("memory", "bellek"),
    "skip": ("Skip to the content", "İçeriğe geç"),
    "inbox": ("Inbox", "Gelen kutusu"),
    "search": ("Search", "Ara"),
    "packet": ("Packet", "Paket"),
    "timeline": ("Timeline", "Zaman çizgisi"),
    "graph": ("Graph", "Çizge"),
    "health": ("Health", "Sağlık"),
    "other_language": ("Türkçe", "English"),
    "nothing_waits": ("Nothing asks for your word.", "Sözünü bekleyen bir şey yok."),
    "waiting": ("waiting", "bekliyor"),
    "candidate": ("candidate", "aday"),
    "proposal": ("proposal", "öneri"),
    "conflict": ("conflict", "çelişki"),
    "apart": ("in quarantine", "karantinada"),
    "why": ("Why it asks", "Neden soruyor"),
    "evidence": ("Evidence", "Kanıt"),
    "no_evidence": ("No message is kept that shows it.", "Onu gösteren saklı bir ileti yok."),
    "gone_evidence": ("The message is not kept any more.", "İleti artık saklı değil."),
    "typed_by": ("typed by a person", "bir insan yazdı"),
    "said_by": ("by", "söyleyen"),
    "in_talk": ("see it in the conversation", "konuşmada gör"),
    "near": ("Says nearly the same", "Hemen hemen aynısını söyleyenler"),
    "alike": ("alike", "benzer"),
    "sides": ("The two sides", "İki taraf"),
    "stronger": ("stronger", "güçlü"),
    "weaker": ("weaker", "zayıf"),
    "replayed": ("Replayed", "Yeniden oynatıldı"),
    "tasks_without": ("solved without it", "onsuz çözülen"),
    "tasks_with": ("with it", "onunla"),
    "of_tasks": ("of tasks", "görevden"),
    "harm": ("harm in", "zarar verdiği"),
    "history": ("History", "Geçmiş"),
    "hidden": ("Hidden in it", "İçinde gizli"),
    "replaces": ("It would take the place of", "Şunun yerini alır"),
    "promote": ("Promote", "Kalıcı yap"),
    "refuse": ("Refuse", "Reddet"),
    "set_apart": ("Quarantine", "Karantinaya al"),
    "release": ("Let it stand", "Bırak kalsın"),
    "drop": ("Put it away for good", "Temelli kaldır"),
    "yes": ("Yes", "Evet"),
    "no": ("No", "Hayır"),
    "strong_holds": ("The stronger holds", "Güçlü olan doğru"),
    "weak_holds": ("The weaker holds", "Zayıf olan doğru"),
    "both_hold": ("Both hold, each in its scope", "İkisi de kendi alanında doğru"),
    "consent": ("Consent: keep and show it", "Onay ver: sakla ve göster"),
    "withdraw": ("Take the consent back", "Onayı geri al"),
    "note": ("Note", "Not"),
    "reason": ("Reason", "Neden"),
    "passphrase": ("Passphrase", "Parola"),
    "undo": ("Undo", "Geri al"),
    "done": ("Done", "Yapıldı"),
    "keys": (
        "Keys: j next · k previous · p promote · r refuse · q quarantine · u undo",
        "Tuşlar: j sonraki · k önceki · p kalıcı yap · r reddet · q karantina · u geri al",
    ),
    "next": ("Next", "Sonraki"),
    "previous": ("Previous", "Önceki"),
    "read_only": ("This page only shows: it was not started by a person at a terminal of their own.", "Bu sayfa yalnız gösterir: onu kendi uçbirimindeki bir insan başlatmadı."),
    "not_done": ("It was not done", "Yapılmadı"),
    "you_wrote": ("You wrote", "Yazdığın"),
    "entered": ("You are in.", "İçeridesin."),
    "go_on": ("Go on to the page", "Sayfaya geç"),
    "dead_link": ("This link does not open the page.", "Bu bağlantı sayfayı açmaz."),
    "dead_hint": (
        "A link opens it once, in one browser. Run `bellek web` again for a new one.",
        "Bir bağlantı onu bir kez, tek tarayıcıda açar. Yenisi için `bellek web` komutunu yeniden çalıştır.",
    ),
    "no_page": ("There is no such page", "Böyle bir sayfa yok"),
    "by_kind": ("kind", "tür"),
    "T1": ("unverified", "doğrulanmamış"),
    "T2": ("permanent", "kalıcı"),
    "-": ("evidence", "kanıt"),
    "revision": ("revision", "sürüm"),
}  # fmt: skip


def speaker(language: str) -> Callable[[str], str]:
    """Key → the page's word in a language; an unknown key is a fault of ours."""
    place = LANGUAGES.index(language)
    return lambda key: WORDS[key][place]


def chosen(cookie: str, accepted: str) -> str:
    """The language: what was chosen, else the first of the browser's that we speak, else English."""
    if cookie in LANGUAGES:
        return cookie
    wanted = [part.split(";")[0].strip().lower().split("-")[0] for part in accepted.split(",")]
    return next((one for one in wanted if one in LANGUAGES), "en")
