"""A made transcript of Claude Code: a recorded session again and again, with made speech, to a wanted size.

    python scripts/bench/made_transcript.py FILE MEGABYTES

What the file holds goes to standard output as JSON. Every kind of line keeps its recorded order and number and gets new
ids; tool results, snapshots and blobs are filled until speech has the share of all bytes that it has in the recordings.
"""

import argparse
import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from made import Speech

RECORDED = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "clients" / "claude"
SESSION = "story"  # the longest recording: six turns with tools, thinking and hooks
PROMPT_WORDS, ANSWER_WORDS = 18, 54


def recorded(folder: Path) -> list[dict[str, Any]]:
    """The lines of every transcript below a folder, in order."""
    files = sorted(path for path in folder.rglob("*.jsonl") if path.name != "hooks.jsonl")
    return [json.loads(line) for path in files for line in path.read_text("utf-8").splitlines()]


def spoken(line: dict[str, Any]) -> list[str]:
    """What is said in a line: the text of user and assistant lines."""
    if line.get("type") not in ("user", "assistant"):
        return []
    content = line["message"].get("content")
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content or [] if block.get("type") == "text"]


def share_of_text(lines: list[dict[str, Any]]) -> float:
    """Bytes of speech in all bytes."""
    said = sum(len(text.encode()) for line in lines for text in spoken(line))
    return said / sum(len(json.dumps(line, ensure_ascii=False)) + 1 for line in lines)


def _speak(line: dict[str, Any], say: Callable[[str], str]) -> None:
    content = line["message"].get("content")
    if isinstance(content, str):
        line["message"]["content"] = say(content)
    for block in content if isinstance(content, list) else []:
        if block.get("type") == "text":
            block["text"] = say(block["text"])


def _fill(line: dict[str, Any], filler: Callable[[int], str], size: int) -> bool:
    """Put `size` characters where a client keeps bulk; False for a line that has no such place."""
    match line.get("type"):
        case "user" if isinstance(line["message"].get("content"), list) and not spoken(line):
            line["message"]["content"][0]["content"] = filler(size)
        case "attachment" if line["attachment"].get("redacted"):
            line["attachment"]["content"] = filler(size)
        case "api-request-blob":
            line["message"]["content"] = filler(size)
        case _:
            return False
    return True


def copies(session: list[dict[str, Any]], share: float) -> Iterator[str]:
    """One copy of the session after the other, as text."""
    speech = Speech(7)
    pool = "\n".join(f'{speech.say("en", 9)}: "{speech.say("tr", 5)}",' for _ in range(8_000))
    places = sum(_fill(json.loads(json.dumps(line)), lambda _: "", 0) for line in session)
    at = size = 0

    def filler(length: int) -> str:
        nonlocal at
        at = (at * 31 + 7_919) % (len(pool) - length - 1)
        return pool[at : at + length]

    def say(recorded_text: str) -> str:
        words = ANSWER_WORDS if "<!--" in recorded_text or len(recorded_text) > 60 else PROMPT_WORDS
        mark = recorded_text[recorded_text.find("<!--") :] if "<!--" in recorded_text else ""
        return f"{speech.say('tr', words)}.\n{mark}".replace("pip", uuid.uuid4().hex[:8])

    while True:
        lines = json.loads(json.dumps(session))
        names = {line["uuid"]: str(uuid.uuid4()) for line in lines if "uuid" in line}
        for line in lines:
            line.update({key: names.get(line[key], line[key]) for key in ("uuid", "parentUuid") if key in line})
            if spoken(line):
                _speak(line, say)
            else:
                _fill(line, filler, size)
        text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
        if size:
            yield text
            continue
        said = sum(len(words.encode()) for line in lines for words in spoken(line))
        size = max(1, int((said / share - len(text.encode())) / places))  # the first copy only measures


def write(path: str, megabytes: float, share: float) -> dict[str, float]:
    """Write a transcript; what it holds: bytes, lines, share of speech."""
    session = recorded(RECORDED / SESSION)
    stream = copies(session, share)
    written = lines = said = 0
    with open(path, "w", encoding="utf-8") as file:
        while written < megabytes * 1e6:
            text = next(stream)
            written += len(text.encode())
            lines += text.count("\n")
            said += sum(len(words.encode()) for line in text.splitlines() for words in spoken(json.loads(line)))
            file.write(text)
    return {"bytes": written, "lines": lines, "share_of_text": round(said / written, 4)}


def main() -> None:
    """Parse, write, print what was written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("megabytes", type=float)
    given = parser.parse_args()
    print(json.dumps(write(given.file, given.megabytes, share_of_text(recorded(RECORDED)))))


if __name__ == "__main__":
    main()
