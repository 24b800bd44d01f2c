"""Tells an editor how the labs' files are compiled: compile_commands.json, which clangd reads.

No CUDA need be installed: labs/sim/include/sim/editor.h declares it for clang.
"""

import json
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from grader import files, paths
from grader.model import outline, spec
from grader.model.lab import Lab

COMMANDS = "compile_commands.json"
CUDA = [
    *("clang++", "-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=c++17"),
    *("-Wno-unknown-cuda-version", "-Xclang", "-fcuda-allow-variadic-functions"),
    *("-include", "labs/sim/include/sim/editor.h"),
]
C = ["clang", "-std=gnu11", "-fopenmp", "-Wall", "-Wextra"]


def write() -> None:
    """Writes compile_commands.json where it is not there or another; not where it cannot."""
    labs = [spec.load(name) for name in outline.available()]
    text = json.dumps([entry for lab in labs for entry in _entries(lab)], indent=1).encode()
    with suppress(OSError):
        place = paths.ROOT / COMMANDS
        if not place.exists() or place.read_bytes() != text:
            files.replace(place, text)


def _entries(lab: Lab) -> Iterator[dict[str, object]]:
    """The command of each file that a student writes, and of its solution."""
    include = [
        f"-I{folder}" for folder in ("labs/runtime", "labs/sim/include", f"labs/{lab.folder}")
    ]
    for folder in (paths.STARTER, paths.SOLUTIONS):
        for name in lab.submit:
            file = folder / lab.folder / name
            if file.exists():
                options = CUDA if name.endswith(".cu") else [*C, *_openmp()]
                shown = str(file.relative_to(paths.ROOT))
                arguments = [*options, *include, "-c", shown]
                yield {"directory": str(paths.ROOT), "file": shown, "arguments": arguments}


def _openmp() -> list[str]:
    """gcc's folder with omp.h, behind clang's own, which may have none."""
    asked = ["gcc", "-print-file-name=include"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return ["-idirafter", str(Path(done.stdout.strip()))]
