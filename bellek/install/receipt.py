"""What an install did, kept in the data home so that it can be taken back exactly: one receipt a config folder.

Written before the settings are, so that a killed install can be taken back too. It must never be needed: without it,
uninstall goes by the form of our commands.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bellek.install import files
from bellek.install.target import CLIENT

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Receipt:
    """One install. ``files`` maps paths of whole files of ours to the SHA-256 they were written with; ``folders`` are
    the ones we made, outermost first; ``interiors`` as in ``settings.Edit``; ``backup`` is empty where there was no file.
    """

    config_dir: str
    version: str
    python: str
    hook: str
    events: tuple[str, ...]
    commands: tuple[str, ...]
    settings_created: bool
    settings_sha256: str
    interiors: Mapping[str, str]
    files: Mapping[str, str]
    folders: tuple[str, ...]
    backup: str
    rules: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NoReceipt:
    """There is none for that folder; ``damaged`` says why the file could not be read, if it is there."""

    damaged: str = ""


def folder(home: Path) -> Path:
    """Where receipts and backups of this client's files lie in a data home."""
    return home / "install" / CLIENT


def path(home: Path) -> Path:
    """The receipt file of a data home."""
    return folder(home) / "receipt.json"


def load(home: Path, config_dir: Path) -> Receipt | NoReceipt:
    """The receipt of the install into ``config_dir``."""
    try:
        receipts = _loaded(files.read(path(home)))
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        return NoReceipt(f"{type(fault).__name__} while it was read")
    return receipts.get(str(config_dir), NoReceipt())


def text_with(raw: bytes | None, receipt: Receipt) -> bytes:
    """The receipt file's bytes with ``receipt`` in it; a damaged file is begun anew (its copy is the caller's)."""
    return _dumped({**_readable(raw), receipt.config_dir: receipt})


def text_without(raw: bytes | None, config_dir: Path) -> bytes | None:
    """The receipt file's bytes without the one of ``config_dir``; None where no other is left."""
    left = {name: receipt for name, receipt in _readable(raw).items() if name != str(config_dir)}
    return _dumped(left) if left else None


def _readable(raw: bytes | None) -> dict[str, Receipt]:
    try:
        return _loaded(raw)
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _loaded(raw: bytes | None) -> dict[str, Receipt]:
    if raw is None:
        return {}
    data = json.loads(raw)
    if data["format"] != _FORMAT:
        raise ValueError(data["format"])
    return {name: _receipt(name, fields) for name, fields in data["installs"].items()}


def _receipt(config_dir: str, fields: dict[str, Any]) -> Receipt:
    return Receipt(
        config_dir=config_dir,
        version=str(fields["version"]),
        python=str(fields["python"]),
        hook=str(fields["hook"]),
        events=tuple(map(str, fields["events"])),
        commands=tuple(map(str, fields["commands"])),
        settings_created=bool(fields["settings_created"]),
        settings_sha256=str(fields["settings_sha256"]),
        interiors={str(place): str(blanks) for place, blanks in fields["interiors"].items()},
        files={str(name): str(digest) for name, digest in fields["files"].items()},
        folders=tuple(map(str, fields["folders"])),
        backup=str(fields["backup"]),
        rules={str(name): tuple(map(str, rules)) for name, rules in fields.get("rules", {}).items()},
    )


def _dumped(receipts: Mapping[str, Receipt]) -> bytes:
    installs = {
        name: {
            "version": receipt.version,
            "python": receipt.python,
            "hook": receipt.hook,
            "events": receipt.events,
            "commands": receipt.commands,
            "settings_created": receipt.settings_created,
            "settings_sha256": receipt.settings_sha256,
            "interiors": dict(receipt.interiors),
            "files": dict(receipt.files),
            "folders": receipt.folders,
            "backup": receipt.backup,
            "rules": dict(receipt.rules),
        }
        for name, receipt in receipts.items()
    }
    return (json.dumps({"format": _FORMAT, "installs": installs}, indent=2, ensure_ascii=False) + "\n").encode()
