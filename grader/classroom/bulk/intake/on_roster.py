"""Who of a roster handed in, who did not, and who handed in without being on it."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import tzinfo

from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.course import stated_time, student_id
from grader.classroom.course.attempt import DOUBTFUL, STRANGER
from grader.classroom.course.person import Person
from grader.classroom.course.roster import Roster, merged
from grader.model import plain_text

MOST_SHOWN = 20  # names of a list


@dataclass
class Attendance:
    """The entries of a class and its roster side by side.

    entries: what was handed in, with the roster's people; then an entry without files for
        everyone who handed in nothing.
    missing: who that is.
    strangers: ids of submissions of nobody on the roster.
    doubtful: ids of submissions that fit several people, who they are, and why.
    """

    entries: list[Entry]
    missing: list[Person] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    doubtful: list[tuple[str, tuple[Person, ...], str]] = field(default_factory=list)

    def lines(self) -> list[str]:
        """What to tell the instructor; nothing when all is well."""
        said = []
        if self.missing:
            names = plain_text.few([shown(person) for person in self.missing], MOST_SHOWN)
            said.append(f"{len(self.missing)} on the roster handed in nothing: {names}")
        if self.strangers:
            names = plain_text.few([*map(plain_text.name, self.strangers)], MOST_SHOWN)
            count = len(self.strangers)
            them = "1 submission belongs" if count == 1 else f"{count} submissions belong"
            said.append(f"{them} to nobody on the roster: {names}")
        for student, people, why in self.doubtful[:MOST_SHOWN]:
            fitting = " or ".join(shown(person) for person in people[:5])
            said.append(
                f'whose submission is "{plain_text.name(student)}"? {why}: {fitting}; '
                "it is graded, but counts for none of them"
            )
        return said


def with_id(roster: Roster, entries: list[Entry]) -> tuple[Roster, str]:
    """The roster with its column "id" as what the download shows it to be, and what to tell or ask
    the instructor; "" where there is no question."""
    if not roster.unsure:
        return roster, ""
    people = [person for entry in entries for person in entry.people]
    numbers = {person.lms for person in people} - {""}
    schools = {person.sis for person in people} - {""}
    ids = {person.sis for person in roster.people} - {""}
    if len(ids & schools) > len(ids & numbers) or not ids:
        return roster, ""
    if 2 * len(ids & numbers) > len(numbers):
        same = f"{len(ids & numbers)} of {len(numbers)} in the download are the same"
        return roster.of_lms(), f'the roster\'s "id" is the number of the LMS: {same}'
    return roster, (
        "what is the roster's \"id\"? It counts as the school's number; if it is Canvas's or "
        'Moodle\'s own, name the column "canvas id" or "participant id", then bulk --resume; if '
        'it is the school\'s, "student id"'
    )


def attendance(entries: list[Entry], roster: Roster) -> Attendance:
    """Matches the submissions with the roster. Nothing is guessed: where two people fit one
    submission, or two submissions fit one person by name alone, neither is matched."""
    result = Attendance(entries)
    matches = [(entry, _matches(entry, roster)) for entry in entries]
    claims = Counter(fits[0] for _, found in matches for _, fits in found if len(fits) == 1)
    present: set[Person] = set()
    for entry, found in matches:
        people = []
        for downloaded, fits in found:
            rivals = len(fits) == 1 and claims[fits[0]] > 1 and _by_name_alone(downloaded, fits[0])
            if len(fits) == 1 and not rivals:
                people.append(merged(fits[0], downloaded))
                entry.stated = roster.submitted.get(fits[0], entry.stated)
                present.add(fits[0])
                continue
            entry.note(DOUBTFUL if fits else STRANGER)
            if not fits:
                result.strangers.append(entry.student)
            else:
                why = "several submissions have this name" if rivals else "several people match"
                result.doubtful.append((entry.student, fits, why))
                present.update(fits)  # perhaps: never a missing submission by a guess
            people.append(downloaded)
        entry.people = tuple(person for person in people if person != Person())
    result.missing = [person for person in roster.people if person not in present]
    taken = {entry.student for entry in entries}
    result.entries = [*entries, *(_nothing(person, taken) for person in result.missing)]
    return result


def timed(entries: list[Entry], zone: tzinfo) -> list[str]:
    """Lets the times of the roster count, before those of the download. Returns what to tell the
    instructor: which could not be read."""
    unread = []
    for entry in entries:
        if entry.stated and (time := stated_time.read(entry.stated, zone)):
            entry.submitted = time
        elif entry.stated:
            unread.append(f'{plain_text.name(entry.student)} ("{plain_text.line(entry.stated)}")')
    if not unread:
        return []
    names = plain_text.few(unread, MOST_SHOWN)
    return [f"the roster's times of these cannot be read: {names}; write 2027-03-01 23:59"]


def _matches(entry: Entry, roster: Roster) -> list[tuple[Person, tuple[Person, ...]]]:
    """Each person of a submission, and who of the roster that may be."""
    if not entry.people:
        return [(Person(), roster.find_text(entry.student))]
    return [(person, _fits(person, roster)) for person in entry.people]


def _fits(person: Person, roster: Roster) -> tuple[Person, ...]:
    fits = roster.find(person)
    return fits if fits or person.name else roster.find_text(person.login)


def _by_name_alone(downloaded: Person, on_roster: Person) -> bool:
    mine = {text.casefold() for text in downloaded.identifiers()}
    return mine.isdisjoint(text.casefold() for text in on_roster.identifiers())


def _nothing(person: Person, taken: set[str]) -> Entry:
    """The entry of a student who handed in nothing. Its id is no other's."""
    parts = [person.name, *person.identifiers()]
    texts = [text for text in parts if text] or ["student"]
    names = (student_id.of_name("_".join(texts[: size + 1])) for size in range(len(texts)))
    student = next((name for name in names if name not in taken), "")
    number = 2
    while not student:
        candidate = student_id.of_name(f"{texts[0]} ({number})")
        student, number = ("" if candidate in taken else candidate), number + 1
    taken.add(student)
    return Entry(student, people=(person,))


def shown(person: Person) -> str:
    """The person in a line: the name, and what tells namesakes apart."""
    number = next(iter(person.identifiers()), "")
    text = f"{person.name} ({number})" if person.name and number else person.name or number
    return plain_text.line(text, 80)
