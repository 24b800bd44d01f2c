"""Fuzzes targets one after the other, keeps their corpus and writes RESULTS.md: `make fuzz`.

    python -m grader.tests.fuzz [--seconds N] [TARGET]...     N: of each target; all targets if none

Exit status: 1 when an input was found for which a property does not hold. It lies in
build/fuzz/TARGET/, beside the log; grader/tests/fuzz/README.md says what to do with it.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from grader import paths
from grader.tests.fuzz import catalogue, corpus

WORK = paths.BUILD / "fuzz"
RESULTS = catalogue.HERE / "RESULTS.md"
LONGEST = 4096  # bytes of an input
TIME_BOUND = 10  # seconds that one input may take
NICE = 10
_COVERED = re.compile(r"cov: (\d+)")
_ROW = re.compile(r"\| \w+ \| 2")
_WORD = re.compile(rb"[A-Za-z_][A-Za-z_ :]{3,30}")
_EXECUTED = re.compile(r"number_of_executed_units: (\d+)")
HEAD = """# Fuzzing the parsers of what students make

`make fuzz` wrote this table: each row is the last run of one target. Executions and edges are
libFuzzer's: of Python's bytecode (atheris) for the targets in `targets/`, of machine code with
AddressSanitizer and UBSan (clang) for those in `c/`. A crash is any input that breaks a property of
its target, raises an error that is not documented, or takes more than 10 seconds.

| target | date | seconds | executions | edges | corpus | crashes |
|---|---|---:|---:|---:|---:|---:|
"""


@dataclass(frozen=True)
class Run:
    """What a run of one target came to. size: bytes of its corpus."""

    target: str
    seconds: int
    executions: int
    edges: int
    files: int
    size: int
    crashes: int

    def row(self) -> str:
        figures = f"{self.seconds} | {self.executions:,} | {self.edges:,}"
        corpus = f"{self.files} files, {-(-self.size // 1024)} KB"
        return f"| {self.target} | {date.today()} | {figures} | {corpus} | {self.crashes} |"


def command(target: str) -> list[str]:
    if target in catalogue.C:
        return [str(WORK / target)]
    return [sys.executable, str(catalogue.HERE / "fuzz_one.py"), target]


def write_seeds(target: str, folder: Path) -> None:
    """The first inputs, and their words as libFuzzer's dictionary."""
    seeds = folder / "seeds"
    seeds.mkdir(parents=True)
    words: set[bytes] = set()
    for seed in catalogue.seeds(target):
        (seeds / hashlib.sha1(seed).hexdigest()).write_bytes(seed[:LONGEST])
        words |= set(_WORD.findall(seed))
    lines = [f'"{word.decode()}"' for word in sorted(words)]
    (folder / "words").write_text("\n".join(lines) + "\n")


def call(target: str, log: Path, *arguments: str) -> int:
    """Runs the fuzzer. Returns its exit status; 0: no crash."""
    environment = os.environ | {"ASAN_OPTIONS": "allocator_may_return_null=1"}
    with log.open("w") as file:
        return subprocess.run(
            [*command(target), *arguments],
            cwd=log.parent,
            env=environment,
            stdout=file,
            stderr=file,
            preexec_fn=lambda: os.nice(NICE) and None,
        ).returncode


def fuzz(target: str, seconds: int) -> Run:
    folder = WORK / "run" / target
    shutil.rmtree(folder, ignore_errors=True)
    write_seeds(target, folder)
    found, kept = folder / "found", folder / "kept"
    found.mkdir()
    corpus.unpack(target, kept)
    inputs = [str(found), str(kept), str(folder / "seeds")]
    limits = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={TIME_BOUND}"]
    more = ["-rss_limit_mb=3000", "-print_final_stats=1", f"-dict={folder}/words"]
    if target in catalogue.C:
        more.append("-malloc_limit_mb=6000")
    log = folder / "log"
    call(target, log, *limits, *more, f"-artifact_prefix={folder}/", *inputs)
    text = log.read_text(errors="replace")
    executed, covered = _EXECUTED.findall(text), _COVERED.findall(text)
    crashes = [f for f in folder.iterdir() if f.name.startswith(("crash-", "timeout-", "oom-"))]
    if not crashes and covered:
        keep(target, folder, inputs)
    sizes = [len(data) for data in corpus.read(target).values()]
    counted = int(executed[-1]) if executed else 0
    edges = int(covered[-1]) if covered else 0
    failed = len(crashes) or int(not covered)
    return Run(target, seconds, counted, edges, len(sizes), sum(sizes), failed)


def keep(target: str, folder: Path, inputs: list[str]) -> None:
    """Replaces the kept corpus by the smallest inputs that together reach as much."""
    merged = folder / "merged"
    merged.mkdir()
    if call(target, folder / "merge.log", "-merge=1", f"-max_len={LONGEST}", str(merged), *inputs):
        return
    room, chosen = corpus.MOST_BYTES, []
    reaching = corpus.named(file.read_bytes() for file in merged.iterdir()).values()
    for data in sorted(reaching, key=len)[: corpus.MOST_FILES]:
        room -= len(data)
        if room >= 0:
            chosen.append(data)
    if chosen:
        corpus.write(target, chosen)


def write(run: Run) -> None:
    """Puts the run's row in place of the target's last one."""
    rows = {}
    if RESULTS.exists():
        lines = RESULTS.read_text().splitlines()
        rows = {
            line.split(" | ")[0][2:]: line for line in lines if re.match(r"\| [a-z]+\w* \| 2", line)
        }
    rows[run.target] = run.row()
    RESULTS.write_text(HEAD + "\n".join(rows[t] for t in catalogue.TARGETS if t in rows) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("target", nargs="*", metavar="TARGET")
    options = parser.parse_args()
    crashed = False
    for target in options.target or catalogue.TARGETS:
        if target in catalogue.C:
            subprocess.run(["make", f"build/fuzz/{target}"], cwd=paths.ROOT, check=True)
        run = fuzz(target, options.seconds)
        write(run)
        print(run.row(), flush=True)
        crashed = crashed or run.crashes > 0
    return int(crashed)


if __name__ == "__main__":
    sys.exit(main())
