"""The tools of `./grade mcp`: what each is for, and its arguments. The docstrings are what a model
reads."""

import inspect
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from grader.commands.errors import UsageError

Lab = Annotated[str, Meta(pattern="^lab[0-9]{1,3}$", description="lab1, lab2, ...")]
Part = Annotated[str, Meta(pattern="^[A-Za-z]$", description="A, B, ...")]
AnyPart = Annotated[str, Meta(pattern="^[A-Za-z]?$", description="A, B, ...; empty: all parts")]
Check = Annotated[
    str, Meta(min_length=1, max_length=120, description="The name of a check, as a grade has it")
]
Line = Annotated[int, Meta(ge=1, le=100_000, description="The number of a line of the file")]
FileName = Annotated[
    str, Meta(max_length=80, description="Of the lab's files, where it has several")
]
Answer = Annotated[
    str, Meta(max_length=200, description="What the student answers; empty: ask a new question")
]


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of a tool. All tools have a lab."""

    lab: Lab


class Grade(Request, frozen=True):
    """Grades the student's own file: the points, which checks fail, and what the first of them
    says. Takes 5 to 60 seconds."""

    part: AnyPart = ""
    speed: Annotated[bool, Meta(description="Time or predict the speed as well; slower")] = False


class Finding(Request, frozen=True):
    """Why a check failed in the last grade: what was expected, the first wrong pixel, the line, the
    name of a known mistake and its page. Call grade first."""

    check: Check


class Counters(Request, frozen=True):
    """What a line of the student's CUDA file cost in the last grade: requests, sectors, bank
    conflicts, as Nsight Compute counts them. Call grade first."""

    line: Line
    file: FileName = ""


class Step(Request, frozen=True):
    """Records a block of a check, lane by lane, and writes a page for the student's browser. Says
    where the page is and what it opens at. Takes 5 to 60 seconds."""

    check: Check


class Hint(Request, frozen=True):
    """The course's next hint for a part. The first is a question. Each further one comes after the
    student has changed the file and graded it again."""

    part: Part


class Ask(Request, frozen=True):
    """A question about the student's own program, for the student to answer: show it to them. With
    `answer`, judges their answer to the open question of that part. Two answers count."""

    part: Part
    answer: Answer = ""


TOOLS: dict[str, type[Request]] = {
    each.__name__.lower(): each for each in (Grade, Finding, Counters, Step, Hint, Ask)
}


def listed() -> list[dict[str, Any]]:
    """The tools as the protocol lists them."""
    _, schemas = msgspec.json.schema_components(TOOLS.values())
    found = []
    for name, kind in TOOLS.items():
        schema = schemas[kind.__name__]
        del schema["description"], schema["title"]
        said = " ".join(inspect.getdoc(kind).split())  # type: ignore[union-attr]
        found.append(
            {
                "name": name,
                "description": said,
                "inputSchema": schema | {"additionalProperties": False},
                "annotations": {"destructiveHint": False, "openWorldHint": False},
            }
        )
    return found


def request(name: object, arguments: object) -> Request:
    """The arguments of a call. Raises UsageError."""
    kind = TOOLS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise UsageError(f"there is no such tool; the tools are {', '.join(TOOLS)}")
    try:
        return msgspec.convert({} if arguments is None else arguments, kind)
    except msgspec.ValidationError as problem:
        known = ", ".join(field.name for field in msgspec.structs.fields(kind))
        raise UsageError(f"{problem}; {name} takes {known}") from problem
