"""Where readers find this repository: `repository` of [project.urls] in pyproject.toml."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def repository(root: Path = ROOT) -> str:
    """The address, such as https://github.com/OWNER/NAME; "" while it has none."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    address: str = project.get("urls", {}).get("repository", "")
    return address.removesuffix(".git").rstrip("/")
