"""The demonstration as a person starts it: a process of its own, judged by what it prints and by what it leaves."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bellek
from bellek.demo.scene import newest
from bellek.kg import registry
from bellek.kg.home import Home
from bellek.schemas.conversation import TranscriptFile

REPOSITORY = Path(__file__).parents[2]
STORY = REPOSITORY / "tests/fixtures/clients/claude/story"
PROGRAM = str(Path(bellek.__file__).parents[1])  # the very program under test, whatever folder it is started in
SECONDS = 60.0  # a hang, not a speed


def demo(folder: Path, *words: str, **environment: str) -> str:
    """Run it with `folder` as the place of temporary files; what it printed."""
    place = folder / "tmp"
    place.mkdir(exist_ok=True)
    ran = subprocess.run(
        [sys.executable, "-m", "bellek", "demo", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": PROGRAM, "TMPDIR": str(place), **environment},
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert (ran.returncode, ran.stderr.decode()) == (0, "")
    return ran.stdout.decode()


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder with its bytes and its time in nanoseconds, folders with their time."""
    return {
        str(p.relative_to(folder)): (p.read_bytes() if p.is_file() else b"", p.stat().st_mtime_ns)
        for p in sorted(folder.rglob("*"))
    }


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What one run over the recorded sessions printed, and the folder that was its whole world."""
    folder = tmp_path_factory.mktemp("recorded")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("BELLEK_", "CLAUDE", "XDG_")):
                patch.delenv(name)
        patch.setenv("HOME", str(folder / "user"))
        return demo(folder), folder


@pytest.fixture
def own_folder(tmp_path: Path) -> Path:
    """A person's Claude Code folder whose one session was held in a real git checkout."""
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    folder = tmp_path / "user" / ".claude" / "projects" / "-checkout"
    folder.mkdir(parents=True)
    for file in STORY.glob("*-*.jsonl"):
        (folder / file.name).write_bytes(file.read_bytes().replace(b'"/proj"', f'"{checkout}"'.encode()))
    return tmp_path / "user" / ".claude"


def test_the_road_is_shown_from_mark_to_packet_in_both_languages(recorded: tuple[str, Path]) -> None:
    """Each station names what the recorded sessions hold: marks, the two that were not taken, rows, packets, a talk."""
    said, _ = recorded
    heard, queued, drained, kept, told, found = (part.split("\n", 1)[1] for part in said.split("\n\n")[1:7])
    assert "2 of 2 transcripts read, 14 messages stored, 6 of them typed by a person, 5 marks queued" in heard
    assert "names 'lerning', which is not a channel: did you mean 'learning'?" in heard
    assert "was seen in code, skipped: it stands in a code fence" in heard
    assert "2 read again: 0 new messages, 0 new marks" in heard
    assert "Sipariş günü mağazanın kendi saat dilimiyle hesaplanır" in queued
    assert "Answer the payment webhook before sending mail, because" in queued
    assert "5 acknowledged (4 event, 4 lesson, 1 task), 0 waiting" in drained
    assert "T1 high   anti-pattern Kupon kodlarını asla lower()" in kept
    assert "decision     We decided to store amounts as whole cents" in kept
    assert "open task: Rapora yaz saati geçişini sınayan bir test ekle" in kept
    first, second = told.split("the same session asks on")
    assert first.count("<bellek-memory id=") == first.count("</bellek-memory>") == 1
    assert "Kupon kodlarını asla lower() ile karşılaştırma, çünkü" in first
    assert "because the provider calls again after five seconds" in first
    assert "The payment webhook sometimes books the same order twice." in second
    assert "after five seconds" not in second, "the second prompt is told only what this session has not seen"
    assert ">> 2026-11-24" in found
    assert "`day_of` günü UTC ile kesiyor" in found


def test_what_was_not_said_by_the_assistant_is_not_learned(recorded: tuple[str, Path]) -> None:
    """A mark in a tool's output, in a code fence or under a misspelt name is in no row and no packet."""
    said, _ = recorded
    assert "bir dosyada duran işaret" not in said
    assert "ne öğrenildi, çünkü neden" not in said
    assert "Run the tests with make check" not in said


def test_no_folder_is_left_behind(recorded: tuple[str, Path]) -> None:
    """The throwaway folder is gone afterwards, and the person's own data home was not made."""
    said, folder = recorded
    assert list((folder / "tmp").iterdir()) == []
    assert said.rstrip().endswith("is gone")
    assert not (folder / "user").exists()


def test_keep_keeps_the_folder_and_says_where(tmp_path: Path) -> None:
    """With --keep the home stays, and the printed place is the true one."""
    said = demo(tmp_path, "--keep")
    kept = Path(said.split("kept: ")[1].split("\n")[0])
    assert (kept / "home" / "memory.db").is_file()


def test_a_pipe_gets_no_escape_sequences(recorded: tuple[str, Path]) -> None:
    """Colours are for terminals: what goes into a file is plain text."""
    assert "\x1b" not in recorded[0]


def test_the_hook_answers_although_another_bellek_started_the_demo(tmp_path: Path) -> None:
    """The mark that keeps nested clients silent does not silence the hook that is being shown."""
    assert "<bellek-memory id=" in demo(tmp_path, BELLEK_NESTED="1")


def test_own_sessions_are_only_read(own_folder: Path, tmp_path: Path) -> None:
    """--mine hears a person's transcripts, and neither their folder nor their checkout differs by a byte or a time."""
    before = state(own_folder), state(tmp_path / "checkout")
    said = demo(tmp_path, "--mine")
    assert (state(own_folder), state(tmp_path / "checkout")) == before
    assert list((tmp_path / "tmp").iterdir()) == []
    assert "1 of 1 transcripts read" in said
    assert "port 9090, 8081 değil" in said.split("4/6")[1].split("5/6")[0]
    assert "<bellek-memory id=" in said


def test_claude_config_dir_names_the_folder(own_folder: Path, tmp_path: Path) -> None:
    """--mine looks where Claude Code looks: CLAUDE_CONFIG_DIR goes before ~/.claude."""
    elsewhere = tmp_path / "elsewhere"
    own_folder.rename(elsewhere)
    assert "1 of 1 transcripts read" in demo(tmp_path, "--mine", CLAUDE_CONFIG_DIR=str(elsewhere))


@pytest.mark.parametrize("made", [False, True])
def test_an_empty_folder_is_no_fault(tmp_path: Path, *, made: bool) -> None:
    """Where there is no session, or no folder at all, --mine says so in a sentence and ends well."""
    if made:
        (tmp_path / "user" / ".claude" / "projects").mkdir(parents=True)
    said = demo(tmp_path, "--mine")
    assert "There is no Claude Code session in that folder yet." in said
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_session_without_marks_is_told_how_they_come(own_folder: Path, tmp_path: Path) -> None:
    """Who has never used marks sees no invented learning, but the way to get them, and what was said all the same."""
    for file in own_folder.rglob("*.jsonl"):
        raw = file.read_bytes().replace(b"learning:", b"note:").replace(b"profile-fact:", b"fact-of:")
        file.write_bytes(raw)
    said = demo(tmp_path, "--mine")
    assert "bellek install claude-code" in said.split("2/6")[1].split("3/6")[0]
    assert "0 acknowledged (no rows), 0 waiting" in said
    assert ">> " in said.split("6/6")[1]


def test_only_the_newest_sessions_are_looked_at(own_folder: Path, tmp_path: Path) -> None:
    """--mine is a look: of many sessions the newest are heard, and it says that there are more."""
    folder = own_folder / "projects" / "-checkout"
    source = next(folder.glob("*.jsonl"))
    for number in range(60):
        copy = folder / f"older-{number}.jsonl"
        shutil.copyfile(source, copy)
        os.utime(copy, (1, 1))
    said = demo(tmp_path, "--mine")
    assert "40 of 61 transcripts read" in said
    assert "the newest are enough for a look" in said


@pytest.mark.parametrize(
    ("sizes", "taken"), [([5, 5, 5], "012"), ([9, 5, 1], "02"), ([99, 98], "0"), ([99, 5], "1"), ([], "")]
)
def test_newest_transcripts_fit_together(sizes: list[int], taken: str) -> None:
    """Newest first, each that still fits, the newest alone where none does, at most as many as are wanted."""
    files = [TranscriptFile(str(n), "", None, size, -n) for n, size in enumerate(sizes)]
    assert "".join(f.path for f in newest(files[::-1], most_files=3, most_bytes=15 if taken == "012" else 10)) == taken


def test_a_home_may_leave_no_ids(home: Home, tmp_path: Path) -> None:
    """A home whose setting leave_ids is 0 registers and links a checkout without writing into its git folder."""
    (tmp_path / "a" / ".git").mkdir(parents=True)
    (tmp_path / "b" / ".git").mkdir(parents=True)
    with home.memory.transaction():
        home.memory.run("INSERT INTO settings (key, value) VALUES ('leave_ids', '0')")
    with home.memory.transaction():
        project = registry.register(home.memory, str(tmp_path / "a"))
    assert registry.link(home.memory, str(tmp_path / "b"), project) == project
    with home.memory.transaction():
        assert registry.register(home.memory, str(tmp_path / "b")) == project
    assert [*(tmp_path / "a" / ".git").iterdir(), *(tmp_path / "b" / ".git").iterdir()] == []


def test_a_home_leaves_ids_by_default(home: Home, tmp_path: Path) -> None:
    """Without that setting the id is left where a rename takes it along."""
    (tmp_path / "a" / ".git").mkdir(parents=True)
    with home.memory.transaction():
        project = registry.register(home.memory, str(tmp_path / "a"))
    assert project in (tmp_path / "a" / ".git" / "bellek-project").read_text(encoding="ascii")
