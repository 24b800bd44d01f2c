"""What a script has found out for the handouts and keeps as JSON, to be committed."""

from pathlib import Path
from typing import TypeVar

import msgspec

from grader import files, paths
from handouts.facts.blocks import FactsError

T = TypeVar("T")


def read(file: Path, kind: type[T], command: str) -> T:
    """The content. command: what makes the file. Raises FactsError."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError) as problem:
        raise FactsError(f"{file.relative_to(paths.ROOT)}: {problem}; run {command}") from problem


def write(file: Path, content: object) -> None:
    files.update(file, msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")
