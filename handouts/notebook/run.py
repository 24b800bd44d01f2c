"""Runs a notebook top to bottom, as "Run all" does, and prints what each cell shows and takes.

    python run.py NOTEBOOK FOLDER

FOLDER is where it starts, such as an empty one. The exit status is 1 where a cell fails. Needs
nbclient and ipykernel, and nothing of this repository: grader/setup/requirements-notebook.lock.
"""

import sys
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

LONGEST = 600  # seconds for a cell
SHOWN = 4  # lines of what a cell prints


def run(notebook: Path, folder: Path) -> Any:
    """The notebook with the outputs of its cells. Raises CellExecutionError."""
    document = nbformat.read(notebook, as_version=4)
    nbformat.validate(document)
    client = NotebookClient(
        document,
        timeout=LONGEST,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    first = time.monotonic()
    with client.setup_kernel():
        for index, cell in enumerate(document.cells):
            began = time.monotonic()
            client.execute_cell(cell, index)
            now = time.monotonic()
            if cell.cell_type == "code":
                print(f"cell {index + 1}: {now - began:.1f} s, {now - first:.1f} s since the start")
                for line in text(cell).splitlines()[-SHOWN:]:
                    print(f"    {line[:120]}", flush=True)
    return document


def text(cell: Any) -> str:
    """What a cell has printed and shown."""
    shown = []
    for output in cell.outputs:
        shown.append(output.get("text", ""))
        shown.append(output.get("data", {}).get("text/html", "")[:80])
        shown.append("".join(f"{line}\n" for line in output.get("traceback", ())))
    return "".join(shown)


if __name__ == "__main__":
    try:
        run(Path(sys.argv[1]), Path(sys.argv[2]))
    except CellExecutionError as problem:
        sys.exit(f"a cell failed: {problem}")
