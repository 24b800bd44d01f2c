"""The SBOM of a release, in CycloneDX 1.6: every package that a lock file pins, with its hashes.

https://cyclonedx.org/docs/1.6/json/
"""

import json
import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

LOCKS = "grader/setup/requirements*.lock"
ENTRY = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?P<rest>(?:.*\\\n)*.*)", re.M
)
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
SPACE = uuid.UUID("3a6a4ee2-1f64-5c0e-9a53-6d1e9a0f0c56")  # of this project's serial numbers


def document(root: Path, version: str, moment: int) -> bytes:
    """The SBOM. moment: the time of the commit, in seconds since 1970."""
    packages = dict(sorted(_packages(root)))
    bom = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(SPACE, version)}",
        "version": 1,
        "metadata": {
            "timestamp": f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%SZ}",
            "component": {
                "type": "application",
                "bom-ref": "convlabs",
                "name": "convlabs",
                "version": version,
                "licenses": [{"license": {"id": "MIT"}}, {"license": {"id": "CC-BY-4.0"}}],
            },
        },
        "components": [_component(*package) for package in packages.items()],
    }
    return (json.dumps(bom, indent=1) + "\n").encode()


def _packages(root: Path) -> Iterator[tuple[tuple[str, str], tuple[bool, list[str]]]]:
    """Of each pinned package the name and version, whether a grade needs it, and the hashes of its
    files. A grade's come last, so that they win."""
    for lock in sorted(root.glob(LOCKS), key=lambda lock: lock.name == "requirements.lock"):
        needed = lock.name == "requirements.lock"
        for entry in ENTRY.finditer(lock.read_text("utf-8")):
            hashes = sorted(HASH.findall(entry["rest"]))
            yield (entry["name"].lower(), entry["version"]), (needed, hashes)


def _component(package: tuple[str, str], of_locks: tuple[bool, list[str]]) -> dict[str, Any]:
    (name, version), (needed, hashes) = package, of_locks
    address = f"pkg:pypi/{name}@{version}"
    return {
        "type": "library",
        "bom-ref": address,
        "name": name,
        "version": version,
        "purl": address,
        "scope": "required" if needed else "optional",
        # One of these is what is downloaded: which one, the machine decides.
        "externalReferences": [
            {
                "type": "distribution",
                "url": f"https://pypi.org/project/{name}/{version}/",
                "hashes": [{"alg": "SHA-256", "content": each} for each in hashes],
            }
        ],
    }
