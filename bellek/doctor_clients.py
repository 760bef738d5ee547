"""The clients beside Claude Code's own settings: which are bound, by what, and whether one event is bound twice. Reads only."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace

from bellek.doctor_finding import Finding
from bellek.install import files, others, settings
from bellek.install.target import Target
from bellek.schemas.errors import Refused


def clients(target: Target) -> Iterator[Finding]:
    """One finding a bound client, and one where plugin and settings both bind Claude Code. What is not bound is not told."""
    for client in others.CLIENTS.values():
        yield from _client(client, target)
    yield from _plugin(target)


def _client(client: others.Client, target: Target) -> Iterator[Finding]:
    folder = client.folder(os.environ)
    name, again = f"client-{client.name}", f"bellek install {client.name}"
    try:
        if not others.bound(client, folder):
            return
        due = others.due(client, replace(target, config_dir=folder))
    except Refused as exc:
        yield Finding(name, "WARN", exc.what, exc.why, again)
        return
    if due:
        yield Finding(
            name, "WARN", f"{client.name} is bound by another version, interpreter or data home", str(due[0]), again
        )
    else:
        yield Finding(name, "OK", f"{client.name} is bound in {folder}")


def _plugin(target: Target) -> Iterator[Finding]:
    try:
        data = json.loads(files.read(target.settings) or b"{}")
    except (ValueError, Refused):
        return  # told by the check of the hooks
    enabled = data.get("enabledPlugins") if isinstance(data, dict) else None
    on = isinstance(enabled, dict) and any(name.startswith("bellek@") and value for name, value in enabled.items())
    if on and settings.own_entries(data):
        yield Finding(
            "plugin", "WARN", "Claude Code is bound by its settings and by the plugin", "the settings' hooks answer, the plugin's keep silent",
            "bellek uninstall claude-code, or disable the plugin: one of them is enough",
        )  # fmt: skip
    elif on:
        yield Finding("plugin", "OK", "Claude Code is bound by the plugin")
