"""Looks for byte strings in every file under a folder; started as a process of its own, with plain Python and nothing else.

A process that opens and closes a live database file drops the locks that SQLite holds on it, so the search is never done
in the process that has the store open. Standard input: JSON {"home": path, "needles": [hex]}. Standard output: JSON
{"found": [[path, hex], …], "unread": [path, …]}. It changes nothing.
"""

import json
import os
import sys

CHUNK = 1 << 22


def search(home: str, needles: "list[bytes]") -> "tuple[list[tuple[str, bytes]], list[str]]":
    """(file, needle) for each needle that stands in a file, and the files that could not be read. Links are not followed."""
    found: list[tuple[str, bytes]] = []
    unread: list[str] = []
    longest = max(map(len, needles), default=1)
    for folder, _, names in os.walk(home):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            try:
                found += [(path, needle) for needle in _in_file(path, needles, longest)]
            except FileNotFoundError:
                continue  # a file of a moment: a mark, a -shm
            except OSError:
                unread.append(path)
    return found, unread


def _in_file(path: str, needles: "list[bytes]", longest: int) -> "list[bytes]":
    left = list(needles)
    hits: list[bytes] = []
    with open(path, "rb") as file:
        before = b""
        while left and (chunk := file.read(CHUNK)):
            block = before + chunk
            new = [needle for needle in left if needle in block]
            hits += new
            left = [needle for needle in left if needle not in new]
            before = block[-longest:]
    return hits


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    pairs, dark = search(asked["home"], [bytes.fromhex(needle) for needle in asked["needles"]])
    json.dump({"found": [[path, needle.hex()] for path, needle in pairs], "unread": dark}, sys.stdout)
