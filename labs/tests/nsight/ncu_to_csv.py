"""Turn Nsight Compute's CSV into the ground truth's format.

usage: ncu_to_csv.py RAW.csv > kernels.csv           one row per launch (--page raw)
       ncu_to_csv.py --source SOURCE.csv > lines.csv  one row per line and kind of access

RAW.csv is the output of `ncu --csv --page raw --metrics ...`, SOURCE.csv that of
`ncu --csv --page source --print-source cuda,sass`.  Lines that ncu or the program print around
the table are skipped.
"""

import csv
import sys
from collections.abc import Iterable, Iterator
from pathlib import PurePath

METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_requests": "smsp__inst_executed_op_shared_ld.sum",
    "shared_load_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_requests": "smsp__inst_executed_op_shared_st.sum",
    "shared_store_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}

# What the source page calls the counters of one machine instruction.
SOURCE_METRICS = {
    "executed": "Instructions Executed",
    "global_requests": "L1 Tag Requests Global",
    "global_sectors": "L2 Theoretical Sectors Global",
    "shared_wavefronts": "L1 Wavefronts Shared",
}
SOURCE_KEYS = ["kernel", "file", "line", "space", "operation", "bits"]


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
    """Return a grid or block as the ground truth writes it: (7,19,1)."""
    return "(" + ",".join(p.strip() for p in text.strip("() ").split(",")) + ")"


def count(text: str) -> int:
    """Return a counter's value; ncu groups digits by the locale, and writes - for none."""
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
            continue  # the row of units, or what the program printed behind the table
        out: dict[str, str | int] = {
            "launch": int(row["ID"]),
            "kernel": plain_name(row["Kernel Name"]),
            "grid": dims(row["Grid Size"]),
            "block": dims(row["Block Size"]),
        }
        for ours, theirs in METRICS.items():
            if row.get(theirs) is None:
                raise ValueError(f"launch {row['ID']}: no column {theirs}; profile it with ncu")
            out[ours] = count(row[theirs])
        yield out


def source_lines(lines: Iterable[str]) -> list[dict[str, str | int]]:
    """Return one row per kernel, source line and kind of access, summed over its instructions.

    The page is a section per kernel and file: two rows that name them, a header, then each source
    line (its counters are sums, so they are skipped) followed by its machine instructions.
    """
    kernel = file = line = ""
    header: list[str] = []
    sums: dict[tuple[str, ...], dict[str, int]] = {}
    for cells in csv.reader(lines):
        if len(cells) > 1 and cells[0] == "File Path":
            file, header = PurePath(cells[1]).name, []
        elif len(cells) > 1 and cells[0] in ("Function Name", "Kernel Name"):
            kernel, header = plain_name(cells[1]), []
        elif "Line No" in cells and "Address Space" in cells:
            header = cells
        elif header and len(cells) >= len(header):
            line = cells[header.index("Line No")] or line
            space = cells[header.index("Address Space")]
            if cells[header.index("Line No")] or space not in ("Global", "Shared", "Constant"):
                continue
            kind = (space, *(cells[header.index(c)] for c in ("Access Operation", "Access Size")))
            total = sums.setdefault(
                (kernel, file, line, *kind), {"instructions": 0} | dict.fromkeys(SOURCE_METRICS, 0)
            )
            total["instructions"] += 1
            for ours, theirs in SOURCE_METRICS.items():
                if theirs in header:
                    total[ours] += count(cells[header.index(theirs)])
    return [dict(zip(SOURCE_KEYS, key, strict=True)) | total for key, total in sums.items()]


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
    """Convert the file named on the command line; exit status 1 if it held no table."""
    if len(argv) == 3 and argv[1] == "--source":
        with open(argv[2], newline="") as f:
            n = write(source_lines(f), [*SOURCE_KEYS, "instructions", *SOURCE_METRICS])
    elif len(argv) == 2:
        with open(argv[1], newline="") as f:
            columns = ["launch", "kernel", "grid", "block", *METRICS]
            n = write(launches(table(f, "ID")), columns)
    else:
        print(__doc__, file=sys.stderr)
        return 2
    if n == 0:
        print(f"{argv[-1]}: no table in it; did ncu run?", file=sys.stderr)
    return 0 if n else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
