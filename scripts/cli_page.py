"""Writes docs/cli.md from the command line itself, so that the page cannot say what the program does not.

``cli_page.py`` writes the page and what `bellek --help` prints; ``--print`` and ``--print-help`` print them. It must never take a help text's layout from the
parser: the page is the same whatever version of it is installed and however wide the terminal is.
"""

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from bellek.cli.main import build

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "cli.md"
HELP = ROOT / "bellek" / "cli" / "help.txt"  # what `bellek --help` prints, so that it need not load every verb
WIDTH = 79  # letters of a line of it
EVERYWHERE = {"--home", "--project", "--json", "--help", "--install-completion", "--show-completion"}
HEAD = """\
# The command line

Written by `scripts/gen-cli-docs`; a test fails where this page and the program differ.

What many verbs take, and what is not repeated below:

- `--home DIR`: the data home (default: `BELLEK_HOME`, else the XDG data folder, `~/.local/share/bellek`). It may also
  stand before the verb.
- `--project PATH`: the project's folder (default: the folder you are in). A folder that no longer exists is still a project.
- `--json`: print one JSON value and nothing else. A list is an array of objects, empty where there is nothing.
- `--`: everything behind it is no option.

`bellek --version` prints the version; `bellek --help`, and `--help` behind any verb, what it takes.

Exit statuses: 0 done · 1 failed · 2 usage · 3 a person is needed · 4 busy · 5 store damaged, newer or read-only. An error
says on standard error what happened, why, and what to run next.
"""


def page() -> str:
    """The whole page."""
    return HEAD + "".join(_verb(words, command) for words, command in verbs())


def verbs() -> Iterator[tuple[str, Any]]:
    """(words, command) of every verb, in the order of the program's own help."""
    yield from _below("bellek", typer.main.get_command(build()))


def help_text() -> str:
    """The program's own help: usage, its options, each verb with the first sentence of what it does."""
    root: Any = typer.main.get_command(build())
    rows = [(", ".join(p.opts) + _value(p), p.help or "") for p in root.params if p.param_type_name == "option"]
    rows.append(("--help", "Show this message and exit."))
    verbs_ = [(name, _first(command.help or "")) for name, command in root.commands.items() if not command.hidden]
    parts = [
        "Usage: bellek [OPTIONS] COMMAND [ARGS]...",
        "",
        f"  {root.help}",
        "",
        "Options:",
        *_table(rows),
        "",
        "Commands:",
        *_table(verbs_),
    ]
    return "\n".join(parts) + "\n"


def _value(param: Any) -> str:
    return "" if param.is_flag or param.is_eager else f" {param.metavar}"


def _first(text: str) -> str:
    """The first sentence of a help text."""
    flat = " ".join(text.split())
    end = flat.find(". ")
    return flat if end < 0 else flat[: end + 1]


def _table(rows: list[tuple[str, str]]) -> Iterator[str]:
    wide = max(len(name) for name, _ in rows) + 2
    for name, text in rows:
        lines = textwrap.wrap(text, WIDTH - wide - 2) or [""]
        yield f"  {name:{wide}}{lines[0]}".rstrip()
        yield from (" " * (wide + 2) + line for line in lines[1:])


def _below(words: str, group: Any) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _below(f"{words} {name}", command)
        elif not command.hidden:
            yield f"{words} {name}", command


def _verb(words: str, command: Any) -> str:
    shared = [option for option in ("--project", "--home", "--json") if option in _options(command)]
    usage = " ".join([words, *(_argument(p) for p in _arguments(command)), *(f"[{o}]" for o in shared)])
    text = " ".join((command.help or "").split())
    lines = [f"\n## `{words}`\n", f"`{usage}`\n", f"{text}\n"]
    rows = [f"- `{_argument(p)}`: {p.help}" for p in _arguments(command) if getattr(p, "help", None)]
    rows += [f"- {_option(p)}" for p in command.params if p.param_type_name == "option" and p.opts[0] not in EVERYWHERE]
    return "\n".join(lines) + ("\n" + "\n".join(rows) + "\n" if rows else "")


def _arguments(command: Any) -> list[Any]:
    return [p for p in command.params if p.param_type_name == "argument"]


def _options(command: Any) -> set[str]:
    return {name for p in command.params if p.param_type_name == "option" for name in p.opts}


def _argument(param: Any) -> str:
    name = (param.metavar or str(param.name)).strip("{}[].").rstrip("_").upper()
    dots = "…" if param.nargs == -1 else ""
    return f"{name}{dots}" if param.required else f"[{name}{dots}]"


def _option(param: Any) -> str:
    number = isinstance(param.default, int)
    value = "" if param.is_flag else f" {param.metavar or ('N' if number else 'TEXT')}"
    names = ", ".join(f"`{name}{value}`" for name in param.opts)
    default = param.default if not param.is_flag and isinstance(param.default, str | int) else ""
    said = "; ".join(filter(None, [(param.help or "").rstrip("."), f"default {default}" if default != "" else ""]))
    return f"{names}: {said}." if said else f"{names}."


def main(words: list[str]) -> None:
    """Print the page, or write it and say whether it changed."""
    if words == ["--print"]:
        sys.stdout.buffer.write(page().encode())
        return
    if words == ["--print-help"]:
        sys.stdout.buffer.write(help_text().encode())
        return
    for file, text in ((PAGE, page()), (HELP, help_text())):
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        file.write_text(text, encoding="utf-8")
        print(f"{file}: {'as it was' if file.read_text(encoding='utf-8') == old else 'written'}")


if __name__ == "__main__":
    main(sys.argv[1:])
