"""A scripted curator over HTTP: it reads the items of a prompt and answers each as the labelled set says a model would."""

import json
from pathlib import Path

SET = Path(__file__).parents[1] / "fixtures/labelled/curated.jsonl"


def labelled():
    """The labelled items: payload, the line typed before it (or none), answers, expected rows."""
    return [json.loads(line) for line in SET.read_text(encoding="utf-8").split("\n") if line]


def items_of(body):
    """The items of a request's prompt."""
    prompt = body["messages"][0]["content"]
    return json.loads(prompt[prompt.rindex("\n[") + 1 :])


def evidence(item, on):
    """The id of the message that a verdict cites: the person's line nearest before the mark, or the marked message."""
    ids = [line["id"] for line in item["lines"]]
    before = item["lines"][: ids.index(item["message"])]
    return [next(line["id"] for line in reversed(before) if line["typed"]) if on == "said" else item["message"]]


class Curator:
    """Answers by payload, in the forms that models use in turn: plain, fenced, with prose around it."""

    def __init__(self, entries):
        self.entries = {entry["payload"]: entry for entry in entries}
        self.calls = 0

    def __call__(self, body):
        """One answer for all items of a prompt, with its tokens."""
        self.calls += 1
        verdicts = [verdict for item in items_of(body) for verdict in self.verdicts(item)]
        text = json.dumps({"verdicts": verdicts}, ensure_ascii=False)
        forms = (text, f"```json\n{text}\n```", f"Öğelere {{baktım}}. Sonuç:\n{text}\nUmarım yardımcı olur.")
        return forms[self.calls % len(forms)], 900, 300

    def verdicts(self, item):
        """The verdicts of one item; what was refused before is mended where the set says how."""
        entry = self.entries[item["payload"]]
        for given in entry["mended"] if "refused" in item and "mended" in entry else entry["answer"]:
            verdict = {**given, "items": [item["id"]]}
            if on := verdict.pop("on", ""):
                verdict["evidence"] = evidence(item, on)
            if str(verdict.get("into", "")).startswith("KNOWN:"):
                words = verdict["into"].removeprefix("KNOWN:")
                verdict["into"] = next(
                    row["id"] for row in item["known"] if words in row["text"] and row["kind"] == "lesson"
                )
            yield verdict
