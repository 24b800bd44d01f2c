"""Grades whole right programs: each must get all points that are measured.

    python -m grader.tests.honest [--jobs N] [--shard K/N] [PART OF A NAME]

Each program's row in RESULTS.md is written as soon as it is graded; the rows of others stay as
they are, with their days. --shard 1/2: every second program, from the first.
"""

import argparse
import os
import sys
from concurrent.futures import as_completed
from itertools import islice

from grader.tests.honest import table
from grader.tests.honest.whole import graded, programs
from grader.tests.zoo import grading


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("pattern", nargs="?", default="", metavar="PART OF A NAME")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument("--shard", default="1/1", metavar="K/N")
    options = parser.parse_args()
    everything = list(programs())
    first, step = map(int, options.shard.split("/"))
    wanted = [p for p in everything if options.pattern.lower() in str(p).lower()]
    chosen = list(islice(wanted, first - 1, None, step))
    rows = {name: row for name, row in table.rows().items() if name in map(str, everything)}
    with grading.processes(options.jobs) as pool:
        for done in as_completed([pool.submit(graded, program) for program in chosen]):
            row = done.result()
            rows[row.program] = row
            table.save([rows[str(p)] for p in everything if str(p) in rows], len(everything))
            print("LOST" if row.lost else "ok  ", row.program, row.points, row.lost, flush=True)
    bad = sum(bool(rows[str(program)].lost) for program in chosen)
    print(f"{len(chosen) - bad} of {len(chosen)} have all points that are measured")
    return 1 if bad or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
