"""Fills a run with made-up grades of a class: the labs' own checks, abilities from a seed.

    python -m grader.tests.classroom.page.synthetic RUN [STUDENTS]

Nothing is compiled or run, so a class of 300 takes seconds. It has what a real class has: names in
many scripts and hostile ones, groups, late work, several attempts, points set by hand, rejected
archives, faults of the machine, checks that could not be decided, and speed that needs a GPU.
"""

import random
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from grader.classroom.bulk import class_records
from grader.classroom.bulk.history import past
from grader.classroom.bulk.store import Store
from grader.classroom.course.attempt import Attempt, HandIn
from grader.classroom.course.override import Override
from grader.classroom.course.person import Person
from grader.classroom.course.student_id import of_name as id_of
from grader.classroom.export import grades, publish
from grader.model import outline, spec
from grader.model.grade_line import build_line, grade_line
from grader.model.lab import CheckSpec, Lab, Speed
from grader.model.result import Check, GradedFile, Result
from grader.model.score import Score, Unmeasured
from grader.tests import made_results

HOSTILE = (
    "<script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "\u202egnirts \u2066turned\u2069 around",
    "javascript:alert(1)",
    "Very long " + "name " * 48,
    "\"quoted\" & 'single' <b>",
    "{{ 7 * 7 }}",
    "100% #anchor ?query",
)
SCRIPTS = (
    *(
        "Łukasz Żółć",
        "山田 太郎",
        "עידן לוי",
        "محمد علي",
        "Ελένη Μαρά",
        "Ірина К",
        "김민수",
        "สมชาย",
    ),
)
MISTAKES = {  # what a message says of each, as the grader's own messages do
    "mask-flipped": "the mask is rotated by 180 degrees: this is a convolution, not a correlation",
    "border-replicated": "pixels outside the image are taken from its edge; they are 0",
    "apron-left-missing": "this is what a tile without its left apron gives",
    "last-block-missing": "the pixels of the last partial block are not computed",
    "not-written": "the output still has the pattern that the grader wrote before the call",
}
DUE = datetime(2027, 3, 1, 23, 59, tzinfo=UTC)
COURSE = """\
title = "GPU programming"
late_percent_per_day = 10
grace_days = 1
""" + "".join(
    f"[lab.lab{n}]\ndue = 2027-03-0{n}T23:59:00\nweight = {1 + n // 5}\n" for n in range(1, 9)
)


def names(count: int) -> list[str]:
    """The names of a class: the odd ones first, then numbered students."""
    odd = [*SCRIPTS, *HOSTILE]
    return [*odd, *(f"Student {number:03}" for number in range(len(odd), count))][:count]


def fill(store: Store, labs: Sequence[str], count: int, seed: int = 1) -> None:
    """A class of `count` students in a new run, with its history and a course.toml."""
    draw = random.Random(seed)
    store._db.execute("pragma synchronous=off")  # made-up grades may be lost
    known = outline.available()
    rules = "".join(part for part in COURSE.splitlines(keepends=True))
    if not set(labs) >= set(known):
        rules = COURSE.split("[lab.", 1)[0]
    store.keep_setting(class_records.COURSE, rules.encode())
    loaded = [spec.load(lab) for lab in labs]
    for number, name in enumerate(names(count)):
        if number % 29 == 17:
            people = _people(number, f"{name} A", f"{name} B")
        else:
            people = _people(number, name)
        ability = draw.gauss(1.1, 1.0)
        _hand_in(store, loaded, name, people, number, ability, draw)
        if number % 31 == 3:
            _hand_in(store, loaded, name, people, number, ability - 2, draw)
    for number, name in enumerate(names(count)):
        if number % 60 == 20:
            why = f"{name} showed it on paper"
            store.overrides.add(Override(id_of(name), labs[0], 60, why, DUE))
    store.history.add(
        DUE, (past(f) for f in class_records.finals(store, class_records.rules(store)))
    )


def _people(number: int, *who: str) -> tuple[Person, ...]:
    return tuple(
        Person(
            name=name,
            email=f"u{number:04}{chr(97 + at)}@example.org",
            login=f"login{number:04}{chr(97 + at)}",
            lms=str(8_812_000 + 10 * number + at),
        )
        for at, name in enumerate(who)
    )


def _hand_in(
    store: Store,
    labs: list[Lab],
    name: str,
    people: tuple[Person, ...],
    number: int,
    ability: float,
    draw: random.Random,
) -> None:
    """One submission with all labs, and its grades."""
    rows, files, results = [], {}, {}
    own = id_of(name)
    for place, lab in enumerate(labs):
        luck = (number + 7 * place) % 150
        key = f"{lab.id} {own} {draw.random()}"
        if luck % 20 == 6:
            rows.append(Attempt(own, lab.id, "missing", "", f"no {lab.submit[0]}"))
        elif luck % 40 == 11:
            rows.append(Attempt(own, lab.id, "rejected", "", f"{name}.zip: the archive is damaged"))
        else:
            rows.append(Attempt(own, lab.id, "waiting", key, ""))
            files[key] = {lab.submit[0]: key.encode()}
            results[key] = None if luck % 75 == 19 else result(lab, ability, draw, name)
    late = draw.random() < 0.12
    submitted = DUE + timedelta(days=draw.uniform(1, 9) if late else -draw.uniform(0, 3))
    store.save_submission(HandIn(own, "", people, submitted), "digest", rows, files)
    for key, made in results.items():
        lab_id = key.split()[0]
        if made is None:
            store.save_failure(
                key, lab_id, f"3 workers died while they graded it: {key[-3:]}", None
            )
        else:
            store.save_grade(key, lab_id, msgspec.json.encode(made), b"<title>report</title>", {})


def result(lab: Lab, ability: float, draw: random.Random, name: str = "") -> Result:
    """A grade by a student's ability: 0 passes about half of the checks of the first part."""
    compiles = draw.gauss(ability, 1) > -2
    if compiles:
        lines = [build_line(lab, "compiles", "pass", seconds=draw.uniform(0.5, 2))]
    else:
        said = f"{lab.submit[0]}:12: error: expected ';' before '}}' token"
        lines = [build_line(lab, "compiles", "fail", [said, f"    // by {name}"])]
    lines += [_check(lab, planned, compiles, ability, draw) for planned in lab.checks()]
    measured = [c for c in lines if c.verdict in ("pass", "fail") or c.needs]
    unsure = sum(c.max_points for c in lines if c.verdict == "uncertain")
    rest = sum(c.max_points for c in lines) - sum(c.max_points for c in measured) - unsure
    reasons = {"need a GPU": rest, "uncertain on this machine": unsure}
    unmeasured = tuple(Unmeasured(points, why) for why, points in reasons.items() if points)
    earned, most = sum(c.points for c in measured), sum(c.max_points for c in measured)
    failed = any(c.verdict != "pass" for c in measured)
    return made_results.made(
        lab.id,
        lines,
        Score(earned, most, most + rest + unsure, unmeasured),
        title=lab.title,
        files=[GradedFile(lab.submit[0], "0" * 64)],
        exit_code=int(failed),
    )


def _check(
    lab: Lab, planned: CheckSpec, compiles: bool, ability: float, draw: random.Random
) -> Check:
    if not compiles:
        return grade_line(lab, planned, "skip", needs="compiles")
    if isinstance(planned, Speed):
        return grade_line(lab, planned, "skip", ["needs a GPU"])
    seconds = draw.lognormvariate(-1, 0.6)
    if draw.random() < 0.002:
        why = f"its time varies by {draw.uniform(10, 40):.1f} %; the threshold is within that"
        return grade_line(lab, planned, "uncertain", [why], seconds=seconds)
    if draw.gauss(ability, 1) > 0.35 * (ord((planned.part or "A")[0]) - ord("A")) - 0.6:
        return grade_line(lab, planned, "pass", seconds=seconds)
    mistake = draw.choices([*MISTAKES, ""], (9, 6, 5, 3, 2, 4))[0]
    said = [
        f"{draw.randint(20, 900)} of 5917 pixels differ",
        "out[y=12][x=31] = 0.1830, want 0.4471; error is 1.1e+05 times the rounding bound",
    ]
    said += [MISTAKES[mistake]] if mistake else []
    return grade_line(lab, planned, "fail", said, diagnosis=mistake or None, seconds=seconds)


def main(folder: Path, count: int) -> None:
    """A whole run, with the files that students get back."""
    store = Store(folder, resume=False)
    try:
        fill(store, list(outline.available()), count)
        publish.write(grades.of(store))
    finally:
        store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 300)
