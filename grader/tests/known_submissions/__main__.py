"""python -m grader.tests.known_submissions: the programs as files, and the table of what they get.

show labN/NAME [FOLDER]    writes an entry's files, and prints their folder for ./grade --src
table                      grades all entries, and writes RESULTS.md
"""

import os
import sys
from pathlib import Path

from grader import paths
from grader.tests.known_submissions import entries, grading, table


def show(name: str, folder: str = "") -> int:
    home = entries.write(entries.find(name), Path(folder) if folder else entries.SHOWN)
    print(home.relative_to(paths.ROOT) if home.is_relative_to(paths.ROOT) else home)
    return 0


def write_table(names: list[str]) -> int:
    """Grades the entries of these names, or all, and writes their rows. Returns 1 if one does not
    get what it must."""
    everything = entries.everything()
    chosen = [entry for entry in everything if str(entry) in names or not names]
    rows = table.committed() if names else {}
    with grading.processes(len(os.sched_getaffinity(0))) as pool:
        judged = pool.map(grading.judged, chosen)
        for entry, (row, problem) in zip(chosen, judged, strict=True):
            rows[str(entry)] = row
            if problem:
                print(f"{entry}: {problem}")
    ordered = [rows[name] for name in map(str, everything) if name in rows]
    table.FILE.write_text(table.report(ordered))
    return 0 if all(row.as_expected for row in ordered) else 1


def main(arguments: list[str]) -> int:
    match arguments:
        case ["show", name]:
            return show(name)
        case ["show", name, folder]:
            return show(name, folder)
        case ["table", *names]:
            return write_table(names)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except entries.EntryError as error:
        sys.exit(str(error))
