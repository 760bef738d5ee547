"""Who may import whom, and what a hook has loaded when it has answered."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tree import FLOORS, PACKAGES, ROOT, imports, module_of, name_of, sources

from bellek.kg import clock, registry, state
from bellek.kg.home import Home
from bellek.kg.state import Point

# What the prompt hook may load of ours. A new room here costs every prompt of every session: FACTS, "The hook process".
LIGHT = {
    "bellek", "bellek.hook", "bellek.clients", "bellek.clients.claude_code",
    "bellek.context", "bellek.context.index", "bellek.context.log_lines", "bellek.context.packet", "bellek.context.recall", "bellek.context.sections", "bellek.context.turn",
    "bellek.kg", "bellek.kg.agents", "bellek.kg.clock", "bellek.kg.db", "bellek.kg.fold", "bellek.kg.fts_query", "bellek.kg.ids", "bellek.kg.lookup",
    "bellek.kg.pace", "bellek.kg.parts", "bellek.kg.paths", "bellek.kg.projects", "bellek.kg.scope", "bellek.kg.search", "bellek.kg.unread",
    "bellek.schemas", "bellek.schemas.errors", "bellek.schemas.fence", "bellek.schemas.kinds", "bellek.schemas.packet",
    "bellek.schemas.state", "bellek.schemas.vocab",
}  # fmt: skip
# What it may load of others besides: apsw with what it brings in this version of Python, small modules written in C, and a
# codec. No json and no importlib: docs/decisions/0007-hook-start-up.md.
OTHERS = {"gc", "math", "binascii", "time", "itertools", "unicodedata", "encodings"}
HEAVY = {
    "pydantic", "typer", "click", "rich", "dataclasses", "typing", "logging", "tomllib", "numpy", "networkx", "subprocess",
    "pathlib", "urllib", "http", "socket", "ssl", "asyncio", "hashlib", "secrets", "inspect", "ast", "datetime", "tempfile",
    "concurrent", "multiprocessing", "email", "sqlite3", "yaml",
}  # fmt: skip

STARTED = """
import os, sys
bare = set(sys.modules)
leave = os._exit
def tell(status):
    sys.stderr.write("\\n".join(sorted(set(sys.modules) - bare)))
    sys.stderr.flush()
    leave(status)
os._exit = tell
from bellek.hook import run
run(sys.argv[1:])
"""


def started(
    home: Home, event: str, fields: dict[str, str], tmp_path: Path, client: str = "claude-code"
) -> tuple[dict[str, object], set[str]]:
    """Run one hook in a process of its own: its JSON, and the modules that it loaded beyond a bare interpreter's."""
    environment = {**os.environ, "CLAUDE_CONFIG_DIR": str(tmp_path / "no client here")}
    done = subprocess.run(
        [sys.executable, "-c", STARTED, event, "--client", client, "--home", home.path],
        input=json.dumps({"hook_event_name": event, "session_id": "s1", **fields}),
        capture_output=True, text=True, check=True, cwd=tmp_path, env=environment, timeout=60,
    )  # fmt: skip
    return (json.loads(done.stdout) if done.stdout else {}), set(done.stderr.split("\n"))


@pytest.fixture
def told(home: Home, tmp_path: Path) -> Path:
    """A project's folder about which the home has something standing to tell, whatever the event."""
    folder = tmp_path / "proje"
    folder.mkdir()
    with home.memory.transaction():
        registry.register(home.memory, str(folder))
        state.add(home.memory, Point("m1", "claude-code", "p", "s", clock.now(), 0, (0.2,) * 8, ()))
    (Path(home.path) / "config/identity.md").write_text("Ayşe, veri mühendisi\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("event", "more"), [("UserPromptSubmit", {"prompt": "uv neden seçildi?"}), ("SessionStart", {"source": "startup"})]
)
def test_a_hook_loads_the_light_rooms_and_nothing_else(home, told, tmp_path, event, more):
    """A hook that tells a packet has loaded its own rooms and apsw: no json, re, pydantic, typer, dataclasses, typing or pathlib."""
    answer, loaded = started(home, event, {"cwd": str(told), **more}, tmp_path)
    assert "Ayşe" in answer["hookSpecificOutput"]["additionalContext"], "a hook that says nothing proves nothing"
    assert "bellek.schemas.state" in loaded, "the tone's rules are among what it may load"
    assert {name for name in loaded if name.split(".")[0] == "bellek"} - LIGHT == set()
    tops = {name.split(".")[0] for name in loaded} - {"bellek"}
    assert tops & HEAVY == set()
    c_parts = {name for name in tops if name.startswith("_")}
    assert tops - OTHERS - c_parts - loaded_by("import apsw") == set()


@pytest.mark.parametrize(
    ("client", "event"), [("codex", "UserPromptSubmit"), ("omp", "before_agent_start"), ("generic-x", "prompt")]
)
def test_the_other_clients_hooks_are_as_light(home, told, tmp_path, client, event):
    """Another client's prompt loads its own small adapter and what they share instead of Claude Code's, and nothing more."""
    answer, loaded = started(home, event, {"cwd": str(told), "prompt": "uv neden seçildi?"}, tmp_path, client)
    assert "Ayşe" in json.dumps(answer, ensure_ascii=False)
    own = {"bellek.clients.plain", "bellek.clients.pi", f"bellek.clients.{client.split('-')[0]}"}
    assert {name for name in loaded if name.split(".")[0] == "bellek"} - LIGHT - own == set()
    assert {name.split(".")[0] for name in loaded} & HEAVY == set()


def loaded_by(code: str) -> set[str]:
    """The top names that some code loads beyond a bare interpreter."""
    script = f"import sys; bare = set(sys.modules); {code}; print(*(set(sys.modules) - bare))"
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return {name.split(".")[0] for name in done.stdout.split()}


def test_importing_the_hook_does_nothing():
    """`import bellek.hook` loads os and sys, which every interpreter has, and the package itself."""
    done = subprocess.run(
        [sys.executable, "-c", "import sys; bare = set(sys.modules); import bellek.hook; print(*(set(sys.modules) - bare))"],
        capture_output=True, text=True, check=True, cwd="/", timeout=60,
    )  # fmt: skip
    assert set(done.stdout.split()) == {"bellek", "bellek.hook"}


def test_imports_run_downward_only():
    """Imports run bellek → curator → context → kg → schemas, deferred imports included; a floor's own `__init__` imports nothing."""
    height = {name: number for number, name in enumerate(FLOORS)}
    for path in sources(*FLOORS):
        here = height[path.relative_to(ROOT).parts[0]]
        for name in imports(path):
            if name.split(".")[0] == "bellek":
                floor = name.split(".")[1]
                assert height.get(floor, 99) <= here, f"{name_of(path)} imports {name} from above"
    for floor in PACKAGES:
        assert list(imports(ROOT / floor / "__init__.py")) == [], floor


def test_the_contracts_hold(tmp_path):
    """import-linter keeps every contract of pyproject.toml over the tree of links (chains and deferred imports too)."""
    linter = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("import-linter is not installed beside this interpreter: `./scripts/test` runs it")
    tree = tmp_path / "bellek"
    tree.mkdir()
    for entry in [*(ROOT / "bellek").iterdir(), *(ROOT / floor for floor in FLOORS)]:
        if entry.name != "__pycache__":
            (tree / entry.name).symlink_to(entry)
    done = subprocess.run(
        [linter, "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


def test_every_room_can_be_entered_first():
    """No module needs another to have been imported before it: each is imported alone in a process of its own."""
    script = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]:\n"
        "    for loaded in [m for m in sys.modules if m == 'bellek' or m.startswith('bellek.')]:\n"
        "        del sys.modules[loaded]\n"
        "    importlib.import_module(name)\n"
    )
    names = [module_of(path) for path in sources(*PACKAGES) if path.name != "__main__.py"]
    if find_spec("mcp") is None:  # the extra is not installed here
        names.remove("bellek.mcp_server.server")
    if find_spec("jinja2") is None:
        names = [name for name in names if not name.startswith("bellek.web.")]
    subprocess.run([sys.executable, "-c", script, *names], check=True, cwd="/", timeout=600)


HEARING = "import sys; from bellek import hearing; from bellek.clients import claude_ears; print(*sys.modules)"


def test_a_pass_loads_no_models(tmp_path):
    """Hearing starts after every turn: it has loaded neither the kinds' models nor a command line, whose import costs more than a pass."""
    done = subprocess.run(
        [sys.executable, "-c", HEARING], capture_output=True, text=True, check=True, cwd=tmp_path, timeout=60
    )
    tops = {name.split(".")[0] for name in done.stdout.split()}
    assert tops & {"pydantic", "typer", "click", "rich", "numpy", "networkx", "yaml", "rapidfuzz"} == set()


def test_a_child_without_an_embedder_loads_nothing_of_one(home, tmp_path, monkeypatch):
    """With embedder none the hearing child asks for one and loads neither vectors nor what reads a package's version."""
    monkeypatch.setenv("BELLEK_EMBEDDER", "none")
    _, loaded = started(home, "Hear", {}, tmp_path)
    assert "bellek.kg.embedders" in loaded, "a child that does not ask proves nothing"
    assert loaded & {"bellek.kg.embedding", "importlib.metadata", "subprocess", "numpy", "pydantic"} == set()


NETWORKED = {
    "socket",
    "ssl",
    "http",
    "urllib",
    "asyncio",
    "anyio",
    "uvicorn",
    "starlette",
    "smtplib",
    "ftplib",
    "xmlrpc",
    "socketserver",
}
# The model and the embedder that a person declared, the memory server on loopback, the page on loopback.
MAY_SPEAK = ("curator/models.py", "kg/embedding_endpoint.py", "bellek/mcp_server/", "bellek/web/")


def test_only_these_rooms_can_open_a_socket():
    """R109: what could reach a network is imported in a handful of rooms; nothing else of ours can open a socket."""
    speakers = {
        name_of(path) for path in sources(*PACKAGES) if {name.split(".")[0] for name in imports(path)} & NETWORKED
    }
    assert [name for name in sorted(speakers) if not name.startswith(MAY_SPEAK)] == []
