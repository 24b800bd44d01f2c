"""The spec of a lab: labs/labN_*/lab.toml and, where present, solutions/labN_*/hidden.toml.

A lab's spec reads as a list of points. Everything that the grader knows about a lab is in these
files: adding a lab changes nothing here.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from grader import paths
from grader.model import part_call, spec_problems, toml_line
from grader.model.hidden_size import resized
from grader.model.input_seed import seeded
from grader.model.lab import Case, Contract, HiddenFile, Input, Lab
from grader.model.outline import SpecError, available

T = TypeVar("T")
AnInput = TypeVar("AnInput", bound=Input)

INSTRUCTORS = (
    "That file is part of the course; the mistake is not a student's. Instructors: correct it. "
    "Students: tell your instructor."
)
MOST_SHOWN = 5  # mistakes of one file


def load(
    lab_id: str,
    hidden: bool = True,
    secret_seed: int | None = None,
    variant: Mapping[str, int] | None = None,
) -> Lab:
    """The spec of a lab with its hidden cases, where this copy of the course has them. `hidden`:
    False for what students will read, such as a handout. `secret_seed`: a course's own, which draws
    other hidden inputs than the repository's seed does.

    variant: a student's values of `varies`.

    Raises SpecError when the file is missing or says something that cannot be.
    """
    file = available().get(lab_id)
    if file is None:
        raise SpecError(f"there is no {lab_id} in labs/")
    lab = _gathered(_decode(file, Lab))
    numbers = {name: values[0] for name, values in lab.varies.items() if values} | {
        **(variant or {})
    }
    cases = [seeded(_varied(case, numbers, lab.border), lab.seed) for case in lab.case]
    contracts = [seeded(contract, lab.seed) for contract in lab.contract]
    technique = [_varied(check, numbers, lab.border) for check in lab.technique]
    technique = [seeded(check, lab.seed, check.signature()) for check in technique]
    safe = [_varied(check, numbers, lab.border) for check in lab.safe]
    hidden_file = paths.hidden_cases(file.parent.name)
    hidden_included = hidden and hidden_file.exists()
    hidden_cases: list[Case] = []
    if hidden_included:
        secret = _decode(hidden_file, HiddenFile)
        hidden_cases = secret.case
        if secret_seed is not None:
            secret = replace(secret, seed=secret_seed)
        cases += [  # the name could give the input away
            replace(
                seeded(_varied(case, numbers, lab.border), secret.seed),
                hidden=True,
                name=f"hidden {number}",
            )
            for number, case in enumerate(secret.case, 1)
        ]
        contracts = [replace(c, secret_seed=seeded(c, secret.seed).seed) for c in contracts]
        technique = [resized(check, secret.seed) for check in technique]
    lab = replace(
        lab,
        case=cases,
        contract=contracts,
        safe=[seeded(check, lab.seed, check.signature()) for check in safe],
        technique=technique,
        speed=[seeded(_varied(check, numbers, lab.border), lab.seed) for check in lab.speed],
        variant={**(variant or {})},
        folder=file.parent.name,
        hidden_included=hidden_included,
    )
    _refuse(file, spec_problems.of_lab(lab, lab_id))
    _refuse(hidden_file, [*spec_problems.in_checks(lab, hidden_cases)])
    return lab


def _gathered(lab: Lab) -> Lab:
    """The lab with the checks that stand below its parts."""
    checks = {
        kind: [
            *(replace(check, part=part.id) for part in lab.part for check in getattr(part, kind)),
            *getattr(lab, kind),
        ]
        for kind in ("case", "contract", "safe", "technique", "speed")
    }
    alone = [replace(part, **{kind: [] for kind in checks}) for part in lab.part]
    return _with_calls(replace(lab, part=alone, **checks))


def _with_calls(lab: Lab) -> Lab:
    """The lab with the call of each contract that has none, where its part's can be read: the
    problems of those that cannot are spec_problems.py's."""

    def filled(contract: Contract) -> Contract:
        part = next((part for part in lab.part if part.id == contract.part), None)
        operation = (
            lab.operation.get(part.operation or next(iter(lab.operation), "")) if part else None
        )
        if contract.call or not part or not operation:
            return contract
        with suppress(ValueError):
            call = part_call.read(part.call, operation).template()
            returns = "void" if (part.file or lab.submit[0]).endswith(".c") else contract.returns
            return replace(contract, call=call, returns=returns)
        return contract

    return replace(lab, contract=[filled(contract) for contract in lab.contract])


def _decode(file: Path, kind: type[T]) -> T:
    text = b""
    try:
        text = file.read_bytes().removeprefix(codecs.BOM_UTF8)
        return msgspec.toml.decode(text, type=kind)
    except (OSError, ValueError, RecursionError) as problem:  # msgspec's error is a ValueError
        where = toml_line.placed(text.decode(errors="replace"), str(problem))
        raise mistake(file, [where]) from problem


def mistake(file: Path, problems: list[str]) -> SpecError:
    """The error that names the file, and whose mistake it is."""
    more = f"; and {len(problems) - MOST_SHOWN} more" if len(problems) > MOST_SHOWN else ""
    listed = "; ".join(problems[:MOST_SHOWN]) + more
    return SpecError(f"{file.relative_to(paths.ROOT)}: {listed}\n{INSTRUCTORS}")


def placed_mistake(file: Path, problems: list[str]) -> SpecError:
    """mistake() with the line of each problem, where that is known."""
    text = file.read_text(encoding="utf-8", errors="replace")
    return mistake(file, [toml_line.placed(text, problem) for problem in problems])


def mistake_in(lab: Lab, check: Input, problem: str) -> SpecError:
    """The error for a check of a lab, in the file that has it."""
    hidden = isinstance(check, Case) and check.hidden
    file = paths.hidden_cases(lab.folder) if hidden else paths.LABS / lab.folder / "lab.toml"
    return placed_mistake(file, [f"'{check.name}': {problem}"])


def _refuse(file: Path, problems: list[str]) -> None:
    if problems:
        raise placed_mistake(file, problems)


def _varied(check: AnInput, numbers: Mapping[str, int], border: str) -> AnInput:
    """The check with the values for {NAME} and {NAME+1} in its mask and its settings, and with the
    lab's border if it names none."""

    def filled(text: str) -> str:
        for name, value in numbers.items():
            text = text.replace(f"{{{name}}}", str(value)).replace(f"{{{name}+1}}", str(value + 1))
        return text

    settings = {name: filled(value) for name, value in check.set.items()}
    return replace(check, mask=filled(check.mask), border=check.border or border, set=settings)
