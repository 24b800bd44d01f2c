"""What is wrong with a lab.toml that can be read: it contradicts itself, or names what is absent.

Such a mistake is the instructor's, and it must not cost a student a point. Each problem names its
place as toml_line.py finds it: in quotes, or as "`$.points.safe`".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader import paths
from grader.model import counters, part_call
from grader.model.lab import Input, Lab, Speed, Technique

BORDERS = ("zero", "replicate", "")
SHARES = ("instruction", "multiplication")  # what a check of a part in C may be a share of
LAUNCH = "launch"  # as the name of a call that is made to fail


def of_lab(lab: Lab, lab_id: str) -> list[str]:
    """The problems of the lab in the folder of `lab_id`, apart from its hidden cases."""
    problems = [*_sums(lab), *_in_parts(lab)]
    if lab.id != lab_id:
        problems.append(f"the id is '{lab.id}', but the folder {lab.folder} is that of {lab_id}")
    folder = paths.LABS / lab.folder
    problems += [f"no file '{name}' comes with the lab" for name in _absent(lab)]
    header = _text(folder.glob("*.h"))
    for name, values in lab.varies.items():
        if not values or (header and not _has(header, name)):
            why = "is not in lab.h" if values else "has no values"
            problems.append(f"{name} {why} - at `$.varies.{name}`")
    problems += in_checks(lab, lab.shown_checks())
    problems += _of_operations(lab)
    calls = _text([folder / "calls.py"])
    problems += [
        f"'{contract.name}': calls.py has no class '{contract.calls}'"
        for contract in lab.contract
        if contract.calls and calls and not _has(calls, f"class {contract.calls}")
    ]
    for check in lab.technique:
        problems += [
            f"'{check.name}': {text}" for bound in check.bounds() for text in _limits(lab, bound)
        ]
    return problems + [f"'{s.name}': {text}" for s in lab.speed if (text := _bars(s))]


def _sums(lab: Lab) -> Iterator[str]:
    """Where points do not add up."""
    if lab.points.total() != 100:
        yield f"the points sum to {lab.points.total()}, not to 100 - at `$.points`"
    correct = "[[case]] and [[contract]], with those of hidden.toml,"
    for kind, source, checks in (
        ("correct", correct, [*lab.case, *lab.contract]),
        ("safe", "[[safe]]", lab.safe),
        ("technique", "[[technique]]", lab.technique),
        ("speed", "[[speed]]", lab.speed),
    ):
        total, stated = sum(check.points for check in checks), getattr(lab.points, kind)
        if total != stated and (kind != "correct" or lab.hidden_included):
            at = f"points.{kind}"
            yield f"the {source} sum to {total} points, {at} is {stated} - at `$.{at}`"


def _in_parts(lab: Lab) -> Iterator[str]:
    yield from _twice("parts have the id", [part.id for part in lab.part])
    header = _text((paths.LABS / lab.folder).glob("*.h"))
    for part in lab.part:
        if not all(part.hints):
            yield f"part '{part.id}' has an empty hint"
        if part.file not in lab.submit and (part.file or len(lab.submit) > 1):
            file = part.file or "one of several files"
            yield f"part '{part.id}' is in '{file}', which is not submitted"
        for name in part.calls:
            if header and not _has(header, name):
                yield f"part '{part.id}': lab.h has no function '{name}'"


def _of_operations(lab: Lab) -> Iterator[str]:
    """Where an operation, or a call of its function, names what is not there."""
    for name, operation in lab.operation.items():
        at = f"at `$.operation.{name}`"
        known = part_call.axes(operation)
        for axis in operation.output.shape:
            if isinstance(axis, str) and axis not in known:
                yield f"no input has the axis {axis} of the output - {at}"
        factors = re.findall(r"[^\s*+]+", str(operation.work))
        for factor in factors:
            if not factor.isdecimal() and factor not in known:
                yield f"no input has the axis {factor} of `work` - {at}"
    folder = paths.LABS / lab.folder
    if (folder / "driver.c").exists() or not (folder / "lab.h").exists() or not lab.operation:
        return
    for part in lab.part:
        name = part.operation or next(iter(lab.operation))
        try:
            if name in lab.operation:
                part_call.read(part.call, lab.operation[name])
        except ValueError as problem:
            yield f"part '{part.id}': there is no driver.c, and its call {problem}"
    yield from _of_contracts(lab)


def _of_contracts(lab: Lab) -> Iterator[str]:
    """Where a contract without a class of calls.py says too little to draw a call."""
    for contract in lab.contract:
        part = next((part for part in lab.part if part.id == contract.part), None)
        name = (part.operation if part else "") or next(iter(lab.operation))
        for axis in part_call.axes(lab.operation[name]) if name in lab.operation else ():
            low, high = contract.between.get(axis, (1, 0))
            if low > high and not contract.calls:
                yield f"'{contract.name}': `between` needs the least and the most {axis}"


def _settings(lab: Lab) -> str | None:
    """The text that names what the driver of a lab reads; None: there is no such text."""
    folder = paths.LABS / lab.folder
    text = _text([folder / "driver.c", *paths.LABS.glob("runtime/runner/*.[ch]")])
    if text and not (folder / "driver.c").exists():
        text += " ".join(f'"{name}"' for part in lab.part for name in _words(part.call))
    return text or None


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _absent(lab: Lab) -> list[str]:
    """The files to hand in that are not among those that the course gives."""
    given = [paths.STARTER / lab.folder, paths.LABS / lab.folder / "starter"]
    if not any(folder.is_dir() for folder in given):
        return []
    folders = [*given, paths.SOLUTIONS / lab.folder]
    return [name for name in lab.submit if not any((f / name).exists() for f in folders)]


def in_checks(lab: Lab, checks: Sequence[Input]) -> Iterator[str]:
    """Where the checks of one file, lab.toml or hidden.toml, name what is not there."""
    yield from _twice("checks are named", [check.name for check in checks])
    parts = [part.id for part in lab.part]
    driver = _settings(lab)
    cuda = _text(paths.LABS.glob("sim/include/sim/*.h"))
    for check in checks:
        if check.part not in parts:
            known = ", ".join(parts)
            yield f"'{check.name}': there is no part '{check.part}'; the parts are {known}"
        if check.border not in BORDERS:
            known = " and ".join(filter(None, BORDERS))
            yield f"'{check.name}': there is no border '{check.border}'; the borders are {known}"
        for key in check.set:
            if driver and f'"{key}"' not in driver:
                yield f"'{check.name}': driver.c reads no setting {key}"
        inject = getattr(check, "inject", None) or LAUNCH
        if cuda and (call := inject.partition(":")[0]) != LAUNCH and not _has(cuda, call):
            yield f"'{check.name}': '{inject}' names no call of the CUDA runtime that can fail"


def _text(files: Iterator[Path] | list[Path]) -> str:
    """The texts of those files that are there."""
    return "\n".join(f.read_text(errors="replace") for f in files if f.is_file())


def _has(text: str, words: str) -> bool:
    return re.search(rf"\b{re.escape(words)}\b", text) is not None


def _twice(what: str, names: list[str]) -> list[str]:
    return [f"two {what} '{name}'" for name in sorted({n for n in names if names.count(n) > 1})]


def _limits(lab: Lab, check: Technique) -> list[str]:
    """What is wrong with a technique check."""
    problems = []
    if check.counter not in counters.INSTRUCTIONS:
        problems += [f"there is no counter '{n}'" for n in counters.unknown(check.counter)]
    elif check.per not in (None, *SHARES) or check.kernel != "*":
        problems.append(f"{check.counter} is not counted by kernel, pixel or launch")
    elif not any(
        (part.file or "".join(lab.submit[:1])).endswith(".c")
        for part in lab.part
        if part.id == check.part
    ):
        problems.append(f"{check.counter} is counted in a file of C alone")
    if (check.at_most is None) == (check.at_least is None):
        problems.append("it needs exactly one of at_most and at_least")
    if check.per in SHARES and check.counter not in counters.INSTRUCTIONS:
        problems.append(f"{check.counter} is not counted per {check.per}")
    if check.per == "tap" and not check.taps():
        problems.append(f"'per tap' needs a mask such as random13, not {check.mask}")
    if check.per is not None and counters.is_quotient(check.counter):
        problems.append(f"a quotient has no 'per {check.per}'")
    return problems


def _bars(check: Speed) -> str:
    """What is wrong with a speed check, or ""."""
    if check.against == "baseline" and (check.at_least is None or check.baseline_is is None):
        return "against the baseline it needs at_least and baseline_is"
    if not 0 < check.pass_at <= check.full_at:
        return "pass_at is above full_at"
    low, high = check.baseline_is or (1.0, 1.0)
    if not 0 < low <= high:
        return "baseline_is is not a range"
    return "" if check.hint.strip() else "an empty hint"
