"""Numbers of a person and structures that say secret: what is taken out, and what is nobody's."""

import pytest

from bellek.kg.redact import redact


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("kart 4111 1111 1111 1111 ile", "kart [redacted:card] ile"),
        ("kart:4111111111111111.", "kart:[redacted:card]."),
        ("5555-5555-5555-4444", "[redacted:card]"),
        ("3782 822463 10005", "[redacted:card]"),
        ('{"card": 4111111111111111}', '{"card": [redacted:card]}'),
        ("TR33 0006 1005 1978 6457 8413 26 hesabına", "[redacted:iban] hesabına"),
        ("iban=tr330006100519786457841326", "iban=[redacted:iban]"),
        ("GB29NWBK60161331926819, DE89 3704 0044 0532 0130 00 BIC X", "[redacted:iban], [redacted:iban] BIC X"),
        ("TC kimlik 10000000146", "TC kimlik [redacted:national-id]"),
        ("tckn=10000000146\\nad=A", "tckn=[redacted:national-id]\\nad=A"),
        ("beni 0532 123 45 67'den ara", "beni [redacted:phone]'den ara"),
        ("+90 532 123 45 67 / 0(212) 555 44 33", "[redacted:phone] / [redacted:phone]"),
        ("05321234567", "[redacted:phone]"),
        ("(532) 123 45 67", "[redacted:phone]"),
        ("+1 (415) 555-2671, +44 20 7946 0958", "[redacted:phone], [redacted:phone]"),
        ("call 415-555-2671 now", "call [redacted:phone] now"),
        ("https://wa.me/905321234567", "https://wa.me/[redacted:phone]"),
    ],
)
def test_numbers_of_a_person(text, clean):
    """R54: cards (Luhn), IBANs (mod 97), Turkish identity numbers (check digits) and phone numbers are masked, and only they."""
    assert redact(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111112 5555-5555-5555-4445",
        "TR33 0006 1005 1978 6457 8413 27",
        "10000000147 12345678901",
        "id 12345678-1234-5678-1234-567812345678",
        "at 1700000000000, 1700000000, 2026-11-30T09:00:01.000+0300 and 2026-11-30 09:00:01",
        "+1700000000\n+1700000000000\n-05321234567",
        "v1.2.3.4.5.6 10.0.0.1:8080 192.168.100.200 3.14159265358979323",
        "rows 100 200 300 400, 512 256 128 64, 500 300 20 10 5, 1,234,567,890",
        "978-3-16-148410-0 10.1038/s41586-020-2649-2 9007199254740993",
        "0000000000000000 1111111111111111 id_4111111111111111 4111111111111111abcdef 0.4111111111111111",
        "snowflake 1234567890123456789, ean 4006381333931, epoch 1796000000000",
    ],
)
def test_numbers_that_are_nobodys_stay(text):
    """B118: wrong check digits, times, versions, addresses, ids, checksums and rows of numbers are kept."""
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ('{"passwords": ["a1", "b2"], "n": 1}', '{"passwords": ["[redacted:secret]", "[redacted:secret]"], "n": 1}'),
        ('ran {"secret": {"data": {"user": "x y"}}} ok', 'ran {"secret": {"data": {"user": "[redacted:secret]"}}} ok'),
        ('{"name": "DB_PASSWORD", "value": "a b"}', '{"name": "DB_PASSWORD", "value": "[redacted:secret]"}'),
        ('[{"value": "gizli söz", "key": "şifre"}]', '[{"value": "[redacted:secret]", "key": "şifre"}]'),
        (
            '{"headers": [{"name": "X-Api-Key", "value": "zz top"}',
            '{"headers": [{"name": "X-Api-Key", "value": "[redacted:secret]"}',
        ),
        (
            "env:\n  - name: DB_PASSWORD\n    value: a.b c\n",
            "env:\n  - name: DB_PASSWORD\n    value: [redacted:secret]\n",
        ),
        ("machine h login u password p1", "machine h login u password [redacted:password]"),
        ("mysql -u root -phunter2 db", "mysql -u root -p[redacted:password] db"),
        ("sshpass -p gizli ssh h", "sshpass -p [redacted:password] ssh h"),
        ("db.example:5432:app:u:gizli", "db.example:5432:app:u:[redacted:password]"),
        ("AccountKey=" + "Ab3d" * 20 + "==;EndpointSuffix=x", "AccountKey=[redacted:azure-key];EndpointSuffix=x"),
        ("u:$2b$10$abcdefghijklmnopqrstuv", "u:$2b$[redacted:password-hash]"),
    ],
)
def test_structures_that_say_secret(text, clean):
    """R54: in JSON, YAML, password files and options of commands, the structure tells the value; keys and the rest stay."""
    assert redact(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "DB_PASSWORD", "value": "${DB_PASSWORD}"}',
        '{"tokens": [], "token_usage": {"input": 12, "output": 3}}',
        '{"name": "colour", "value": "red"}',
        '{"required": ["password", "token"], "type": "object"}',
        "- name: DB_PASSWORD\n  valueFrom: secretKeyRef",
        "mysql -p -u root",
        "costs $5 and $6$",
    ],
)
def test_structures_without_a_secret_stay(text):
    """B121: references, empty values, schemas and other names in the same structures are kept."""
    assert redact(text) == text
