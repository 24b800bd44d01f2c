"""An export that an assistant may see: who is who stays in the run."""

from pathlib import Path

import pytest

from grader.classroom.commands import export as command
from grader.commands.errors import UsageError
from grader.tests.classroom.export import runs

PEOPLE = (
    *(runs.GRADED, runs.LATE_ONE, runs.SET, *runs.MEMBERS),
    *(runs.MISSING, runs.ERROR, runs.REJECTED, runs.WAITING),
)


def exported(run: Path, form: str, out: Path, *, anonymous: bool = True) -> str:
    options = {"form": form, "out": out, "unmeasured": "scale", "missing": "blank"}
    command.export(run, book=None, lab="", column="", per_check=True, feedback=None,
                   submissions=None, anonymous=anonymous, **options)  # type: ignore[arg-type]  # fmt: skip
    return out.read_text()


@pytest.mark.parametrize("form", ["csv", "json"])
def test_no_name_address_or_number_is_exported(form: str, tmp_path: Path) -> None:
    runs.make(tmp_path / "run").close()
    text = exported(tmp_path / "run", form, tmp_path / "out")
    for person in PEOPLE:
        for identifier in (person.name, *person.identifiers()):
            assert identifier not in text
    assert exported(tmp_path / "run", form, tmp_path / "again") == text
    named = exported(tmp_path / "run", form, tmp_path / "named", anonymous=False)
    assert len(named.splitlines()) == len(text.splitlines())
    assert runs.GRADED.lms in named


def test_an_option_that_names_the_students_is_refused_beside_it(tmp_path: Path) -> None:
    runs.make(tmp_path / "run").close()
    with pytest.raises(UsageError, match="csv and json"):
        exported(tmp_path / "run", "junit", tmp_path / "out")
