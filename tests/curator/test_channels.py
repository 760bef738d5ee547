"""Channels come from manifests: a person's file is enough to open one, and its absence to close it."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bellek.context import sections
from bellek.curator import channels
from bellek.kg import queue
from bellek.schemas.channel import Channel, Fault

SHIPPED = ("learning", "profile-fact", "task")


def test_three_channels_are_shipped(home):
    """Without a person's manifest the channels learning, task and profile-fact are heard, none is at fault."""
    found = channels.load(home.path)
    assert found.names == SHIPPED
    assert found.faults == ()


def test_a_manifest_opens_a_channel_and_its_absence_closes_it(home, talk, manifest):
    """R7: adding a manifest activates parsing and signal; removing it silences both, and what waits stays in the queue."""
    said = talk().agent("<!-- ops-note: nöbet 09:00 çünkü vardiya -->")
    assert said.hear().queued == 0
    path = manifest("ops-note.toml", rule="read the run book")
    said.agent("<!-- ops-note: nöbet 10:00 çünkü vardiya -->").hear()
    assert queue.counts(home.memory, said.project) == {"ops-note": 1}
    (line,) = sections.signals(home.memory, said.project, 0)
    assert line.text == "1 item heard and not yet written in ops-note: read the run book"
    path.unlink()
    assert said.agent("<!-- ops-note: nöbet 11:00 çünkü vardiya -->").hear().queued == 0
    assert queue.counts(home.memory, said.project) == {"ops-note": 1}
    assert sections.signals(home.memory, said.project, 0) == []
    assert said.drain().waiting == 1


def test_an_undeclared_channel_is_never_queued_and_a_near_miss_is_told_once(home, talk):
    """R8, R9: `profile-fct` gives no item and one report that names profile-fact; `wiki:index` gives none."""
    said = talk().agent("<!-- profile-fct: entity: Ali -->\n<!-- wiki:index: x -->\n<!-- lesson: x -->")
    heard = said.hear()
    assert heard.queued == 0
    (note,) = heard.notes
    assert "'profile-fact'" in note
    assert said.hear().notes == []


FAULTS = [
    ('name = "a"\ndrain = "learning"\nrule = "x"\n', 1, "the key describes is missing"),
    ('name = "a"\ndrain = "learning"\nrule = "x"\ndescribes = "y"\ncolour = "red"\n', 5, "the key colour is unknown"),
    ('drain = "learning"\nname = "Ops Note"\nrule = "x"\ndescribes = "y"\n', 2, "name is not kebab-case"),
    ('name = "a"\ndrain = "wiki"\nrule = "x"\ndescribes = "y"\n', 2, "drain: "),
    ('name = "a"\ndrain = "learning"\nrule = "x\ndescribes = "y"\n', 3, "broken TOML"),
    ('name = "a"\nname = "b"\n', 2, "broken TOML"),
    ("", 1, "missing"),
    (b'name = "a"\nrule = "\xff"\n', 2, "not UTF-8"),
    ("# " + "x" * 30_000, 1, "longer than"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "what"), FAULTS)
def test_what_is_wrong_is_told_with_file_and_line(home, talk, manifest, text, line, what):
    """A manifest with a hole, a bad name, an unknown key or broken TOML is refused by file and line; the rest stands, hearing goes on."""
    path = manifest("a.toml", text)
    found = channels.load(home.path)
    (fault,) = found.faults
    assert (fault.file, fault.line) == (str(path), line)
    assert what in fault.what
    assert found.names == SHIPPED
    heard = talk().agent("<!-- learning: x çünkü y -->").hear()
    assert heard.queued == 1
    assert any(f"line {line}" in note for note in heard.notes)


def test_a_second_manifest_of_a_name_is_refused(home, manifest):
    """Of two files that declare one name the first stands; the other is refused at the line of its name."""
    first = manifest("a.toml", name="ops")
    second = manifest("b.toml", "\n" + first.read_text())
    found = channels.load(home.path)
    assert found.places["ops"] == str(first)
    assert [(f.file, f.line) for f in found.faults] == [(str(second), 2)]


def test_a_person_may_replace_a_shipped_manifest_and_a_slip_leaves_it_in_force(home, manifest):
    """A file of the shipped one's name takes its place; broken or renamed, the shipped one stands and the fault is told."""
    manifest("learning.toml", rule="ask me first")
    assert next(c for c in channels.load(home.path).declared if c.name == "learning").rule == "ask me first"
    for text in ("name = ", 'name = "other"\ndrain = "none"\nrule = "x"\ndescribes = "y"\n'):
        manifest("learning.toml", text)
        found = channels.load(home.path)
        assert found.names == SHIPPED
        assert found.places["learning"] == "shipped learning.toml"
        assert len(found.faults) == 1


def test_odd_files_never_stop_the_reading(home, manifest):
    """A pipe, a folder, a dangling link and other endings in the folder are told or passed over, and nobody waits."""
    folder = manifest("x.txt", "nothing").parent
    os.mkfifo(folder / "pipe.toml")
    (folder / "dir.toml").mkdir()
    (folder / "gone.toml").symlink_to(folder / "nowhere")
    (folder / ".hidden.toml").write_text("broken =")
    found = channels.load(home.path)
    assert found.names == SHIPPED
    assert len(found.faults) == 3


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")))
def test_every_text_is_a_channel_or_a_fault(text):
    """Parsing a manifest is total: any text gives a channel or a fault with a line that the text has."""
    found = channels.parse("f", text)
    assert isinstance(found, Channel) or (isinstance(found, Fault) and 1 <= found.line <= text.count("\n") + 2)


def test_the_signal_counts_each_channel_and_tells_its_rule(home, talk, manifest):
    """R27: two prompts are told the same lines, a count and a rule a channel; under a token one line; when empty, nothing."""
    manifest("learning.toml", rule="start </bellek-memory> the curator")
    said = talk().agent("<!-- learning: a çünkü b -->\n<!-- learning: c çünkü d -->\n[SELF_TASK: raporu gönder]")
    assert sections.signals(home.memory, "p_nobody", 0) == []
    said.hear()
    lines = [line.text for line in sections.signals(home.memory, said.project, 0)]
    assert lines == [line.text for line in sections.signals(home.memory, said.project, 0)]
    assert lines[0] == "2 items heard and not yet written in learning: start </bellek-memory> the curator"
    assert lines[1].startswith("1 item heard and not yet written in task: ")
    queue.take(home.memory, said.project, limit=1)
    (line,) = sections.signals(home.memory, said.project, 0)
    assert line.text == "3 items heard and not yet written: being drained now."


def test_rules_are_compiled_only_when_they_changed(home, manifest):
    """The prompt hook's rows follow the manifests, and nothing is written while they say the same."""
    assert channels.compile_into(home.memory, channels.load(home.path))
    assert not channels.compile_into(home.memory, channels.load(home.path))
    path = manifest("ops.toml")
    assert channels.compile_into(home.memory, channels.load(home.path))
    assert channels.compiled(home.memory)["channel:ops"] == "do it now"
    assert channels.compiled(home.memory)["hidden_channels"] == "ack learning ops profile-fact task"
    path.unlink()
    channels.compile_into(home.memory, channels.load(home.path))
    assert "channel:ops" not in channels.compiled(home.memory)
