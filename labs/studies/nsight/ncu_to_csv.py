"""Turn Nsight Compute's output into the CSV files of this folder.

usage: ncu_to_csv.py RAW.csv > kernels.csv                       one row per launch
       ncu_to_csv.py --all RAW.csv > textures.csv    the same, all of l1tex by ncu's names
       ncu_to_csv.py --report REPORT.ncu-rep > instructions.csv  one row per memory instruction
       ncu_to_csv.py --lines instructions.csv > lines.csv        one row per line and kind of access

RAW.csv is the output of `ncu --csv --page raw --metrics ...`; lines that ncu or the program print
around the table are skipped.  REPORT.ncu-rep contains the section SourceCounters.  It is read with
the module ncu_report that comes with ncu, because the source page of `ncu --print-source cuda,sass`
omits some instructions and prints others twice.
"""

import csv
import importlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Any

METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_requests": "smsp__sass_inst_executed_op_shared_ld.sum",
    "shared_load_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_requests": "smsp__sass_inst_executed_op_shared_st.sum",
    "shared_store_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}

# Counters of one machine instruction.  `executed` counts the warps that executed it.  ncu does not
# count requests per instruction: they are `executed` minus the warps in which its predicate was off
# for every thread, so at least `executed` minus `predicated`.  `predicated` equals `executed` for
# instructions that have a predicate and is 0 for others.
INSTRUCTION_METRICS = {
    "executed": "inst_executed",
    "threads": "thread_inst_executed_true",
    "sectors": "memory_l2_theoretical_sectors_global",
    "wavefronts": "memory_l1_wavefronts_shared",
}
COUNTERS = ["executed", "predicated", "threads", "sectors", "wavefronts"]
OPCODES = {
    "LDG": ("global", "load"),
    "STG": ("global", "store"),
    "RED": ("global", "atomic"),
    "REDG": ("global", "atomic"),
    "ATOM": ("global", "atomic"),
    "ATOMG": ("global", "atomic"),
    "LDS": ("shared", "load"),
    "STS": ("shared", "store"),
    "ATOMS": ("shared", "atomic"),
}
LINE_KEYS = ["kernel", "file", "line", "space", "operation", "bits"]
INSTRUCTION_KEYS = ["launch", *LINE_KEYS, "offset", "instruction"]
# Where ncu is installed together with its Python module.
NCU_PYTHON = (
    "opt/nvidia/nsight-compute/*/extras/python",
    "usr/local/cuda*/nsight-compute*/extras/python",
)


def plain_name(name: str) -> str:
    """Return a kernel's name without return type, template arguments, namespace and parameters."""
    depth = 0
    kept = []
    for ch in name:
        if ch in "(<":
            depth += 1
        elif ch in ")>":
            depth -= 1
        elif depth == 0:
            kept.append(ch)
    return "".join(kept).split("::")[-1].split()[-1]


def dims(text: str) -> str:
    """Return a grid or block in the format of the CSV files: (7,19,1)."""
    return "(" + ",".join(p.strip() for p in text.strip("() ").split(",")) + ")"


def count(text: str) -> int:
    """Return a counter's value; ncu groups digits as the locale asks, and writes - for no value."""
    digits = text.replace(",", "").strip()
    return int(float(digits)) if digits[:1].isdigit() else 0


def table(lines: Iterable[str], first_column: str) -> Iterator[dict[str, str]]:
    """Yield the rows of the first CSV table whose header starts with first_column."""
    kept: list[str] = []
    for line in lines:
        if kept or line.startswith((f'"{first_column}"', f"{first_column},")):
            kept.append(line)
    yield from csv.DictReader(kept)


def launches(rows: Iterable[dict[str, str]]) -> Iterator[dict[str, str | int]]:
    """Yield one row of the ground truth per launch; raise ValueError if a metric is missing."""
    for row in rows:
        if not (row.get("ID") or "").isdigit():
            continue  # the row of units, or what the program printed after the table
        out: dict[str, str | int] = {
            "launch": int(row["ID"]),
            "kernel": plain_name(row["Kernel Name"]),
            "grid": dims(row["Grid Size"]),
            "block": dims(row["Block Size"]),
        }
        for ours, theirs in METRICS.items():
            if row.get(theirs) is None:
                raise ValueError(
                    f"launch {row['ID']}: no column {theirs}; run ncu with that metric"
                )
            out[ours] = count(row[theirs])
        yield out


def every_metric(rows: Iterable[dict[str, str]]) -> Iterator[dict[str, str | int]]:
    """Yield one row per launch with all its l1tex metrics, by ncu's names."""
    for row in rows:
        if (row.get("ID") or "").isdigit():
            out: dict[str, str | int] = {"launch": int(row["ID"]),
                                         "kernel": plain_name(row["Kernel Name"])}  # fmt: skip
            yield out | {
                name: count(value)
                for name, value in row.items()
                if (name or "").startswith("l1tex__")
            }


def opcode(sass: str) -> str:
    """Return a machine instruction's operation without predicate and modifiers."""
    return next(word for word in sass.split() if word[0] not in "@{").split(".")[0].rstrip(";")


def width(sass: str) -> int:
    """Return how many bits each thread loads or stores: 8 for LDG.E.U8, 32 if it names no width."""
    modifiers = next(word for word in sass.split() if word[0] not in "@{").split(".")[1:]
    named = [m.lstrip("US") for m in modifiers]
    return next((int(m) for m in named if m in ("8", "16", "64", "128")), 32)


def by_address(action: Any, name: str) -> dict[int, int]:
    """Return a metric's value per machine instruction; empty if it was not collected."""
    metric = action.metric_by_name(name)
    if metric is None or not metric.has_correlation_ids():
        return {}
    at = metric.correlation_ids()
    return {at.as_uint64(i): metric.as_uint64(i) for i in range(metric.num_instances())}


def instructions(report: str) -> Iterator[dict[str, str | int]]:
    """Yield one row per launch and machine instruction that loads or stores."""
    for pattern in NCU_PYTHON:
        sys.path[:0] = sorted((str(p) for p in Path("/").glob(pattern)), reverse=True)
    context = importlib.import_module("ncu_report").load_report(report)
    actions = [part[i] for part in context for i in range(len(part))]
    for launch, action in enumerate(actions):
        addresses = sorted(by_address(action, "memory_type"))
        start = min(by_address(action, "inst_executed"))
        values = {ours: by_address(action, m) for ours, m in INSTRUCTION_METRICS.items()}
        for pc in addresses:
            sass = " ".join(action.sass_by_pc(pc).split())
            source = action.source_info(pc)
            space, operation = OPCODES.get(opcode(sass), ("other", opcode(sass)))
            row: dict[str, str | int] = {
                "launch": launch,
                "kernel": plain_name(action.name()),
                "file": PurePath(source.file_name()).name if source else "",
                "line": source.line() if source else 0,
                "space": space,
                "operation": operation,
                "bits": width(sass),
                "offset": pc - start,
                "instruction": sass,
            }
            row |= {ours: values[ours].get(pc, 0) for ours in values}
            yield row | {"predicated": row["executed"] if sass.startswith("@") else 0}


def source_lines(rows: Iterable[dict[str, str]]) -> Iterator[dict[str, str | int]]:
    """Yield one row per kernel, source line and kind of access, summed over its instructions."""
    sums: dict[tuple[str, ...], dict[str, int]] = {}
    for row in rows:
        key = tuple(row[k] for k in LINE_KEYS)
        total = sums.setdefault(key, {"instructions": 0} | dict.fromkeys(COUNTERS, 0))
        total["instructions"] += 1
        for counter in COUNTERS:
            total[counter] += int(row[counter])
    for key, total in sums.items():
        yield dict(zip(LINE_KEYS, key, strict=True)) | total


def write(rows: Iterable[dict[str, str | int]], columns: list[str]) -> int:
    """Write the rows to standard output and return how many there were."""
    writer = csv.DictWriter(sys.stdout, columns, lineterminator="\n")
    writer.writeheader()
    written = 0
    for row in rows:
        writer.writerow(row)
        written += 1
    return written


def main(argv: list[str]) -> int:
    """Convert the file named on the command line; exit status 1 if it contains no table."""
    if len(argv) == 3 and argv[1] == "--report":
        n = write(instructions(argv[2]), [*INSTRUCTION_KEYS, *COUNTERS])
    elif len(argv) == 3 and argv[1] == "--lines":
        with open(argv[2], newline="") as f:
            columns = [*LINE_KEYS, "instructions", *COUNTERS]
            n = write(source_lines(csv.DictReader(f)), columns)
    elif len(argv) == 3 and argv[1] == "--all":
        with open(argv[2], newline="") as f:
            every = list(every_metric(table(f, "ID")))
        n = write(every, list(every[0]) if every else [])
    elif len(argv) == 2:
        with open(argv[1], newline="") as f:
            columns = ["launch", "kernel", "grid", "block", *METRICS]
            n = write(launches(table(f, "ID")), columns)
    else:
        print(__doc__, file=sys.stderr)
        return 2
    if n == 0:
        print(f"{argv[-1]}: it contains no table; did ncu run?", file=sys.stderr)
    return 0 if n else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
