"""Answers that must earn nothing, and cost no work: made from the call of a part in lab.toml.

empty      returns success, and does nothing
zeros      fills the output with zeros
memo       gives the first result again and again
baseline   calls the version to beat, where the lab has one
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.drivers.calls import Call, has_baseline, of_lab
from grader.model.lab import Lab
from grader.model.outline import SpecError
from grader.model.part_call import OUT

MEMO = 1 << 20  # bytes of a result that is kept


@dataclass(frozen=True)
class Answer:
    """A file to grade. part: the one that it is about; "": the whole file."""

    name: str
    part: str
    file: str
    text: str


def of(lab: Lab, solved: dict[str, str]) -> Iterator[Answer]:
    """The cheats that fit a lab. solved: its solutions without markers, by their files."""
    try:
        calls = list(of_lab(lab))
    except SpecError:
        return  # it has a driver of its own, and its calls are not known
    for call in calls:
        file = call.part.file or lab.submit[0]
        text = solved[file]
        function = call.call.function
        for name, body in _bodies(lab, call):
            renamed = re.sub(rf"\b{function}\b(?=\s*\()", f"{function}_solved", text)
            signature = _signature(text, function)
            if signature:
                both = f"{renamed}\n{signature} {{\n{body}}}\n"
                yield Answer(name, call.part.id, file, both)


def _signature(text: str, function: str) -> str:
    """What comes before the body of a function; "" where it is not defined like that."""
    found = re.search(rf"^\w[\w\s*]*\b{function}\s*\([^)]*\)(?=\s*\{{)", text, re.MULTILINE)
    return found[0] if found else ""


def _bodies(lab: Lab, call: Call) -> Iterator[tuple[str, str]]:
    words = ", ".join(a.text for a in call.call.arguments)
    out = next(a for a in call.call.arguments if a.array == OUT)
    sides = "".join(f" * (size_t){side}" for side in call.operation.output.shape)
    size = f"sizeof({call.c_type(OUT)}){sides}"
    unused = "".join(f"    (void){a.text};\n" for a in call.call.arguments if _is_name(a.text))
    success = "" if call.in_c else "    return cudaSuccess;\n"
    yield "empty", unused + success
    if call.in_c:
        yield "zeros", f"{unused}    __builtin_memset({out.text}, 0, {size});\n"
    elif out.on_device:
        yield "zeros", f"{unused}    return cudaMemset({out.text}, 0, {size});\n"
    function = call.call.function
    solved = f"{function}_solved({words})"
    if call.in_c:
        yield (
            "memo",
            f"    static char kept[{MEMO}];\n    static size_t known;\n"
            f"    const size_t bytes = {size};\n"
            f"    if (known == bytes) {{\n        __builtin_memcpy({out.text}, kept, bytes);\n"
            f"        return;\n    }}\n    {solved};\n"
            f"    known = bytes <= sizeof kept ? bytes : 0;\n"
            f"    __builtin_memcpy(kept, {out.text}, known);\n",
        )
    elif out.on_device:
        yield (
            "memo",
            f"    static __device__ char kept[{MEMO}];\n    static size_t known;\n"
            f"    const size_t bytes = {size};\n"
            f"    if (known == bytes) {{\n"
            f"        return cudaMemcpyFromSymbol({out.text}, kept, bytes, 0, "
            "cudaMemcpyDeviceToDevice);\n    }\n"
            f"    const cudaError_t error = {solved};\n"
            "    if (error != cudaSuccess || bytes > sizeof kept) {\n        return error;\n    }\n"
            f"    known = bytes;\n    return cudaMemcpyToSymbol(kept, {out.text}, bytes, 0, "
            "cudaMemcpyDeviceToDevice);\n",
        )
    if has_baseline(lab, function):
        given = f"baseline_{function}({words})"
        yield "baseline", f"    {given};\n" if call.in_c else f"    return {given};\n"


def _is_name(text: str) -> bool:
    return not text.lstrip("-").isdecimal()
