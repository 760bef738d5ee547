"""The benchmark scripts run as processes on small files of the public form and print the agreed JSON."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

BENCH = Path(__file__).parents[2] / "scripts" / "bench"


def run(script: str, path: Path) -> Any:
    """The JSON that a script prints for a file."""
    command = [sys.executable, str(BENCH / script), str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_locomo_form_and_counting(tmp_path: Path) -> None:
    """Adversarial questions stay outside overall, glued evidence is split, and unknown evidence leaves a question out."""
    said = ["I planted hydrangeas", "Where?", "Behind the shed", "My brother fixed the boiler"]
    conversation = {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada" if at % 2 == 0 else "Can", "dia_id": f"D1:{at + 1}", "text": text}
            for at, text in enumerate(said)
        ],
    }
    asked = [
        ("What did Ada plant?", ["D1:1; D1:3"], 1),
        ("Who fixed the boiler?", ["D1:4"], 4),
        ("Who fixed the roof?", ["D9:9"], 4),
        ("What did Can plant?", ["D1:1"], 5),
    ]
    sample = {
        "conversation": conversation,
        "qa": [{"question": q, "evidence": e, "category": c} for q, e, c in asked],
    }
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([sample]), "utf-8")
    figures = run("locomo.py", path)
    assert figures.pop("conditions")["file"] == "locomo.json"
    assert list(figures) == ["overall", "by_category", "query_ms", "embedder"]
    columns = ["turn_r@5", "turn_r@10", "turn_r@20", "session_r@5", "session_r@10", "mrr", "n"]
    assert list(figures["overall"]) == columns
    assert figures["overall"] == {**dict.fromkeys(columns, 1.0), "n": 2}
    assert {name: row["n"] for name, row in figures["by_category"].items()} == {
        "multi-hop": 1,
        "single-hop": 1,
        "adversarial": 1,
    }
    assert list(figures["query_ms"]) == ["p50", "p95"]


def test_xquad_form(tmp_path: Path) -> None:
    """Each question is put to all paragraphs of the file."""
    texts = ["Ankara'nın nüfusu beş milyondur.", "Van Gölü Türkiye'nin doğusundadır."]
    questions = [["Ankara'da kaç milyon kişi yaşar?"], ["Van Gölü nerede?", "Ankara nerede?"]]
    paragraphs = [
        {"context": text, "qas": [{"question": question} for question in asked]}
        for text, asked in zip(texts, questions, strict=True)
    ]
    path = tmp_path / "xquad.json"
    path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}), "utf-8")
    figures = run("xquad.py", path)
    assert figures.pop("conditions")["file"] == "xquad.json"
    assert figures == {"overall": {"r@1": 0.6667, "r@5": 0.6667, "n": 3}}


def test_hook_form(tmp_path: Path) -> None:
    """On a small store every case of the hook is started, answers, and is compared with a bare start."""
    command = [
        sys.executable,
        str(BENCH / "hook.py"),
        "--messages",
        "200",
        "--memories",
        "40",
        "--rounds",
        "1",
        "--json",
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={"PATH": "", "TMPDIR": str(tmp_path)}
    )
    result = json.loads(done.stdout)
    assert list(result["cases"]) == ["start", "prompt", "recall_6", "recall_25"]
    assert result["conditions"]["messages"] == 200
    for figures in result["cases"].values():
        assert list(figures)[:7] == ["ratio", "cpu_ratio", "ms", "bare_ms", "peak_mb", "output_bytes", "n"]
        assert figures["ratio"] > 0
        assert figures["output_bytes"] > 100


def test_hearing_form_and_share(tmp_path: Path) -> None:
    """The made transcript has the recorded share of speech, and what was heard of it is stored."""
    command = [sys.executable, str(BENCH / "hearing.py"), "--mb", "2", "--rounds", "1", "--json"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={"PATH": "", "TMPDIR": str(tmp_path)}
    )
    result = json.loads(done.stdout)
    assert 0.009 < result["transcript"]["share_of_text"] < 0.014
    assert result["transcript"]["messages"] > 30
    assert result["mb_per_s"] > 0
    assert set(result["peak_mb"]) == {"whole", "quarter"}


def test_scale_form() -> None:
    """A small store of each kind is made and searched, and its cost is told."""
    done = subprocess.run(
        [sys.executable, str(BENCH / "scale.py"), "400", "--rounds", "1", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    result = json.loads(done.stdout)
    assert [result[share]["bytes"]["asked"] for share in ("all", "tenth")] == [400, 40]
    for share in ("all", "tenth"):
        assert result[share]["bytes"]["index"] > result[share]["bytes"]["text"] > 0
        assert result[share]["lexical"]["6"]["ms"]["p50"] > 0
    assert result["peak_mb"] > 10


def test_the_graph_arm_is_worth_its_place() -> None:
    """The committed figures of typed recall are what the script measures now; two hops add a tenth at R@10 and take nothing from direct questions."""
    found = run("typed.py", Path(__file__).parents[1] / "fixtures" / "typed")
    kept = json.loads((BENCH / "results" / "typed.json").read_text("utf-8"))
    assert (found["arms"], found["conditions"]["data"]) == (kept["arms"], kept["conditions"]["data"])
    words, hops = found["arms"]["words"], found["arms"]["words + two hops"]
    assert hops["overall"]["r@10"] >= words["overall"]["r@10"] + 0.1
    for kind in ("direct", "paraphrase", "alias"):
        assert hops["by_kind"][kind]["r@5"] == words["by_kind"][kind]["r@5"]
