"""Our rules beside a well-known scanner's, on one corpus: on no kind do they find less, and they leave evidence alone."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from bellek.kg.redact import redact

CORPUS = json.loads((Path(__file__).parents[1] / "fixtures" / "secrets" / "corpus.json").read_text("utf-8"))
SECRET = [row for row in CORPUS if row["secret"]]
EVIDENCE = [row for row in CORPUS if not row["secret"]]


def share(rows, found):
    """Kind → the share of its rows of which something holds."""
    by_kind = defaultdict(list)
    for row in rows:
        by_kind[row["kind"]].append(bool(found(row)))
    return {kind: sum(hits) / len(hits) for kind, hits in sorted(by_kind.items())}


def taken(row):
    """Whether our redaction takes the whole secret out."""
    return row["secret"] not in redact(row["text"])


def test_every_made_secret_is_taken_out():
    """R54: of every kind in the corpus, in every sentence it stands in, nothing of the secret stays."""
    assert [(row["kind"], row["text"]) for row in SECRET if not taken(row)] == []


def test_no_evidence_is_touched():
    """B118, B121: hashes, ids, references, names and numbers of the corpus stay as they are."""
    assert [row["text"] for row in EVIDENCE if redact(row["text"]) != row["text"]] == []


@pytest.fixture
def theirs():
    """Whether detect-secrets, with its default plugins, flags a text at all."""
    scan = pytest.importorskip("detect_secrets.core.scan", reason="detect-secrets is in the dev extra")
    from detect_secrets.settings import default_settings

    def flags(row):
        with default_settings():
            return any(True for line in row["text"].split("\n") for _ in scan.scan_line(line))

    return flags


def test_on_no_kind_do_we_find_less(theirs, capsys):
    """Our recall is at least detect-secrets' on each kind; both are printed, and so is what each takes of the evidence."""
    ours_found, theirs_found = share(SECRET, taken), share(SECRET, theirs)
    ours_wrong, theirs_wrong = share(EVIDENCE, lambda row: redact(row["text"]) != row["text"]), share(EVIDENCE, theirs)
    with capsys.disabled():
        print("\nrecall by kind           ours  detect-secrets")
        for kind, found in ours_found.items():
            print(f"{kind:24} {found:5.2f} {theirs_found[kind]:5.2f}")
        for kind, wrong in ours_wrong.items():
            print(f"{kind:24} {wrong:5.2f} {theirs_wrong[kind]:5.2f}  (evidence: less is better)")
    assert {kind: found for kind, found in ours_found.items() if found < theirs_found[kind]} == {}
    assert sum(ours_wrong.values()) <= sum(theirs_wrong.values())
