"""How a client looks in the table of processes, and what the gate makes of a table that it cannot read."""

import os

import pytest

from bellek import ancestry, gate
from bellek.ancestry import Process, Unknown, chain, lineage
from bellek.clients.processes import client_by_marks, client_of, makes_terminals


@pytest.mark.parametrize(
    ("names", "words", "client"),
    [
        (("claude", "/usr/bin/node"), ("claude",), "claude-code"),
        (("node", "/usr/bin/node"), ("node", "/x/node_modules/@anthropic-ai/claude-code/cli.js", "-p"), "claude-code"),
        (("node", "/usr/bin/node"), ("/usr/bin/node", "--no-warnings", "/home/ayşe/bin/claude"), "claude-code"),
        (("2.1.332", "/home/a/.local/share/claude/versions/2.1.332"), ("claude",), "claude-code"),
        (("npm", "/usr/bin/node"), ("npm", "exec", "claude"), "claude-code"),
        (("MainThread", "/usr/bin/node"), ("node", "/x/@openai/codex/bin/codex.js"), "codex"),
        (("codex", "/x/codex"), ("codex", "exec"), "codex"),
        (("pi", "/usr/bin/node"), ("pi",), "pi"),
        (("bun", "/x/bun"), ("bun", "/x/@oh-my-pi/pi-coding-agent/dist/cli.js"), "pi"),
        (("gemini", "/usr/bin/node"), ("node", "/x/@google/gemini-cli/dist/index.js"), "gemini"),
        (("bash", "/bin/bash"), ("bash", "-c", "claude"), ""),
        (("zsh", "/home/claude/bin/zsh"), ("-zsh",), ""),
        (("vim", "/usr/bin/vim"), ("vim", "claude.md"), ""),
        (("less", "/usr/bin/less"), ("less", "/x/@anthropic-ai/claude-code/README.md"), ""),
        (("tmux: server", "/usr/bin/tmux"), ("tmux", "new", "-s", "claude"), ""),
        (("python3", "/usr/bin/python3"), ("python3", "-m", "bellek", "install", "claude-code"), ""),
        (("ssh", "/usr/bin/ssh"), ("ssh", "codex"), ""),
        ((), (), ""),
    ],
)  # fmt: skip
def test_a_client_is_known_by_its_program_and_by_nothing_else(names, words, client):
    """R122: a client is known by the name or path of its program or script; a folder, an argument or a text that names one is none."""
    assert client_of(names, words) == client


def test_marks_are_whole_names():
    """R122: a variable counts by its whole name: those that a person or an editor sets for a client are no sign of one."""
    assert client_by_marks(frozenset({"CLAUDECODE", "PATH"})) == "claude-code"
    assert (
        client_by_marks(frozenset({"CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SSE_PORT", "ANTHROPIC_API_KEY", "CODEX_HOME"}))
        == ""
    )


def test_terminal_makers_are_known_by_name():
    """R122: `script` and its like are known; a shell or a terminal's own server is none of them."""
    assert makes_terminals(("script", "/usr/bin/script"))
    assert not makes_terminals(("sshd", "/usr/sbin/sshd"))
    assert not makes_terminals(("tmux: server",))


def test_the_lineage_of_this_process():
    """R122: the chain begins with the process itself, each is the child of the next, and it ends at the first of all."""
    found = lineage(os.getpid())
    assert (found[0].pid, found[1].pid) == (os.getpid(), os.getppid())
    assert found[-1].pid == 1
    assert "PATH" in found[0].variables


def test_a_table_with_a_gap_or_a_ring_is_unknown():
    """R122: the table of a system without /proc: ancestors in order; a gap, a ring and an absent `ps` are no answer."""
    table = {9: (5, "ttys001", "/bin/zsh"), 5: (1, "??", "/usr/bin/login"), 1: (0, "??", "/sbin/launchd")}
    words = {9: ("-zsh",)}
    assert chain(9, table, words) == [
        Process(9, ("/bin/zsh",), ("-zsh",), frozenset(), True), Process(5, ("/usr/bin/login",), (), frozenset(), False),
        Process(1, ("/sbin/launchd",), (), frozenset(), False),
    ]  # fmt: skip
    for broken in ({9: table[9]}, {9: (5, "??", "a"), 5: (9, "??", "b")}):
        with pytest.raises(Unknown):
            chain(9, broken, words)


def test_a_process_that_is_gone_is_unknown():
    """R122: a process that cannot be looked at leaves the question open, which the gate takes for a no."""
    with pytest.raises(Unknown):
        lineage(2**22 + 1)


def test_the_chain_of_ps_is_that_of_proc():
    """R122: both ways to read the table agree about who started whom."""
    by_ps = [process.pid for process in ancestry._by_ps(os.getpid())]
    assert by_ps == [process.pid for process in lineage(os.getpid())]


def test_what_cannot_be_read_is_no_person(monkeypatch):
    """R122: fail closed: where the ancestors cannot be told the gate says so and takes nobody for a person."""
    monkeypatch.setattr(ancestry, "MOST", 0)
    assert gate.look() == ("unknown", "who started it cannot be told: the chain of processes does not end")
