"""A call of each function of gcc's headers of intrinsics, and the instructions that it becomes."""

import re
import subprocess
from collections import defaultdict
from pathlib import Path

from labs.runtime import x86

_FUNCTION = re.compile(
    r"extern __inline ([\w \*]+?)\s*__attribute__ ?\(\([^;{]*?\)\)\s*(\w+) \(([^)]*)\)\s*\{"
)
_TARGET = re.compile(r'#pragma GCC target\("([^"]+)"\)')
_ERROR = re.compile(r"x\.c:(\d+):")  # also where a header has what was inlined there
HEADERS = "#include <immintrin.h>\n#include <x86intrin.h>\n"
IMMEDIATES = ("1", "0", "4", "8")


def _declared(text: str) -> dict[str, tuple[str, list[str]]]:
    """The functions, with what they return and the types of their arguments."""
    found = {}
    for result, name, arguments in _FUNCTION.findall(text):
        each = [a.strip() for a in arguments.split(",") if a.strip() not in ("", "void")]
        found[name] = (result, [re.sub(r"\b_*\w+$", "", a).strip() or a for a in each])
    return found


def _call(name: str, result: str, types: list[str], immediate: str | None) -> str:
    """A function in a line that calls it; with `immediate`, integers by value are constants."""
    given, parameters = [], []
    for i, kind in enumerate(types):
        if immediate and re.fullmatch(r"(const )?(unsigned )?(int|char|_MM\w+)|const \w+", kind):
            given.append(f"({kind}){immediate}")
        else:
            given.append(f"a{i}")
            parameters.append(f"{kind} a{i}")
    declared = f"{result} call_{name}({', '.join(parameters) or 'void'})"
    back = "" if result == "void" else "return "
    return f"{declared} {{ {back}{name}({', '.join(given)}); }}"


def _compile(lines: list[str], targets: list[str], folder: Path) -> tuple[set[int], str]:
    """Which lines have an error, and the assembly if none has."""
    (folder / "x.c").write_text(HEADERS + "\n".join(lines) + "\n")
    argv = ["gcc", "-O1", "-w", "-fmax-errors=0", "-fno-asynchronous-unwind-tables", *targets]
    done = subprocess.run(
        [*argv, "-S", "x.c", "-o", "x.s"], cwd=folder, capture_output=True, text=True
    )
    wrong = {int(line) - 3 for line in _ERROR.findall(done.stderr)}
    return wrong, "" if done.returncode else (folder / "x.s").read_text()


def refused(folder: Path) -> tuple[int, dict[str, list[str]]]:
    """How many functions were compiled, and the instructions that the table does not have."""
    (folder / "h.c").write_text(HEADERS)
    argv = ["gcc", "-O1", "-E", "-P", str(folder / "h.c")]
    text = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    names = {target for found in _TARGET.findall(text) for target in found.split(",")}
    targets = [f"-m{name}" for name in sorted(names) if name not in ("64bit", "general-regs-only")]
    left, done, unknown = _declared(text), 0, defaultdict[str, list[str]](list)
    for immediate in (None, *IMMEDIATES):
        lines = {name: _call(name, *kind, immediate) for name, kind in left.items()}
        assembly = ""
        while lines and not assembly:
            wrong, assembly = _compile(list(lines.values()), targets, folder)
            if not assembly and not wrong:
                raise RuntimeError("gcc says nothing of the lines that it refuses")
            lines = {name: line for i, (name, line) in enumerate(lines.items()) if i not in wrong}
        for function, code in re.findall(r"(?ms)^call_(\w+):\n(.*?)^\t\.size", assembly):
            done += 1
            for word in re.findall(rf"(?m)^\t{x86.PREFIXES}([a-z]\w*)", code):
                if not x86.find(word):
                    unknown[word].append(function)
        left = {name: kind for name, kind in left.items() if name not in lines}
    print(f"{len(left)} intrinsics are not compiled: {' '.join(left)}")
    return done, unknown
