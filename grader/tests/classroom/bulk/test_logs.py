"""Logs that a class hands in: what is read of them, what speaks against one, and the story."""

import contextlib
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from grader.classroom.bulk import class_records, logs
from grader.classroom.bulk.batch import Batch
from grader.classroom.bulk.cache_key import Options
from grader.classroom.bulk.intake.collect import collect
from grader.classroom.bulk.intake.discover import download
from grader.classroom.bulk.protocol import Collect, Collected
from grader.classroom.bulk.store import Store
from grader.classroom.course.attempt import Attempt
from grader.classroom.page import page
from grader.model import spec
from grader.model.grade_record import Change, Entry, Head
from grader.model.submission import digests
from grader.student import grade_log
from grader.tests.classroom.bulk import hostile
from grader.tests.classroom.bulk.layouts import samples
from grader.tests.classroom.export import runs

FILE = "constant_mask.cu"
STARTER, FIRST, LAST = b"starter", b"first", b"last"
Made = dict[str, bytes]


def made(
    *contents: bytes, day: int = 1, earned: float = 40, lab: str = "lab3", silent: int = 0
) -> Made:
    """The files of a log with a grade of each content; that of STARTER earns nothing. silent: the
    number of a grade without a reason."""
    lines, previous = [], grade_log.BEGINNING
    for number, content in enumerate(contents, 1):
        points = 0.0 if content == STARTER else float(earned)
        entry = Entry(
            number, f"2027-02-0{day}T{number:02}:00:00+00:00", previous, lab, "",
            digests({FILE: content}), Change(number, 0, number == 1), number, 9, points, 85.0, [],
            {}, {}, "" if number == silent else f"Student 9017 thinks <b> {number}",
        )  # fmt: skip
        entry = msgspec.structs.replace(entry, hash=entry.own_hash())
        lines.append(msgspec.json.encode(entry) + b"\n")
        previous = entry.hash
    head = msgspec.json.encode(Head(len(lines), previous)) + b"\n"
    return dict(zip(grade_log.names(lab), (b"".join(lines), head), strict=True))


def class_of(folder: Path, **files: Made) -> Store:
    """A run of lab 3 whose students handed in LAST, and these logs."""
    store = runs.make(folder)
    rows = {row.student: row for row in store.rows()}
    for name, log in files.items():
        student = {"one": runs.GRADED.lms, "late": runs.LATE_ONE.lms, "team": "team"}[name]
        logs.keep(store, student, "lab3", log)
        row = rows[student]
        kept = msgspec.json.encode(runs.result())
        store.save_submission(
            next(s for s in store.submissions() if s.student == student),
            "digest",
            [Attempt(student, "lab3", "waiting", f"key {student}", "", row.number)],
            {f"key {student}": {FILE: LAST}},
        )
        store.save_grade(f"key {student}", "lab3", kept, runs.PAGE)
    return store


def against(store: Store) -> tuple[dict[str, list[str]], list[tuple[str, ...]]]:
    found = {row.student: log for row in store.rows() if (log := logs.of(store, row))}
    return {student: log.problems for student, log in found.items()}, logs.shared(found)


@pytest.mark.parametrize("zipped", [False, True])
def test_a_log_is_read_beside_the_files(tmp_path: Path, zipped: bool) -> None:
    labs = [spec.load("lab1"), spec.load("lab3")]
    tree = {FILE: LAST, "cpu_loop.c": b"x", **made(LAST)}
    if zipped:
        (tmp_path / "ann.zip").write_bytes(hostile._zip(list(tree.items())))
    else:
        samples.write(tmp_path / "ann", dict(tree))
    (entry,) = download(tmp_path).entries
    found = collect(entry, labs)
    assert found["lab3"].log == made(LAST) and found["lab1"].log == {}
    assert found["lab3"].contents == {FILE: LAST} and found["lab3"].notes == ()
    if not zipped:
        (tmp_path / "ann" / "lab3.log").write_bytes(b"x" * (2 << 20))
        found = collect(entry, labs)
        assert found["lab3"].notes == ("lab3.log has more than 1 MB",)
        assert found["lab3"].log == {}, "it does not look as if its owner had cut it off"


def test_a_run_keeps_the_log_that_was_handed_in_last(tmp_path: Path) -> None:
    lab = spec.load("lab3")
    samples.write(tmp_path / "in" / "ann", {FILE: LAST, **made(LAST)})

    class Silent:
        def phase(self, name: str, total: int) -> None: ...
        def step(self, failed: str = "") -> None: ...

    with contextlib.closing(Store(tmp_path / "run", resume=False)) as store:
        (entry,) = download(tmp_path / "in").entries
        batch = Batch(store, [lab], Options(), Silent(), made={"lab3": {}})
        batch.submissions, batch.digests = {"ann": entry}, {"ann": "digest"}
        for handed_in in (made(LAST), made(FIRST, LAST), {}):
            for name in grade_log.names("lab3"):
                (tmp_path / "in" / "ann" / name).unlink(missing_ok=True)
            samples.write(tmp_path / "in" / "ann", dict(handed_in))
            answer = Collected("ann", collect(entry, [lab]))
            batch._collected(Collect("ann", {}, "", ["lab3"]), answer)
            (row,) = store.rows()
            log = logs.of(store, row)
            assert (len(log.entries) if log else 0) == handed_in.get("lab3.log", b"").count(b"\n")


def test_suspicious_logs_are_reported(tmp_path: Path) -> None:
    genuine = made(STARTER, FIRST, LAST)
    copied, renewed = made(STARTER, FIRST, LAST), made(STARTER, FIRST, LAST, day=2)
    one, team = runs.GRADED.lms, "team"
    for number, (other, expected, together) in enumerate([
        (made(STARTER, b"other", LAST, day=2), [], True),  # of the very same last file
        (copied, [], True),
        (renewed, [], True),
        (made(STARTER, b"other", day=2), [logs.OTHER_FILES], False),
        (made(lab="lab3"), [logs.OTHER_FILES], False),
        (made(LAST, lab="lab4"), [logs.OTHER_FILES], False),  # under other names: no log of lab 3
        (copied | {"lab3.log": b""}, ["the log ends with record 0, but 3 were made",
                                      logs.OTHER_FILES], False),
        ({"lab3.log": b"a build's output\n"}, None, False),
    ]):  # fmt: skip
        with contextlib.closing(class_of(tmp_path / f"{number}", one=genuine, team=other)) as store:
            problems, together_found = against(store)
        assert problems[one] == [] and together_found == ([(one, team)] if together else [])
        has_log = expected is not None and "lab3.log" in other
        assert problems.get(team) == (expected if has_log else None), number


def test_genuine_logs_raise_no_suspicion(tmp_path: Path) -> None:
    with contextlib.closing(
        class_of(
            tmp_path,
            one=made(STARTER, FIRST, LAST, b"tried after it"),
            late=made(LAST + b" other", LAST, day=3, earned=0),  # wrong ones look alike
            team=made(STARTER, b"of a team", b"wrong", LAST, day=2, earned=0),
        )
    ) as store:
        problems, together = against(store)
    assert not any(problems.values()) and len(problems) == 3 and together == []


def test_the_class_page_tells_the_story(tmp_path: Path) -> None:
    broken = made(STARTER, LAST)
    broken["lab3.log"] = broken["lab3.log"].replace(b'"passed":2', b'"passed":9')
    genuine = made(STARTER, FIRST, LAST)
    with contextlib.closing(class_of(tmp_path, one=genuine, late=broken)) as store:
        shown = page.page(store, tmp_path, pseudonyms=False)
        nameless = page.page(store, tmp_path, pseudonyms=True)
    assert "2 of 4 submissions came with one" in shown
    assert "3 grades, 3 with a reason" in shown and "record 2 was changed" in shown
    assert "the same records, or grades of the same bytes" in shown
    stories = [shown.find(f"thinks &lt;b&gt; {n}") for n in (1, 2, 3)]
    assert stories[0] > 0 and all(a < b for a, b in pairwise(stories))
    assert "cannot prove who wrote the program" in " ".join(shown.split())
    assert "9017" not in nameless and "thinks" in nameless


def test_predictions_earn_points_where_the_course_says_so(tmp_path: Path) -> None:
    given = {"one": made(FIRST, LAST, silent=1), "late": made(FIRST, LAST, day=2)}
    with contextlib.closing(class_of(tmp_path / "run", **given)) as store:
        rules = class_records.rules(store)
        before = {f.student.id: f for f in class_records.finals(store, rules)}
        worth = msgspec.structs.replace(rules, predictions_percent=10)
        after = {f.student.id: f for f in class_records.finals(store, worth)}
    for student, share, words in (
        (runs.GRADED.lms, 1 / 2, "1 of 2 grades predicted, for 10 % of the points"),
        (runs.LATE_ONE.lms, 1, "2 of 2 grades predicted, for 10 % of the points"),
    ):
        final, old = after[student], before[student].points or 0
        assert final.points == pytest.approx(0.9 * old + 0.1 * final.out_of * share)
        assert final.why.endswith(words)
    assert after[runs.ERROR.lms].points is None, "no grade is never 0"
    teams = [f for f in after.values() if f.attempt and f.attempt.student == "team"]
    assert teams and all("0 of 0 grades predicted, for 10 %" in f.why for f in teams)
