"""What ``install --nightly`` and ``uninstall --nightly`` print."""

import os
import sys

from bellek.cli.screen import say, say_json, visible
from bellek.install import timer
from bellek.install.target import real_interpreter


def nightly(home: str | None, *, dry_run: bool, json: bool, remove: bool) -> None:
    """Write or take away the machine's own timer files, and say which command turns them on or off."""
    plan = timer.planned(
        dict(os.environ), str(real_interpreter(sys.executable)), timer.main_file(), timer.home_of(home)
    )
    told = timer.remove(plan, dry_run=dry_run) if remove else timer.write(plan, dry_run=dry_run)
    run = plan.off if remove else plan.on
    if json:
        say_json({"dry_run": dry_run, "files": [str(path) for path in plan.files], "notes": told, "next": run})
        return
    say(*(visible(line) for line in told) if told else ["no timer of ours is there"])
    if told:
        say(f"{'turn it off first' if remove else 'turn it on'} yourself: {visible(run)}")
