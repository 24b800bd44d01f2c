"""The block "packages CONTAINER": its packages from top to bottom, each with its docstring's first
sentence. The order is that of the layers in pyproject.toml, which import-linter checks."""

from __future__ import annotations

import ast
import tomllib

from grader import paths
from handouts.facts import markdown
from handouts.facts.blocks import FactsError


def content(container: str) -> str:
    lint = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(
        (c["layers"] for c in lint["contracts"] if container in c.get("containers", ())), None
    )
    if layers is None:
        raise FactsError(f"pyproject.toml has no layers for '{container}'")
    rows = [
        _row(container, name, str(len(layers) - i))
        for i, layer in enumerate(layers)
        for name in layer.split(" | ")
    ]
    return markdown.table(["layer", "package", "what it is for"], rows, right=[0])


def _row(container: str, name: str, layer: str) -> tuple[str, str, str]:
    path = paths.ROOT.joinpath(*container.split("."), name)
    is_package = path.is_dir()
    source = path / "__init__.py" if is_package else path.with_suffix(".py")
    if not source.is_file() or not (text := ast.get_docstring(ast.parse(source.read_text()))):
        raise FactsError(f"{container}.{name} has no docstring, or is not there")
    return (
        layer,
        f"`{name}{'/' if is_package else '.py'}`",
        " ".join(text.split()).split(". ")[0].rstrip("."),
    )
