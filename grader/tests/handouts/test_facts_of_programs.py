"""The handouts' facts about programs: mistakes with their pictures, and counters."""

import ast
import io
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from grader import paths
from grader.diagnose import catalogue
from grader.model import outline, spec
from grader.tests.known_submissions import entries, table
from handouts.facts import (
    count,
    counted,
    counted_list,
    draw_mistakes,
    limits,
    mistake_list,
    mistakes,
    pictures,
)
from handouts.facts.blocks import FactsError

PICTURES = draw_mistakes.FOLDER
MAKERS = {"Diagnosis", "Mistake", "_exactly"}  # whose first argument is the name of a mistake
NAME = re.compile(r"[a-z]+(-[a-z0-9]+)+")


def _named_in_source() -> set[str]:
    """The names of mistakes in the source of grader/diagnose/ and grader/checks/other_runs.py."""
    names = set()
    files = [
        *(paths.ROOT / "grader/diagnose").rglob("*.py"),
        paths.ROOT / "grader/checks/other_runs.py",
    ]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                first = node.args[0] if node.func.id in MAKERS and node.args else None
            elif isinstance(node, ast.Tuple) and len(node.elts) > 1:
                first = node.elts[0]
                if not (isinstance(first, ast.Constant) and NAME.fullmatch(str(first.value))):
                    continue
            else:
                continue
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                names.add(first.value)
    return names


def test_catalogue_lists_every_diagnosis() -> None:
    named = _named_in_source()
    assert len(named) > 50 and {"mask-flipped", "channels-swapped", "order-dependent"} <= named
    assert named - {entry.name for entry in catalogue.entries()} == set()


def test_mistakes_of_one_lab_name_the_lab() -> None:
    """Only lab 8 has bytes that keep 255 and colours side by side."""
    parts = re.split(r"\n\n|\n\| ", mistakes.explained())
    own = [part for part in parts if "still 255" in part or "side by side" in part]
    assert len(own) == 3 and all(re.search(r"\bin lab 8:", part, re.IGNORECASE) for part in own)


def test_catalogue_lists_only_diagnoses() -> None:
    source = "".join(
        file.read_text(errors="replace")
        for folder, pattern in (("grader", "*.py"), ("labs/sim/src", "*.[ch]*"))
        for file in (paths.ROOT / folder).rglob(pattern)
        if "tests" not in file.parts
    )
    assert [e.name for e in catalogue.entries() if f'"{e.name}"' not in source] == []


@pytest.mark.parametrize("lab", outline.available())
def test_page_lists_every_mistake_of_its_labs_known_submissions(lab: str) -> None:
    named = set()
    for entry in entries.of_lab(lab, "wrong", "unsafe"):
        named |= {entry.detail, *entry.also} - {"-", table.SMALLEST}
    page = (paths.ROOT / "handouts" / f"{lab}.md").read_text()
    assert sorted(name for name in named if f"(mistakes.md#mistake-{name})" not in page) == []


def test_pictures_exist_and_are_small_and_anchors_unique() -> None:
    page = (paths.ROOT / "handouts/mistakes.md").read_text()
    anchors = re.findall(r'<a id="mistake-([^"]+)"></a>', page)
    assert anchors and sorted(anchors) == sorted(entry.name for entry in catalogue.entries())
    shown = re.findall(r"^!\[([^\]]+)\]\(figures/mistakes/([^)\s]+)\)$", page, re.MULTILINE)
    assert sorted(file for _, file in shown) == sorted(f.name for f in PICTURES.iterdir())
    for alt, file in shown:
        assert len(alt) > 40
        data = (PICTURES / file).read_bytes()
        assert len(data) < 25_000
        assert pictures.read(data).max() < len(pictures.palette()) <= 64


def test_difference_pictures_have_several_colours() -> None:
    for file in PICTURES.iterdir():
        picture = pictures.read(file.read_bytes())
        width = (picture.shape[1] - 2 * pictures.GAP) // 3
        assert len(np.unique(picture[:, -width:])) > 1, file.name


def test_a_difference_shows_its_sign_and_each_wrong_pixel() -> None:
    right = np.linspace(0, 1, 6).reshape(2, 3)
    got = right + np.array([[0, -1, 1e-9], [1, np.nan, 0]])
    picture = pictures.panels(right, got, got != right)
    equal, steps = pictures.EQUAL, pictures.STEPS
    assert picture[:: pictures.SCALE, -3 * pictures.SCALE :: pictures.SCALE].tolist() == [
        [equal, equal - steps, equal + 1],
        [equal + steps, pictures.NO_VALUE, equal],
    ]


@pytest.mark.parametrize(
    ("lab", "names"),
    [
        ("lab1", {"mask-flipped", "border-skipped"}),
        ("lab4", {"one-load-a-thread"}),
        ("lab5", {"one-pass"}),
        ("lab8", {"averaged", "lane-order"}),
    ],
)
def test_redrawn_picture_equals_the_committed_one(lab: str, names: set[str]) -> None:
    """Rounding on another processor may move a grey or a shade by one step; which pixels are equal
    must be the same."""
    committed = mistake_list.read().pictures
    again = draw_mistakes.draw(spec.load(lab, hidden=False), names)
    assert again.keys() == names
    for name, picture in again.items():
        file = f"{name}.png"
        assert picture.about == committed[file]
        before = pictures.read((PICTURES / file).read_bytes()).astype(int)
        assert (np.abs(before - picture.colours) <= 1).all()
        fixed = np.isin(before, (pictures.NO_VALUE, pictures.PAPER, pictures.FRAME, pictures.EQUAL))
        assert (before[fixed] == picture.colours[fixed]).all()


def test_picture_encoding_is_reproducible() -> None:
    colours = np.arange(64, dtype=np.uint8).repeat(40).reshape(64, 40)
    data = pictures.png(colours)
    assert data == pictures.png(colours.copy())
    assert (pictures.read(data) == colours).all()
    with Image.open(io.BytesIO(data)) as image:
        assert image.convert("RGB").getpixel((0, 63)) == pictures.HIGH


def test_output_with_another_diagnosis_is_not_drawn() -> None:
    """A symmetric mask flipped changes nothing, and lab 1 has no channels."""
    lab = spec.load("lab1", hidden=False)
    assert draw_mistakes.draw(lab, {"channel-order", "one-phase", "no such mistake"}) == {}


def test_the_counters_of_a_lab_are_those_that_the_simulator_counts() -> None:
    assert count.counted(spec.load("lab2", hidden=False)) == counted_list.read()["lab2"].runs


def test_counters_are_stale_after_a_change_of_a_solution_or_a_baseline(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lab = spec.load("lab3", hidden=False)
    solution = tmp_path / "solutions" / lab.folder / lab.submit[0]
    solution.parent.mkdir(parents=True)
    shutil.copy(paths.ROOT / "solutions" / lab.folder / lab.submit[0], solution)
    baselines = sorted((paths.LABS / lab.folder).glob("baseline*.cu"))
    folder = tmp_path / "labs" / lab.folder
    folder.mkdir(parents=True)
    for baseline in baselines:
        shutil.copy(baseline, folder)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "LABS", tmp_path / "labs")
    assert counted.content(lab)

    changed = [solution, *(folder / baseline.name for baseline in baselines)]
    for file in changed:
        text = file.read_text()
        file.write_text(text + "\n")
        with pytest.raises(FactsError, match="lab3 changed after they were counted"):
            counted.content(lab)
        file.write_text(text)

    solution.unlink()  # as in a copy of the course without solutions
    assert counted.content(lab)


def test_counters_are_of_the_inputs_of_the_technique_checks() -> None:
    committed = counted_list.read()
    for name in outline.available():
        lab = spec.load(name, hidden=False)
        known = {(entry.part, entry.input) for entry in committed[name].runs}
        wanted = {(c.part, limits.input_in_words(c)) for c in count.techniques(lab)}
        assert wanted <= known, name
