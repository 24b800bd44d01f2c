"""Runs CUDA programs of other projects with `./grade run` and says how each one ended.

    python -m labs.tests.programs.run --from FOLDER [--only TEXT] [--jobs N] [--csv FILE] [--nvcc]

FOLDER has a clone of each repository of repositories.csv, named as there: none of their code is
part of this project. A program runs in its own folder and may write there, so those of one folder
run one after another. The outcomes replace those of the same programs in FILE; with --not-right,
only the programs run that are not right there. table.py turns FILE into RESULTS.md. With --nvcc
they are compiled with nvcc and run on this machine's GPU: what a device does with them.
"""

import argparse
import csv
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from threading import Lock

HERE = Path(__file__).resolve().parent
GRADE = HERE.parents[2] / "grade"
ENDED_BADLY = re.compile(r"\b(FAIL|FAILED|FAILURE|Mismatch at|NOT OK)\b")
REFUSED = re.compile(r"the simulator|needs a GPU machine and nvcc")
OUTCOMES = ("right", "waived", "refused", "does not build", "wrong", "crashed", "stopped")
RIGHT = ("right", "waived")
WAIVED = 2  # the exit status of NVIDIA's samples that this machine cannot run
OutcomeRow = dict[str, str]


@dataclass(frozen=True)
class ForeignProgram:
    """One program of another project. `arguments`: {input} in them is a file with the text
    `input`. `says`: what its output must match, if it tells. `status`:
    its exit status on a device. `needs`: a library or feature that the simulator refuses by name.
    `broken`: why it is not right on a device either, with file and line."""

    repository: str
    folder: str
    files: list[str]
    options: list[str]  # of the compiler
    arguments: list[str]
    input: str = ""
    says: str | None = None
    status: int = 0
    needs: str | None = None
    broken: str | None = None

    @property
    def name(self) -> str:
        return f"{self.repository}/{self.folder}/{self.files[0]}"


@dataclass(frozen=True)
class Outcome:
    """How a program ended. `reason`: the first line that says why, where it is not right."""

    program: ForeignProgram
    kind: str
    reason: str
    seconds: float


def table(path: Path) -> list[OutcomeRow]:
    """The rows of a CSV file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def programs(only: str) -> Iterator[ForeignProgram]:
    """Those whose name contains `only`."""
    shared = {row["name"]: _several(row["include"]) for row in table(HERE / "repositories.csv")}
    for row in table(HERE / "programs.csv"):
        include = [*_several(row["include"]), *_up(row["folder"], shared[row["repository"]])]
        program = ForeignProgram(
            row["repository"],
            row["folder"],
            _several(row["files"]),
            [word for name in include for word in ("-I", name)],
            _several(row["arguments"]),
            row["input"],
            row["says"] or None,
            int(row["status"] or 0),
            row["needs"] or None,
            row["broken"] or None,
        )
        if only in program.name:
            yield program


def _several(cell: str) -> list[str]:
    return cell.split(";") if cell else []


def _up(folder: str, include: list[str]) -> list[str]:
    """Folders of the repository, as seen from one of its folders."""
    return ["../" * len(Path(folder).parts) + name for name in include]


@dataclass(frozen=True)
class Runner:
    """How programs are built and run. `home`: the folder of the repositories."""

    home: Path
    grade: Path | None  # None: nvcc and the GPU
    seconds: float

    def run(self, program: ForeignProgram) -> Outcome:
        folder = self.home / program.repository / program.folder
        began = time.monotonic()
        if not folder.is_dir():
            return Outcome(program, "does not build", "the folder is absent", 0)
        with tempfile.TemporaryDirectory() as work:
            text = Path(work) / "input"
            text.write_text(program.input)
            arguments = [word.replace("{input}", str(text)) for word in program.arguments]
            if self.grade is None:
                kind, reason = self._with_nvcc(program, arguments, folder, Path(work) / "program")
            else:
                kind, reason = self._with_grade(program, arguments, folder)
        return Outcome(program, kind, reason, time.monotonic() - began)

    def _with_grade(
        self, program: ForeignProgram, arguments: list[str], folder: Path
    ) -> tuple[str, str]:
        # Another checkout may not know the option.
        limit = ["--time-limit", f"{self.seconds:g}"] if self.grade == GRADE else []
        command = [str(self.grade), "run", *program.files, *program.options, *limit]
        argv = [*command, "--", *arguments]
        done = _ended(argv, folder, self.seconds + 120)
        if done is None:
            return "stopped", f"after {self.seconds:g} s"
        # No path of this machine.
        return judge(
            program, done.returncode, done.stdout, done.stderr.replace(f"{self.home}/", "")
        )

    def _with_nvcc(
        self, program: ForeignProgram, arguments: list[str], folder: Path, binary: Path
    ) -> tuple[str, str]:
        flags = ["-O2", "-std=c++17", "-arch=native", "-rdc=true", "-Xcompiler", "-fopenmp"]
        argv = ["nvcc", *flags, *program.files, *program.options, "-o", str(binary)]
        built = _ended(argv, folder, 300)
        if built is None or built.returncode:
            errors = "" if built is None else built.stdout + built.stderr
            line = next((x for x in errors.splitlines() if "error" in x or "undefined" in x), "")
            return "does not build", line or "nvcc did not end"
        done = _ended([str(binary), *arguments], folder, self.seconds)
        if done is None:
            return "stopped", f"after {self.seconds:g} s"
        status = 128 - done.returncode if done.returncode < 0 else done.returncode
        return judge(program, status, done.stdout, done.stderr)


def _ended(
    argv: list[str], folder: Path, seconds: float
) -> subprocess.CompletedProcess[str] | None:
    """The command in this folder when it has ended; None when it took too long."""
    try:
        return subprocess.run(
            argv,
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None


def judge(program: ForeignProgram, status: int, stdout: str, stderr: str) -> tuple[str, str]:
    """The outcome, and why it is not "right"."""
    errors = [line for line in stderr.splitlines() if "error:" in line]
    if status == 1 and not stdout and stderr.startswith("grade: "):
        refused = next((e for e in errors if REFUSED.search(e)), None)
        first = refused or next(iter(errors), stderr.strip().splitlines()[0])
        return ("refused" if refused else "does not build"), first
    last = (stderr.strip() or stdout.strip() or "no output").splitlines()[-1]
    if status == 124:
        return "stopped", last
    if status > 128:
        return "crashed", last
    bad = ENDED_BADLY.search(stdout)
    if status == WAIVED != program.status and not bad:
        return "waived", (stdout.strip() or "no output").splitlines()[-1]
    if status != program.status or bad:
        line = next((x for x in stdout.splitlines() if ENDED_BADLY.search(x)), last)
        return "wrong", f"exit status {status}: {line}"
    if program.says and not re.search(program.says, stdout):
        return "wrong", f"its output does not match {program.says}"
    return "right", ""


def parser_of(text: str | None, seconds: float, outcomes: Path | None) -> argparse.ArgumentParser:
    """The options of each script that runs programs. text: what it does."""
    parser = argparse.ArgumentParser(description=(text or "").splitlines()[0])
    parser.add_argument("--from", dest="home", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="TEXT", help="programs whose name has it")
    parser.add_argument("--grade", type=Path, default=GRADE, help="another checkout's ./grade")
    parser.add_argument("--nvcc", action="store_true", help="on this machine's GPU, with nvcc")
    parser.add_argument("--seconds", type=float, default=seconds, help="time limit of each")
    parser.add_argument("--jobs", type=int, default=1, help="programs that run at a time (1)")
    parser.add_argument("--csv", type=Path, default=outcomes, help="keep the outcomes there")
    return parser


def runner_of(options: argparse.Namespace, home: Path) -> Runner:
    return Runner(home, None if options.nvcc else options.grade.resolve(), options.seconds)


def main() -> int:
    parser = parser_of(__doc__, 300, None)
    parser.add_argument("--supported", action="store_true", help="skip those that need a library")
    parser.add_argument("--not-right", action="store_true", help="skip what is right in the file")
    options = parser.parse_args()
    before = rows_of(options.csv) if options.csv and options.csv.exists() else {}
    chosen = [
        program
        for program in programs(options.only)
        if not (options.supported and program.needs)
        and not (options.not_right and before.get(program.name, {}).get("outcome") in RIGHT)
    ]
    runner = runner_of(options, options.home.resolve())
    outcomes: list[Outcome] = []
    writing = Lock()

    def run_folder(some: list[ForeignProgram]) -> None:
        for program in some:
            outcome = runner.run(program)
            outcomes.append(outcome)
            show(outcome)
            if options.csv:
                with writing:
                    write(options.csv, before | {o.program.name: row(o) for o in outcomes})

    with ThreadPoolExecutor(options.jobs) as jobs:
        folders = groupby(chosen, key=lambda p: (p.repository, p.folder))
        list(jobs.map(run_folder, [list(some) for _, some in folders]))
    for title, some in groups(outcomes):
        counts = ", ".join(f"{sum(o.kind == k for o in some)} {k}" for k in OUTCOMES)
        print(f"{len(some)} that {title}: {counts}")
    return 0


def show(outcome: Outcome) -> None:
    program = outcome.program
    needs = f" (needs {program.needs})" if program.needs else ""
    lines = [f"{outcome.seconds:6.1f} s  {outcome.kind:14} {program.name}{needs}"]
    lines += [f"{'':10}{reason[:200]}" for reason in (outcome.reason, program.broken) if reason]
    print("\n".join(lines), flush=True)


def row(outcome: Outcome) -> OutcomeRow:
    """What outcomes.csv keeps of a run."""
    program = outcome.program
    return {
        "program": program.name,
        "needs": program.needs or "",
        "outcome": outcome.kind,
        "reason": outcome.reason[:200],
        "broken": program.broken or "",
    }


def rows_of(path: Path) -> dict[str, OutcomeRow]:
    """The rows of such a file by the program's name."""
    return {row["program"]: row for row in table(path)}


def write(path: Path, rows: dict[str, OutcomeRow]) -> None:
    """Writes the rows in the order of programs.csv; a program that it no longer has is dropped."""
    kept = [rows[program.name] for program in programs("") if program.name in rows]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(kept[0]) if kept else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)


def groups(outcomes: list[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    """The outcomes of the programs that must end right, of the broken ones, and of the others."""
    yield "need none", [o for o in outcomes if not o.program.needs and not o.program.broken]
    yield "are broken", [o for o in outcomes if o.program.broken]
    yield "need a library", [o for o in outcomes if o.program.needs and not o.program.broken]


if __name__ == "__main__":
    sys.exit(main())
