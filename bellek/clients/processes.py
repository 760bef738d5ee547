"""How the clients look in a machine's table of processes: what the gate refuses to take a word from.

Data alone. One entry a client; adding a client adds a line here (CONTRIBUTING.md). It must never match by a folder that a
person may have named, so a name is a whole file name, and a part of a path is one that only the client's own package has.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Looks:
    """`names`: of a program file, of the process, or of the script that an interpreter runs. `parts`: of those files'
    paths. `marks`: environment variables that the client sets in every command it runs.
    """

    client: str
    names: frozenset[str]
    parts: tuple[str, ...]
    marks: frozenset[str]


CLIENTS = (
    Looks("claude-code", frozenset({"claude"}), ("/@anthropic-ai/claude-code", "/claude/versions/"),
          frozenset({"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"})),
    Looks("codex", frozenset({"codex", "codex-linux-sandbox"}), ("/@openai/codex",), frozenset({"CODEX_SANDBOX", "CODEX_THREAD_ID"})),
    Looks("pi", frozenset({"pi", "omp"}), ("/pi-coding-agent/",), frozenset({"PI_CODING_AGENT"})),
    Looks("gemini", frozenset({"gemini"}), ("/@google/gemini-cli",), frozenset({"GEMINI_CLI"})),
    Looks("opencode", frozenset({"opencode"}), ("/opencode-ai/",), frozenset({"OPENCODE"})),
    Looks("openclaw", frozenset({"openclaw"}), ("/openclaw/",), frozenset()),
    Looks("hermes", frozenset({"hermes", "hermes-agent"}), ("/hermes_cli/",), frozenset()),
    Looks("bellek", frozenset(), (), frozenset({"BELLEK_NESTED"})),
)  # fmt: skip

# Programs that run a script: there the script's own name tells, not the program's.
RUNNERS = ("npx", "npm", "bunx")
INTERPRETERS = ("node", "nodejs", "bun", "deno", "python", "tsx", *RUNNERS)


# Programs that make a terminal for another one. Started where there is none themselves, they make it for nobody.
TERMINAL_MAKERS = frozenset({"script", "expect", "unbuffer", "socat"})


def makes_terminals(names: "tuple[str, ...]") -> bool:
    """Whether a process, by the names and paths of its program, is one of those."""
    return any(_last(name) in TERMINAL_MAKERS for name in names)


def client_of(names: "tuple[str, ...]", words: "tuple[str, ...]") -> str:
    """The client that a process is, or "": by the names and paths of its program (`names`) and by its command line."""
    script = _script(words)
    named = {_last(file) for file in (*names, *words[:1], *script)}
    paths = (*names, *words[:1], *(words if script else ()))
    for looks in CLIENTS:
        if named & looks.names or any(part in path for part in looks.parts for path in paths):
            return looks.client
    return ""


def client_by_marks(variables: "frozenset[str]") -> str:
    """The client whose marks an environment holds, or ""."""
    return next((looks.client for looks in CLIENTS if looks.marks & variables), "")


def _script(words: "tuple[str, ...]") -> "tuple[str, ...]":
    """What an interpreter runs: the first word that is no option (of a package runner the second as well)."""
    program = _last(words[0]).rstrip("0123456789.") if words else ""
    if program not in INTERPRETERS:
        return ()
    plain = tuple(word for word in words[1:] if not word.startswith("-"))
    return plain[: 2 if program in RUNNERS else 1]


def _last(path: str) -> str:
    name = path.rpartition("/")[2]
    for end in (".js", ".mjs", ".cjs", ".exe"):
        name = name.removesuffix(end)
    return name
