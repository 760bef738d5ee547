"""``doctor --scan-secrets``: what older rules of redaction let through, with the next command for each; ``--fix`` takes it out.

It must never print a secret, nor say that something is clean that was not read again.
"""

from pathlib import Path

from bellek.doctor_finding import Finding
from bellek.kg import paths, secret_scan
from bellek.kg.home import open_home
from bellek.kg.secret_scan import Found

_WHY = {
    "fix": "today's rules take it for a secret",
    "person": "it is permanent, and only a person changes what a person made permanent",
    "forget": "a former revision holds it, and the trail commits to former revisions",
    "path": "it is a folder's own name, by which projects are found",
}
_NEXT = {
    "fix": "bellek doctor --scan-secrets --fix",
    "person": "bellek forget {id}",
    "forget": "bellek forget {id}",
    "path": "rename the folder, then `bellek project move`",
}


def secrets(home: str, *, fix: bool = False) -> list[Finding]:
    """One finding a place that holds a secret, after what `fix` could take out is gone; one OK where there is none."""
    if not Path(paths.memory_db(home)).exists():
        return [Finding("secrets", "OK", f"no store in {home} yet")]
    with open_home(home) as store:
        taken = secret_scan.fix(store) if fix else 0
        left = secret_scan.scan(store)
    done = [Finding("secrets", "OK", f"{taken} places redacted", "the trail has an entry of it")] if taken else []
    if not left:
        return [*done, Finding("secrets", "OK", "nothing that is stored looks like a secret")]
    return [*done, *map(_finding, left)]


def _finding(found: Found) -> Finding:
    what = f"{found.table} {found.id} holds {', '.join(found.kinds)}"
    return Finding("secret", "FAIL", what, _WHY[found.remedy], _NEXT[found.remedy].format(id=found.id))
