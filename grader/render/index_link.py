"""A link from an access to the access calculator, with the index as its line has it, and with what
the lines before say of its variables."""

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from grader import paths
from grader.execute.accesses import WarpAccess
from grader.execute.profile import Kernel
from grader.model.result import Check
from grader.model.submission import Submission
from grader.session.report_data import Traced
from grader.source import code

PAGE = "build/handouts/site/calculator.html"
OF_PATTERNS = re.compile(r"conflicts|sectors /")  # a counter that says how lanes' addresses lie
NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*\b(?!\s*[.(])")
VALUE = r"((?:[^,;{}()[]|\((?:[^()[]|\([^()[]*\))*\))+)[,;}]"
CALL = re.compile(r"\b(?!(?:min|max|abs)\b)[A-Za-z_]\w*\s*\(")


def of_check(
    check: Check, runs: Iterable[Traced], submission: Submission, root: Path = paths.ROOT
) -> str | None:
    """Where the costliest access of the line that a technique check names is computed again; "" if
    there is no page, None if the check is about neither coalescing nor bank conflicts."""
    counter = str(check.details.get("counter", ""))
    if check.verdict != "fail" or not re.search("conflicts|sectors", counter):
        return None
    place = check.details.get("file"), check.details.get("line")
    found = [
        (warp.cost - warp.ideal(), address(warp, kernel, submission, root))
        for run in runs
        if check.name in run.checks
        for kernel in run.profile.kernels
        for warp in run.warps
        if (warp.launch, warp.file, warp.line) == (kernel.launch, *place)
        and warp.space == counter.partition("_")[0]
        and warp.cost > warp.ideal()
    ]
    page = (root / PAGE).as_uri() if (root / PAGE).is_file() else ""
    return max(found)[1] or page if found else page if OF_PATTERNS.search(counter) else None


def address(
    warp: WarpAccess, kernel: Kernel, submission: Submission, root: Path = paths.ROOT
) -> str:
    """Where a browser on this machine computes the access again; "" if `make handouts` has not made
    the page, or the line has no index or several. Parameters are for the reader to define."""
    name = next((n for n in submission.contents if submission.path(n) == warp.file), "")
    source, page = code.read(submission.text(name)), root / PAGE
    index = _index(warp, source)
    if not index or not page.is_file():
        return ""
    block = [f"blockIdx.{axis} = {n}" for axis, n in zip("xyz", warp.block, strict=True) if n]
    defined = [f"{name} = {value}" for name, value in _definitions(index, warp.line, source)]
    state = {
        "index": index,
        "constants": "; ".join(block + defined),
        "block": ", ".join(map(str, kernel.block)),
        "warp": str(warp.warp),
        "space": warp.space,
        "way": "store" if warp.store else "load",
        "width": str(warp.width),
    }
    return f"{page.as_uri()}#" + "&".join(f"{name}={quote(text)}" for name, text in state.items())


def _definitions(text: str, line: int, source: code.Code) -> list[tuple[str, str]]:
    """What the function of that line says before of the variables in a text, each after those that
    it uses. A variable of a loop has the value that it begins with."""
    function = source.function_at(line)
    if function is None:
        return []
    begin, _ = source.body(function)
    end = len("\n".join(source.plain.split("\n")[:line]))
    of_file = "".join(re.findall(r"^(?:enum|(?:static )?const).*?;", source.plain, re.M | re.S))
    found: dict[str, str] = {}
    seen = {*NAME.findall(source.parameters(function))}

    def define(text: str) -> None:
        for name in (n for n in NAME.findall(text) if n not in seen):
            seen.add(name)
            declared = rf"(?:\b(?:int|unsigned|long|size_t)|[,{{])\s+{name}\s*=\s*{VALUE}"
            values = re.findall(declared, of_file) + re.findall(declared, source.plain[begin:end])
            if values and not CALL.search(values[-1]):
                define(values[-1])
                found[name] = " ".join(values[-1].split())

    define(text)
    return [*found.items()]


def _index(warp: WarpAccess, source: code.Code) -> str:
    """The index of the access in its source; a row and a column become one index."""
    found = [*source.indexed(source.between(warp.line, warp.line))]
    of_space = [one for one in found if _space(one.name, source) == warp.space]
    found = [one for one in found if one.name == warp.array] or of_space or found
    indices = {tuple(source.plain[a:b].strip() for a, b in one.places) for one in found}
    if len(indices) != 1:
        return ""
    parts = [" ".join(part.split()) for part in indices.pop()]
    if len(parts) > 2 or "[" in "".join(parts):
        return ""
    return parts[0] if len(parts) == 1 else f"({parts[0]}) * pitch + {parts[1]}"


def _space(name: str, source: code.Code) -> str:
    """The memory that the declaration of an array names."""
    found = re.search(rf"__(shared|constant)__[^;]*?\b{name}\b", source.plain)
    return found[1] if found else "global"
