"""Writes the grades of a bulk run in the formats of other programs, and for the instructor.

Each format is a module with one function, render(store), which gives the path and the content of
each file. A path with a folder in it means that every student gets such a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from grader.bulk.store import Store
from grader.export import gradebook, gradescope, junit

FORMATS: dict[str, Callable[[Store], Iterator[tuple[str, bytes]]]] = {
    "csv": gradebook.render,
    "gradescope": gradescope.render,
    "junit": junit.render,
}
