"""What is built and how it behaves beside other programs: one name, all its files, no matter whose folders lie around."""

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from tree import FLOORS, ROOT

import bellek

WHEEL_RUN = os.environ.get("BELLEK_TEST_WHEEL") == "1"  # read at import: tests see an environment without our names


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that `scripts/test` built, else one built here."""
    if WHEEL_RUN:
        return next((ROOT / ".build/wheel").glob("bellek-*.whl"))
    if find_spec("hatchling") is None or find_spec("build") is None:
        pytest.skip("build and hatchling are not installed beside this interpreter: `./scripts/test` brings them")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return next(folder.glob("bellek-*.whl"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the wheel's files as an installer lays them down."""
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def python(code: str, *, cwd: Path, path: list[Path]) -> str:
    """Run code in a folder whose own modules come first, as a host program's do; its output."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONDONTWRITEBYTECODE": "1"}
    (cwd / "host.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "host.py"], capture_output=True, text=True, check=False, cwd=cwd, env=environment, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_suite_runs_against_what_it_says():
    """With BELLEK_TEST_WHEEL=1 the package under test, and that of started processes, comes from site-packages, else from here."""
    code = "import bellek.hook, bellek.kg.db; print(bellek.hook.__file__, bellek.kg.db.__file__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    for place in (bellek.__file__, *done.stdout.split()):
        parts = Path(place).resolve().parts
        assert ("site-packages" in parts) is WHEEL_RUN
        assert Path(place).resolve().is_relative_to(ROOT)


def test_the_wheel_holds_every_file_of_the_floors(wheel):
    """Each Python, SQL, Markdown and marker file of the five folders lies in the wheel, below `bellek/`, and nothing else does."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = set()
    for folder in ("bellek", *FLOORS):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                name = path.relative_to(ROOT).as_posix()
                wanted.add(name if folder == "bellek" else f"bellek/{name}")
    assert held == wanted
    assert "bellek/py.typed" in held
    assert "bellek/schemas/sql/memory/0001_first.sql" in held
    assert any(name.endswith(".md") for name in held)


def test_an_installed_copy_claims_one_name(wheel):
    """The wheel lays down one top-level name besides its metadata: a host's `schemas` or `context` is never overwritten."""
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"bellek"}


HOST = "import schemas, context\nassert schemas.MINE and context.MINE\n"
OURS = "import bellek.hook, bellek.schemas.vocab, bellek.context.packet, bellek.kg.migrate\nassert bellek.schemas.vocab.ORIGINS and bellek.open and bellek.Message\n"
ORDERS = {"host first": HOST + OURS + HOST, "bellek first": OURS + HOST + OURS}


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host program's folder with packages of its own under two of our floors' names."""
    for name in ("schemas", "context"):
        package = tmp_path / "host" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("MINE = True\n", encoding="utf-8")
    return tmp_path / "host"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("copy", ["wheel", "checkout"])
def test_a_host_with_folders_of_the_same_names_is_safe(order, copy, host, request):
    """A host program's own `schemas` and `context` and ours work side by side, whichever is imported first."""
    place = request.getfixturevalue("installed") if copy == "wheel" else ROOT
    said = python(ORDERS[order] + "print(bellek.kg.__file__)", cwd=host, path=[place])
    assert Path(said.strip()).is_relative_to(place)


@pytest.mark.parametrize("copy", ["wheel", "checkout"])
def test_a_hostile_import_path_does_not_get_in(copy, tmp_path, request):
    """Folders on PYTHONPATH that look like our floors are never taken for them: ours come from beside our package."""
    place = request.getfixturevalue("installed") if copy == "wheel" else ROOT
    evil = tmp_path / "evil"
    for name in FLOORS:
        (evil / name).mkdir(parents=True)
        (evil / name / "__init__.py").write_text("raise SystemExit('taken')\n", encoding="utf-8")
    code = OURS + "import sys\nprint(len(bellek.__path__), [p for p in sys.path if p.endswith(('/kg', '/schemas'))])"
    said = python(code, cwd=tmp_path, path=[evil, place])
    assert said.strip() == ("1 []" if copy == "wheel" else "2 []")


def test_the_databases_can_be_made_from_the_wheel(installed, tmp_path):
    """The SQL files are read as data of the installed package: a home opens where no checkout is."""
    code = "from bellek.kg.home import open_home\nimport sys\nwith open_home(sys.path[0] + '/ev') as h: print(h.memory.value('PRAGMA user_version'))"
    assert int(python(code, cwd=tmp_path, path=[installed])) >= 1
