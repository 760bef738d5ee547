"""Our two agents as files of the clients that have subagents: the very text that Claude Code gets, under another head.

Where each client looks, and what its head holds, is as its documentation says; docs/clients.md says what was tried. Files of
ours are known by their form. It must never give an agent a tool that it does not need where the client lets tools be named.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bellek.install.laid import AGENTS, Laid, shipped

FENCE = "---\n"


@dataclass(frozen=True, slots=True)
class Form:
    """Where a client's agents lie below its folder, and how (name, description, instructions) become a file there.

    `drains`: a session may be asked to start the curator, since its commands run there without a question. Where they do not,
    asking at every turn would end in a question at every turn; there it is started by the person.
    """

    place: str
    written: Callable[[str, str, str], str]
    drains: bool = False


def of(form: Form | None, folder: Path) -> tuple[Laid, ...]:
    """The files of both agents for a client whose folder this is; none where it has no subagents."""
    return tuple(_one(form, folder, name) for name in AGENTS) if form else ()


def _one(form: Form, folder: Path, name: str) -> Laid:
    _, head, text = shipped(name).split(FENCE, 2)
    about = next(line.partition(": ")[2] for line in head.splitlines() if line.startswith("description: "))
    return Laid(folder / form.place.format(name=name), form.written(name, about, text.lstrip("\n")))


def _markdown(*more: str, named: bool = True) -> Callable[[str, str, str], str]:
    def written(name: str, about: str, text: str) -> str:
        head = [*([f"name: {name}"] if named else []), f"description: {json.dumps(about, ensure_ascii=False)}", *more]
        return FENCE + "\n".join(head) + f"\n{FENCE}\n{text}"

    return written


def _toml(name: str, about: str, text: str) -> str:
    """Instructions as a literal, in which nothing is escaped: three quotes in a row stand in neither text nor a quoted command."""
    about = json.dumps(about, ensure_ascii=False)
    return f"name = {json.dumps(name)}\ndescription = {about}\ndeveloper_instructions = '''\n{text}'''\n"


# A name stands in the file's name where the head has none (OpenCode).
OPENCODE = Form(
    "agent/{name}.md",
    _markdown("mode: subagent", "permission:", "  edit: deny", "  webfetch: deny", named=False),
    drains=True,
)
GEMINI = Form("agents/{name}.md", _markdown("kind: local", "tools:", "  - run_shell_command", "max_turns: 14"))
OMP = Form("agents/{name}.md", _markdown("tools: bash"))
CODEX = Form("agents/{name}.toml", _toml)
