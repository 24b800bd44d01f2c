"""Where readers find this repository: `repository` of [project.urls] in pyproject.toml.

python -m handouts.address https://github.com/OWNER/NAME    write it there and elsewhere

Elsewhere is the notebook, the badges of README.md, CITATION.cff, codemeta.json, and the dev
container, which then uses the student's image of the last release instead of building one.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from grader import files

ROOT = Path(__file__).resolve().parents[1]
GITHUB = re.compile(r"https://github\.com/[A-Za-z0-9-]+/[A-Za-z0-9._-]+")
# Where it stands: the file; what it replaces, be it an older one; and what it becomes.
PLACES = (
    (
        "pyproject.toml",
        r'(?:\n\[project\.urls\]\nrepository = "[^"]*"\n)?(?=\n\[project\.optional-dependencies\])',
        '\n[project.urls]\nrepository = "{address}"\n',
    ),
    (
        "CITATION.cff",
        r'(?:\nrepository-code: "[^"]*")?(?=\nlicense:)',
        '\nrepository-code: "{address}"',
    ),
    (
        "codemeta.json",
        r'(?:\n    "codeRepository": "[^"]*",)?(?=\n    "author":)',
        '\n    "codeRepository": "{address}",',
    ),
    (
        ".devcontainer/devcontainer.json",
        r'    (?:"build": \{[^}]*\}|"image": "[^"]*"),\n',
        '    "image": "ghcr.io/{name}/student:latest",\n',
    ),
)


def repository(root: Path = ROOT) -> str:
    """The address, such as https://github.com/OWNER/NAME; "" while it has none."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    address: str = project.get("urls", {}).get("repository", "")
    return address.removesuffix(".git").rstrip("/")


def set_repository(root: Path, address: str) -> list[str]:
    """Writes the address where it stands alone. Returns the files."""
    name = address.removeprefix("https://github.com/").lower()
    texts = {}
    for file, pattern, new in PLACES:
        line = new.replace("{address}", address).replace("{name}", name)
        text = (root / file).read_text("utf-8")
        texts[file], count = re.subn(pattern, line, text, count=1)
        if not count:
            raise ValueError(f"{file} has no place for the address")
    for file, text in texts.items():
        files.replace(root / file, text.encode())
    return list(texts)


def main(arguments: list[str]) -> int:
    """Returns the exit status."""
    address = arguments[0].removesuffix(".git").rstrip("/") if len(arguments) == 1 else ""
    if not GITHUB.fullmatch(address):
        print("usage: python -m handouts.address https://github.com/OWNER/NAME", file=sys.stderr)
        return 2
    print(f"wrote {', '.join(set_repository(ROOT, address))}")
    for module in ("handouts.notebook", "handouts.facts"):
        if status := subprocess.run([sys.executable, "-m", module], cwd=ROOT).returncode:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
