"""Whether an answer of a replay passes its task's check: by text, pattern, JSON or a command of the person's own.

It must never run anything out of an answer, hand one to a shell, or keep it.
"""

import json
import re
import subprocess
from typing import assert_never

from bellek.kg import fold
from bellek.schemas.replay import Check, CommandCheck, JsonCheck, RegexCheck, TextCheck

ANSWER_CAP = 100_000  # code points of an answer that are looked at: a pattern must end


def passes(check: Check, answer: str) -> str:
    """Why an answer does not pass, in our own words; the empty text where it passes."""
    text = answer[:ANSWER_CAP]
    match check:
        case TextCheck(has=has, lacks=lacks):
            words = f" {fold.fold(text)} "
            missing = sum(f" {fold.fold(one)} " not in words for one in has)
            there = sum(f" {fold.fold(one)} " in words for one in lacks)
            return f"{missing} wanted texts are missing, {there} unwanted are there" if missing or there else ""
        case RegexCheck(pattern=pattern):
            return "" if re.search(pattern, text) else "the pattern is not found"
        case JsonCheck(path=path, equals=equals):
            return _json(text, path, equals)
        case CommandCheck(run=run, seconds=seconds):
            return _command(run, seconds, text)
        case _:
            assert_never(check)


def _json(text: str, path: str, equals: object) -> str:
    begin, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[begin : end + 1])
    except (ValueError, RecursionError):
        return "the answer holds no JSON object"
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            return "the JSON has no value at the path"
        value = value[key]
    return "" if type(value) is type(equals) and value == equals else "the JSON has another value at the path"


def _command(run: list[str], seconds: int, text: str) -> str:
    try:
        done = subprocess.run(run, input=text.encode(), capture_output=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"the check did not end in {seconds} s"
    except OSError as exc:
        return f"the check cannot be started: {exc.strerror}"
    return "" if done.returncode == 0 else f"the check ended with status {done.returncode}"
