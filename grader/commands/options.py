"""The options that several commands share, declared for Typer, and what their values name."""

import dataclasses
import shlex
from enum import StrEnum
from typing import Annotated

import typer

from grader import files
from grader.commands import overview
from grader.commands.errors import UsageError
from grader.commands.output import Colour
from grader.execute import backend as backends
from grader.model import outline, spec, variant
from grader.model import submission as submissions
from grader.model.lab import Lab
from grader.model.submission import Submission


class BackendName(StrEnum):
    """The values of --backend."""

    auto = "auto"
    cpu = "cpu"
    sim = "sim"
    gpu = "gpu"


def _lab_names() -> list[str]:
    return list(outline.available())


LabName = Annotated[
    str, typer.Argument(metavar="LAB", help="lab1, lab2, ...", autocompletion=_lab_names)
]
Src = Annotated[
    str,
    typer.Option(
        "--src",
        metavar="PATH",
        help="Your file, whatever its name; or the folder with your files of the lab, or its "
        "parent folder.",
    ),
]
BackendOption = Annotated[
    BackendName, typer.Option(help="auto: the GPU if there is one, else the simulator.")
]
ColourOption = Annotated[Colour, typer.Option("--color", help="auto: on a terminal only.")]


STARTER = "starter"  # --src, if left out


def again(lab: Lab, src: str) -> str:
    """The command that grades what --src names, to be typed."""
    return f"./grade {lab.id}" + ("" if src == STARTER else f" --src {shlex.quote(src)}")


def load(lab_id: str) -> Lab:
    """The lab of that id. Raises UsageError where there is none."""
    overview.require_lab(lab_id)
    return spec.load(lab_id)


def submission(lab: Lab, src: str) -> Submission:
    """The files of a lab that `src` names. A variant.h next to them makes the lab that of this
    variant. Raises UsageError where there are none."""
    try:
        found = submissions.find(lab, src)
        file = found.folder / variant.FILE
        if not lab.varies or not file.is_file():
            return found
        given = variant.read(files.read_regular(file).decode(errors="replace"))
    except submissions.SourceError as problem:
        raise UsageError(str(problem)) from problem
    except OSError as problem:
        raise UsageError(f"{file} {problem.strerror or problem}") from problem
    if said := variant.misfits(lab, given):
        raise UsageError(f"{file} is not a variant of {lab.id}: {'; '.join(said)}")
    return dataclasses.replace(found, lab=spec.load(lab.id, variant=given))


def backend(lab: Lab, name: str) -> backends.Backend:
    """The backend to grade a lab on, "auto" resolved. Raises UsageError where the lab has no such
    backend, BackendError where this machine has none."""
    try:
        return backends.choose(lab, name)
    except backends.BackendError as problem:
        if problem.usage:
            raise UsageError(str(problem)) from problem
        raise
