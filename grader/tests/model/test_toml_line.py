"""A mistake in a lab.toml is named with its line, and as the instructor's."""

import re
import shutil
from pathlib import Path

import pytest

from grader import paths
from grader.model import outline, spec
from grader.oracle import cache, inputs

FOLDER = "lab3_constant_mask"
REAL = (paths.LABS / FOLDER / "lab.toml").read_text()
HIDDEN = paths.hidden_cases(FOLDER).read_text()


def said(
    monkeypatch: pytest.MonkeyPatch,
    course: Path,
    text: str = REAL,
    hidden: str = HIDDEN,
    late: bool = False,
) -> str:
    """Why a course with this lab.toml and this hidden.toml is refused, at the latest by a grade."""
    for root in (paths.LABS, paths.STARTER, paths.SOLUTIONS):
        shutil.copytree(root / FOLDER, course / root.name / FOLDER)
    for name in ("runtime", "sim"):
        (course / "labs" / name).symlink_to(paths.LABS / name)
    (course / "labs" / FOLDER / "lab.toml").write_text(text)
    (course / "solutions" / FOLDER / "hidden.toml").write_text(hidden)
    monkeypatch.setattr(paths, "ROOT", course)
    for name in ("labs", "starter", "solutions"):
        monkeypatch.setattr(paths, name.upper(), course / name)
    with pytest.raises(outline.SpecError) as refused:
        lab = spec.load("lab3")
        inputs.require(lab)
        assert late, "found before anything is graded"
        for check in lab.case:
            cache.Prepared(lab, check).expected.value.any()
    return str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('operation = "polyphase"', 'operation = "polyphas"', "there is no operation 'polyphas'"),
        ('border = "replicate"', 'border = "replicat"', "there is no border 'replicat'"),
        ("border =", "bordr =", "unknown field `bordr`"),
        ("[[part.technique]]", "[[part.technik]]", "unknown field `technik`"),
        ("seed =", 'seed = "1" #', "Expected `int`, got `str`"),
        ("backends = [", 'backends = ["cuda", ', "Invalid enum value 'cuda'"),
        ('id = "lab3"', 'id = "lab4"', "the folder lab3_constant_mask is that of lab3"),
        ('submit = ["', 'submit = ["../', "Expected `str` matching"),
        ("correct = 60", "correct = 61", "the points sum to 101"),
        ("PHASES = [", "PHASEZ = [", "PHASEZ is not in lab.h"),
        ("PHASES = [4, 3, 5, 6]", "PHASES = []", "PHASES has no values"),
        ('calls = ["set_mask", "', 'calls = ["setmask", "', "lab.h has no function 'setmask'"),
        ('calls = "', 'calls = "No', "calls.py has no class 'NoOneMask'"),
        ('inject = "launch"', 'inject = "cudaMaloc:first"', "'cudaMaloc:first' names no call"),
        ('inject = "launch"', 'inject = "launch:1"', "Expected `str` matching"),
        ("title =", "title = =", "Invalid value"),
    ],
)
def test_toml_error_names_its_line(
    old: str, new: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = 1 + REAL[: REAL.index(old)].count("\n")
    message = said(monkeypatch, tmp_path, REAL.replace(old, new, 1))
    assert says in message and spec.INSTRUCTORS in message
    assert message.startswith("labs/lab3_constant_mask/lab.toml: ")
    assert re.search(rf"line {line}\b", message), message


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("bad_radius = ", "bed_radius = ", "driver.c reads no setting bed_radius"),
        ('mask = "impulse3"', 'mask = "impuls3"', "there is no mask 'impuls3'; the masks are"),
        ('image = "ramp"', 'image = "rampe"', "there is no image 'rampe'"),
        ('image = "photo"\n', 'image = "foto"\n', "there is no image 'foto'"),
    ],
)
def test_error_in_a_check_names_the_checks_line(
    old: str, new: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = REAL.rindex("name = ", 0, REAL.index(old))
    lines = [1 + REAL[:at].count("\n") for at in (name, REAL.index(old))]
    message = said(monkeypatch, tmp_path, REAL.replace(old, new, 1))
    assert says in message
    assert any(f"line {line}: '" in message for line in lines), message


def test_a_check_that_gets_no_border_has_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = REAL.replace('border = "zero" # of each check that names none\n', "")
    line = 1 + text[: text.index("[[part.case]]")].count("\n")
    message = said(monkeypatch, tmp_path, text, late=True)
    assert "needs 'border'" in message and re.search(rf"line {line + 1}\b", message), message


def test_error_in_a_hidden_case_names_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = HIDDEN.replace('part = "A"', 'part = "Z"', 1)
    message = said(monkeypatch, tmp_path, hidden=hidden)
    assert message.startswith("solutions/lab3_constant_mask/hidden.toml: line ")
    assert "there is no part 'Z'" in message


def test_windows_byte_order_mark_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = "\ufeff" + REAL.replace('border = "replicate"', 'border = "zer"', 1)
    assert "there is no border 'zer'" in said(monkeypatch, tmp_path, marked)
    assert outline.load("lab3").id == "lab3"
