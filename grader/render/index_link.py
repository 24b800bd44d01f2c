"""A link from an access to the access calculator, with the index as its line has it."""

from pathlib import Path
from urllib.parse import quote

from grader import paths
from grader.execute.accesses import WarpAccess
from grader.execute.profile import Kernel
from grader.model.submission import Submission
from grader.source import code

PAGE = "build/handouts/site/calculator.html"


def address(
    warp: WarpAccess, kernel: Kernel, submission: Submission, root: Path = paths.ROOT
) -> str:
    """Where a browser on this machine computes the access again; "" if `make handouts` has not made
    the page, or the line has no index or several. Local variables are for the reader to define."""
    index, page = _index(warp, submission), root / PAGE
    if not index or not page.is_file():
        return ""
    block = [f"blockIdx.{axis} = {n}" for axis, n in zip("xyz", warp.block, strict=True) if n]
    state = {
        "index": index,
        "constants": "; ".join(block),
        "block": ", ".join(map(str, kernel.block)),
        "warp": str(warp.warp),
        "space": warp.space,
        "way": "store" if warp.store else "load",
        "width": str(warp.width),
    }
    return f"{page.as_uri()}#" + "&".join(f"{name}={quote(text)}" for name, text in state.items())


def _index(warp: WarpAccess, submission: Submission) -> str:
    """The index of the access in its source; a row and a column become one index."""
    name = next((n for n in submission.contents if submission.path(n) == warp.file), "")
    source = code.read(submission.text(name))
    found = [*source.indexed(source.between(warp.line, warp.line))]
    found = [one for one in found if one.name == warp.array] or found
    indices = {tuple(source.plain[a:b].strip() for a, b in one.places) for one in found}
    if len(indices) != 1:
        return ""
    parts = [" ".join(part.split()) for part in indices.pop()]
    if len(parts) > 2 or "[" in "".join(parts):
        return ""
    return parts[0] if len(parts) == 1 else f"({parts[0]}) * pitch + {parts[1]}"
