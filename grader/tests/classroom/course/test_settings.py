"""course.toml: what it may say, and what is said of one that cannot be used."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from grader.classroom.course import settings
from grader.classroom.course.settings import SettingsError

LABS = frozenset({"lab1", "lab3"})
SEOUL = timezone(timedelta(hours=9))
DUE = datetime(2027, 3, 1, 23, 59, tzinfo=SEOUL)
HEAD = 'timezone = "Asia/Seoul"\n[lab.lab3]\ndue = 2027-03-01T23:59:00\n'


def test_empty_settings_are_a_course() -> None:
    course = settings.parse(b"", LABS)
    assert course.due("lab3", frozenset()) is None and course.rules("lab3").weight == 1


def test_the_example_of_the_module_is_a_course() -> None:
    assert settings.__doc__ is not None
    example = settings.__doc__.split("\n\n", 1)[1]
    course = settings.parse(example.encode(), LABS)
    assert course.rules("lab3").hidden_seed == 48213
    assert course.due("lab3", frozenset({"ada@example.org"})) == DUE + timedelta(days=3)
    assert course.due("lab3", frozenset({"grace@example.org"})) == DUE
    assert course.predicted_speed == "off"
    assert settings.parse(b"", LABS).predicted_speed == "shown"
    assert (course.assistants, settings.parse(b"", LABS).assistants) == ("none", "explain")


def test_a_due_date_with_an_offset_keeps_it() -> None:
    course = settings.parse(b"[lab.lab1]\ndue = 2027-03-01T12:00:00Z\n", LABS)
    assert course.due("lab1", frozenset()) == datetime(2027, 3, 1, 12, tzinfo=UTC)


def test_times_without_offset_are_utc_or_of_the_timezone() -> None:
    bare, zoned = "due = 2027-03-01T12:00:00\n", "due = 2027-03-01T12:00:00+09:00\n"
    course = settings.parse(f"[lab.lab1]\n{bare}".encode(), LABS)
    assert course.due("lab1", frozenset()) == datetime(2027, 3, 1, 12, tzinfo=UTC)
    assert not course.needs_zone()
    both = f"[lab.lab1]\n{bare}[lab.lab3]\n{zoned}"
    course = settings.parse(f'timezone = "Asia/Seoul"\n{both}'.encode(), LABS)
    assert course.due("lab1", frozenset()) == course.due("lab3", frozenset())
    assert (
        not course.needs_zone()
        and settings.parse(f"[lab.lab3]\n{zoned}".encode(), LABS).needs_zone()
    )


def test_an_extension_may_name_the_date_itself() -> None:
    text = HEAD + '[[extension]]\nstudent = "a"\nlab = "lab3"\ndue = 2027-03-09T12:00:00+09:00\n'
    course = settings.parse(text.encode(), LABS)
    assert course.due("lab3", frozenset({"x", "a"})) == datetime(2027, 3, 9, 12, tzinfo=SEOUL)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "late_percent_per_dya = 3",
            "unknown field `late_percent_per_dya`; did you mean `late_percent_per_day`?",
        ),
        (
            "[lab.lab3]\nwieght = 2",
            "unknown field `wieght` - at `$.lab.lab3`; did you mean `weight`?",
        ),
        ('[[take]]\nstudnet = "a"', "; did you mean `student`?"),
        ("[[group]]\nxyz = 1", "; the fields are students, name"),
        ("leaderboard = true", "there is no leaderboard any more: delete the line"),
        ("leaderboard_without = []", "there is no leaderboard any more: delete the line"),
        ("late_percent_per_day = 101", "<= 100"),
        ("grace_days = -1", ">= 0"),
        ('timezone = "Mars/Olympus"', 'timezone "Mars/Olympus" is unknown'),
        ('timezone = "../../etc/passwd"', "is unknown"),
        ("[lab.lab9]\nweight = 1", "there is no lab9; the labs are lab1, lab3"),
        ('[lab.lab1]\n[lab.lab3]\ndue = "tomorrow"', "$.lab.lab3.due"),
        ("[lab.lab3]\ndue = 2027-03-01", "2027-03-01T23:59:00, without quotes"),
        ("lab = 3", "$.lab"),
        ("[" * 100_000, "course.toml: "),
        ('attempts = "worst"', '$.attempts`; write "latest" or "best"'),
        ('predicted_speed = "points"', '$.predicted_speed`; write "off" or "shown"'),
        ('assistants = "yes"', '$.assistants`; write "explain" or "free" or "none"'),
        ('assistant = "none"', "did you mean `assistants`?"),
        (HEAD + '[[extension]]\nstudent = "a"\nlab = "lab3"', "needs either days or due"),
        ('[[extension]]\nstudent = "a"\nlab = "lab3"\ndays = 2', "[lab.lab3] has no due"),
        (
            HEAD + '[[extension]]\nstudent = "a"\nlab = "lab3"\ndays = 2\n' * 2,
            "two extensions of a",
        ),
        ('[[group]]\nstudents = ["a", "b"]\n[[group]]\nstudents = ["b"]', "b is named twice"),
        (
            "[lab.lab1]\ndue = 2027-03-01T12:00:00Z\n[lab.lab3]\ndue = 2027-03-08T12:00:00",
            "course.toml, line 4: `$.lab.lab3.due` has no offset, while a due date",
        ),
        (
            '[lab.lab3]\ndue = 2027-03-01T12:00:00Z\n[[extension]]\nstudent = "a"\n'
            'lab = "lab3"\ndue = 2027-03-08T12:00:00',
            "course.toml, line 6: ",
        ),
        ("= 3", "course.toml: "),
        ("title = '\x1b[31m'", "course.toml: "),
    ],
)
def test_invalid_settings_are_rejected(text: str, words: str) -> None:
    with pytest.raises(SettingsError) as error:
        settings.parse(text.encode(), LABS)
    assert words in str(error.value) and "\x1b" not in str(error.value)


def test_unreadable_settings_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read: Is a directory"):
        settings.load(tmp_path, LABS)
    binary = tmp_path / "course.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match=r"course\.toml: "):
        settings.load(binary, LABS)
