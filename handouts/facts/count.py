"""Counts on the simulator what this course's own files do to memory: counted.json.

python -m handouts.facts.count          run the solutions and baselines of all labs (minutes)
python -m handouts.facts.count lab4     only those of some labs

The inputs are those of the labs' technique checks in lab.toml.
"""

import argparse
import math
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from grader.compile.make_process import BuildError
from grader.model import outline, spec
from grader.model.counters import NAMES as ALL
from grader.model.counters import OF_LAUNCH, TEXTURE
from grader.model.lab import Lab, Technique
from grader.oracle import inputs, operations
from handouts.facts import counted_list, data_file, limits
from handouts.facts.counted_list import Counted, OfLab
from labs.studies.gpu import counters, suite

# Not a model of DRAM, which is null for many blocks, and nothing that a GPU cannot count.
NAMES = sorted(
    ALL - {"dram_bytes", "constant_bytes", "global_bytes_stored_again", *OF_LAUNCH, *TEXTURE}
)


def techniques(lab: Lab) -> list[Technique]:
    """One technique check for each input of each part with kernels."""
    distinct: dict[str, Technique] = {}
    for check in lab.technique:
        if lab.file_of(check).endswith(".cu"):
            distinct.setdefault(check.signature(), check)
    return sorted(distinct.values(), key=lambda check: check.part)


def counted(lab: Lab) -> list[Counted]:
    """Each part with each of its inputs, and the baseline with each of these inputs that it takes.
    Raises SystemExit if the solution does not build, CalledProcessError if it does not run."""
    checks = techniques(lab)
    if not checks:
        return []
    binary = suite.solution_binary(lab, "sim", checked=True)
    with tempfile.TemporaryDirectory() as home:
        entries = []
        known = set()
        for number, check in enumerate(checks):
            words = limits.input_in_words(check)
            for part in ("baseline", check.part):
                if (part, words) not in known:
                    known.add((part, words))
                    folder = Path(home) / f"{number}-{part}"
                    folder.mkdir()
                    entries += _counted(lab, check, part, binary, folder)
    return sorted(entries, key=lambda entry: (entry.part != "baseline", entry.part))


def _counted(lab: Lab, check: Technique, part: str, binary: Path, folder: Path) -> list[Counted]:
    """What a part counts; nothing for a baseline that has no kernel or does not take the input."""
    launches = counters.by_simulator(
        suite.command(lab, check, part, binary, folder), binary, folder, NAMES
    )
    if not launches:
        return []
    total: Counter[str] = Counter()
    for launch in launches:
        total.update(launch["counters"])
    arrays = inputs.inputs(lab, check, check.seed).arrays
    _, shape = operations.of(lab, check.part).output(arrays)
    return [
        Counted(
            part=part,
            input=limits.input_in_words(check),
            pixels=math.prod(shape),
            kernels=[launch["name"] for launch in launches],
            counters={name: total[name] for name in sorted(total)},
        )
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Count what this course's own files do to memory.")
    parser.add_argument("labs", nargs="*", metavar="LAB", help="such as lab4; default: all labs")
    chosen = parser.parse_args().labs
    try:
        known = counted_list.read() if chosen else {}
        for name in chosen or outline.available():
            lab = spec.load(name, hidden=False)
            known[name] = OfLab(counted_list.programs(lab) or "", counted(lab))
            print(f"{name}: {len(known[name].runs)} runs", flush=True)
        ordered = {name: known[name] for name in outline.available() if name in known}
        data_file.write(counted_list.FILE, ordered)
    except (
        outline.SpecError,
        BuildError,
        subprocess.SubprocessError,
        OSError,
        ValueError,
    ) as error:
        print(f"count.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
