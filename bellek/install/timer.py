"""``install --nightly``: the files by which the machine itself starts `bellek nightly`, systemd's or launchd's.

It must never start or enable anything: the person runs the printed command, which is theirs to take back. Files of the
same name that are not ours are left alone.
"""

import plistlib
import sys
from dataclasses import dataclass
from pathlib import Path

from bellek.install import files
from bellek.kg import paths

NAME = "bellek-nightly"
LABEL = "org.bellek.nightly"
SIGN = "written by `bellek install --nightly`"
HOUR, MINUTE = 3, 17


@dataclass(frozen=True, slots=True)
class Timer:
    """The files that start a night, with their contents, and the commands that turn it on and off."""

    files: dict[Path, bytes]
    on: str
    off: str


def planned(environ: "dict[str, str]", python: str, main: Path, home: Path, *, platform: str = sys.platform) -> Timer:
    """What would be written for this machine; pure but for the names of folders."""
    words = [python, "-I", str(main), "nightly", "--home", str(home)]
    user = Path(environ.get("HOME") or "~").expanduser()
    if platform == "darwin":
        path = user / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        return Timer({path: _launchd(words, home)}, f"launchctl load -w '{path}'", f"launchctl unload -w '{path}'")
    config = environ.get("XDG_CONFIG_HOME", "")
    folder = (Path(config) if config.startswith("/") else user / ".config") / "systemd" / "user"
    return Timer(
        {folder / f"{NAME}.service": _service(words), folder / f"{NAME}.timer": _timer()},
        f"systemctl --user daemon-reload && systemctl --user enable --now {NAME}.timer",
        f"systemctl --user disable --now {NAME}.timer",
    )


def _service(words: list[str]) -> bytes:
    return (
        f"# {SIGN}\n[Unit]\nDescription=bellek: mine, consolidate, back up\n\n"
        f"[Service]\nType=oneshot\nUMask=0077\nNice=10\nIOSchedulingClass=idle\nExecStart={' '.join(map(_quoted, words))}\n"
    ).encode()


def _quoted(word: str) -> str:
    """A word of a unit file: in quotes, with systemd's own specifiers and variables spelled out."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"'


def _timer() -> bytes:
    return (
        f"# {SIGN}\n[Unit]\nDescription=bellek: each night\n\n"
        f"[Timer]\nOnCalendar=*-*-* {HOUR:02d}:{MINUTE:02d}:00\nPersistent=true\nRandomizedDelaySec=600\n\n[Install]\nWantedBy=timers.target\n"
    ).encode()


def _launchd(words: list[str], home: Path) -> bytes:
    log = str(home / "nightly.log")
    return plistlib.dumps({
        "Label": LABEL, "ProgramArguments": words, "StartCalendarInterval": {"Hour": HOUR, "Minute": MINUTE}, "LowPriorityIO": True,
        "Nice": 10, "Umask": 0o077, "StandardOutPath": log, "StandardErrorPath": log, "EnvironmentVariables": {"BELLEK_TIMER": SIGN},
    })  # fmt: skip


def write(timer: Timer, *, dry_run: bool) -> list[str]:
    """Write the files that differ, each whole or not at all; a sentence each on what was (or would be) done. Raises Refused."""
    told = []
    for path, content in timer.files.items():
        now = files.read(path)
        if now == content:
            told.append(f"{path} is there already")
        elif now is not None and SIGN.encode() not in now:
            told.append(f"{path} is not ours and was left alone")
        else:
            if not dry_run:
                files.make_folders(path.parent)
                files.replace(path, content, expected=now)
                assert files.read(path) == content
            told.append(f"{'would write' if dry_run else 'wrote'} {path}")
    return told


def remove(timer: Timer, *, dry_run: bool) -> list[str]:
    """Take away the files that are ours; a sentence each. Raises Refused."""
    told = []
    for path in timer.files:
        now = files.read(path)
        if now is not None and SIGN.encode() in now:
            if not dry_run:
                files.remove(path, expected=now)
            told.append(f"{'would delete' if dry_run else 'deleted'} {path}")
    return told


def main_file() -> Path:
    """The program's start file, as a timer starts it."""
    import bellek

    return Path(bellek.__file__).resolve().parent / "__main__.py"


def home_of(given: str | None) -> Path:
    """The data home, as an absolute path for a file that is read elsewhere."""
    return Path(paths.find_home(given))
