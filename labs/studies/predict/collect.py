"""The counts of all calls that were timed, from the simulator: for fitting and for testing.

They are kept in build/predict/counts.pickle; `collect(fresh=True)` counts again.
"""

import csv
import os
import pickle
import subprocess
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from grader import paths
from grader.compile.make import ProgramOptions
from grader.execute import program
from grader.execute.profile import read_launches
from grader.predict import counts, nvcc
from grader.predict.counts import Counts
from grader.sass import compiled
from grader.sass.compiled import Code
from grader.setup import nvcc as setup
from labs.studies.predict import programs, timed_code
from labs.studies.predict.programs import HERE, Call

FOLDER = paths.BUILD / "predict"
KEPT = FOLDER / "counts.pickle"
SAMPLE = "16"


@dataclass(frozen=True)
class Counted:
    """A call, its launches, and the processor seconds that running the sampled blocks and counting
    took. by_nvcc: the launches with nvcc's instructions."""

    call: Call
    launches: list[Counts]
    seconds: float
    by_nvcc: list[Counts]


def truth() -> dict[str, float]:
    """The measured time of each call, by its name: microseconds, cold. Without the programs that
    are no longer what was timed."""
    with (HERE / "h200" / "times.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {
        name_of(row): float(row["cold_us"])
        for row in rows
        if row["library"] not in timed_code.changed()
    }


def counters(column: str) -> dict[tuple[str, int], float]:
    """A column of h200/counters.csv, by the name of the call and the number of its launch."""
    with (HERE / "h200" / "counters.csv").open() as file:
        return {
            (name_of(row), int(row["launch"])): float(row[column]) for row in csv.DictReader(file)
        }


def name_of(row: dict[str, str]) -> str:
    """Call.name of a row."""
    return f"{row['library']} {row['function']} {'x'.join(row[key] for key in 'abcd')}"


def collect(fresh: bool = False) -> list[Counted]:
    if KEPT.exists() and not fresh:
        known = truth()
        kept: list[Counted] = pickle.loads(KEPT.read_bytes())
        return [one for one in kept if one.call.name in known]
    names = programs.programs()
    with ProcessPoolExecutor(2) as pool:
        found = [one for part in pool.map(count, names) for one in part]
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_bytes(pickle.dumps(found))
    return found


def count(name: str, functions: tuple[str, ...] = ()) -> list[Counted]:
    """The counts of the timed calls of a program. functions: of these alone, if there are any."""
    known = truth()
    calls = [call for call in programs.calls()
             if call.program == name and call.name in known
             and (not functions or call.function in functions)]  # fmt: skip
    return count_calls(programs.sources(name), programs.folders(name), calls)


def count_calls(sources: list[Path], folders: list[Path], calls: list[Call]) -> list[Counted]:
    """The counts of calls of a program; where nvcc is not installed, without its code. folders:
    where the program's headers are."""
    setup.add_to_path()
    program.KEPT = 200
    files = [HERE / "calls" / "once.cu", *sources]
    options = ProgramOptions(include=[str(f) for f in folders])
    has_nvcc = not compiled.missing()
    built = program.build([str(f) for f in files], True, options, coded=has_nvcc)
    code = compiled.of_program(built.binary) if has_nvcc else compiled.joined([])
    return [_count(call, built.binary, code) for call in calls]


def _count(call: Call, binary: Path, code: Code) -> Counted:
    file = FOLDER / f"{call.name.replace(' ', '_')}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"")
    environment = os.environ | {
        "CONVLABS_SIM_PREDICT": "1",
        "CONVLABS_SIM_PROFILE": str(file),
        "CONVLABS_SIM_FINDINGS": os.devnull,
        "CONVLABS_SIM_FRESH": "zeros",
        "CONVLABS_SIM_SAMPLE": SAMPLE,
        "CONVLABS_SIM_THREADS": "1",
    }
    begun = sum(os.times()[:4])  # of this process and of those that it ran
    command = [str(binary), call.function, *map(str, call.size)]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=300)
    launches = read_launches(file.read_bytes())
    file.unlink()
    found = counts.of_launches(binary, launches)
    seconds = sum(os.times()[:4]) - begun
    return Counted(call, found, seconds, nvcc.of_launches(binary, launches, code))
