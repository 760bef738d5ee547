"""Where the sources under test lie: the checkout's folders. Read as text and syntax trees, never imported from here."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("schemas", "kg", "context", "curator")  # lowest first; `bellek` stands on top
PACKAGES = (*FLOORS, "bellek")


def sources(*folders: str) -> Iterator[Path]:
    """All Python files of the given top folders, in order."""
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def name_of(path: Path) -> str:
    """A file's name in reports, from the repository's root."""
    return path.relative_to(ROOT).as_posix()


def module_of(path: Path) -> str:
    """The name under which a source file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts if parts[0] == "bellek" else ("bellek", *parts)).removesuffix(".__init__")


def strings(path: Path) -> Iterator[str]:
    """Every string literal of a file but its docstrings; pieces that stand side by side or in an f-string are joined."""
    tree = parsed(path)
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr):
                left_out.add(id(first.value))
        if isinstance(node, ast.JoinedStr):
            left_out.update(id(part) for part in node.values)
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.value


def imports(path: Path) -> Iterator[str]:
    """The names of all modules that a file imports, deferred imports included."""
    for node in ast.walk(parsed(path)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=0, names=names):
                yield from (f"{module}.{alias.name}" for alias in names)
            case _:
                pass
