"""Secrets that show by their own shape: provider keys, tokens, private keys, passwords in addresses.

Each rule names a literal that its text must hold, so a text without one costs a substring test and its pattern is never
compiled. Two things keep every pattern linear: a length that is not bounded stands last, or the look-behind holds all the
characters of the class, so that no second try can start inside a run. It must never judge by entropy: hashes, UUIDs and
long identifiers are evidence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[int, int, str]  # start and end in characters, label

# Nothing alphanumeric before it; the letter of a JSON escape such as \n does not count.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
# The same where the secret itself may hold "-" and "_", so that a long run of them is tried once.
_WIDE_EDGE = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"
# Kebab words such as sk-learn-based-models have no digit near their start; keys do.
_DIGIT_SOON = r"(?=[A-Za-z_-]{0,64}[0-9])"

# label, the literal that the text must hold, the fewest characters of a match, pattern behind the edge
PREFIXED: tuple[tuple[str, str, int, str], ...] = (
    ("anthropic-key", "sk-ant-", 19, r"sk-ant-[A-Za-z0-9_-]{12,}"),
    ("openrouter-key", "sk-or-", 22, r"sk-or-[A-Za-z0-9_-]{16,}"),
    ("openai-key", "sk-", 19, r"sk-" + _DIGIT_SOON + r"[A-Za-z0-9_-]{16,}"),
    ("aws-key", "AKIA", 20, r"AKIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-key", "ASIA", 20, r"ASIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-key", "ABIA", 20, r"ABIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("github-token", "gh", 20, r"gh[pousr]_[A-Za-z0-9]{16,}"),
    ("github-token", "github_pat_", 27, r"github_pat_[A-Za-z0-9_]{16,}"),
    (
        "gitlab-token",
        "gl",
        21,
        r"gl(?:pat|ptt|dt|rt|cbt|ft|oas|soat|imt|agent)-[A-Za-z0-9_-]{16,}(?:\.[a-z0-9]{2,9}){0,3}",
    ),
    ("slack-token", "xox", 15, r"xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}"),
    ("slack-token", "xapp-", 15, r"xapp-[A-Za-z0-9-]{10,}"),
    ("slack-webhook", "hooks.slack.com", 41, r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{16,}"),
    ("discord-webhook", "/api/webhooks/", 60, r"/api/webhooks/[0-9]{15,22}/[A-Za-z0-9_-]{30,}"),
    ("google-key", "AIza", 34, r"AIza[A-Za-z0-9_-]{30,}"),
    ("google-key", "GOCSPX-", 23, r"GOCSPX-[A-Za-z0-9_-]{16,}"),
    ("google-token", "ya29.", 21, r"ya29\.[A-Za-z0-9_-]{16,}"),
    ("stripe-key", "k_live_", 18, r"[srp]k_live_[A-Za-z0-9]{10,}"),
    ("stripe-key", "k_test_", 18, r"[sr]k_test_[A-Za-z0-9]{10,}"),
    ("stripe-key", "whsec_", 22, r"whsec_[A-Za-z0-9+/=]{16,}"),
    ("npm-token", "npm_", 34, r"npm_[A-Za-z0-9]{30,}"),
    ("pypi-token", "pypi-", 21, r"pypi-" + _DIGIT_SOON + r"[A-Za-z0-9_-]{16,}"),
    ("hf-token", "hf_", 23, r"hf_[A-Za-z0-9]{20,}"),
    ("sendgrid-key", "SG.", 36, r"SG\.[A-Za-z0-9_-]{16,80}\.[A-Za-z0-9_-]{16,}"),
    ("twilio-key", "SK", 34, r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("digitalocean-token", "_v1_", 39, r"do[opr]_v1_[a-f0-9]{32,}"),
    ("telegram-token", ":AA", 41, r"[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}"),
    ("mailgun-key", "key-", 36, r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("shopify-token", "shp", 38, r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    ("atlassian-token", "ATATT3", 36, r"ATATT3[A-Za-z0-9_=-]{30,}"),
    ("linear-key", "lin_api_", 38, r"lin_api_[A-Za-z0-9]{30,}"),
    ("groq-key", "gsk_", 34, r"gsk_[A-Za-z0-9]{30,}"),
    ("xai-key", "xai-", 34, r"xai-[A-Za-z0-9]{30,}"),
    ("perplexity-key", "pplx-", 35, r"pplx-[A-Za-z0-9]{30,}"),
    ("replicate-token", "r8_", 33, r"r8_[A-Za-z0-9]{30,}"),
    ("databricks-token", "dapi", 36, r"dapi[a-f0-9]{32}"),
    ("vault-token", "hv", 24, r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    ("docker-token", "dckr_", 29, r"dckr_[po]at_[A-Za-z0-9_-]{20,}"),
    ("supabase-token", "sbp_", 44, r"sbp_[a-f0-9]{40}"),
    ("figma-token", "figd_", 25, r"figd_[A-Za-z0-9_-]{20,}"),
    ("rubygems-key", "rubygems_", 41, r"rubygems_[a-f0-9]{32,}"),
    ("mailchimp-key", "-us", 36, r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])"),
    ("square-key", "sq0", 29, r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}"),
    ("square-key", "EAAA", 64, r"EAAA[A-Za-z0-9_-]{60}(?![A-Za-z0-9_-])"),
    ("artifactory-key", "AKC", 13, r"AKC[A-Za-z0-9]{10,}(?![A-Za-z0-9])"),
    ("new-relic-key", "NRAK-", 32, r"NRAK-[A-Z0-9]{27}"),
    ("tailscale-key", "tskey-", 22, r"tskey-[A-Za-z0-9-]{16,}"),
    ("fastly-key", "fio-u-", 46, r"fio-u-[A-Za-z0-9_=-]{40,}"),
    ("notion-token", "ntn_", 34, r"ntn_[A-Za-z0-9]{30,}"),
    ("airtable-token", "pat", 82, r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("doppler-token", "dp.", 36, r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{30,}"),
    ("pulumi-token", "pul-", 44, r"pul-[a-f0-9]{40}"),
    ("azure-secret", "8Q~", 37, r"[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,34}"),
    ("age-key", "AGE-SECRET-KEY-1", 56, r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
)
# No shape has a blank in it: the literals are looked for in the long words of a text alone.
SHORTEST = min(shortest for _, _, shortest, _ in PREFIXED)
_DISCORD_SHORTEST = 59
_SIGNS = "_-."  # most literals hold one: words without it need none of them looked for
_SIGN_OF = tuple(next((sign for sign in _SIGNS if sign in literal), "") for _, literal, _, _ in PREFIXED)
# The secret half of an AWS pair has no shape of its own: it is known by standing behind its id.
_AWS_PAIR = r"(?:AKIA|ASIA)[A-Z0-9]{16}[\s,;:|\"']{1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
# A bot's token begins with its id in base64: digits, hence few first letters. The look-behind stands behind the first.
_DISCORD_BEGINS = ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT")
_DISCORD = (
    r"[MNO](?<![A-Za-z0-9_-][MNO])[DTjz][A-Za-z0-9_-]{22,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![A-Za-z0-9_-])"
)
_JWT = _WIDE_EDGE + r"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{4,}){1,4}"
# Word forms of the header; the value must not be prose ("Bearer tokens expire").
_BEARER = r"(?i:bearer|authorization\\?[\"']?[ \t]*[:=][ \t]*\\?[\"']?(?:basic|token|digest|apikey))[ \t]+\\?[\"']?([A-Za-z0-9._~+/=-]{6,})"
_COOKIE = r"(?i:cookie)\\?[\"']?[ \t]{0,4}:[ \t]{0,4}\\?[\"']?([A-Za-z0-9_.-]{1,64}=[^\"'\\\n]{8,})"
_CURL_USER = r"(?:[ \t]-u|--user)[ \t=]{0,4}[\"']?[^\s:\"']{1,64}:([^\s\"']{1,256})"
_IN_URL = r"://[^\s:/@\"'<>\\]{0,256}:([^\s/\"'<>\\]{1,256})@"

_KEY_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
_KEY_END = r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
# An RSA key of 16,384 bits takes 12,800 characters in base64; escaped line ends add a few hundred.
_LARGEST_KEY = 20_000
_BLANK_LINE = r"\n[ \t\r]*\n"
_KEY_LINE = r"[ \t]*[A-Za-z0-9+/=]{16,}[ \t\r]*(?:\n|\Z)"


@cache
def _edged(literal: str, pattern: str) -> str:
    """``pattern`` with nothing alphanumeric before it. Where it begins with its literal the look-behind stands behind that:
    the engine finds a literal many times faster than it looks behind each character.
    """
    begins = re.escape(literal)
    if pattern.startswith("/"):
        return pattern
    if not pattern.startswith(begins):
        return _EDGE + pattern
    return rf"{begins}(?:(?<![A-Za-z0-9]{begins})|(?<=\\[nrt]{begins})){pattern[len(begins) :]}"


def shaped(text: str) -> Iterator[Span]:
    """Where a secret's own shape stands in ``text``; spans may overlap and come rule by rule."""
    if long := [word for word in text.split() if len(word) >= SHORTEST]:
        yield from _in_words(text, " ".join(long), max(map(len, long)))
    if "PRIVATE KEY" in text:
        yield from _private_keys(text)
    if "://" in text and "@" in text:
        yield from ((*m.span(1), "url-password") for m in compiled(_IN_URL).finditer(text))
    if "curl" in text:
        yield from ((*m.span(1), "password") for m in compiled(_CURL_USER).finditer(text))


def _in_words(text: str, long: str, longest: int) -> Iterator[Span]:
    """The shapes without a blank, for a text whose long words are `long`, the longest of so many characters."""
    there = {"", *(sign for sign in _SIGNS if sign in long)}
    for (label, literal, shortest, pattern), sign in zip(PREFIXED, _SIGN_OF, strict=True):
        if shortest <= longest and sign in there and literal in long:
            yield from ((m.start(), m.end(), label) for m in compiled(_edged(literal, pattern)).finditer(text))
    if longest >= _DISCORD_SHORTEST and long.count(".") > 1 and any(begin in long for begin in _DISCORD_BEGINS):
        yield from ((m.start(), m.end(), "discord-token") for m in compiled(_DISCORD).finditer(text))
    if "AKIA" in long or "ASIA" in long:
        yield from ((*m.span(1), "aws-secret") for m in compiled(_AWS_PAIR).finditer(text))
    if "eyJ" in long:
        yield from ((m.start(), m.end(), "jwt") for m in compiled(_JWT).finditer(text))


def headers(text: str, folded: str) -> Iterator[Span]:
    """Cookies and the values of authorization headers in ``text``; ``folded`` is the same in lower case.

    What stands behind "bearer" must hold a digit or be too long for a word: "Bearer tokens expire" is prose.
    """
    if "cookie" in folded:
        yield from ((*m.span(1), "cookie") for m in compiled(_COOKIE).finditer(text))
    if "bearer" not in folded and "authorization" not in folded:
        return
    for m in compiled(_BEARER).finditer(text):
        if len(m[1]) >= 32 or any(character.isdigit() for character in m[1]):
            yield (*m.span(1), "bearer")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """``pattern``, compiled when it is first asked for: most texts never need most rules."""
    return re.compile(pattern)


def _private_keys(text: str) -> Iterator[Span]:
    """PEM and PGP blocks up to the END they belong to; a BEGIN inside one is part of it, one without END is cut."""
    ends = [m.end() for m in compiled(_KEY_END).finditer(text)]
    shown = 0
    for begin in compiled(_KEY_BEGIN).finditer(text):
        if begin.start() < shown:
            continue
        following = bisect_left(ends, begin.end())
        if following < len(ends) and ends[following] - begin.start() <= _LARGEST_KEY:
            shown = ends[following]
        else:
            shown = _cut_key_end(text, begin.end())
        yield begin.start(), shown, "private-key"


def _cut_key_end(text: str, start: int) -> int:
    """Where a key without END stops: at the first blank line that no line of key material follows, or at its size."""
    limit = min(len(text), start + _LARGEST_KEY)
    for blank in compiled(_BLANK_LINE).finditer(text, start, limit):
        if not compiled(_KEY_LINE).match(text, blank.end()):
            return blank.start()
    return limit
