"""Safe checks: findings with their lines, what the sanitizers print, the order of threads."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader import paths
from grader.execute import sanitizers
from grader.execute.evidence import Evidence
from grader.model.finding import Finding
from grader.tests.grading.test_bad_input import cpu_loop
from grader.tests.known_submissions import entries
from grader.tests.known_submissions.test_known import grade

A_IN_LAB1 = "A no access outside"

BROKEN = {
    "reads before the image": ("out[0] = image[-1];", "out-of-bounds", "before the beginning"),
    "writes past the output": (
        "out[width * height] = 1;",
        "out-of-bounds",
        "an array of the caller",
    ),
    "a local array": (
        "float a[4] = {0}; volatile int i = radius; out[0] = a[i];",
        "undefined",
        "out of bounds",
    ),
    "used after free": (
        "float *p = malloc(40); free(p); volatile float f = p[1]; out[0] = f;",
        "use-after-free",
        "already freed",
    ),
    "never freed": (
        "static float *volatile p; p = malloc(40); p[0] = 1; p = 0;",
        "leak",
        "40 bytes are never freed",
    ),
    "overflow": ("volatile int i = 2147483647; i = i + width;", "undefined", "overflow"),
    "null": ("float *volatile p = 0; out[0] = *p;", "undefined", "null"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_sanitizers_name_the_students_line(name: str, tmp_path: Path) -> None:
    body, kind, words = BROKEN[name]
    folder = cpu_loop(tmp_path, body, "#include <stdlib.h>")
    code, document = grade("lab1", "--src", str(folder), "-k", A_IN_LAB1)
    assert code == 1
    check = next(c for c in document["checks"] if c["kind"] == "safe")
    assert (check["verdict"], check["diagnosis"]) == ("fail", kind), check
    text = "\n".join(check["message"])
    lines = (folder / "cpu_loop.c").read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if body in line)
    assert f"cpu_loop.c:{number}: " in text and words in text, text


OPENMP = {  # in place of the loop over y in the solution's correlate_openmp()
    "a row of everybody's": """
    static float row[64];
#pragma omp parallel for
    for (int y = 0; y < height; y++) {
        correlate_row(image, width, height, mask, radius, border, y, row);
        memcpy(out + (size_t)y * width, row, width * sizeof *row);
    }
}
""",
    "tasks that all write one row": """
    float row[width];
#pragma omp parallel
#pragma omp single
    for (int y = 0; y < height; y++) {
#pragma omp task
        {
            correlate_row(image, width, height, mask, radius, border, y, row); // RACE
            memcpy(out + (size_t)y * width, row, sizeof row);
        }
    }
}
""",
    "tasks, one after the other": """
#pragma omp parallel
#pragma omp single
    for (int y = 0; y < height; y++) {
#pragma omp task
        correlate_row(image, width, height, mask, radius, border, y, out + (size_t)y * width);
#pragma omp taskwait
    }
}
""",
}


def with_threads(name: str, folder: Path) -> Path:
    solution = (paths.SOLUTIONS / "lab1_cpu_loop" / "cpu_loop.c").read_text()
    begin = solution.index("{", solution.index("void correlate_openmp")) + 1
    source = "#include <string.h>\n" + solution[:begin] + OPENMP[name]
    (folder / "cpu_loop.c").write_text(source)
    return folder


def test_threads_that_share_a_row_are_named_by_both_lines(tmp_path: Path) -> None:
    folder = with_threads("a row of everybody's", tmp_path)
    code, document = grade("lab1", "--src", str(folder), "-k", "C no data race")
    (check,) = (c for c in document["checks"] if c["kind"] == "safe")
    assert code == 1 and (check["verdict"], check["diagnosis"]) == ("fail", "thread-race"), check
    text = "\n".join(check["message"])
    lines = (folder / "cpu_loop.c").read_text().splitlines()
    written = next(n for n, line in enumerate(lines, 1) if "sum[x] = 0.0f" in line)
    assert f"cpu_loop.c:{written}" in text and "memcpy(out" in text


def with_directive(folder: Path, directive: str) -> Path:
    """The solution of lab 1 with another directive in part C."""
    solution = (paths.SOLUTIONS / "lab1_cpu_loop" / "cpu_loop.c").read_text()
    assert solution.count("#pragma omp parallel for schedule(static)\n") == 1
    changed = solution.replace("#pragma omp parallel for schedule(static)\n", directive)
    (folder / "cpu_loop.c").write_text(changed)
    return folder


@pytest.mark.parametrize(
    ("directive", "says"),
    [
        ("", "ran on one thread, and could use 3"),
        ("#pragma omp parallel for if (height > 4096)\n", "ran on one thread, and could use 3"),
        ("#pragma omp parallel\n#pragma omp master\n", "started 3 threads, but one of them"),
        ("#pragma omp parallel\n#pragma omp critical\n", "works only while it holds a lock"),
    ],
)
def test_one_thread_proves_nothing(directive: str, says: str, tmp_path: Path) -> None:
    folder = with_directive(tmp_path, directive)
    code, document = grade("lab1", "--src", str(folder), "-k", "C no data race")
    (check,) = (c for c in document["checks"] if c["kind"] == "safe")
    assert code == 1 and (check["verdict"], check["diagnosis"]) == ("fail", "no-team"), check
    assert says in check["message"][0]


@pytest.mark.parametrize(
    "directive",
    [
        "#pragma omp parallel for schedule(dynamic, 40)\n",
        "#pragma omp parallel for if (height > 40) num_threads(2)\n",
        "#pragma omp parallel num_threads(1)\n#pragma omp parallel for\n",
        "#pragma omp parallel\n#pragma omp single\n#pragma omp taskloop\n",
    ],
)
def test_two_threads_of_three_are_a_team(directive: str, tmp_path: Path) -> None:
    folder = with_directive(tmp_path, directive)
    code, document = grade("lab1", "--src", str(folder), "-k", "C no data race")
    assert code == 0, document["checks"]


@pytest.mark.parametrize(
    ("name", "diagnosis"),
    [("tasks that all write one row", "thread-race"), ("tasks, one after the other", "no-team")],
)
def test_tasks_are_judged_as_loops_are(name: str, diagnosis: str, tmp_path: Path) -> None:
    folder = with_threads(name, tmp_path)
    code, document = grade("lab1", "--src", str(folder), "-k", "C no data race")
    (check,) = (c for c in document["checks"] if c["kind"] == "safe")
    assert code == 1 and (check["verdict"], check["diagnosis"]) == ("fail", diagnosis), check


def test_other_link_error_fails_the_race_check(
    tmp_path: Path,
) -> None:
    solution = (paths.SOLUTIONS / "lab1_cpu_loop" / "cpu_loop.c").read_text()
    (tmp_path / "cpu_loop.c").write_text(solution + "void race_synchronize(void) {}\n")
    code, document = grade("lab1", "--src", str(tmp_path), "-k", "C no data race")
    (check,) = (c for c in document["checks"] if c["kind"] == "safe")
    assert code != 0 and check["verdict"] != "pass", check


def test_clean_output_has_no_findings() -> None:
    assert sanitizers.findings("a line of the student's\nERROR: none\n", Evidence()) == []


def test_wrong_result_earns_no_safety_points() -> None:
    """A function that does nothing does nothing wrong either; that is no points."""
    code, document = grade("lab2", "-k", "no data race")
    assert code == 1
    safe = [c for c in document["checks"] if c["kind"] == "safe"]
    assert safe and all(c["verdict"] == "skip" and c["needs"] for c in safe)


def safe_checks(entry: str, pattern: str) -> list[dict[str, Any]]:
    found = entries.find(entry)
    _, document = grade(found.lab, "--src", str(entries.write(found)), "-k", pattern)
    return [c for c in document["checks"] if c["kind"] == "safe"]


def test_a_race_shows_both_lines() -> None:
    (check,) = safe_checks("lab2/unsafe-spare-threads-write", "A no data race")
    file = entries.SHOWN / "lab2/unsafe-spare-threads-write/global_memory.cu"
    shown = str(file.relative_to(paths.ROOT))
    lines = file.read_text().splitlines()
    write = next(n for n, t in enumerate(lines, 1) if "d_out[(size_t)min(y" in t)
    text = "\n".join(check["message"])
    assert f"{shown}:{write + 1} and :{write}: data race" in text
    assert "reads" in text and "writes" in text
    assert f"    {write}: {lines[write - 1].strip()}"[:100] in text


def test_a_result_that_depends_on_the_order_says_so() -> None:
    (check,) = safe_checks("lab2/order-of-atomics", "A no data race")
    assert check["diagnosis"] == "order-dependent"
    text = "\n".join(check["message"])
    assert "reverse order: out[y=" in text and "depends on the order in which threads run" in text


def test_a_finding_of_a_race_is_read_and_rendered() -> None:
    raw = '{"severity":"error","kind":"shared-race","file":"a.cu","line":4,"verb":"read","bytes":4,'
    raw += '"other_file":"a.cu","other_line":9,"other_verb":"write","thread":[1,0,0],'
    raw += (
        '"block":[0,0,0],"object":{"space":"shared","name":"s","bytes":64,"file":"a.cu","line":2,'
    )
    raw += '"element":4,"columns":8},"offset":36}'
    finding = msgspec.json.decode(raw, type=Finding)
    assert finding.render() == (
        "a.cu:4 and :9: data race: thread (1,0,0) of block (0,0,0) reads and another block writes "
        "the same bytes of s[1][1] (64 bytes of shared memory, declared at line 2), and either "
        "block may run first: let a later launch read it, or another array hold it"
    )
