"""What a claim may say, and how often at once: a closed vocabulary with a cardinality each. Data.

"one": a newer claim of equal or higher trust supersedes the older. "many": all live side by side. "state" and
"describes" are the general forms for what has no predicate of its own.
"""

from typing import Literal

Cardinality = Literal["one", "many"]

ONE = (
    "name", "born_on", "lives_in", "works_at", "role", "age", "email", "phone", "timezone", "native_language", "married_to",
    "preferred_language", "preferred_name", "deadline", "version", "status", "owner", "located_at", "port", "branch", "license",
    "runs_on", "package_manager", "test_command", "build_command", "database", "framework", "editor", "operating_system",
    "decided", "budget", "goal", "state",
)  # fmt: skip
MANY = (
    "likes", "dislikes", "prefers", "avoids", "uses", "knows", "speaks", "has_child", "has_sibling", "has_parent", "has_pet",
    "friend_of", "colleague_of", "works_on", "member_of", "allergic_to", "has_condition", "takes_medication", "owns", "visited",
    "interested_in", "requires", "forbids", "must", "must_not", "depends_on", "contains", "related_to", "fixed_by", "caused_by",
    "describes",
)  # fmt: skip

CARDINALITY: dict[str, Cardinality] = {**dict.fromkeys(ONE, "one"), **dict.fromkeys(MANY, "many")}

# Other spellings of the same predicate, in folded snake case; Turkish ones are how profile-facts name their fields.
SYNONYMS = {
    "is_called": "name", "ad": "name", "adi": "name", "isim": "name", "birthday": "born_on", "born": "born_on", "dogum_tarihi": "born_on",
    "dogum_gunu": "born_on", "lives": "lives_in", "yasadigi_sehir": "lives_in", "sehir": "lives_in", "city": "lives_in", "yasiyor": "lives_in",
    "works_for": "works_at", "employer": "works_at", "is_yeri": "works_at", "calistigi_yer": "works_at", "job": "role", "title": "role", "rol": "role",
    "meslek": "role", "gorev": "role", "yas": "age", "e_posta": "email", "eposta": "email", "telefon": "phone", "saat_dilimi": "timezone",
    "ana_dil": "native_language", "dil": "preferred_language", "language": "preferred_language", "es": "married_to", "esi": "married_to", "spouse": "married_to",
    "son_tarih": "deadline", "surum": "version", "durum": "status", "sahip": "owner", "sahibi": "owner", "lisans": "license", "dal": "branch",
    "veritabani": "database", "editor_of_choice": "editor", "sevdigi_editor": "editor", "favourite_editor": "editor", "favorite_editor": "editor",
    "isletim_sistemi": "operating_system", "os": "operating_system", "karar": "decided", "butce": "budget", "hedef": "goal", "state_note": "state",
    "sever": "likes", "seviyor": "likes", "sevdigi": "likes", "sevmez": "dislikes", "sevmiyor": "dislikes", "tercih": "prefers", "tercih_eder": "prefers",
    "kacinir": "avoids", "kullanir": "uses", "kullaniyor": "uses", "bilir": "knows", "konusur": "speaks", "cocugu": "has_child", "cocuk": "has_child",
    "child": "has_child", "kardesi": "has_sibling", "kardes": "has_sibling", "sibling": "has_sibling", "annesi": "has_parent", "babasi": "has_parent",
    "parent": "has_parent", "evcil_hayvan": "has_pet", "pet": "has_pet", "arkadasi": "friend_of", "friend": "friend_of", "is_arkadasi": "colleague_of",
    "colleague": "colleague_of", "uzerinde_calisiyor": "works_on", "uyesi": "member_of", "alerji": "allergic_to", "alerjisi": "allergic_to", "alerjik": "allergic_to",
    "allergy": "allergic_to", "hastalik": "has_condition", "condition": "has_condition", "ilac": "takes_medication", "medication": "takes_medication",
    "ilgi_alani": "interested_in", "interest": "interested_in", "gerektirir": "requires", "yasak": "forbids", "bagli": "depends_on", "icerir": "contains",
    "iliskili": "related_to",
}  # fmt: skip


def canonical(name: str) -> str | None:
    """The vocabulary's name for a folded snake-case name, or None for one that it does not know."""
    if name in CARDINALITY:
        return name
    return SYNONYMS.get(name)
