"""An archive of some labs: the students' pages without the labs that are left out."""

import re
from pathlib import Path

from grader.release import links

EXAMPLE = "lab3"  # the lab that the README's commands name
TABLES_OF_LABS = ("README.md", "handouts/README.md")  # a row for each lab, its number first


def reduced(root: Path, texts: dict[str, bytes], labs: list[str]) -> dict[str, bytes]:
    """The files of an archive of these labs, by path: no rows, links and drawings of other labs,
    and README commands that name a lab which is there."""
    pages = {path: text.decode() for path, text in texts.items() if path.endswith(".md")}
    for path in TABLES_OF_LABS:
        rows = ((re.match(r"\| (\d+) ", line), line) for line in pages[path].splitlines())
        kept = [line for row, line in rows if not row or f"lab{row[1]}" in labs]
        pages[path] = "".join(f"{line}\n" for line in kept)
    if EXAMPLE not in labs:
        pages["README.md"] = _with_example(root, pages["README.md"], labs[-1])
    shown = {file for path, page in pages.items() for file in links.targets(path, page)}
    texts = {
        path: text
        for path, text in texts.items()
        if not path.startswith("handouts/figures/") or path in shown
    }
    for path, page in pages.items():
        texts[path] = links.without_dead(path, page, texts.keys()).encode()
    return texts


def _with_example(root: Path, text: str, lab: str) -> str:
    """The README with commands that name `lab` in place of EXAMPLE."""
    old, new = (next((root / "labs").glob(f"{one}_*")).name for one in (EXAMPLE, lab))
    text = text.replace(old, new).replace(f"test_{EXAMPLE}", f"test_{lab}")
    text = re.sub(rf"\blab {EXAMPLE[3:]}\b", f"lab {lab[3:]}", text)
    return re.sub(rf"(?<![a-z]){EXAMPLE}\b", lab, text)
