"""What is installed with bellek: a bill of materials (CycloneDX 1.6, JSON), or a table of licences.

    python scripts/sbom.py [--extra NAME]… [--licences]

It reads the metadata of the packages as they are installed here, so run it with the interpreter that bellek is installed in. It
must never ask a network, and never leave a package out that another one names: what is missing is listed as missing.
"""

import argparse
import json
import re
import sys
from importlib import metadata

NAME = re.compile(r"[A-Za-z0-9._-]+")
EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")
NOT_HERE = re.compile(r"(sys_platform|platform_system|os_name)\s*==\s*['\"](win32|Windows|nt|darwin|Darwin)['\"]")


def normal(name: str) -> str:
    """The one spelling of a package's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(name: str, extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    """(package, its extras) that a package needs with these extras; other systems' are left out."""
    found = []
    for line in metadata.requires(name) or []:
        spec, _, marker = line.partition(";")
        wanted = EXTRA.findall(marker)
        if (wanted and not extras & set(wanted)) or NOT_HERE.search(marker):
            continue
        named = NAME.match(spec.strip())
        inner = re.search(r"\[([^\]]*)\]", spec)
        if named:
            found.append((named[0], frozenset(part.strip() for part in inner[1].split(",")) if inner else frozenset()))
    return found


def closure(extras: frozenset[str]) -> tuple[list[str], list[str]]:
    """(installed, missing) packages that bellek brings along, itself left out."""
    seen: dict[str, frozenset[str]] = {}
    waiting: list[tuple[str, frozenset[str]]] = [("bellek", extras)]
    missing = set()
    while waiting:
        name, wanted = waiting.pop()
        key = normal(name)
        if key in seen and wanted <= seen[key]:
            continue
        seen[key] = seen.get(key, frozenset()) | wanted
        try:
            waiting += needed(name, seen[key])
        except metadata.PackageNotFoundError:
            missing.add(key)
    return sorted(set(seen) - missing - {"bellek"}), sorted(missing)


def licence(name: str) -> str:
    """The licence as the package states it: its expression, its field, else its classifiers."""
    about = metadata.metadata(name)
    stated = about.get("License-Expression") or about.get("License") or ""
    if stated and len(stated) < 80 and "\n" not in stated:
        return stated
    named = [line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or [] if line.startswith("License ::")]
    return ", ".join(named) or "not stated"


def bill(names: list[str]) -> dict[str, object]:
    """The bill of materials: no time and no serial number, so that the same packages give the same bytes."""
    parts = [
        {
            "type": "library", "bom-ref": f"pkg:pypi/{name}@{metadata.version(name)}", "name": name, "version": metadata.version(name),
            "purl": f"pkg:pypi/{name}@{metadata.version(name)}", "licenses": [{"license": {"name": licence(name)}}],
        }
        for name in names
    ]  # fmt: skip
    itself = {
        "type": "application",
        "name": "bellek",
        "version": metadata.version("bellek"),
        "licenses": [{"license": {"id": "MIT"}}],
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": itself},
        "components": parts,
    }


def main() -> int:
    """Print it; exit 1 where a package is missing here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extra", action="append", default=[])
    parser.add_argument("--licences", action="store_true")
    given = parser.parse_args()
    names, missing = closure(frozenset(given.extra))
    if given.licences:
        print(*(f"{name:32} {metadata.version(name):14} {licence(name)}" for name in names), sep="\n")
    else:
        print(json.dumps(bill(names), indent=2))
    print(*(f"not installed here: {name}" for name in missing), sep="\n", end="\n" if missing else "", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
