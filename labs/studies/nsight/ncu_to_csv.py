"""Turn Nsight Compute's output into a table: ncu_to_csv.py RAW.csv > kernels.csv

RAW.csv is the output of `ncu --csv --page raw --metrics ...`; lines that ncu or the program print
around the table are skipped. The table has one row for each launch.
"""

import csv
import sys
from collections.abc import Iterable, Iterator

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


def main(argv: list[str]) -> int:
    """Convert the file named on the command line; exit status 1 if it contains no table."""
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    columns = ["launch", "kernel", "grid", "block", *METRICS]
    writer = csv.DictWriter(sys.stdout, columns, lineterminator="\n")
    writer.writeheader()
    with open(argv[1], newline="") as file:
        rows = list(launches(table(file, "ID")))
    writer.writerows(rows)
    if not rows:
        print(f"{argv[1]}: it contains no table; did ncu run?", file=sys.stderr)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
