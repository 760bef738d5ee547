"""What `doctor` says of vaults: files that are not taken in, edits that wait, links whose file is gone. Reads only."""

from collections.abc import Iterator

from bellek.curator import vault_disk, vaulted
from bellek.doctor_finding import Finding
from bellek.kg import vault_files
from bellek.kg.home import Home

LISTED = 10  # of one vault


def vaults(store: Home) -> Iterator[Finding]:
    """Findings about every vault that an export wrote."""
    for root, project in vault_files.roots(store.memory):
        if not vault_disk.is_there(root):
            yield Finding("vault", "WARN", f"{root} is gone", "an export wrote it once", "bellek vault export")
            continue
        found = vaulted.look(store, root, project)
        for odd in found.odd[:LISTED]:
            yield Finding("vault", "WARN", f"{root}/{odd.path} is not taken in", odd.why, f"bellek vault status {root}")
        waiting = len(found.edits) + len(found.gone)
        if waiting:
            yield Finding(
                "vault",
                "WARN",
                f"{waiting} files of {root} were edited or deleted",
                "a person decides",
                f"bellek vault sync {root}",
            )
        if not found.odd and not waiting:
            yield Finding("vault", "OK", f"vault as it was written: {root}")
