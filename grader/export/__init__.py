"""The grades of a bulk run in the formats of other programs: small renderers of the same results.

Each takes a store and gives files: content by name. A name with a folder in it is one of many, of
which each student has one.
"""

from __future__ import annotations

from collections.abc import Callable

from grader.bulk.store import Store
from grader.export import gradebook, gradescope, junit

FORMATS: dict[str, Callable[[Store], dict[str, bytes]]] = {
    "csv": gradebook.render,
    "gradescope": gradescope.render,
    "junit": junit.render,
}
