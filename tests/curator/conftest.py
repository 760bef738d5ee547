"""What the curator's tests share: a small world of typed memory, and talks heard as a client would write them."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bellek.clients.claude_ears import ClaudeEars
from bellek.curator import capture, drain
from bellek.curator.capture import Heard
from bellek.curator.drain import Drained
from bellek.kg import projects
from bellek.kg.home import Home

sys.path.insert(0, str(Path(__file__).resolve().parent))

from typed_world import World


@pytest.fixture
def world(home):
    """A home with one project, in which things are said, heard and answered."""
    return World(home)


@dataclass
class Talk:
    """One session in one project folder. Each line is a second later than the one before."""

    home: Home
    folder: Path
    session: str = "s1"
    lines: list[str] = field(default_factory=list)

    @property
    def project(self) -> str:
        """The project's id, once something was heard."""
        return projects.find(self.home.memory, str(self.folder))

    def user(self, text: str, **more: object) -> "Talk":
        """The person types."""
        return self._line("user", text, {"promptSource": "typed", **more})

    def agent(self, text: str, **more: object) -> "Talk":
        """The assistant says."""
        return self._line("assistant", [{"type": "text", "text": text}], more)

    def tool(self, name: str, path: str) -> "Talk":
        """The assistant calls a tool with a path."""
        return self._line(
            "assistant",
            [{"type": "tool_use", "id": f"t{len(self.lines)}", "name": name, "input": {"file_path": path}}],
            {},
        )

    def _line(self, kind: str, content: object, more: dict[str, object]) -> "Talk":
        n = len(self.lines) + 1
        self.lines.append(json.dumps({
            "type": kind, "uuid": f"{self.session}-{n}", "parentUuid": None, "sessionId": self.session, "isSidechain": False,
            "timestamp": f"2026-11-30T{9 + n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}.000Z", "cwd": str(self.folder), "version": "2.1.332",
            "entrypoint": "cli", "message": {"role": kind, "id": f"m{n}", "content": content}, **more,
        }, ensure_ascii=False))  # fmt: skip
        return self

    def hear(self) -> Heard:
        """Write the file and hear it, as a Stop would."""
        config = self.folder.parent / "client"
        path = config / "projects" / "p" / f"{self.session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in self.lines), encoding="utf-8")
        ears = ClaudeEars(str(config))
        return capture.hear(self.home, ears, ears.transcripts([str(path)]))

    def drain(self) -> Drained:
        """Drain this project's queue by rule."""
        return drain.drain_offline(self.home, self.project)


@pytest.fixture
def talk(home: Home, tmp_path: Path) -> Callable[[str], Talk]:
    """Talks of one project by session id."""
    (tmp_path / "proje").mkdir()
    return lambda session="s1": Talk(home, tmp_path / "proje", session)


@pytest.fixture
def manifest(home: Home) -> Callable[..., Path]:
    """Write a manifest of the person's: its text, or its four keys."""
    folder = Path(home.path) / "config" / "channels"
    folder.mkdir(parents=True)

    def write(file: str, text: str | bytes | None = None, **keys: str) -> Path:
        values = {
            "name": file.removesuffix(".toml"),
            "drain": "learning",
            "rule": "do it now",
            "describes": "something",
            **keys,
        }
        data = (
            "".join(f"{k} = {json.dumps(v, ensure_ascii=False)}\n" for k, v in values.items()) if text is None else text
        )
        (folder / file).write_bytes(data if isinstance(data, bytes) else data.encode())
        return folder / file

    return write
