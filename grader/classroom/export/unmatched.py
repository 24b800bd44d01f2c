"""Why rows of a gradebook and students of a run were not matched: which columns were compared, and
whom each row is nearest to."""

from collections.abc import Iterable, Mapping

from grader.classroom.course import student_name
from grader.classroom.course.person import Person
from grader.classroom.course.students import Student
from grader.classroom.export import grades as grading
from grader.classroom.export import matching
from grader.classroom.export.cells import Sheet
from grader.classroom.export.matching import Matches
from grader.model.plain_text import line

MOST = 100  # students that are named because they could not be matched
MOST_NEAREST = 20  # rows that are shown with the nearest student
WORDS = {
    "lms": "the LMS's number",
    "sis": "the school's number",
    "login": "login or address",
    "name": "name",
}


def lines(
    sheet: Sheet,
    people: Mapping[int, Person],
    matches: Matches,
    labels: Mapping[int, str],
) -> list[str]:
    """Who is in the gradebook or in the run alone, and why; nothing where all are matched. people,
    labels: of each row."""
    said = []
    if matches.rows:
        names = grading.few([labels[row] for row in matches.rows], MOST)
        said.append(f"in the gradebook, but not in the run: {names}")
    if matches.doubtful:
        names = grading.few([labels[row] for row in matches.doubtful], MOST)
        said.append(f"not filled in, because more than one student fits: {names}")
    if matches.absent:
        names = grading.few([student.id for student in matches.absent], MOST)
        said.append(f"in the run, but not in the gradebook: {names}")
    near = {row: _nearest(people[row], matches.absent) for row in matches.rows}
    found = [(row, student) for row, student in near.items() if student]
    for row, student in found[:MOST_NEAREST]:
        what = f'line {sheet.line(row)}, "{line(labels[row])}": the nearest in the run is '
        said.append(what + f'"{line(student.id)}": {_compared(people[row], student.person)}')
    if any(_agreement(people[row], s.person) for row, s in found):
        pairs = [*matches.students.items(), *found]
        said += _table([_agreement(people[row], s.person) for row, s in pairs])
    return said + _exchanged(people, matches)


def _agreement(one: Person, other: Person) -> dict[str, bool]:
    return matching.agreement(one, other)


def _nearest(person: Person, students: Iterable[Student]) -> Student | None:
    """Who has most in common with a row: columns, then words of the name."""
    words = set(student_name.words(person.name))

    def near(student: Student) -> tuple[int, int]:
        theirs = set(student_name.words(student.person.name or student.id))
        return sum(_agreement(person, student.person).values()), len(words & theirs)

    best = max(students, key=near, default=None)
    return best if best and near(best) > (0, 0) else None


def _compared(row: Person, student: Person) -> str:
    """What the two have and do not have in common, in words."""
    agreement = _agreement(row, student)
    same = [WORDS[kind] for kind, equal in agreement.items() if equal]
    words = [f"the same {', '.join(same)}"] if same else []
    for kind in (kind for kind, equal in agreement.items() if not equal):
        mine, theirs = (getattr(p, kind) or p.email for p in (row, student))
        words.append(f'{WORDS[kind]} is "{line(mine)}" here and "{line(theirs)}" there')
    return "; ".join(words) or "a part of the name is the same"


def _table(pairs: list[dict[str, bool]]) -> list[str]:
    """How often each column could be compared, over the rows with the student nearest to them."""
    width = max(map(len, WORDS.values()))
    rows = [f"{'column':{width}}  compared  matched  contradicted"]
    for kind, words in WORDS.items():
        both = [pair[kind] for pair in pairs if kind in pair]
        matched = sum(both)
        rows.append(f"{words:{width}}{len(both):10}{matched:9}{len(both) - matched:14}")
    return rows


def _exchanged(people: Mapping[int, Person], matches: Matches) -> list[str]:
    """Where what the roster calls the school's number is the LMS's."""
    numbers = {student.person.sis for student in matches.absent} - {""}
    count = sum(people[row].lms in numbers for row in matches.rows)
    if not count:
        return []
    rows = "1 row has" if count == 1 else f"{count} rows have"
    return [
        f"{rows} as the LMS's number what the run has as the school's: if the roster's \"id\" is "
        'the LMS\'s, name that column "canvas id" or "participant id", then bulk --resume'
    ]
