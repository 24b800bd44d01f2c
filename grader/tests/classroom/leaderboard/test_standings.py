"""Who is on the leaderboard of a class, under which name, in which order."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from grader.classroom.bulk.final import students
from grader.classroom.bulk.store import Row, Store, Submission
from grader.classroom.course.settings import Course
from grader.classroom.leaderboard.refused_names import RealNames
from grader.tests.classroom.leaderboard import classes
from grader.tests.classroom.leaderboard.classes import ON, One, lines

Made = Callable[..., Store]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    """Makes the run of a class, which is closed after the test."""
    with ExitStack() as stack:

        def of(*submissions: One, course: bytes = ON, run: str = "run") -> Store:
            return stack.enter_context(closing(classes.made(tmp_path / run, course, submissions)))

        yield of


def test_nobody_takes_part_unless_they_hand_in_the_file(made: Made) -> None:
    store = made(One(None), One(None))
    assert lines(store) == [] and classes.of(store).by_student == {}


def test_one_takes_part(made: Made) -> None:
    store = made(One(None), One("Quiet Tiger\n"), One(None))
    assert lines(store) == [(1, "Quiet Tiger", 0.35)]
    found = classes.of(store)
    assert found.by_student == {("701", "lab3"): "Quiet Tiger"}
    assert found.scores("700", "lab3") is None and found.note("700", "lab3") == ""
    assert found.note("701", "lab3") == "on the leaderboard of lab3 as Quiet Tiger"


def test_the_best_score_is_first_and_equal_ones_share_a_rank(made: Made) -> None:
    store = made(
        One("Walrus", (1000, 1000)),
        One("zebra", (200, 200)),
        One("Auk", (200.4, 200)),  # the same to two decimals
        One("Best", (100, 100)),
    )
    expected = [(1, "Best", 1.0), (2, "Auk", 0.5), (2, "zebra", 0.5), (4, "Walrus", 0.1)]
    assert lines(store) == expected


def test_the_order_says_nothing_of_who_they_are(made: Made) -> None:
    """The same submissions under other ids, in another order, make the same board."""
    class_ = [
        One("same", (200, 300)),
        One("Same", (200, 300)),
        One("b", (1, 1)),
        One("x", (9, None)),
    ]
    boards = []
    for at, order in enumerate((class_, class_[::-1])):
        found = lines(made(*order, run=f"run{at}"))
        boards.append([(line[0], line[1].casefold(), line[2]) for line in found])
    assert boards[0] == boards[1]


def test_equal_pseudonyms_are_told_apart(made: Made) -> None:
    store = made(
        One("Tiger", (400, 400)), One("t-i ger", (200, 200)), One("TIGER", (800, 800)), One("Lion")
    )
    names = [name for _, name, _ in lines(store)]
    assert names == ["t-i ger (1)", "Lion", "Tiger (2)", "TIGER (3)"]
    found = classes.of(store)
    assert found.by_student["701", "lab3"] == "t-i ger (1)"
    assert len(set(found.by_student.values())) == 4
    scores = found.scores("702", "lab3")
    assert scores is not None and scores.score == pytest.approx(0.125), "each has the own scores"


def test_without_a_score_there_is_no_rank(made: Made) -> None:
    store = made(
        One("partly", (100, None)),
        One("whole"),
        One("absent", status="missing"),
        One("refused", status="rejected"),
        One("broken", status="error"),
        One("later", status="waiting"),
    )
    assert lines(store)[0] == (1, "whole", 0.35)
    assert {(rank, score) for rank, _, score in lines(store)[1:]} == {(None, None)}
    assert [name for _, name, _ in lines(store)[1:]] == [
        "absent", "broken", "later", "partly", "refused",
    ]  # fmt: skip
    partly = next(line for line in classes.board(store).lines if line.pseudonym == "partly")
    assert partly.of("lab3/A/speed of A") and not partly.of("lab3/B/speed of B")


def test_means_of_different_checks_are_not_compared(made: Made) -> None:
    """One was measured on a machine that cannot time part B."""
    store = made(One("one part", (100,)), One("both", (300, 300)))
    assert lines(store) == [(1, "both", 0.33), (None, "one part", None)]


def test_the_order_is_that_of_the_times(made: Made) -> None:
    """Also where the machine's floor was measured as 100 for one, and as 60 for the other."""
    store = made(One("slow", (210, 210)), One("fast", (200, 200), floor=60))
    assert lines(store) == [(1, "fast", 0.3), (2, "slow", 0.29)]


def test_a_check_that_was_timed_for_nobody_does_not_count(made: Made) -> None:
    """As on a machine that was too busy for one of them, or that has no GPU."""
    store = made(One("zebra", (200, None)), One("auk", (400, None)))
    assert lines(store) == [(1, "zebra", 0.5), (2, "auk", 0.25)]


REAL = [
    "Ada Lovelace", "ada lovelace", "Lovelace Ada", "AdaLovelace", "xX AdaLovelace Xx", "ada",
    "LOVELACE", "Ａｄａ", "ada.lovelace", "login1", "LOGIN1", "S-4002", "s 4002", "9003", "702",
    "first.last1", "Zoe", "zoë", "Zoe Ann Doe", "doe-zoe-ann", "김민수", "Minsu", "lukasz",
    "Łukasz", "Wisniewski", "my login0", "i am S-4000",
]  # fmt: skip


@pytest.mark.parametrize("content", REAL)
def test_nobodys_name_or_login_is_a_pseudonym(content: str, made: Made) -> None:
    everybody = [One(content), *[One(None)] * 5]
    store = made(*everybody)
    found = classes.of(store)
    assert lines(store) == [], content
    (refused,) = found.refused
    assert (refused.student, refused.lab) == ("700", "lab3")
    assert "choose another" in found.note("700", "lab3")
    assert content not in found.note("700", "lab3")


@pytest.mark.parametrize("content", ["Adamant", "Quiet Tiger", "Gracefully", "login", "Number Ten"])
def test_other_words_are_free(content: str, made: Made) -> None:
    store = made(One(content), *[One(None)] * 5)
    assert [name for _, name, _ in lines(store)] == [content]


def test_who_handed_in_nothing_has_a_name_too(made: Made) -> None:
    """The roster's people are in the run, each with an empty submission."""
    store = made(One("Grace Hopper"))
    absent = Submission("absent", "", (classes.person(1),))
    row = Row("absent", "lab3", "missing", "", "nothing was handed in")
    store.save_submission(absent, "digest", [row], {})
    assert lines(store) == []


@pytest.mark.parametrize(
    "content", [b"", b"=1+1", b"<script>alert(1)</script>", "a\u202eb".encode(), b"x" * 400]
)
def test_a_hostile_pseudonym_is_refused_and_the_others_stay(content: bytes, made: Made) -> None:
    store = made(One(content), One("fine"))
    assert [name for _, name, _ in lines(store)] == ["fine"]
    note = classes.of(store).note("700", "lab3")
    assert (
        note.startswith("not on the leaderboard of lab3: leaderboard.txt ") and note.isprintable()
    )


def test_a_group_has_one_line(made: Made) -> None:
    people = (classes.person(6), classes.person(7))
    store = made(One("us", people=people), One("me"))
    assert [name for _, name, _ in lines(store)] == ["me", "us"]
    assert len(set(classes.of(store).by_student)) == 3


def test_an_instructor_can_remove_a_line(made: Made) -> None:
    course = ON + b'leaderboard_without = ["login0"]\n'
    store = made(One("rude"), One("kind"), course=course)
    assert [name for _, name, _ in lines(store)] == ["kind"]
    assert "removed" in classes.of(store).note("700", "lab3")


def test_a_student_can_leave(tmp_path: Path) -> None:
    store = classes.made(tmp_path / "run", ON, [One("here"), One("there")])
    classes.add(store, 0, One(None))
    assert [name for _, name, _ in lines(store)] == ["there"]
    store.keep_only(["700"], ["lab3"])
    assert store.pseudonyms() == {}
    store.close()


def test_a_class_without_names_refuses_nothing() -> None:
    empty = RealNames(students([Submission("x")], Course()))
    assert not empty.names_somebody("anything", [])
