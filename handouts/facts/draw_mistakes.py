"""Draws what each known mistake makes of a photograph: handouts/figures/mistakes/NAME.png.

python -m handouts.facts.draw_mistakes     draw all, and list them in mistakes.json (minutes)

An output comes from the oracle's function for the mistake, and is drawn only if the grader, asked
why it is wrong, gives it that name. So the list says in which labs a mistake is named. One picture
serves all labs; a lab for which mistakes.toml describes another picture has its own.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from datasets import layers
from datasets.missing import DatasetMissing
from grader import files, paths
from grader.diagnose import catalogue
from grader.diagnose.catalogue import Entry
from grader.diagnose.explain import Hypothesis
from grader.model import outline, spec
from grader.model.lab import Case, Lab
from grader.oracle import compare, inputs, operations
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Operation
from handouts.facts import data_file, mistake_list, pictures, wrong_outputs
from handouts.facts.mistake_list import Drawn, MistakeList

ENOUGH = 0.03  # a picture that shows so much of its mistake need not be improved
MOST_TAPS = 17 * 17
LAYERS = "bank4x3"  # instead of the banks of hundreds of masks
FOLDER = paths.ROOT / "handouts" / "figures" / "mistakes"


@dataclass(frozen=True)
class Example:
    """A case of a lab with the photograph as its image."""

    case: Case
    operation: Operation
    inputs: Inputs


@dataclass(frozen=True)
class Picture:
    about: Drawn
    colours: npt.NDArray[np.uint8]

    def score(self) -> float:
        """How well it shows its mistake; beyond ENOUGH it makes no difference."""
        return min(pictures.shown(self.colours), ENOUGH)


def examples(lab: Lab) -> Iterator[Example]:
    """Distinct masks and borders of the lab's public cases, each on the photograph. Masks that find
    edges come first: they show most. Last, the first of them with pixels up to 255, of which whole
    numbers are left where a sum is truncated."""
    photograph = pictures.photograph()
    seen, first = set(), None
    ordered = sorted(
        lab.case, key=lambda case: (not case.mask.startswith("ando"), "gauss" in case.mask)
    )
    for case in ordered:
        operation = operations.of(lab, case.part)
        key = (operation.name, case.mask[-2:], case.border, case.exact, case.set.get("weights"))
        if operation.name == "layers":
            key = (operation.name, "", case.border, None, None)
        if case.inject or key in seen:
            continue
        example = _example(case, operation, photograph)
        if example:
            seen.add(key)
            first = first or example
            yield example
    if first and first.operation.name == "correlate":
        bright = Inputs(first.inputs.image * 255, first.inputs.arrays["mask"])
        yield Example(first.case, first.operation, bright)


def _example(case: Case, operation: Operation, photograph: Any) -> Example | None:
    made = operation.spec.inputs
    if made["image"].make == "colours":
        return Example(case, operation, Inputs(np.rint(photograph).astype(np.uint8)))
    if made["image"].make == "planes":
        # A kernel that takes two channels at a time shows with four: red, green, blue, their mean.
        channels = np.dstack([photograph, photograph.mean(axis=2)])
        image = np.moveaxis(channels / 255, 2, 0).astype(case.type)
        name = LAYERS if operation.name == "layers" else case.mask
        mask = layers.weights(name, len(image), case.type, case.seed)
    else:
        image = (photograph.mean(axis=2) / 255).astype(np.float32)
        mask = inputs.MAKERS[made["mask"].make](case, case.seed)
    is_useful = mask.shape[-1] > 1 and mask.shape[-2] * mask.shape[-1] <= MOST_TAPS
    if not is_useful or np.count_nonzero(mask) == 1:
        return None
    return Example(case, operation, Inputs(np.ascontiguousarray(image), mask))


def draw(lab: Lab, names: set[str]) -> dict[str, Picture]:
    """A picture for each of these mistakes that the grader names in this lab."""
    best: dict[str, Picture] = {}

    def is_open(name: str) -> bool:
        return name not in best or best[name].score() < ENOUGH

    for example in examples(lab):
        case, computes = example.case, example.operation
        right = computes.expected(example.inputs.arrays, case.settings(), case.exact)
        kind, _ = computes.output(example.inputs.arrays)
        wanted = set(filter(is_open, names))
        with np.errstate(all="ignore"):
            wrong = wrong_outputs.of_case(
                example.case, example.operation, example.inputs, right, kind, wanted
            )
        for each in wrong:
            if is_open(each.name) and (picture := _picture(lab, example, right, each)):
                best[each.name] = max(best.get(each.name, picture), picture, key=Picture.score)
    return best


def _picture(lab: Lab, example: Example, right: Any, wrong: wrong_outputs.Wrong) -> Picture | None:
    """None if the grader gives the output another name, or none."""
    comparison = compare.compare(wrong.output, right)
    if comparison.right():
        return None
    hypothesis = Hypothesis(
        example.case,
        example.operation,
        example.inputs,
        comparison,
        lab.backends == ["cpu"],
        reads=wrong.reads,
    )
    diagnosis = hypothesis.diagnosis()
    if diagnosis is None or diagnosis.name != wrong.name:
        return None
    got = np.where(comparison.unwritten, np.nan, comparison.got.astype(np.float64))
    planes = [
        array.reshape(-1, *array.shape[-2:]) for array in (right.value, got, comparison.wrong)
    ]
    number = int(np.argmax(planes[2].mean(axis=(1, 2))))
    drawn = pictures.panels(*(array[number] for array in planes))
    case = example.case
    is_high = planes[1][number] > planes[0][number]
    about = Drawn(
        lab=lab.id,
        mask=LAYERS if example.operation.name == "layers" else case.mask,
        border=case.border,
        plane=number if got.ndim > 2 else None,
        wrong=int(planes[2][number].sum()),
        high=int((planes[2][number] & is_high).sum()),
        pixels=int(planes[2][number].size),
    )
    return Picture(about, drawn)


def find(entries: list[Entry]) -> tuple[dict[str, list[str]], dict[str, Picture]]:
    """The names of the mistakes in each lab, and the pictures by the names of their files."""
    labs: dict[str, list[str]] = {}
    best: dict[str, Picture] = {}
    for lab in outline.available():
        possible = [e for e in entries if lab in (e.labs or (lab,)) and (e.picture or not e.labs)]
        drawn = draw(spec.load(lab, hidden=False), {entry.name for entry in possible})
        labs[lab] = [entry.name for entry in possible if entry.name in drawn]
        print(f"{lab}: {len(drawn)} mistakes", flush=True)
        for entry in possible:
            if entry.picture and entry.name in drawn:
                file = mistake_list.picture_of(entry, lab)
                picture = drawn[entry.name]
                best[file] = max(best.get(file, picture), picture, key=Picture.score)
    order = [name for e in entries for name in mistake_list.pictures_of(e) if name in best]
    return labs, {name: best[name] for name in order}


def main() -> int:
    try:
        labs, drawn = find(catalogue.entries())
        FOLDER.mkdir(exist_ok=True)
        for name, picture in drawn.items():
            files.update(FOLDER / name, pictures.png(picture.colours))
    except (DatasetMissing, outline.SpecError, OSError, ValueError) as error:
        print(f"draw_mistakes.py: {error}", file=sys.stderr)
        return 1
    listed = MistakeList(labs, {name: drawn[name].about for name in drawn})
    data_file.write(mistake_list.FILE, listed)
    for path in FOLDER.glob("*.png"):
        if path.name not in drawn:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
