"""A grade is made again after a change of anything that could decide it, and only then."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader import paths
from grader.model import course_key
from grader.tests import captured

# What git tracks at the top and grades do not depend on.
DECIDES_NOTHING = {
    *(".ci", ".clang-format", ".editorconfig", ".gitignore", "pyproject.toml", "LICENSE"),
    *("AGENTS.md", "CLAUDE.md", "GEMINI.md"),
    *("CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "handouts", "starter"),
    *(
        ".devcontainer",
        ".vscode",
        ".dockerignore",
        ".gitattributes",
        ".github",
        "Dockerfile",
        "compose.yaml",
    ),
    *("CITATION.cff", "CODE_OF_CONDUCT.md", "LICENSES", "REUSE.toml", "codemeta.json", "paper"),
}
PACKAGES = sorted(
    p.parent.name
    for p in (paths.ROOT / "grader").glob("*/__init__.py")
    if p.parent.name not in ("classroom", "tests", *course_key.AFTER)
)
DECIDES = (
    *("Makefile", "grade", "datasets/*.py", "datasets/*.toml", "datasets/*.lock"),
    *("grader/*.py", *(f"grader/{package}/**/*.py" for package in PACKAGES)),
    *("grader/classroom/bulk/**/*.py", "grader/classroom/calibration/*.py"),
    "grader/setup/requirements.lock",
    "grader/classroom/bulk/isolation/*.c",
    *("labs/lab3_*/lab.h", "labs/lab3_*/driver.c", "labs/lab3_*/speed.c"),
    *("labs/lab3_*/calls.py", "labs/lab3_*/baseline.*"),
    *("labs/runtime/submission.mk", "labs/runtime/**/*.h", "labs/runtime/**/*.c"),
    *("labs/runtime/**/*.cu", "labs/sim/include/**/*.h", "labs/sim/src/**/*.h"),
    *("labs/sim/src/**/*.c", "labs/sim/src/**/*.S", "labs/sim/**/*.py", "solutions/lab3_*/*.cu"),
)
ADDED = ("grader/new_package/module.py", "grader/new.json", "labs/sim/src/new/new.inc", "labs/x.mk")
ELSEWHERE = (
    *("README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", "handouts/lab3.md"),
    *("starter/lab3_constant_mask/constant_mask.cu", "labs/lab4_shared_tile/lab.toml"),
    *("solutions/lab4_shared_tile/shared_tile.cu", "solutions/lab4_shared_tile/hidden.toml"),
    *("grader/tests/classroom/new.py", "labs/tests/new.c", "labs/lab3_constant_mask/test_lab3.c"),
    *(
        "labs/studies/reproduce/report.py",
        "grader/classroom/bulk/RESULTS.md",
        "grader/__pycache__/cli.pyc",
    ),
    *("grader/cli.py~", "labs/runtime/.mask.c.swp", "labs/runtime/#mask.c#", "run/store.sqlite"),
    *("build/lib/plain/libsim.a", *(f"grader/{p}/new.py" for p in course_key.AFTER)),
    *(f"grader/classroom/{p}/new.py" for p in course_key.AFTER_IN_CLASS),
)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what counts, somewhere else."""
    root = tmp_path_factory.mktemp("course")
    for top in course_key.TOP:
        if (paths.ROOT / top).is_file():
            shutil.copy(paths.ROOT / top, root / top)
        else:
            shutil.copytree(paths.ROOT / top, root / top, ignore=shutil.ignore_patterns("tests"))
    return root


@contextmanager
def changed(file: Path) -> Iterator[None]:
    """With more in that file, or with that file."""
    before = file.read_bytes() if file.exists() else None
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes((before or b"") + b"\n")
    try:
        yield
    finally:
        file.unlink() if before is None else file.write_bytes(before)


def test_key_does_not_depend_on_the_path(course: Path) -> None:
    assert course_key.compute(course, "lab3") == course_key.compute(paths.ROOT, "lab3")
    assert course_key.compute(course, "lab4") != course_key.compute(course, "lab3")


@pytest.mark.parametrize("pattern", DECIDES)
def test_files_that_affect_grades_change_the_key(course: Path, pattern: str) -> None:
    before = course_key.compute(course, "lab3")
    files = [file for file in course.glob(pattern) if not file.name.startswith("test_")]
    assert files, "no such file: has it moved?"
    with changed(files[0]):
        assert course_key.compute(course, "lab3") != before
    assert course_key.compute(course, "lab3") == before


@pytest.mark.parametrize("file", ADDED)
def test_new_files_change_the_key(course: Path, file: str) -> None:
    before = course_key.compute(course, "lab3")
    with changed(course / file):
        assert course_key.compute(course, "lab3") != before


@pytest.mark.parametrize("file", ELSEWHERE)
def test_files_that_affect_no_grade_preserve_the_key(course: Path, file: str) -> None:
    before = course_key.compute(course, "lab3")
    with changed(course / file):
        assert course_key.compute(course, "lab3") == before


SPEC, HIDDEN = "labs/lab3_constant_mask/lab.toml", "solutions/lab3_constant_mask/hidden.toml"


@pytest.mark.parametrize(
    ("file", "old", "new", "counts"),
    [
        (SPEC, "", "# a comment", False),
        (SPEC, 'why = "both', 'why = "Both', False),
        (SPEC, "Check the radius first.", "First check the radius.", False),
        (HIDDEN, 'rationale = "', 'rationale = "In short: ', False),
        (HIDDEN, 'hint = "', 'hint = "Look: ', False),
        (SPEC, "points = 9", "points = 8", True),
        (SPEC, 'name = "13x13 on 1x1,', 'name = "13x13 on 1x01,', True),
        (SPEC, "at_most = 8", "at_most = 9", True),
        (HIDDEN, "seed = ", "seed = 1", True),
        (SPEC, 'border = "zero"', 'border = "replicate"', True),
        (HIDDEN, 'border = "replicate"', 'border = "zero"', True),
        (SPEC, 'why = "both', "why = both", True),  # no TOML any more
    ],
)
def test_only_grading_fields_of_a_spec_change_the_key(
    course: Path, file: str, old: str, new: str, counts: bool
) -> None:
    before, text = course_key.compute(course, "lab3"), (course / file).read_text()
    assert old in text
    try:
        (course / file).write_text(text.replace(old, new, 1) if old else f"{text}{new}\n")
        assert (course_key.compute(course, "lab3") != before) == counts
    finally:
        (course / file).write_text(text)


def test_a_move_and_a_swap_change_the_key(course: Path) -> None:
    before = course_key.compute(course, "lab3")
    one, other = course / "datasets" / "masks.py", course / "datasets" / "moved.py"
    one.rename(other)
    assert course_key.compute(course, "lab3") != before
    other.rename(one)
    assert course_key.compute(course, "lab3") == before


def test_top_level_entries_are_classified() -> None:
    """A new one must be put into TOP, or into DECIDES_NOTHING."""
    done = captured.run(["git", "ls-files", "-z"], cwd=paths.ROOT)
    if done.returncode != 0:
        pytest.skip("this copy of the course is not a git checkout")
    tracked = {path.split("/")[0] for path in done.stdout.split("\0") if path}
    assert tracked == {*course_key.TOP, *DECIDES_NOTHING}
