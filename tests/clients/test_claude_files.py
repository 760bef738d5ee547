"""Which files of Claude Code's folder are transcripts, and what cannot be read is told instead of raised."""

import os
import shutil
from pathlib import Path

import pytest

from bellek.clients.claude_files import transcripts
from bellek.schemas.conversation import TranscriptFile, Unreadable

CLAUDE = Path(__file__).parents[1] / "fixtures" / "clients" / "claude"


@pytest.fixture
def projects(tmp_path):
    """An empty projects folder of a config folder."""
    folder = tmp_path / "projects"
    folder.mkdir()
    return folder


def names(config):
    """What was found, by the file's name without its folder."""
    return {Path(found.path).name: found for found in transcripts(config)}


def test_sessions_and_subagents_of_every_recorded_layout_are_found(projects):
    """The session, its subagents folder and 2.0.77's files beside it are found with session, agent, size and time."""
    shutil.copytree(CLAUDE / "subagent", projects / "-proj")
    shutil.copytree(CLAUDE / "v2.0.77", projects / "-old")
    (projects / "-proj" / "hooks.jsonl").unlink()
    (projects / "-old" / "hooks.jsonl").unlink()
    found = names(projects.parent)
    assert {name: (file.session, file.agent) for name, file in found.items()} == {
        "7a228701-8362-4c26-b166-29a51a232677.jsonl": ("7a228701-8362-4c26-b166-29a51a232677", None),
        "a53bf108-3060-4de1-82f5-f1b8447b6bee.jsonl": ("a53bf108-3060-4de1-82f5-f1b8447b6bee", None),
        "agent-a9b4b15.jsonl": ("", "a9b4b15"),
        "agent-abb2711.jsonl": ("", "abb2711"),
        "agent-ad0d22d.jsonl": ("", "ad0d22d"),
        "agent-af147cfe4539557dc.jsonl": ("a53bf108-3060-4de1-82f5-f1b8447b6bee", "kgmem:curator"),
    }
    for file in found.values():
        state = Path(file.path).stat()
        assert (file.size, file.changed_ns) == (state.st_size, state.st_ctime_ns)


def test_a_folder_that_does_not_exist_holds_nothing(tmp_path):
    """Neither a missing config folder nor stray files in the wrong places are anything to tell."""
    assert list(transcripts(tmp_path / "yok")) == []
    (tmp_path / "projects").write_text("bir dosya")
    assert list(transcripts(tmp_path)) == []


@pytest.mark.parametrize("meta", [b"", b"{", b"[]", b'{"agentType": 5}', b"[" * 60_000, b"\xff"])
def test_a_broken_meta_file_costs_only_the_type(projects, meta):
    """A subagent whose .meta.json is cut, odd or hostile keeps the id in its file's name."""
    folder = projects / "-p" / "oturum" / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-42.jsonl").write_bytes(b"{}\n")
    (folder / "agent-42.meta.json").write_bytes(meta)
    assert names(projects.parent)["agent-42.jsonl"].agent == "42"


def test_links_below_projects_are_told_and_not_followed(projects, tmp_path):
    """A link to a folder, a file or back up the tree is reported; a linked config folder of the person's own works."""
    outside = tmp_path / "dışarı"
    outside.mkdir()
    (outside / "sır.jsonl").write_text("{}\n")
    (projects / "-p").mkdir()
    (projects / "-p" / "iyi.jsonl").write_text("{}\n")
    (projects / "-p" / "link.jsonl").symlink_to(outside / "sır.jsonl")
    (projects / "-p" / "döngü").symlink_to(projects)
    (outside / "subagents").mkdir()
    (outside / "subagents" / "agent-9.jsonl").write_text("{}\n")
    (projects / "-p" / "oturum").symlink_to(outside)
    (projects / "-link").symlink_to(outside)
    config = tmp_path / "config-link"
    config.symlink_to(projects.parent)
    found = names(config)
    assert {name for name, file in found.items() if isinstance(file, TranscriptFile)} == {"iyi.jsonl"}
    assert {name for name, file in found.items() if isinstance(file, Unreadable)} == {"-link", "link.jsonl"}


def test_a_linked_meta_file_is_not_read(projects, tmp_path):
    """A .meta.json that is a link tells nothing: the id in the file's name stays."""
    (tmp_path / "başka.json").write_text('{"agentType": "yabancı"}')
    (projects / "-p").mkdir()
    (projects / "-p" / "agent-7.jsonl").write_text("{}\n")
    (projects / "-p" / "agent-7.meta.json").symlink_to(tmp_path / "başka.json")
    assert names(projects.parent)["agent-7.jsonl"].agent == "7"


def test_a_pipe_under_a_transcripts_name_does_not_hold_the_pass(projects):
    """What is not a regular file is reported without being opened."""
    (projects / "-p").mkdir()
    os.mkfifo(projects / "-p" / "boru.jsonl")
    assert names(projects.parent)["boru.jsonl"] == Unreadable(str(projects / "-p" / "boru.jsonl"), "not a regular file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_locked_folder_is_told_and_the_others_are_found(projects):
    """One unreadable folder is one report; everything else is listed."""
    for name in ("-a", "-b"):
        (projects / name).mkdir()
        (projects / name / f"{name}.jsonl").write_text("{}\n")
    (projects / "-a").chmod(0)
    try:
        found = names(projects.parent)
    finally:
        (projects / "-a").chmod(0o700)
    assert isinstance(found["-a"], Unreadable)
    assert isinstance(found["-b.jsonl"], TranscriptFile)
