"""The MessageDisplay hook as real processes: what it prints, what it leaves behind, and that no fault costs a line."""

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bellek import display, hook
from bellek.curator.hiding import hide
from bellek.kg.home import open_home
from bellek.schemas.vocab import HIDDEN_CHANNELS

HOOK = Path(hook.__file__)
TEXT = 'Tamam Ayşe.\n\n<!-- learning:\n{"text": "use uv, not pip"}\n-->\nBitti: ışık.\n```\n<!-- task: example -->\n```\nend'
MESSAGE = "33ed0321-666c-49ae-b6d3-9680c93c920d"


def start(home: Path, fields: dict[str, object]) -> "subprocess.Popen[bytes]":
    """Start the hook as a client would; its standard input is given and closed."""
    line = {"session_id": "s", "cwd": str(home.parent), "hook_event_name": "MessageDisplay", "turn_id": "t", **fields}
    environment = {"PATH": os.defpath, "HOME": str(home.parent), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    words = [sys.executable, str(HOOK), "MessageDisplay", "--client", "claude-code", "--home", str(home)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    assert process.stdin is not None
    process.stdin.write(json.dumps(line).encode())
    process.stdin.close()
    return process


def printed(process: "subprocess.Popen[bytes]") -> bytes:
    """What a started hook prints until its end, which must be a good one."""
    assert process.stdout is not None
    with process.stdout:
        out = process.stdout.read()
    assert process.wait() == 0
    return out


def shown(process: "subprocess.Popen[bytes]", piece: str) -> str:
    """What the client shows for a piece, by its own rule: our content, or the piece as it is."""
    out = printed(process)
    if not out:
        return piece
    answer = json.loads(out)["hookSpecificOutput"]
    assert set(answer) == {"hookEventName", "displayContent"}
    assert answer["hookEventName"] == "MessageDisplay"
    assert answer["displayContent"] != piece, "an answer that changes nothing is not given"
    return str(answer["displayContent"])


def piece(text: str, index: int, *, final: bool, message: str = MESSAGE) -> dict[str, object]:
    """The fields of one piece."""
    return {"message_id": message, "index": index, "final": final, "delta": text}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A data home that has a store."""
    with open_home(str(tmp_path / "veri evi")):
        return tmp_path / "veri evi"


def test_a_marker_over_three_pieces_is_hidden_and_the_file_goes_with_the_last(place):
    """R120: processes that follow each other show the text without the marker, and leave nothing behind."""
    pieces = [TEXT[:20], TEXT[20:45], TEXT[45:90], TEXT[90:]]
    seen = ""
    for index, text in enumerate(pieces):
        seen += shown(start(place, piece(text, index, final=index == 3)), text)
        if index == 1:
            (kept,) = (place / "display").iterdir()
            assert kept.name == MESSAGE
            assert stat.S_IMODE(kept.stat().st_mode) == 0o600
            assert "Tamam" not in kept.read_text(encoding="ascii"), "what was shown is not kept"
    assert seen == hide(TEXT, HIDDEN_CHANNELS)
    assert "use uv" not in seen
    assert "<!-- task: example -->" in seen
    assert seen.endswith("end")
    assert list((place / "display").iterdir()) == []
    assert stat.S_IMODE((place / "display").stat().st_mode) == 0o700
    assert not (place / "hook.log").exists()


def test_hooks_of_several_pieces_at_work_at_once_give_the_same_text(place):
    """The client runs up to three at once: each waits for the one before it, whichever starts first."""
    pieces = [TEXT[:40], TEXT[40:80], TEXT[80:]]
    running = {index: start(place, piece(pieces[index], index, final=index == 2)) for index in (2, 1, 0)}
    assert "".join(shown(running[index], pieces[index]) for index in range(3)) == hide(TEXT, HIDDEN_CHANNELS)
    assert list((place / "display").iterdir()) == []


def test_a_message_in_one_piece_leaves_no_file(place):
    """What ``-p`` and short messages bring needs no state."""
    text = "Hi <!-- learning: x -->"
    assert shown(start(place, piece(text, 0, final=True)), text) == "Hi "
    assert not (place / "display").exists()


def test_text_without_a_marker_is_not_answered(place):
    """Where nothing changes nothing is printed, so the client shows its own text."""
    assert printed(start(place, piece("Plain.\n", 0, final=False))) == b""


def test_a_piece_whose_forerunner_is_missing_is_shown_as_it_is(place):
    """A killed hook costs its successor the wait and no text; the pieces after that go on from there."""
    (place / "display").mkdir(mode=0o700)
    assert shown(start(place, piece("tail -->\n", 4, final=False)), "tail -->\n") == "tail -->\n"
    text = "<!-- task: y -->\nend"
    assert shown(start(place, piece(text, 5, final=True)), text) == "end"
    assert list((place / "display").iterdir()) == []


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"message_id": "", "index": 0, "final": True, "delta": "x <!-- task: y -->"},
        {"message_id": "m", "index": "0", "final": True, "delta": "x <!-- task: y -->"},
        {"message_id": "m", "index": 0, "final": True, "delta": None},
        {"message_id": "m" * 5_000, "index": 0, "final": True, "delta": "x <!-- task: y -->"},
    ],
)
def test_odd_fields_are_answered_with_nothing(place, fields):
    """Whatever the client sends, the exit status is 0 and nothing is printed."""
    assert printed(start(place, fields)) == b""


def test_an_id_never_leaves_the_folder(place):
    """A message id is text, not a path."""
    printed(start(place, piece("<!--\n", 0, final=False, message="../../x\n/é")))
    (kept,) = (place / "display").iterdir()
    assert kept.parent == place / "display"
    assert kept.name.isascii()
    assert "/" not in kept.name
    assert "." not in kept.name


def test_a_folder_that_cannot_be_written_loses_no_text(place):
    """With a file where the folder should be, every piece is shown as it came."""
    (place / "display").write_text("in the way", encoding="utf-8")
    pieces = ["a <!-- learning:\n", "x -->\n", "end"]
    assert "".join(shown(start(place, piece(p, i, final=i == 2)), p) for i, p in enumerate(pieces)) == "".join(pieces)


def test_held_text_is_shown_when_it_can_no_longer_be_kept(place, monkeypatch):
    """A file that cannot be written gives up what was held together with the piece."""
    assert display.replaced(str(place), MESSAGE, 0, False, "a <!-- learning:\n") == ""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert display.replaced(str(place), MESSAGE, 1, False, "x\n") == "a <!-- learning:\nx\n"
    assert [entry.name for entry in (place / "display").iterdir()] == [MESSAGE], "no half-written file stays"


def test_without_a_home_nothing_is_made(tmp_path):
    """The hook of an uninstalled bellek neither waits nor makes a folder."""
    home = tmp_path / "gone"
    for index in (0, 1):
        assert shown(start(home, piece("a <!-- task: x -->\n", index, final=False)), "raw") == "raw"
    assert not home.exists()


def test_a_damaged_store_or_file_is_no_reason_to_print(place):
    """Hiding does not depend on the store; a file of another shape is answered with nothing."""
    (place / "memory.db").write_bytes(b"not a database" * 100)
    assert shown(start(place, piece("x <!-- task: y -->", 0, final=True)), "") == "x "
    (place / "display").mkdir(mode=0o700)
    (place / "display" / MESSAGE).write_text("{}", encoding="ascii")
    assert shown(start(place, piece("x <!-- task: y -->", 1, final=True)), "raw") == "raw"


def test_a_setting_names_the_hidden_channels(place):
    """The settings row decides; without it the vocabulary's own channels are hidden."""
    with open_home(str(place)) as home:
        home.memory.run("INSERT INTO settings (key, value) VALUES (?, 'learning wish')", (display.SETTING,))
    text = "a <!-- wish: x -->b <!-- task: y -->c <!-- Learning: z -->"
    assert shown(start(place, piece(text, 0, final=True)), text) == "a b <!-- task: y -->c "


def test_what_a_killed_client_left_is_swept(place):
    """The next message takes away files that are older than any message takes, and no younger ones."""
    folder = place / "display"
    folder.mkdir(mode=0o700)
    old, young = folder / "old", folder / "young"
    for file in (old, young):
        file.write_text("[]", encoding="ascii")
    long_ago = time.time() - display.STALE_S - 60
    os.utime(old, (long_ago, long_ago))
    printed(start(place, piece("a\n", 0, final=False)))
    assert sorted(entry.name for entry in folder.iterdir()) == sorted(["young", MESSAGE])


def test_a_piece_without_a_comment_loads_neither_the_store_nor_dataclasses():
    """The hook of a piece is light: json and its own few rooms."""
    code = (
        "import sys, tempfile, bellek.display as d, bellek.hook, bellek.clients.claude_code\n"
        "home = tempfile.mkdtemp()\n"
        "assert d.replaced(home, 'm', 0, False, 'plain\\n') is None\n"
        "print(sorted(sys.modules.keys() & {'apsw', 'dataclasses', 'typing', 'pydantic', 'typer', 'pathlib', 'inspect', 'logging'}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(HOOK.parents[1])}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.strip() == "[]"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([*TEXT.split(" "), "\n", "<!-- task:", "-->", "\ud83d", "\ude00", " "]), max_size=12))
def test_what_the_files_carry_from_piece_to_piece_changes_nothing(place, pieces):
    """Through real files, the pieces shown join to ``hide`` of the whole, halves of a surrogate pair included."""
    seen = ""
    for index, text in enumerate([*pieces, ""]):
        answer = display.replaced(str(place), "m", index, index == len(pieces), text)
        seen += text if answer is None else answer
    assert in_utf16(seen) == in_utf16(hide("".join(pieces), HIDDEN_CHANNELS))


def in_utf16(text: str) -> bytes:
    """The text as a JavaScript client holds it, where two halves are a pair."""
    return text.encode("utf-16-le", "surrogatepass")
