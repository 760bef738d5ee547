"""The repository's pages: their code blocks, links and figures. Read as text."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READMES = ("README.md", "README.tr.md")

_BLOCK = re.compile(r"(?:^<!-- (run)(: no, [^>]+)? -->\n)?^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_FIGURE = re.compile(r"<!-- figure: ([\w.-]+) -->(.*?)<!-- /figure -->", re.DOTALL)
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def text_of(page: str) -> str:
    """A page by its path from the root."""
    return (ROOT / page).read_text(encoding="utf-8")


def pages() -> list[str]:
    """All Markdown pages at the top and under docs, by path from the root."""
    return [str(p.relative_to(ROOT)) for p in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])]


def blocks(page: str) -> list[tuple[str, str]]:
    """(mark, script) of each block of shell: "run", "no" with its reason, or "" where nobody said."""
    return [("no" if why else said, script) for said, why, script in _BLOCK.findall(text_of(page))]


def links(page: str) -> list[str]:
    """Relative links of a page, code left out."""
    return [link for link in _LINK.findall(_CODE.sub("", text_of(page))) if "://" not in link and "mailto:" not in link]


def figures(page: str) -> list[tuple[str, str]]:
    """(key, text) of each marked figure."""
    return [(key, said.strip()) for key, said in _FIGURE.findall(text_of(page))]


def holds(said: str, value: float) -> bool:
    """Whether a figure as it is written (a comma or a point before its decimals) is the value, rounded as it is written."""
    plain = said.replace(",", ".")
    decimals = len(plain.partition(".")[2])
    return plain == f"{value:.{decimals}f}"
