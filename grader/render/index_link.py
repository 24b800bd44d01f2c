"""A link from an access to the access calculator, with the index as its line has it, and with what
the lines before say of its variables."""

import re
from pathlib import Path
from urllib.parse import quote

from grader import paths
from grader.execute.accesses import WarpAccess
from grader.execute.profile import Kernel
from grader.model.result import Check
from grader.model.submission import Submission
from grader.session.report_data import ReportData
from grader.source import code

PAGE = "build/handouts/site/calculator.html"
NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*\b(?!\s*[.(])")
VALUE = r"((?:[^,;{}()[]|\((?:[^()[]|\([^()[]*\))*\))+)[,;}]"
CALL = re.compile(r"\b(?!(?:min|max|abs)\b)[A-Za-z_]\w*\s*\(")


def of_check(check: Check, report: ReportData, root: Path = paths.ROOT) -> str | None:
    """Where the costliest access of the line that a technique check names is computed again; "" if
    there is no page, None if the check is about neither coalescing nor bank conflicts."""
    counter = str(check.details.get("counter", ""))
    if check.verdict != "fail" or not re.search("conflicts|sectors", counter):
        return None
    found = [
        (warp.cost - warp.ideal(), address(warp, kernel, report.submission, root))
        for run in report.runs.values()
        for kernel in run.profile.kernels
        for warp in run.warps
        if (warp.file, warp.line) == (check.details.get("file"), check.details.get("line"))
        and warp.launch == kernel.launch
        and warp.space == counter.partition("_")[0]
    ]
    extra, filled_in = max(found, default=(0, ""))
    if not extra and not re.search("conflicts|sectors /", counter):
        return None  # a limit on sectors alone: each access may be the best one, but they are many
    return filled_in or ((root / PAGE).as_uri() if (root / PAGE).is_file() else "")


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
    state = {
        "index": index,
        "constants": "; ".join(block + _definitions(index, warp.line, source)),
        "block": ", ".join(map(str, kernel.block)),
        "warp": str(warp.warp),
        "space": warp.space,
        "way": "store" if warp.store else "load",
        "width": str(warp.width),
    }
    return f"{page.as_uri()}#" + "&".join(f"{name}={quote(text)}" for name, text in state.items())


def _definitions(text: str, line: int, source: code.Code) -> list[str]:
    """What the function of that line says before of the variables in a text, each after those that
    it uses. A variable of a loop has the value that it begins with."""
    if (function := source.function_at(line)) is None:
        return []
    before = "\n".join(source.plain.split("\n")[:line])[source.body(function)[0] :]
    of_file = "".join(re.findall(r"^(?:enum|(?:static )?const).*?;", source.plain, re.M | re.S))
    seen, found = {*NAME.findall(source.parameters(function))}, list[str]()

    def define(text: str) -> None:
        for name in (n for n in NAME.findall(text) if n not in seen):
            seen.add(name)
            declared = rf"(?:\b(?:int|unsigned|long|size_t)|[,{{])\s+{name}\s*=\s*{VALUE}"
            values = re.findall(declared, of_file + before)
            if values and not CALL.search(values[-1]):
                define(values[-1])
                found.append(f"{name} = {' '.join(values[-1].split())}")

    define(text)
    return found


def _index(warp: WarpAccess, source: code.Code) -> str:
    """The index of the access in its source; a row and a column become one index."""
    found = [*source.indexed(source.between(warp.line, warp.line))]
    spaces = {n: s for s, n in re.findall(r"__(shared|constant)__[^;[]*?(\w+)\s*\[", source.plain)}
    of_space = [one for one in found if spaces.get(one.name, "global") == warp.space]
    found = [one for one in found if one.name == warp.array] or of_space or found
    indices = {tuple(source.plain[a:b].strip() for a, b in one.places) for one in found}
    if len(indices) != 1:
        return ""
    parts = [" ".join(part.split()) for part in indices.pop()]
    if len(parts) > 2 or "[" in "".join(parts):
        return ""
    return parts[0] if len(parts) == 1 else f"({parts[0]}) * pitch + {parts[1]}"
