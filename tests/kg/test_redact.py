"""What is taken out of text before it is kept, and what stays because it is evidence."""

import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bellek.kg.redact import redact, redact_json_value, secrets_in

BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
LETTERS = "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj9kLm2nOp5q"  # nobody's key: every third character is a digit
HEX = "0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0c1d2e3f4a5b6c7d8e9f0a1b"


@pytest.mark.parametrize(
    "key",
    [
        f"{BEGIN}\nFAKE\n{END}",
        f"{BEGIN}\\nFAKE\\n{END}",
        f"{BEGIN}\\\\nFAKE\\\\n{END}",
        f"{BEGIN}FAKE{END}",
        f"{BEGIN} FAKE {END}",
        f"{BEGIN}\nFAKE\n{BEGIN}\nFAKE\n{END}",
        f"{BEGIN}\nFAKE\n{BEGIN.replace('RSA', 'EC')}\nFAKE\n{END}",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nFAKE\n-----END PGP PRIVATE KEY BLOCK-----",
    ],
)
def test_private_keys_in_all_forms(key):
    """B114: a private key is masked with real, escaped or no line ends and with a decoy BEGIN inside."""
    assert redact(f"önce {key} sonra") == "önce [redacted:private-key] sonra"


def test_private_keys_cut_before_their_end():
    """B114: a key cut before END is masked up to the first blank line that no key material follows."""
    assert redact(f"önce {BEGIN}\nFAKE\nFAK") == "önce [redacted:private-key]"
    assert redact(f"{BEGIN}\\nFAKE") == "[redacted:private-key]"
    headed = f"{BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: X\n\n{'FAKE' * 16}\nFAKE\n\nsonra söz"
    assert redact(headed) == "[redacted:private-key]\n\nsonra söz"
    far = f"{BEGIN}\nFAKE\n\nsöz\n{'uzun söz ' * 4000}\n{BEGIN}\nFAKE\n{END}"
    assert redact(far).count("[redacted:private-key]") == 2
    assert "uzun söz uzun" in redact(far)


def test_public_keys_stay():
    """A public key or certificate is not a secret."""
    text = "-----BEGIN PUBLIC KEY-----\nFAKE\n-----END PUBLIC KEY-----\n-----BEGIN CERTIFICATE-----"
    assert redact(text) == text


def test_json_is_redacted_after_decoding():
    """B116: a secret spelt with escapes is found in decoded JSON, and in raw text that still holds the escapes."""
    raw = '{"text": "değer \\u0073k-FAKE0123456789abcdef bitti", "n": [1, null, true]}'
    clean = {"text": "değer [redacted:openai-key] bitti", "n": [1, None, True]}
    assert redact_json_value(json.loads(raw)) == clean
    assert json.loads(redact(raw)) == clean
    assert redact("satır \\u00e7\\u0061y") == "satır \\u00e7\\u0061y"


def test_json_fields_named_secret_go_whole():
    """In parsed JSON a string under a key that says secret is masked whatever it looks like, at any depth."""
    value = {"clientSecret": "x y", "db": [{"şifre": "abc", "token_count": "many", "password": "${DB}"}], "token": 7}
    assert redact_json_value(value) == {
        "clientSecret": "[redacted:secret]",
        "db": [{"şifre": "[redacted:secret]", "token_count": "many", "password": "${DB}"}],
        "token": 7,
    }
    deep: object = "sk-FAKE0123456789abcdef"
    for _ in range(5000):
        deep = [deep]
    found = redact_json_value(deep)
    while isinstance(found, list):
        found = found[0]
    assert found == "[redacted:openai-key]"


def test_the_value_given_is_not_changed():
    """Redacting parsed JSON answers a new value and leaves the given one as it was."""
    value = {"a": ["parola=gizli9", {"token": "x1"}]}
    before = json.dumps(value)
    redact_json_value(value)
    assert json.dumps(value) == before


def test_aws_ids_by_shape():
    """B117: an AWS access key id is masked by its shape, in the way it is exported and in any sentence."""
    assert redact("export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE") == "export AWS_ACCESS_KEY_ID=[redacted:aws-key]"
    assert redact("id (ASIAIOSFODNN7EXAMPLE) bu") == "id ([redacted:aws-key]) bu"
    pair = "AKIAIOSFODNN7EXAMPLE,wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    assert redact(pair) == "[redacted:aws-key],[redacted:aws-secret]"


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "id 0b1f6a3e-9c2d-4e57-8a11-2f3c4d5e6f70",
        "sha512-Uo3pAb3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj==",
        "trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "token 3f786850e387550fdab836ed7e6dc881de23001b'de değil",
        "com.example.project.very_long_identifier_name_2026_v17",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    ],
)
def test_evidence_stays(text):
    """B118: UUIDs, commit hashes, trace ids, checksums and long identifiers are kept."""
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ('x-api-key: "s3cretvalue"', 'x-api-key: "[redacted:key]"'),
        ("apiKey=gizlideger", "apiKey=[redacted:key]"),
        ("API-KEY s3cretvalue", "API-KEY [redacted:key]"),
        ("api key: s3cretvalue ve", "api key: [redacted:key] ve"),
        ("API.KEY := 's3cret'", "API.KEY := '[redacted:key]'"),
        ("şifre: Gizli!2026", "şifre: [redacted:password]"),
        ("ŞİFRE: Gizli!2026", "ŞİFRE: [redacted:password]"),
        ("SIFRE=gizli", "SIFRE=[redacted:password]"),
        ("şifrem: gizli\nsonra", "şifrem: [redacted:password]\nsonra"),
        ("API anahtarı: abc123", "API anahtarı: [redacted:key]"),
        ("anahtar=gizli", "anahtar=[redacted:key]"),
        ("Parolanız Gizli!2026x olsun", "Parolanız [redacted:password] olsun"),
        ("parola=gizli", "parola=[redacted:password]"),
        ("**Parola:** `gizli`", "**Parola:** `[redacted:password]`"),
        (
            '"A=1\\nTOKEN=fakefake1234\\nPASSWORD=fakefake5678"',
            '"A=1\\nTOKEN=[redacted:token]\\nPASSWORD=[redacted:password]"',
        ),
        ("A=1\nTOKEN=fakefake1234\nB=2", "A=1\nTOKEN=[redacted:token]\nB=2"),
        ("export DB_PASSWORD='a b;c' # d", "export DB_PASSWORD='[redacted:password]' # d"),
        ("SECRET_KEY=a,b&c;d", "SECRET_KEY=[redacted:secret]"),
        ("?access_token=abc1&page=2", "?access_token=[redacted:token]&page=2"),
        ('{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"[redacted:password]\\"}'),
        ('{"password": "a\\"b", "n": 1}', '{"password": "[redacted:password]", "n": 1}'),
        ("<password>hunter</password>", "<password>[redacted:password]</password>"),
        ("tool --token hunter --x", "tool --token [redacted:token] --x"),
        ("SMTP_PASS=x1", "SMTP_PASS=[redacted:password]"),
        ("connect(password=hunter2)", "connect(password=[redacted:password])"),
        ("пароль: секрет1", "пароль: [redacted:password]"),
        ("密码：abc123", "密码：[redacted:password]"),
    ],
)
def test_names_that_say_secret(text, clean):
    """B120: in every spelling, in Turkish and in escaped .env lines, the value behind such a name is masked, and only it."""
    assert redact(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "api_key = $OPENAI_API_KEY\nsonraki satır kalmalı",
        "token = local.github_token_name",
        "password=${DB_PASSWORD} token=$(cat x) secret=%SECRET% key",
        "password: {{ vault.db }}\napi_key=<your-key>\ntoken=***",
        'api_key = os.environ["KEY"]; token = get_token(); secret = settings.SECRET',
        "password: str\ntoken: Optional[str] = None\nsecret: string",
        "def f(token=token, api_key=api_key): ...",
        "if password == other:",
        "max_tokens=4096, token_count: 12, tokens: 900, api keys: 3",
        "PWD=/home/u/x",
        "şifreleme: AES256\nanahtar kelime: çanta\nşifre: zorunlu",
        "password:\nsonraki satır",
        "The token budget is 5000; secret santa; password is required.",
        "token: `bellek queue take` yaz",
        "Bearer tokens expire. compass=3 bypass=1 keyboard: q",
        "postgres://u:$PASS@h/db http://localhost:8080/a@b git@github.com:a/b.git",
        "sk-learn-based-classification-model task-1234567890abcdefghij",
    ],
)
def test_references_and_prose_stay(text):
    """B121: variables, calls, types, counts and prose are untouched, and no match runs over the end of a line."""
    assert redact(text) == text


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        (f"sk-proj-{LETTERS}", "openai-key"),
        (f"sk-ant-api03-{LETTERS}", "anthropic-key"),
        (f"ghp_{LETTERS[:36]}", "github-token"),
        (f"github_pat_{LETTERS[:22]}_{LETTERS}", "github-token"),
        (f"glpat-{LETTERS[:20]}", "gitlab-token"),
        (f"xoxb-123456789012-{LETTERS[:24]}", "slack-token"),
        (f"AIza{LETTERS[:35]}", "google-key"),
        (f"sk_live_{LETTERS[:24]}", "stripe-key"),
        (f"npm_{LETTERS[:36]}", "npm-token"),
        (f"pypi-AgEIcHlwaS5vcmc{LETTERS}", "pypi-token"),
        (f"hf_{LETTERS[:34]}", "hf-token"),
        (f"SG.{LETTERS[:22]}.{LETTERS[:43]}", "sendgrid-key"),
        (f"SK{HEX[:32]}", "twilio-key"),
        (f"dop_v1_{HEX}", "digitalocean-token"),
        (f"1234567890:AA{LETTERS[:33]}", "telegram-token"),
        (f"eyJhbGciOiJI.eyJzdWIiOiIx.{LETTERS}", "jwt"),
        (f"hooks.slack.com/services/T0/B0/{LETTERS[:24]}", "slack-webhook"),
    ],
)
@pytest.mark.parametrize("around", ["{}", "bak: ({}).", '{{"a": "x\\n{}\\ny"}}', "'{}'"])
def test_provider_keys(secret, kind, around):
    """R54: each provider's key is masked under its kind alone, in brackets and behind an escaped line end too."""
    assert redact(around.format(secret)) == around.format(f"[redacted:{kind}]")


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer [redacted:bearer]"),
        ("-H 'authorization: Basic dXNlcjpwYXNz1'", "-H 'authorization: Basic [redacted:bearer]'"),
        ("Authorization: abcdef123", "Authorization: [redacted:secret]"),
        ("\\nbearer abcdef123456\\n", "\\nbearer [redacted:bearer]\\n"),
        ("Set-Cookie: sid=abcdef123456; Path=/", "Set-Cookie: [redacted:cookie]"),
        ("postgres://u:p@ss@h/db", "postgres://u:[redacted:url-password]@h/db"),
        ("redis://:gizli@h", "redis://:[redacted:url-password]@h"),
        ("curl -u admin:gizli https://h", "curl -u admin:[redacted:password] https://h"),
    ],
)
def test_headers_and_addresses(text, clean):
    """R54: authorization headers, cookies and passwords in addresses are masked, the rest of the line stays."""
    assert redact(text) == clean


@pytest.mark.parametrize(
    "piece",
    [
        "sk-", "eyJ", "-eyJ", "eyJaaaaaaaaaa.", "token=", "token ", "token=$", "token='", 'token="a ', "token=\\", "a",
        "://a:", BEGIN, BEGIN + "\n\n", "AKIA", "\\u0073", "Authorization: Bearer ", "api_", "SG.aaaaaaaaaaaaaaaaaa",
        "1234567890", "[redacted:token]", "<password>", "token,a", "password: ", "token)", "xxx", " \t", "cookie: a=",
        "token==", "pwd=/", "token=get(", "token=[redacted:token]", "token='$", "token-", "token: a", "+9", "0532 ", "4111 ", "4111-1111-", "TR33 ", "TR33AAAA", '{"password": [', '"a": {', '"name": "token", "value": ',
        "machine h login u ", "1 ", "12", "$2b$", "name: token\n  value: ", "MTaa.", "- ", "'", '"',
    ],
)  # fmt: skip
def test_adversarial_text_is_linear(piece):
    """B114: 300,000 characters of any unfinished secret finish in a plain test run and do not grow out of proportion."""
    text = piece * (300_000 // len(piece))
    assert unlabelled(redact(text)) <= len(text)


@pytest.mark.parametrize(
    "around",
    [
        "curl -u {}",
        "mysql -p{}",
        "db:5432:a:b:{}",
        "{}:5432:a:b:c1",
        "x-api-key: {}",
        "machine h login u password {}",
        '{{"name": "{}", "value": "{}"}}',
    ],
)
def test_a_label_is_left_alone_by_every_form(around):
    """A label that stands where a form expects a secret, or a name and a secret, is not redacted again."""
    text = around.format("[redacted:token]", "[redacted:token]")
    once = redact(text)
    assert redact(once) == once
    assert "[redacted:token]" in once


def test_a_secret_is_named_by_the_first_rule():
    """Where a name and a shape meet, the shape names the secret and one label stands for both."""
    assert redact("OPENAI_API_KEY=sk-FAKE0123456789abcdef") == "OPENAI_API_KEY=[redacted:openai-key]"
    assert secrets_in("token=ab1") == [(6, 9, "token")]


def test_text_without_a_secret_is_the_same_object():
    """Text without a secret comes back as the very object that was given."""
    text = "Ayşe uv istiyor çünkü pip kilit tutmaz. \ud800\0"
    assert redact(text) is text


def test_importing_compiles_nothing():
    """Importing the room compiles no pattern: a process that never redacts does not pay for the rules."""
    code = (
        "import re; seen = []; real = re.compile; re.compile = lambda *a: seen.append(a) or real(*a)\n"
        "import bellek.kg.redact as room; assert not seen, seen\n"
        "room.redact('Ayşe uv istiyor.'); assert not seen, seen\n"
        "room.redact('AKIAIOSFODNN7EXAMPLE'); assert seen\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


LABEL = re.compile(r"\[redacted:[a-z0-9-]{1,24}\]")
LONGEST_LABEL = 32


def unlabelled(text):
    """How many characters of a text are no label: what redaction may lessen and never add to."""
    return len(LABEL.sub("", text))


PIECES = [
    "sk-", "AKIAIOSFODNN7EXAMPLE", "password", "TOKEN", "api_key", "şifre", "İ", "=", ": ", "==", '"', "'", "`", "\\n",
    "\n", "\\", "$", "[redacted:token]", "[redacted:", "]", "://", "@", ":", "u", "Bearer ", "eyJabcdefgh1.abcd", BEGIN,
    END, "\\u0073", "FAKE0123456789abcdef", "<", "</", ">", " ", ",", ";", "&", "a1", "(", "x", "*", "key", "pass",
    "cookie: ", "authorization", "hunter2", "curl -u ", "\ud800", "\0", "4111111111111111", "TR330006100519786457841326", "10000000146",
    "0532 123 45 67", "+90", "5", '"name"', '"value"', "{", "}", "[", "machine h login u password ", "$2b$10$", "0",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=25).map("".join))
def test_redaction_is_idempotent(text):
    """Redacting twice gives what redacting once gave, whatever stood in the text."""
    once = redact(text)
    assert redact(once) == once
    assert unlabelled(once) <= unlabelled(text)
    assert len(once) <= len(text) + LONGEST_LABEL * len(LABEL.findall(once))


@given(st.text(alphabet="abcçdeğ ıİşü.,;:=\"'()[]{}<>-_/\\\n$0123456789", max_size=200))
def test_text_without_secret_words_is_unchanged(text):
    """Text that neither names a secret nor holds a provider's prefix is unchanged."""
    assert redact(text) == text


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v), max_leaves=8
    )
)
def test_json_without_secrets_is_equal(value):
    """Parsed JSON without a secret comes back equal."""
    assert redact_json_value(value) == value
