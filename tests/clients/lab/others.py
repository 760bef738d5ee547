"""The other clients: their own settings, written for one run, and the words that start them.

Each function runs one turn to its end. Pi talks the Messages protocol; the rest talk their own, which the model's server
takes down to the same rules (`wires.py`). It must never write outside the laboratory's folders.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from lab import install, netns

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence
    from pathlib import Path

    from lab.lab import Lab, Result
    from lab.rules import Rule


def pi(lab: Lab, prompt: str, rules: Sequence[Rule], args: Sequence[str] = ()) -> Result:
    """One turn of Pi in print mode."""
    node, cli = install.node24(), install.pinned("pi", install.PI)
    quiet = {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"}
    model_entry = {"id": "fake-model", "reasoning": False, "contextWindow": 200_000, "maxTokens": 8_000}

    def order(model: subprocess.Popen[str], url: str) -> list[str]:
        provider = {"baseUrl": url, "api": "anthropic-messages", "apiKey": "none", "models": [model_entry]}
        _write(lab.home / ".pi/agent/models.json", {"providers": {"fake": provider}})
        return [
            *netns.joining(model.pid),
            str(node),
            str(cli),
            "-p",
            prompt,
            "--provider",
            "fake",
            "--model",
            "fake-model",
            *args,
        ]

    return lab.launch(order, rules, env=quiet).finish()


def omp(lab: Lab, prompt: str, rules: Sequence[Rule]) -> Result:
    """One turn of Oh My Pi, installed by hand with its Bun."""
    bun = install.on_demand("omp", "node_modules/bun/bin/bun.exe")
    cli = install.on_demand("omp", "node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js")
    entry = "{id: fake-model, name: fake, reasoning: false, input: [text], contextWindow: 200000, maxTokens: 8000, cost: {input: 0, output: 0, cacheRead: 0, cacheWrite: 0}}"

    def order(model: subprocess.Popen[str], url: str) -> list[str]:
        settings = f"providers:\n  fake:\n    baseUrl: {url}\n    api: anthropic-messages\n    apiKey: none\n    models:\n      - {entry}\n"
        _write(lab.home / ".omp/agent/models.yml", settings)
        return [
            *netns.joining(model.pid),
            str(bun),
            str(cli),
            "-p",
            prompt,
            "--model",
            "fake/fake-model",
            "--no-title",
            "--auto-approve",
        ]

    quiet = {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"}
    return lab.launch(order, rules, env=quiet).finish()


def codex(lab: Lab, prompt: str, rules: Sequence[Rule]) -> Result:
    """One turn of `codex exec`, installed by hand. Its hooks are trusted by an option: nobody is there to be asked."""
    program = install.on_demand(
        "codex", "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
    )

    def order(model: subprocess.Popen[str], url: str) -> list[str]:
        provider = f'name = "fake"\nbase_url = "{url}/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\nrequest_max_retries = 1\nstream_max_retries = 1\n'
        settings = (
            'model = "gpt-5"\nmodel_provider = "fake"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\ncheck_for_update_on_startup = false\n'
            f'[analytics]\nenabled = false\n[model_providers.fake]\n{provider}[features]\nenable_request_compression = false\n[projects."{lab.work}"]\ntrust_level = "trusted"\n'
        )
        _write(lab.home / ".codex/config.toml", settings)
        return [
            *netns.joining(model.pid),
            str(program),
            "exec",
            "--skip-git-repo-check",
            "--json",
            "--dangerously-bypass-hook-trust",
            prompt,
        ]

    return lab.launch(order, rules, env={"FAKE_KEY": "none"}).finish()


def gemini(lab: Lab, prompt: str, rules: Sequence[Rule]) -> Result:
    """One turn of Gemini CLI, installed by hand. Its settings hold our hooks already, so only what a run needs is added."""
    cli = install.on_demand("gemini", "node_modules/@google/gemini-cli/bundle/gemini.js")
    path = lab.home / ".gemini/settings.json"
    settings = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    settings |= {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}, "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False}, "general": {"enableAutoUpdate": False, "disableAutoUpdate": True, "disableUpdateNag": True},
    }  # fmt: skip
    _write(path, settings)

    def order(model: subprocess.Popen[str], url: str) -> list[str]:
        start = f"GOOGLE_GEMINI_BASE_URL={url}"
        return [
            *netns.joining(model.pid),
            "/usr/bin/env",
            start,
            install.node(),
            str(cli),
            "-p",
            prompt,
            "-m",
            "gemini-2.5-flash",
            "--yolo",
        ]

    quiet = {"GEMINI_API_KEY": "none", "GEMINI_CLI_TRUST_WORKSPACE": "true", "NO_COLOR": "1"}
    return lab.launch(order, rules, env=quiet).finish()


def opencode(lab: Lab, prompt: str, rules: Sequence[Rule]) -> Result:
    """One turn of `opencode run`, installed by hand with the package that it would fetch otherwise."""
    program = install.on_demand("opencode", "node_modules/opencode-linux-x64/bin/opencode")
    folder = lab.home / ".config/opencode"
    copied(install.on_demand("ocplugin", "node_modules"), folder / "node_modules")
    _write(folder / "package.json", {"dependencies": {"@opencode-ai/plugin": "1.18.33"}})

    def order(model: subprocess.Popen[str], url: str) -> list[str]:
        entry = {"name": "fake", "limit": {"context": 200_000, "output": 8_000}, "tool_call": True}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "fake",
            "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
            "models": {"fake-model": entry},
        }
        settings = {
            "autoupdate": False,
            "share": "disabled",
            "model": "fake/fake-model",
            "small_model": "fake/fake-model",
            "enabled_providers": ["fake"],
            "provider": {"fake": provider},
        }
        _write(folder / "opencode.json", settings)
        return [*netns.joining(model.pid), str(program), "run", prompt]

    quiet = {
        f"OPENCODE_DISABLE_{name}": "1" for name in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    }
    return lab.launch(order, rules, env=quiet).finish()


def openclaw(lab: Lab, prompt: str, rules: Sequence[Rule]) -> Result:
    """One turn of OpenClaw's agent, installed by hand. Its settings hold our entry already, so what a run needs is added."""
    cli, bin24 = install.on_demand("openclaw", "node_modules/openclaw/openclaw.mjs"), install.node24()
    path = lab.home / ".openclaw/openclaw.json"

    def order(model: subprocess.Popen[str], url: str) -> list[str]:
        settings = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        free = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
        entry = {
            "id": "fake-model",
            "name": "fake",
            "reasoning": False,
            "input": ["text"],
            "contextWindow": 200_000,
            "maxTokens": 8_000,
            "cost": free,
        }
        provider = {"baseUrl": f"{url}/v1", "apiKey": "none", "api": "openai-completions", "models": [entry]}
        settings |= {
            "agents": {"defaults": {"workspace": str(lab.work), "model": {"primary": "fake/fake-model"}, "skipBootstrap": True}},
            "models": {"mode": "replace", "providers": {"fake": provider}}, "update": {"checkOnStart": False},
        }  # fmt: skip
        _write(path, settings)
        return [
            *netns.joining(model.pid),
            str(bin24),
            str(cli),
            "agent",
            "--local",
            "--json",
            "--agent",
            "main",
            "--message",
            prompt,
        ]

    quiet = {"NO_COLOR": "1", "NODE_DISABLE_COMPILE_CACHE": "1", "PATH": f"{bin24.parent}:{lab.environment()['PATH']}"}
    return lab.launch(order, rules, env=quiet).finish()


def hermes(lab: Lab, prompt: str, rules: Sequence[Rule]) -> Result:
    """One turn of Hermes in one-shot mode, installed by hand into a virtual environment. Its settings are YAML, which only a
    person edits: the test enters what docs/clients.md tells them to.
    """
    program = install.on_demand("hermes", "bin/hermes")
    ours = lab.home / ".hermes/hooks.json"  # laid down by the test: event → command
    hooks = {event: [{"command": command}] for event, command in json.loads(ours.read_text(encoding="utf-8")).items()}

    def order(model: subprocess.Popen[str], url: str) -> list[str]:
        settings = {
            "model": {"default": "fake-model", "provider": "custom", "base_url": f"{url}/v1", "api_key": "none"},
            "hooks": hooks,
        }
        _write(lab.home / ".hermes/config.yaml", settings)  # JSON is YAML
        return [*netns.joining(model.pid), str(program), "--oneshot", prompt]

    return lab.launch(order, rules, env={"HERMES_ACCEPT_HOOKS": "1", "HERMES_HOME": str(lab.home / ".hermes")}).finish()


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1), encoding="utf-8")


def copied(source: Path, to: Path) -> None:
    """A folder of packages that a client would otherwise fetch."""
    if not to.exists():
        shutil.copytree(source, to, symlinks=True)
