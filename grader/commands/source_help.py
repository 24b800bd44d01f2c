"""The options of a command, read from its source: before set-up, Typer is not there to list them.
The standard library alone."""

import ast
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from grader.commands import overview

FOLDERS = (Path(__file__).resolve().parent, overview.IN_CLASSROOM)
OF_A_LAB = "grade_options"  # the module whose options each lab has
COLUMN, WIDTH = 26, 100


def text(command: str) -> str:
    """A paragraph for each option: its names, and its line of help."""
    names = (command.replace("-", "_"), f"{command}_options")
    modules = names if command in overview.commands() else (OF_A_LAB,)
    rows = [row for name in modules for row in _rows(name)]
    return "\n".join(_shown(flags, said) for flags, said in rows)


def flags(command: str) -> list[str]:
    """The names of the options, such as "--out" and "--speed/--no-speed"."""
    return [line.split("  ")[1] for line in text(command).splitlines() if line.startswith("  -")]


def _shown(names: str, said: str) -> str:
    head = f"  {names}".ljust(COLUMN - 2) + "  "
    return textwrap.fill(head + said, WIDTH, subsequent_indent=" " * COLUMN)


def _rows(module: str) -> Iterator[tuple[str, str]]:
    """The names and the help of each option that a module declares, in the order of the file."""
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.arg | ast.AnnAssign):
            name = node.arg if isinstance(node, ast.arg) else getattr(node.target, "id", "")
            if option := _option(module, node.annotation):
                names = [_text(module, each) for each in option.args]
                said = next((k.value for k in option.keywords if k.arg == "help"), None)
                plain = name.replace("_", "-")
                own = (
                    f"--{plain}/--no-{plain}" if _is_bool(module, node.annotation) else f"--{plain}"
                )
                yield ", ".join(names) or own, _text(module, said)


def _option(module: str, annotation: ast.expr | None) -> ast.Call | None:
    """The typer.Option() of Annotated[type, typer.Option()], perhaps under a name."""
    for node in ast.walk(_value(module, annotation) or ast.Constant(None)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "Option":
            return node
    return None


def _is_bool(module: str, annotation: ast.expr | None) -> bool:
    """Whether it is Annotated[bool, ...], whose option has a second name to switch it off."""
    kind = _value(module, annotation)
    inside = kind.slice if isinstance(kind, ast.Subscript) else None
    first = inside.elts[0] if isinstance(inside, ast.Tuple) else None
    return isinstance(first, ast.Name) and first.id == "bool"


def _value(module: str, node: ast.expr | None) -> ast.expr | None:
    """What a name stands for, in the module or in another; else the expression itself."""
    if isinstance(node, ast.Name):
        return _assigned(module).get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return _assigned(node.value.id).get(node.attr)
    return node


def _text(module: str, node: ast.expr | None) -> str:
    """The text of an expression, as far as it stands in the source."""
    if isinstance(node, ast.Name | ast.Attribute):
        node = _value(module, node)
    if isinstance(node, ast.BinOp):
        return _text(module, node.left) + _text(module, node.right)
    return str(node.value) if isinstance(node, ast.Constant) else ""


@cache
def _assigned(module: str) -> dict[str, ast.expr]:
    """What each name at the top of a module stands for; of A += B, the sum."""
    found: dict[str, ast.expr] = {}
    for node in _tree(module).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = ast.BinOp(found[node.target.id], node.op, node.value)
    return found


@cache
def _tree(module: str) -> ast.Module:
    """The module of a command; an empty one where there is none."""
    files = (folder / f"{module}.py" for folder in FOLDERS)
    file = next((file for file in files if file.is_file()), None)
    return ast.parse(file.read_text(encoding="utf-8") if file else "")
