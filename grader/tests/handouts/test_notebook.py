"""The notebook for a browser: its form, its commands, and, where nbclient is, a run of it."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from grader import paths
from grader.commands import overview, source_help
from grader.model import outline
from handouts import address
from handouts.notebook import __main__ as notebook
from handouts.notebook import cells

DOCUMENT: dict[str, Any] = json.loads(notebook.NOTEBOOK.read_text("utf-8"))
CODE = ["".join(c["source"]) for c in DOCUMENT["cells"] if c["cell_type"] == "code"]


def shell_lines(code: str) -> list[str]:
    return re.findall(r"^\s*!(.*)$", code, re.M)


def as_python(code: str) -> str:
    """A cell without what only IPython understands."""
    return re.sub(r"^(\s*)!.*$", r"\1pass", code, flags=re.M)


def test_the_notebook_is_not_stale() -> None:
    assert notebook.document() == notebook.NOTEBOOK.read_text("utf-8")


def test_it_has_the_form_of_notebooks_and_no_outputs() -> None:
    assert (DOCUMENT["nbformat"], DOCUMENT["nbformat_minor"]) == (4, 5)
    made = DOCUMENT["cells"]
    assert len(made) == 10
    assert len({cell["id"] for cell in made}) == len(made)
    for cell in made:
        code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"cell_type", "id", "metadata", "source"} | code
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"])
        assert not cell.get("outputs") and cell.get("execution_count") is None
        lines = cell["source"]
        assert all(line.endswith("\n") for line in lines[:-1]) and not lines[-1].endswith("\n")


def test_every_cell_is_python_or_writes_a_file_of_a_student() -> None:
    for code in CODE:
        if code.startswith("%%"):
            assert code.partition("\n")[0] == f"%%writefile {cells.STARTER}"
        else:
            ast.parse(as_python(code))


def test_its_commands_and_their_options_exist() -> None:
    lines = [line for code in CODE for line in shell_lines(code) if "./grade" in line]
    assert len(lines) == 6
    for line in lines:
        name, *rest = line.partition("./grade ")[2].split()
        assert name in overview.commands() or name in outline.available(), line
        own = [word for word in rest if word.startswith("--")]
        known = " ".join(source_help.flags(name)).replace(",", " ").replace("/", " ").split()
        assert set(own) <= set(known), line
        for word in rest:
            if word.startswith("lab"):
                assert word in outline.available()


@pytest.mark.parametrize("line", ["!./grade ask lab1 --no-such", "!./grade aks lab1"])
def test_a_command_that_does_not_exist_would_be_found(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "CODE", [*CODE[:-2], line, CODE[-1]])
    with pytest.raises((AssertionError, StopIteration, KeyError, ValueError)):
        test_its_commands_and_their_options_exist()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "Write the address where you found this notebook into line 1"),
        ("https://example.org/none", "There is no course at https://example.org/none"),
    ],
)
def test_without_a_course_the_first_cell_says_what_to_do(
    given: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CONVLABS_ADDRESS", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=re.escape(said)):
        exec(as_python(cells.CLONE.format(address=given)), {})


@pytest.mark.parametrize("place", [".", "handouts", "convlabs"])
def test_the_first_cell_finds_the_course(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a checkout, in its folder handouts, and beside what it has cloned before."""
    course = tmp_path / "convlabs"
    (course / "handouts").mkdir(parents=True)
    (course / "grade").touch()
    monkeypatch.chdir(tmp_path if place == "convlabs" else course / place)
    exec(as_python(CODE[0]), {})
    assert Path.cwd() == course


def test_an_address_of_the_project_is_in_the_notebook(tmp_path: Path) -> None:
    project = '[project]\nname = "x"\n[project.urls]\nrepository = "https://example.org/x.git"\n'
    (tmp_path / "pyproject.toml").write_text(project)
    assert address.repository(tmp_path) == "https://example.org/x"
    made = cells.cells(paths.ROOT, address.repository(tmp_path))
    assert 'ADDRESS = "https://example.org/x"' in made[1][1]


@pytest.mark.slow("runs every cell: three labs are graded")
def test_it_runs_top_to_bottom() -> None:
    pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    from handouts.notebook import run

    made = run.run(notebook.NOTEBOOK, paths.ROOT / "handouts")
    printed = [run.text(cell) for cell in made.cells if cell.cell_type == "code"]
    assert "of the checks" in printed[3] or "0/" in printed[3]
    assert [text.count("<iframe") for text in printed] == [0, 0, 0, 0, 1, 1, 0, 0]
    assert "data race" in printed[5]
    assert "question 1 of 1" in printed[6]
