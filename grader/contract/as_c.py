"""A failing sequence as a test in C that a student can paste into the lab's unit test."""

import re
import textwrap
from collections.abc import Iterator

import numpy as np

from grader.contract import prepared, words
from grader.contract.failed_step import Failure
from grader.contract.play import Player
from grader.contract.step import Sequence, Step
from grader.oracle.operations import Array

MOST = 20_000  # values in all arrays together
TYPES = {"f4": "float", "f8": "double", "i4": "int", "u1": "unsigned char"}
OUTPUTS = ("out", "grey", "between")
FILTERS = "image|mask|bank|column|row|between|rgb|grey"  # the arrays of images


def write_test(
    player: Player, sequence: Sequence, failure: Failure | None, name: str = "smallest_case"
) -> str:
    """The text of one Check test. What no test can do, such as making a call of the CUDA runtime
    fail, it says in a comment. failure: what is wrong; None: the test is one of the lab's own."""
    described = words.tell_sequence(sequence, player.contract.refuses)
    title = f"{player.lab.title}, part {player.contract.part}: {described}"
    lines = [f" * {line}" for line in textwrap.wrap(title, 95)]
    last = [" * Paste this test into the lab's unit tests. */"] if failure else [" */"]
    head = "\n".join(["/*", *lines, *last])
    values = sum(a.size for s in sequence for a in prepared.inputs(s).arrays.values())
    if values > MOST:
        return f"{head}\n/* The arrays are too large to be printed. */\n"
    if player.contract.returns == "void" and any(step.huge for step in sequence):
        return f"{head}\n/* No test: a right function crashes in it, at the end of the memory. */\n"
    calls = [
        _call(player, step, number == len(sequence), failure)
        for number, step in enumerate(sequence, 1)
    ]
    body = textwrap.indent("\n".join(calls), "    ")
    return f"{head}\nTEST({name}) {{\n{body}\n}}\n"


def _call(player: Player, step: Step, is_last: bool, failure: Failure | None) -> str:
    """One call in a block of its own, with its arrays."""
    contract = player.contract
    template = contract.call
    for name, value in {**dict(step.settings), **_scalars(contract.refuses, step)}.items():
        template = template.replace(f"{{{name}}}", value)
        constant = f"{name.split('_')[0]}_{value}".upper().replace("-", "_")
        template = template.replace(f"{{{name.upper()}}}", constant)
    statements = [s.strip() for s in template.split(";") if s.strip()]
    if step.kept and len(statements) > 1:
        statements = statements[1:]
    known = "|".join(each.name for each in step.given) if step.given else FILTERS
    found = re.findall(rf"\b(?:[dh]_)?(?:{known}|out)\b(?!\()", template)
    names = dict.fromkeys(found)
    arrays = _arrays(step)
    lines: list[str] = []
    for base in dict.fromkeys(name.removeprefix("d_").removeprefix("h_") for name in names):
        lines += _declared(base, arrays, step, player)
    on_device = [name for name in names if name.startswith("d_")]
    for name in on_device:
        lines += _copied(name)
    if step.failing and not step.huge:
        lines.append(
            f"/* Call number {step.failing.call} of the CUDA runtime failed here with error "
            f"{step.failing.error}: only the grader can do that. */"
        )
    success = "cudaErrorInvalidValue" if step.refuse else "cudaSuccess"
    success = "cudaErrorMemoryAllocation" if step.huge else success
    for statement in statements:
        statement = re.sub(r"\bh_(\w+)", r"\1", statement)
        if statement.startswith("!"):  # no call of the student's
            lines.append(f"{statement[1:]};")
        elif contract.returns == "cudaError_t":
            lines.append(f"ck_assert_int_eq({statement}, {success});")
        else:
            lines.append(f"{statement};")
    lines += [
        f"ck_assert_int_eq(cudaMemcpy({name[2:]}, {name}, sizeof {name[2:]}, "
        "cudaMemcpyDeviceToHost), cudaSuccess);"
        for name in on_device
        if name[2:] in ("out", "grey")
    ]
    if is_last and (failure is None or failure.comparison):
        lines += _asserted(player, step, next(n for n in OUTPUTS if any(n in m for m in names)))
    lines += [f"cudaFree({name});" for name in on_device]
    return "{\n" + textwrap.indent("\n".join(lines), "    ") + "\n}"


def _scalars(refuses: str, step: Step) -> dict[str, str]:
    border = "BORDER_REPLICATE" if step.border == "replicate" else "BORDER_ZERO"
    given = {
        "width": str(step.huge[0] if step.huge else step.width),
        "height": str(step.huge[1] if step.huge else step.height),
        "radius": str(step.radius),
        "border": border,
        "channels": str(step.channels),
        "masks": str(step.masks),
        "type": TYPES[step.type],
        "weights": f"(struct weights){_weights(step)}",
    }
    given |= {axis: str(size) for axis, size in step.sizes}
    if step.refuse:
        given[refuses] = str(step.refuse)
    return given


def _weights(step: Step) -> str:
    known = {"709": "WEIGHTS_709", "601": "WEIGHTS_601"}
    return known.get(step.weights, f"{{{step.weights}}}")


def _arrays(step: Step) -> dict[str, Array]:
    given = prepared.inputs(step)
    if step.given:
        return dict(given.arrays)
    arrays: dict[str, Array] = {"image": given.image, "rgb": given.image}
    if "mask" in given.arrays:
        arrays |= {"mask": given.mask, "bank": given.mask}
        if step.mask == "lines":
            arrays |= {"column": given.mask[0], "row": given.mask[1]}
        elif step.mask == "row":
            arrays |= {
                "row": given.mask,
                "column": np.eye(1, given.mask.size, given.mask.size // 2, dtype=np.float32),
            }
    return arrays


def _declared(base: str, arrays: dict[str, Array], step: Step, player: Player) -> Iterator[str]:
    if base in arrays:
        kind = f"{arrays[base].dtype.kind}{arrays[base].dtype.itemsize}"
        values = _values(arrays[base])
        yield f"static const {TYPES.get(kind, 'float')} {base}[] = {{"
        yield textwrap.indent("\n".join(textwrap.wrap(values, 88)), "    ")
        yield "};"
        return
    dtype, shape = player.operation(step).output(prepared.inputs(step).arrays)
    yield f"static {TYPES[dtype]} {base}[{int(np.prod(shape))}];"


def _values(array: Array) -> str:
    if array.dtype.kind in "ui":
        return ", ".join(str(int(v)) for v in array.ravel())
    if array.dtype.itemsize == 8:
        return ", ".join(f"{float(v):.17g}" for v in array.ravel())
    return ", ".join(_float(float(v)) for v in array.ravel())


def _float(value: float) -> str:
    text = f"{value:.9g}"
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def _copied(name: str) -> Iterator[str]:
    host = name[2:]
    yield f"void *{name};"
    yield f"ck_assert_int_eq(cudaMalloc(&{name}, sizeof {host}), cudaSuccess);"
    if host not in OUTPUTS:
        yield (
            f"ck_assert_int_eq(cudaMemcpy({name}, {host}, sizeof {host}, "
            "cudaMemcpyHostToDevice), cudaSuccess);"
        )


def _asserted(player: Player, step: Step, out: str) -> Iterator[str]:
    """Each element against its right value, to within the rounding that is allowed."""
    right = prepared.expected(player.operation(step), player.contract.exact, step)
    values = ", ".join(f"{float(v):.17g}" for v in right.value.ravel())
    bounds = ", ".join(f"{float(v):.3g}" for v in right.bound.ravel())
    for name, numbers in (("expected", values), ("allowed", bounds)):
        yield f"static const double {name}[] = {{"
        yield textwrap.indent("\n".join(textwrap.wrap(numbers, 88)), "    ")
        yield "};"
    yield f"for (size_t i = 0; i < sizeof {out} / sizeof {out}[0]; i++) {{"
    yield f"    ck_assert_msg(fabs((double){out}[i] - expected[i]) <= allowed[i],"
    yield '                  "element %zu is %.9g, expected %.9g",'
    yield "                  /* NaN: without the sign that printf() would show */"
    yield f"                  i, isnan((double){out}[i]) ? (double)NAN : (double){out}[i],"
    yield "                  expected[i]);"
    yield "}"
