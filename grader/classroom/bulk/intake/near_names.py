"""Files that a student may have meant to hand in as one that a lab asks for.

A file with what a browser, a copy or a learning management system adds to a name, such as
"constant_mask (1).cu", is taken as constant_mask.cu where it is the only one: it lies in the same
student's submission, so it cannot give one student what another did. Any other name, such as
"Constant_Mask.cu" or "lab3.cu", is a guess: it is reported to the instructor, who decides, and
collect.py gives the submission the status `wrong name`.
"""

import difflib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import PurePosixPath

from grader.classroom.bulk.intake.unpack import CPP, copied
from grader.model import outline, plain_text, spec
from grader.model.lab import Lab
from grader.paths import LABS

LIKE = 0.8  # of difflib's ratio: one letter wrong in five
MOST_SHOWN = 2
NOT_NEAR = 9
OF_A_LAB = re.compile(r"(lab\d+)(?=_|$)")  # the name of a folder
SEPARATORS = re.compile(r"[\W_]+")
MOST_NAME = 200  # characters of a name that is compared


def is_copy(name: str, wanted: Iterable[str]) -> bool:
    """Whether the name is one of the wanted names with what is added to a second copy."""
    return name not in wanted and copied(name) in wanted


def question(lab: Lab, missing: str, paths: Iterable[str]) -> str:
    """Why a lab's file is missing, and which of the submission's files it may be."""
    near = meant(lab, missing, paths)
    if not near:
        return f"no {missing}"
    names = " or ".join(f'"{plain_text.name(path)}"' for path in near[:MOST_SHOWN])
    return f"no {missing}; did you mean to hand in {names}?"


def is_near(lab: Lab, missing: str, paths: Iterable[str]) -> bool:
    """Whether a file has a name like the missing one's, or like its lab's."""
    return any(_rank(lab, missing, PurePosixPath(p).name) < NOT_NEAR for p in _others(lab, paths))


def meant(lab: Lab, missing: str, paths: Iterable[str]) -> list[str]:
    """The paths of the files that may be the missing one, of the likeliest kind."""
    others = [path for path in _others(lab, paths) if not _is_nearer(lab, missing, path)]
    ranks = {path: _rank(lab, missing, PurePosixPath(path).name) for path in others}
    best = min(ranks.values(), default=NOT_NEAR)
    if best < NOT_NEAR:
        return [path for path in others if ranks[path] == best]
    suffix = PurePosixPath(missing).suffix
    return [path for path in others if path.lower().endswith(suffix)]


def _is_nearer(lab: Lab, missing: str, path: str) -> bool:
    """Whether a file is more like another of the lab's files than like the missing one."""
    name = PurePosixPath(path).name
    return min(_rank(lab, each, name) for each in lab.submit) < _rank(lab, missing, name)


def _others(lab: Lab, paths: Iterable[str]) -> list[str]:
    """The files that a student may have named: no hidden ones, as "._x" of macOS, none of the
    course's own, and none that is another lab's."""
    return sorted(path for path in dict.fromkeys(paths) if _may_be(lab, PurePosixPath(path)))


def _may_be(lab: Lab, path: PurePosixPath) -> bool:
    if len(path.name) > MOST_NAME or path.name in _names_of_the_course():
        return False
    if any(part.startswith((".", "__MACOSX")) for part in path.parts):
        return False
    of_folder = OF_A_LAB.match(path.parent.name.lower())
    if of_folder and of_folder[1] != lab.id:
        return False
    return not any(
        _rank(other, name, path.name) < min(_rank(lab, n, path.name) for n in lab.submit)
        for other in _labs()
        if other.id != lab.id
        for name in other.submit
    )


@cache
def _labs() -> tuple[Lab, ...]:
    return tuple(map(spec.load, outline.available()))


@cache
def _names_of_the_course() -> frozenset[str]:
    """The names of files that come with the labs, or that a lab asks for."""
    given = {path.name for path in LABS.glob("lab*_*/*")}
    return frozenset(given | {name for lab in _labs() for name in lab.submit})


def _rank(lab: Lab, missing: str, name: str) -> int:
    """How near a name is: 1 is the nearest."""
    suffix = PurePosixPath(missing).suffix
    plain, wanted = _plain(copied(name), suffix), _plain(missing, suffix)
    if plain is None or wanted is None:
        return NOT_NEAR
    if plain == wanted:
        return 1
    if plain in (lab.id, _plain(lab.folder + suffix, suffix), f"{lab.id}{wanted}"):
        return 2
    return 3 if difflib.SequenceMatcher(None, plain, wanted).ratio() >= LIKE else NOT_NEAR


def _plain(name: str, suffix: str) -> str | None:
    """The name in lower case, without its suffix, a second one (".cu.txt") and separators; None
    when it has another suffix."""
    name = name.lower()
    for ending in (suffix, f"{suffix}.txt", f"{suffix}h", ".txt", *CPP):
        if name.endswith(ending):
            return SEPARATORS.sub("", name.removesuffix(ending))
    return None
