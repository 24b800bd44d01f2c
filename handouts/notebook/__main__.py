"""Writes handouts/convlabs.ipynb, which runs the course in a browser.

python -m handouts.notebook            write it
python -m handouts.notebook --check    change nothing; exit 1 if it is stale
"""

import argparse
import json
import sys
from typing import Any

from grader import files
from handouts import address
from handouts.notebook import cells

NOTEBOOK = address.ROOT / "handouts" / "convlabs.ipynb"


def document() -> str:
    """The notebook as JSON, format 4.5, without outputs."""
    made: list[dict[str, Any]] = [
        {
            "cell_type": kind,
            "id": f"cell-{number}",
            "metadata": {},
            "source": text.rstrip("\n").splitlines(keepends=True),
            **({"execution_count": None, "outputs": []} if kind == "code" else {}),
        }
        for number, (kind, text) in enumerate(
            cells.cells(address.ROOT, address.repository()), start=1
        )
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {
        "cells": made,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m handouts.notebook", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if stale")
    check = parser.parse_args().check
    new = document()
    if NOTEBOOK.is_file() and NOTEBOOK.read_text("utf-8") == new:
        return 0
    shown = NOTEBOOK.relative_to(address.ROOT)
    if check:
        print(f"{shown} is stale; run python -m handouts.notebook")
        return 1
    files.replace(NOTEBOOK, new.encode())
    print(f"wrote {shown}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
