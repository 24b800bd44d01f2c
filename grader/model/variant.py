"""A variant of a lab: constants of lab.h that have other values for each student.

[varies] of a lab.toml names the constants and their values, the usual one first. Who teaches draws
a student's values (`variants` in course.toml) and gives them out as a file variant.h. The student
states them in the submitted file. So a file says for which variant it was written, and what is
compiled with it always has the values that the course drew: nobody reads a submitted variant.h.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.model.lab import Lab

FILE = "variant.h"
Numbers = Mapping[str, int]  # by the constant's name

_STATED = re.compile(r"^\ufeff?[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(?(\d{1,6})\b", re.MULTILINE)


def draw(lab: Lab, salt: str, student: str) -> dict[str, int]:
    """A student's values; {} where nothing varies. They depend on nothing but the arguments."""
    chosen = {}
    for name, values in lab.varies.items():
        text = repr((salt, student.casefold(), lab.id, name))
        number = int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest())
        chosen[name] = values[number % len(values)]
    return chosen


def lines(numbers: Numbers) -> list[str]:
    """What the student's file must say."""
    return [f"#define {name} {value}" for name, value in sorted(numbers.items())]


def header(lab: Lab, numbers: Numbers) -> str:
    """The file variant.h, which is the task of one student."""
    about = [
        f"/* Your variant of {lab.id}; lab.h and the handout have the usual values.",
        " *",
        f" * Leave this file in starter/{lab.folder}/, next to yours: ./grade {lab.id}",
        " * reads it there. Copy the lines below into your file, above #include",
        ' * "lab.h", and use the names, not the numbers. */',
    ]
    return "\n".join([*about, *lines(numbers)]) + "\n"


def in_words(numbers: Numbers) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(numbers.items()))


def read(text: str) -> dict[str, int]:
    """The values that a text states; the last one counts."""
    return {name: int(value) for name, value in _STATED.findall(text)}


def problems(numbers: Numbers, contents: Mapping[str, bytes]) -> list[str]:
    """Why these files are not written for this variant; [] when they are."""
    stated: dict[str, int] = {}
    for content in contents.values():
        stated |= read(content.decode(errors="replace"))
    others = {name: stated[name] for name, own in numbers.items() if stated.get(name, own) != own}
    missing = {name: own for name, own in numbers.items() if name not in stated}
    said = [f"your variant has {in_words(numbers)}"] if others or missing else []
    if others:
        said.insert(0, f"the file is written for another variant: {in_words(others)}")
    if missing:
        said.append('your file must say so: above #include "lab.h", write')
        said += [f"    {line}" for line in lines(missing)]
    return said


def misfits(lab: Lab, numbers: Numbers) -> list[str]:
    """What of these values the lab does not allow."""
    said = [f"{name} is missing" for name in lab.varies if name not in numbers]
    for name, value in numbers.items():
        allowed = lab.varies.get(name, [])
        if value not in allowed:
            said.append(f"{name} {value} is none of {', '.join(map(str, allowed)) or 'the values'}")
    return said
