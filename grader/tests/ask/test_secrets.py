"""Questions leak no secrets, and a student's file cannot corrupt them."""

import ast
import dataclasses
import re
from collections import Counter
from pathlib import Path
from random import Random

import msgspec
import pytest

from grader.ask import kinds
from grader.ask.draft import CannotTell, Draft
from grader.ask.program import AskedPart, NoQuestionsError
from grader.ask.quiz import quiz
from grader.ask.source import Source, evaluated
from grader.model import outline, spec
from grader.model import submission as submissions
from grader.model.question import Question
from grader.student import understood

PARTS = [(lab, part.id) for lab in outline.available() for part in spec.load(lab).part]


@pytest.mark.parametrize(("lab", "part"), PARTS)
def test_questions_exclude_hidden_cases(lab: str, part: str) -> None:
    loaded = spec.load(lab)
    solution = submissions.find(loaded, "solutions")
    for personal in range(25):
        case = AskedPart(solution, part, personal, solution.folder).base
        assert not case.hidden and case.seed == personal and case.points == 0
        assert case.name == "ask" and not case.rationale
        public = [c for c in loaded.case if c.part == part and not c.hidden]
        assert case.set.keys() - {"threads"} in [c.set.keys() - {"threads"} for c in public]


@pytest.mark.parametrize(("lab", "part"), PARTS)
def test_the_first_question_needs_no_build(
    lab: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*_: object) -> None:
        pytest.fail("it is built before the first question")

    monkeypatch.setattr(AskedPart, "_built", build)
    monkeypatch.setattr(AskedPart, "run", build)
    with quiz(submissions.find(spec.load(lab), "solutions"), part, "early") as drawn:
        asked = drawn._early()
        assert asked and asked.question.line and asked.question.code
        assert drawn.tally.asked.total() == 0, "its key is not certain yet"


def test_question_alone_has_no_key() -> None:
    fields = {field.name for field in msgspec.structs.fields(Question)}
    assert not fields & {"answer", "key", "why", "mistakes", "computed"}


def test_constants_are_read_and_nothing_is_run() -> None:
    text = """
        #define WIDE (1 << 5)
        enum { TILE = 32, SIDE = TILE + 2 * R, ODD = sizeof(int), NEXT };
        static const int HIGH = WIDE / 4; /* TILE = 7 */
        constexpr unsigned MANY = (unsigned)(3 * HIGH);
        """
    constants = Source(text, "#define R 8\n").constants
    assert constants == {"R": 8, "WIDE": 32, "TILE": 32, "SIDE": 48, "HIGH": 8, "MANY": 24}
    for hostile in ("__import__('os')", "2**99999999", "1/0", "9" * 5000, "(" * 5000, "1 << 999999",
                    "x" * 99, "[1][0]", "True", "1.5", "", "-(-(-1))"):  # fmt: skip
        assert evaluated(hostile, {}) in (None, -1)


def test_changes_of_the_text_hit_what_they_mean() -> None:
    text = "\n".join([
        "__global__ void k(float *d_out, const float *d_in) { /* s_t[1] = 2; */",
        "    __shared__ float s_t[4][8];",
        "    s_t[threadIdx.y][threadIdx.x] =",
        "        d_in[threadIdx.x];",
        "    __syncthreads(); // __syncthreads();",
        "    if (d_in[0] == 1.0f) d_out[threadIdx.x] = s_t[0][c_m[1 + a[2]]];",
        "}",
    ])  # fmt: skip
    source = Source(text)
    assert source.barriers() == [5]
    changed = source.without_barrier(5).decode().splitlines()
    assert changed[4].replace(" ", "") == ";//__syncthreads();"
    changed = source.with_values({3: "7.0f", 6: "s_t[1][2]"}).decode().splitlines()
    assert changed[2].strip() == "s_t[threadIdx.y][threadIdx.x] = 7.0f;"
    assert changed[4].strip() == "if (d_in[0] == 1.0f) d_out[threadIdx.x] = s_t[1][2];"
    (array,) = source.shared_in(4)
    assert (array.name, array.bytes(), array.line) == ("s_t", 128, 2)
    with_other = Source(f"{text}\nstatic int h() {{\n    return 1;\n}}\nint f() {{\n    h();\n}}\n")
    assert with_other.without(set(), set()).decode() == with_other.text
    kept = with_other.without({"f"}, {"h"}).decode()
    assert "return 1" in kept and "h();" not in kept
    alone = with_other.without({"f"}, set()).decode()
    assert alone.startswith(text) and "return 1" not in alone and "h();" not in alone
    assert [line[:3] for line in alone.splitlines()[7:]] == ["sta", "", "}", "int", "", "}"]
    for hostile in ("a\n" * 200_000, "a() {\n" * 100_000, "a b(x) " * 60_000):  # linear time
        assert Source(hostile).without({"a"}, set()).decode() == hostile
        assert Source(hostile).definition("f") == 0
    for line in (1, 2, 5, 7):
        with pytest.raises(CannotTell):
            source.with_values({line: "1"})


def test_key_position_is_uniform() -> None:
    solution = submissions.find(spec.load("lab1"), "solutions")
    places: Counter[int] = Counter()
    with quiz(solution, "A", "places") as drawn:
        for number in range(600):
            mistakes = [(f"thread {number + n}", "why") for n in (1, 2, 3, 7, 8)]
            draft = Draft(0, "?", f"thread {number}", lambda: "", "", mistakes)
            asked = drawn._asked("writer", draft, Random(number), f"{number}")
            assert len(asked.question.options) == 5
            places[asked.question.options.index(asked.key.answer)] += 1
    assert all(90 <= places[place] <= 150 for place in range(5)), places


def test_hints_do_not_use_the_key() -> None:
    hints = 0
    for file in sorted(Path(kinds.__path__[0]).glob("*.py")):
        for part in ast.walk(ast.parse(file.read_text())):
            if isinstance(part, ast.keyword) and part.arg == "mistakes":
                pairs = [n for n in ast.walk(part.value) if isinstance(n, ast.Tuple)]
                texts = [n.elts[1] for n in pairs if len(n.elts) == 2]
                used = {n.id for t in texts for n in ast.walk(t) if isinstance(n, ast.Name)}
                assert "answer" not in used, file.name
                hints += len(texts)
    assert hints > 75


def test_stored_answers_hold_no_key() -> None:
    fields = {field.name for field in dataclasses.fields(understood.Answered)}
    assert fields == {"part", "kind", "right", "wrong", "row"}


def test_a_wrong_part_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    starter = submissions.find(spec.load("lab1"), "starter")
    program = AskedPart(starter, "A", 1, starter.folder)

    def wrong(*_: object) -> None:
        raise CannotTell("the result of the program is wrong")

    monkeypatch.setattr(AskedPart, "binary", starter.folder)
    monkeypatch.setattr(AskedPart, "right_output", wrong)
    with pytest.raises(NoQuestionsError, match=re.escape("first ./grade lab1 -k A")):
        program.must_be_right()


def test_run_without_lines_is_reported_but_not_one_without_trace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solution = submissions.find(spec.load("lab1"), "solutions")
    program = AskedPart(solution, "A", 1, solution.folder)
    monkeypatch.setattr(AskedPart, "binary", solution.folder)
    monkeypatch.setattr(AskedPart, "raced", None)
    assert program.trace.threads == [] and program.trace.size == (98, 61), (
        "no line of it is asked about"
    )
    monkeypatch.setattr(AskedPart, "raced", solution.folder)
    monkeypatch.setattr(AskedPart, "run", lambda *_: None)
    monkeypatch.setattr("grader.ask.program.with_threads", lambda *_: program.trace)
    with pytest.raises(NoQuestionsError, match="addr2line"):
        program.traced((19, 11))


def test_the_order_of_questions_depends_on_the_seed_alone() -> None:
    assert [Random(7).randrange(99) for _ in range(3)] == [41, 41, 41], "on every machine"
