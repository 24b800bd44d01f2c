"""Which variant of a lab a submission is graded in: `variants` in course.toml.

A student is known by the address on the roster, so a variant is the same in every download. It
travels to the worker as one more file, which the grader writes: no grade depends on what was handed
in under that name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.course.person import Person
from grader.classroom.course.settings import Course
from grader.model import spec, variant
from grader.model.lab import Lab

UNKNOWN = "which variant? it is generated from the address on the roster: see --roster"


@dataclass(frozen=True)
class Variants:
    """The addresses of the people of each submission; no course without variants has any."""

    salt: str = ""
    addresses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, course: Course, entries: Iterable[Entry]) -> "Variants":
        if not course.variants:
            return cls()
        return cls(
            salt(course), {e.student: tuple(filter(None, map(address, e.people))) for e in entries}
        )

    def given_out(self, lab: Lab, student: str) -> list[dict[str, int]] | None:
        """The values that the people of a submission have; None where nothing varies."""
        if not self.salt or not lab.varies:
            return None
        return [variant.draw(lab, self.salt, each) for each in self.addresses.get(student, ())]

    def added(
        self, lab: Lab, student: str, contents: Mapping[str, bytes]
    ) -> dict[str, bytes] | None:
        """The files with variant.h: of a group, that of the member for whom they are written. None
        where the student is not known."""
        own = {name: content for name, content in contents.items() if name != variant.FILE}
        given = self.given_out(lab, student)
        if given is None:
            return own
        fits = (g for g in given if not variant.problems(g, own))
        numbers = next(fits, given[0] if given else None)
        if numbers is None:
            return None
        return own | {variant.FILE: "\n".join(variant.lines(numbers)).encode()}

    def note(self, lab: Lab, student: str, submitted: bytes | None) -> str:
        """What the instructor must know of a variant.h that was handed in; "" where it is right."""
        stated = variant.read((submitted or b"").decode(errors="replace"))
        given = self.given_out(lab, student)
        if not stated or stated in (given or []):
            return ""
        of_lab = f"{variant.FILE} of {lab.id} says {_in_note(stated)}"
        if not given:
            return f"{of_lab}, but the course has no variants: the usual values were graded"
        return f"{of_lab}, but {_in_note(given[0])} was given out and graded"


def _in_note(numbers: Mapping[str, int]) -> str:
    """Notes are separated by ", "."""
    return variant.in_words(numbers).replace(", ", " and ")


def salt(course: Course) -> str:
    return f"{course.title}\0{course.variants}"


def address(person: Person) -> str:
    """What a student's variants are generated from; "" where there is none."""
    return person.email or person.login


def numbers(files: Mapping[str, bytes]) -> dict[str, int]:
    """The variant of files that added() returned."""
    return variant.read(files.get(variant.FILE, b"").decode())


def lab_of(lab: Lab, files: Mapping[str, bytes]) -> Lab:
    """The lab in the variant of these files."""
    given = numbers(files)
    return spec.load(lab.id, variant=given) if given else lab
