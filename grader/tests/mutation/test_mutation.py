"""The committed table of the mutants is that of these solutions, and a few of them are caught."""

import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from grader.classroom.audit import calls, mutants
from grader.classroom.audit.mutants import Mutant
from grader.classroom.audit.trial import Outcome, judge
from grader.tests.mutation import __main__, results, wanted

EVERY = [m for lab in wanted.WANTED for m in wanted.chosen(lab)]
SAMPLE = 6  # of lab 1, which builds in no time


def test_the_table_is_of_these_solutions() -> None:
    text = results.FILE.read_text()
    assert wanted.fingerprint() in text, "the solutions have changed: make mutation"
    rows = {line.split(" | ")[0].removeprefix("| ") for line in text.splitlines()}
    assert {m.id for m in EVERY} <= rows


def test_no_mutant_survives() -> None:
    counts = next(
        line for line in results.FILE.read_text().splitlines() if line.startswith("| all |")
    )
    mutated, caught, *_, equivalent, survived = (int(n) for n in counts.strip("| ").split("|")[1:])
    assert survived == 0
    assert mutated == caught + equivalent >= 400


def test_the_report_tells_survivors_and_those_not_judged() -> None:
    found = {m.id: Outcome(m.id, "correct", "a case") for m in EVERY}
    first, second, *_ = (m for m in EVERY if m.id not in results.EQUIVALENT)
    found[first.id] = Outcome(first.id, None)
    found[second.id] = Outcome(second.id, "error", "no space left")
    lines = results.report(EVERY, found).splitlines()
    assert f"{results.row(first)} survived |" in lines
    assert f"{results.row(second)} error: no space left |" in lines
    counts = next(line for line in lines if line.startswith("| all |"))
    assert counts.endswith(" 2 |"), counts


def test_the_table_is_written_although_some_survive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(results, "FILE", tmp_path / "RESULTS.md")
    survivor = EVERY[0]

    def outcomes(chosen: list[Mutant]) -> Iterator[Outcome]:
        for mutant in chosen:
            yield Outcome(mutant.id, None if mutant == survivor else "correct", "a case")

    monkeypatch.setattr(__main__, "outcomes", outcomes)
    assert __main__.main([]) == 1
    assert f"{results.row(survivor)} survived |" in results.FILE.read_text()
    assert capsys.readouterr().out.endswith(f"1 survived\n{results.row(survivor)} not caught |\n")


def test_equivalent_ones_are_mutants_and_have_a_reason() -> None:
    assert set(results.EQUIVALENT) <= {m.id for m in EVERY}
    assert all(len(reason.split()) > 3 for reason in results.EQUIVALENT.values())
    rows = [
        line for line in results.FILE.read_text().splitlines() if line.endswith("| equivalent |")
    ]
    caught = set(results.EQUIVALENT) - {row.split(" | ")[0].removeprefix("| ") for row in rows}
    assert not caught, "not equivalent: a check caught them"


@pytest.mark.slow("every mutant is made, and some are graded")
def test_a_mutant_is_the_solution_but_for_its_edits() -> None:
    assert len({m.id for m in EVERY}) == len(EVERY)
    for mutant in EVERY:
        source = mutants.solution(mutant.lab, mutant.file).read_bytes()
        assert mutants.mutated(mutant) != source
        first, last = mutant.edits[0], mutant.edits[-1]
        assert mutants.mutated(mutant)[: first.start] == source[: first.start]
        assert mutants.mutated(mutant).endswith(source[last.end :])


def test_mutants_cover_kinds_and_functions() -> None:
    kinds = Counter(m.kind for m in EVERY)
    assert len(EVERY) >= 420
    assert kinds["pair"] >= 60 and kinds["call"] >= 60
    assert {m.form for m in EVERY if m.kind == "call"} == set(calls.FORMS)
    for lab in wanted.WANTED:
        functions = Counter(m.function for m in EVERY if m.lab == lab)
        assert min(functions.values()) >= 2, (lab, functions)


def test_a_pair_is_two_changes_in_two_lines_that_might_hide_each_other() -> None:
    text = """
    // BEGIN SOLUTION
    for (i = 0; i < n; i++) {
        out[k] = a - 2;
        n = p + q;
    }
    // END SOLUTION
    """
    assert made(text, "pair") == {
        "pair-constant-1-index-1": "for(i=1;i<n;i++){out[k+1]=a-2;n=p+q;}",
        "pair-constant-1-constant-3": "for(i=1;i<n;i++){out[k]=a-1;n=p+q;}",
        "pair-bound-1-index-1": "for(i=0;i<=n;i++){out[k+1]=a-2;n=p+q;}",
        "pair-bound-1-constant-2": "for(i=0;i<=n;i++){out[k]=a-3;n=p+q;}",
        "pair-bound-1-constant-3": "for(i=0;i<=n;i++){out[k]=a-1;n=p+q;}",
        "pair-operator-1-operator-2": "for(i=0;i<n;i++){out[k]=a+2;n=p-q;}",
    }


@pytest.mark.parametrize(
    ("form", "statements", "changed"),
    [
        ("dropped", "f(x); a = 1;", ["a=1;"]),
        ("dropped", "error = f(x);", [""]),
        ("dropped", "cudaError_t e = f(x);", ["cudaError_te=cudaSuccess;"]),
        ("dropped", "return f(x);", ["returncudaSuccess;"]),
        ("dropped", "k<<<g, b>>>(x);", [""]),
        ("dropped", "__syncthreads();", []),
        ("twice", "cudaFree(x);", ["cudaFree(x);cudaFree(x);"]),
        ("twice", "cudaMemcpy(x, y, n, kind);", []),
        (
            "twice",
            "cudaError_t error = cudaMalloc(&d, n);",
            ["(void)cudaMalloc(&d,n);cudaError_terror=cudaMalloc(&d,n);"],
        ),
        ("exchanged", "f(x); x = 1;", ["x=1;f(x);"]),
        ("exchanged", "for (;;) { s = 1; } __syncthreads();", ["__syncthreads();for(;;){s=1;}"]),
        ("exchanged", "cudaFree(x); cudaFree(y);", []),
        ("exchanged", "x = 1; y = 2;", []),
        ("exchanged", "f(x); y = 2;", []),
        ("exchanged", "f(x); return 0;", []),
        ("ignored", "error = f(x);", ["f(x);"]),
        ("ignored", "return f(x);", ["f(x);returncudaSuccess;"]),
        ("ignored", "cudaError_t e = f(x);", ["f(x);cudaError_te=cudaSuccess;"]),
        ("ignored", "out[i] = f(x);", []),
        ("early-return", "if (x) { return 1; } return 0;", ["if(x){}return0;"]),
        (
            "once",
            "return cudaMemcpyToSymbol(c, h, n);",
            ["staticintcalled;if(called++)returncudaSuccess;returncudaMemcpyToSymbol(c,h,n);"],
        ),
        (
            "once",
            "error = cudaMemcpy(d, h, n, k);",
            ["{staticintcalled;if(!called++)error=cudaMemcpy(d,h,n,k);}"],
        ),
        ("once", "cudaFree(x);", []),
        ("directive", "#pragma omp parallel for\nfor (;;) {}", ["for(;;){}"]),
        ("directive", "#pragma unroll\nfor (;;) {}", []),
        ("unwrapped", "i = clamp(x + 1, 0, n);", ["i=(x+1);"]),
        ("rounded-down", "dim3 g(ceil_div(w + 1, B));", ["dim3g(((w+1)/(B)));"]),
    ],
)
def test_call_mutation_changes_one_argument(form: str, statements: str, changed: list[str]) -> None:
    text = f"""
cudaError_t function(void) {{
    // BEGIN SOLUTION
{statements}
    // END SOLUTION
}}
"""
    assert list(made(text, form).values()) == changed


def made(text: str, form: str) -> dict[str, str]:
    """The mutants of a text that are of this kind or form: what the student's part becomes."""
    source = text.encode()
    return {
        mutant.name: "".join(_solved(mutants.edited(source, mutant)).split())
        for mutant in mutants.of_source("lab1", "x.cu", source)
        if form in (mutant.kind, mutant.form)
    }


def _solved(source: bytes) -> str:
    return source.decode().partition("// BEGIN SOLUTION")[2].partition("// END SOLUTION")[0]


@pytest.mark.slow("every mutant is made, and some are graded")
def test_a_sample_is_caught() -> None:
    some = sorted(wanted.chosen("lab1"), key=lambda m: hashlib.sha1(m.id.encode()).digest())
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for outcome in pool.map(judge, some[:SAMPLE]):
            assert outcome.caught_by is not None or outcome.id in results.EQUIVALENT, outcome.id
