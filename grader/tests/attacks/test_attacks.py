"""Every attack is stopped as it must be, and the means to tell so work.

The faults and the probes of the sandbox that the table lists have tests of their own.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import grader.tests.attacks.__main__ as making
from grader import paths
from grader.classroom.export import quiz
from grader.compile import make
from grader.model import spec
from grader.sandbox.workspace import workspace
from grader.tests.attacks import (
    archives,
    assistant,
    elsewhere,
    host_state,
    judge,
    keys,
    material,
    table,
    unchecked,
)
from grader.tests.attacks.attack import Attack, attacks
from grader.tests.attacks.judge import Outcome
from grader.tests.attacks.material import Target
from grader.tests.classroom.bulk import hostile

pytestmark = [pytest.mark.apart, pytest.mark.needs("sandbox")]
ATTACKS = {a.name: a for a in attacks()}
# The bounds hold on a machine that does nothing else, and `make attacks` applies them. A test tells
# an attack that is stopped from one that is not: on a shared machine, the first touch of four
# gigabytes alone took 20 seconds.
PATIENCE = 4
ACCEPTED = Attack("accepted", "run", "lab1", "identity 3x3 on a ramp")


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with workspace() as work:
        yield work


@pytest.fixture(scope="module")
def place() -> Iterator[Target]:
    """All of build/lib is there before it is looked at: another worker might build a part of it."""
    make.prepare(spec.load("lab1"), "cpu", timed=True)
    make.prepare(spec.load("lab3"), "sim", timed=False)
    make.prepare(spec.load("lab8"), "sim", timed=False)
    with material.target() as prepared:
        yield prepared


@pytest.mark.slow("an attack is graded as a submission is")
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_stopped(name: str, place: Target, home: Path) -> None:
    outcome = judge.attempt(ATTACKS[name], place, home, PATIENCE)
    assert not outcome.survived, table.line(outcome)


@pytest.mark.parametrize("name", archives.names())
def test_a_hostile_archive_gives_nothing(name: str, place: Target) -> None:
    outcome = archives.attempt(name, place, PATIENCE)
    assert not outcome.survived, table.line(outcome)


@pytest.mark.parametrize("name", keys.LOOKS)
def test_student_view_reveals_no_key(name: str) -> None:
    outcome = keys.attempt(name)
    assert not outcome.survived, table.line(outcome)


def test_leaked_key_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    leaks: dict[str, keys.Look] = {
        "a hint": lambda w: keys.asked(w, True).key.why,
        "an export": lambda w: [data for _, data in quiz.qti(keys.made(w))],
        "nothing was seen": lambda _: "",
    }
    monkeypatch.setattr(keys, "LOOKS", leaks)
    assert all(keys.attempt(name).survived for name in leaks)


def test_there_are_enough_and_no_two_of_a_name() -> None:
    names = [*(a.name for a in attacks()), *archives.names(), *keys.LOOKS, *elsewhere.faults()]
    names += assistant.ATTEMPTS
    assert len(names) == len(set(names)) >= 110


def test_the_faults_name_tests_that_exist() -> None:
    for test in elsewhere.faults().values():
        file, _, function = test.partition("::")
        assert f"def {function}(" in (paths.ROOT / file).read_text(), test


@pytest.mark.parametrize(
    "name",
    [a.name for a in ATTACKS.values() if a.lab == "lab1" and a.group not in ("build", "output")],
)
def test_program_fails_because_of_its_attack(name: str, place: Target, tmp_path: Path) -> None:
    """A compiler without any of the grader's options accepts it."""
    attack = ATTACKS[name]
    made = material.submission(attack, material.lab_of(attack), place, tmp_path)
    source = tmp_path / "cpu_loop.c"
    source.write_bytes(made.contents["cpu_loop.c"])
    includes = [f"-I{paths.LABS / 'runtime'}", f"-I{paths.LABS / made.lab.folder}"]
    command = ["gcc", "-std=gnu11", "-fsyntax-only", "-w", *includes, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ---- without the check of source and objects


def test_without_the_check_another_defence_stops_it(place: Target, home: Path) -> None:
    attack = ATTACKS["signals its parent"]
    outcome = unchecked.attempt(attack, place, home)
    assert outcome and outcome.verdict == "0/1" and not outcome.survived
    assert outcome.stopped_by != "check of source and objects"
    again = judge.attempt(attack, place, home, PATIENCE)
    assert again.stopped_by == "check of source and objects"


def test_attack_that_passes_the_check_has_no_unchecked_row(place: Target, home: Path) -> None:
    assert unchecked.attempt(ACCEPTED, place, home) is None


def test_points_protected_by_the_check_alone_are_reported(place: Target, home: Path) -> None:
    body = "(void)getpid(); accepted(image, width, height, mask, radius, border, out);"
    code = "#include <unistd.h>"
    attack = msgspec.structs.replace(ACCEPTED, body=body, code=code, limit=10)
    outcome = unchecked.attempt(attack, place, home)
    assert outcome and outcome.survived == ["it earned 1 of 1 points"]


# ---- controls: without its attack, a program gets what it deserves


def graded(place: Target, home: Path, **changed: object) -> Outcome:
    return judge.attempt(msgspec.structs.replace(ACCEPTED, **changed), place, home, PATIENCE)


@pytest.mark.parametrize(("lab", "most"), [("lab1", 1), ("lab3", 2)])
def test_gate_decides(lab: str, most: int, place: Target, home: Path) -> None:
    opened = graded(place, home, lab=lab, limit=10)
    assert opened.verdict == f"{most}/{most}"
    assert opened.survived == [f"it earned {most} of {most} points"]
    closed = graded(place, home, lab=lab, limit=10, attack="return 0;")
    assert closed.verdict == f"0/{most}" and not closed.survived


@pytest.mark.parametrize(
    "checks", sorted({a.checks for a in ATTACKS.values() if a.body is not None})
)
def test_body_without_attack_passes(checks: str, place: Target, home: Path) -> None:
    body = "accepted(image, width, height, mask, radius, border, out);"
    outcome = graded(place, home, checks=checks, body=body, expect="no error", limit=10)
    earned, _, most = outcome.verdict.partition("/")
    assert earned == most and not outcome.survived


BASES = sorted({(a.base, a.checks) for a in ATTACKS.values() if a.lab == "lab3"})


@pytest.mark.parametrize(("base", "checks"), BASES)
def test_base_without_attack_earns_full_marks(
    base: str, checks: str, place: Target, home: Path
) -> None:
    outcome = graded(place, home, lab="lab3", base=base, checks=checks, expect="no error", limit=10)
    earned, _, most = outcome.verdict.partition("/")
    assert (earned == most) == (base == "solution") and (earned == "0") == (base != "solution")


# ---- what the judge sees


def seen(place: Target, before: host_state.HostState) -> str:
    return " ".join(host_state.changes(before, host_state.look(place)))


def test_change_of_the_host_is_detected(
    place: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not the folders that tests in other processes look at, too.
    monkeypatch.setattr(host_state, "SHARED", (tmp_path,))
    monkeypatch.setattr(host_state, "REPOSITORY", tmp_path / "labs")
    (tmp_path / "labs").mkdir()
    before = host_state.look(place)
    assert not seen(place, before)
    place.outside.write_text("overwritten")
    assert "attacked: " in seen(place, before)
    place.outside.write_text(material.CONTENT)
    stray = tmp_path / "labs" / "stray"
    stray.touch()
    assert f"repository: {stray}" in seen(place, before)
    stray.unlink()
    mark = tmp_path / f"{host_state.MARK}-{os.getpid()}"
    mark.touch()
    assert f"marked: {mark}" in seen(place, before)
    mark.unlink()
    with subprocess.Popen(["sleep", "60"]) as child:
        assert f"processes: {child.pid}" in seen(place, before)
        child.kill()
    monkeypatch.setenv("LD_PRELOAD_OF_NO_USE", "x")
    assert "environment: LD_PRELOAD_OF_NO_USE" in seen(place, before)
    monkeypatch.syspath_prepend("/nowhere")
    assert "modules: " in seen(place, before)
    with open("/dev/null") as file:
        assert f"descriptors: {file.fileno()} /dev/null" in seen(place, before)


@pytest.mark.parametrize(
    "text",
    ["\x1b[2J", "a\rb", "\x9b2J", "\u202edessap", "\u2066x", "1\u200b0", "\ufeff", "\U000e0041",
     "x" * 5000, "\u2028", "\ue000"],
)  # fmt: skip
def test_terminal_escapes_are_detected(text: str) -> None:
    assert list(judge.unprintable("terminal", text))
    assert list(judge.unprintable("json", json_of(text)))


def json_of(text: str) -> str:
    return msgspec.json.encode({"message": [text]}).decode()


@pytest.mark.parametrize("text", ["naïve – “quoted” 山田 = 1", "line\nline", "عربي", "x" * 500])
def test_text_of_any_language_may_be_shown(text: str) -> None:
    assert not list(judge.unprintable("terminal", text))
    assert not list(judge.unprintable("page", text))


def test_the_table_names_a_survivor() -> None:
    stopped = Outcome("a", "run", "sandbox", "0/1", 0.1)
    through = Outcome("b | c", "run", "nothing", "1/1", 0.1, ["it earned 1 of 1 points"])
    text = table.report([stopped, through])
    assert "| run | 2 | 1 |" in text and "**survived**: it earned" in text and "b \\| c" in text
    assert table.line(through).startswith("SURVIVED") and table.line(stopped).startswith("stopped")
    assert hostile.HEADERS


def test_an_update_makes_what_is_new_or_survived(
    place: Target, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "FILE", tmp_path / "RESULTS.md")
    before = [
        Outcome(name, keys.GROUP, "a | b", "0/1", 0.1, survived, "2026-01-02")
        for name, survived in [("gone", []), ("x | y", []), ("again", ["it earned 1; it leaks"])]
    ]
    table.FILE.write_text(table.report(before) + "\n" + table.unchecked_report(before))
    assert [o.survived for o in table.rows()] == [o.survived for o in before]
    looks: dict[str, keys.Look] = dict.fromkeys(("x | y", "new", "again"), lambda _: "the same")
    monkeypatch.setattr(keys, "LOOKS", looks)
    kept = making.stopped_before("")
    same, *made = making.outcomes(f"{keys.GROUP}: ", kept, place, home)
    assert same == before[1]
    assert [o.name for o in made] == ["new", "again"]
    assert all(o.made > "2026-01-02" and not o.survived for o in made)
    assert [name for _, name in making.stopped_before("X |")] == ["gone"]


def test_saving_one_part_preserves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "FILE", tmp_path / "RESULTS.md")
    first = table.report([Outcome("a", "run", "limit on time", "0/1", 0.1)])
    second = table.unchecked_report([Outcome("b", "run", "nothing", "1/1", 0.1, ["it earned 1"])])
    table.FILE.write_text(first)
    table.save(unchecked=second)
    assert table.FILE.read_text() == f"{first}\n{second}"
    table.save(checked=first.replace("limit on time", "comparison"))
    text = table.FILE.read_text()
    assert "| a | run | comparison |" in text and text.endswith(second)
    assert "0 of 1 were stopped" in text and "| b | run | **survived**: it earned 1 |" in text
