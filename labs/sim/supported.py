"""Writes which names of CUDA the simulator has, from its headers, into handouts/simulator.md.

    supported.py [--check] [PAGE]

g++ expands the headers that a program may include; the functions and types that they declare are
listed by the header that declares them, under the first sentence of its comment. The list, and that
of the libraries that the translator refuses, replace what is between two marks each in the page.
--check: writes nothing, and exits with status 1 if the page differs.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "labs/sim/translate"))
from labs.sim.translate.reader.refused_headers import LIBRARIES  # noqa: E402

INCLUDE = ROOT / "labs/sim/include"
PAGE = ROOT / "handouts/simulator.md"
MARKS = "<!-- {0}: begin -->", "<!-- {0}: end -->"
OWN = (
    "cooperative_groups/lanes.h",
    "cooperative_groups/memcpy_async.h",
    "sim/abi.h",
    "sim/launch.h",
    "sim/kernel_calls.h",
    "sim/texture_abi.h",
    "sim/marks.h",
)
LINE = re.compile(r'^# \d+ "([^"]*)"[^\n]*\n', re.MULTILINE)
FUNCTION = re.compile(
    r"""(?P<old>__attribute__\(\(deprecated[^;{}]*?)?
    (?:\binline\b|\bextern\s+"C")(?P<type>[^;{}()=]*?)\b(?P<name>[A-Za-z_]\w*)\s*\(""",
    re.VERBOSE,
)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?!deprecated)(?:[^()]|\([^()]*\))*\)\)")
TYPE = re.compile(
    r"\b(?:struct|class|enum|union)\s+(\w+)(?:\s*:\s*[^{};]*)?\s*\{|\btypedef\b[^;{}()]*?\b(\w+)\s*;"
    r"|\}\s*(\w+)\s*;|\busing\s+(\w+)\s*="
)
INTERNAL = re.compile(
    r"^_?(?:sim|SIM)_|^(?:operator|decltype|noexcept|sizeof|if|while|return)$|_st$|_sim_"
)


def expanded() -> str:
    """The simulator's headers as g++ reads them."""
    public = [h for h in sorted(INCLUDE.rglob("*.h")) if h.parent.name != "sim"]
    includes = "".join(f"#include <{h.relative_to(INCLUDE)}>\n" for h in public)
    command = ["g++", "-E", "-x", "c++", "-std=c++17", f"-I{INCLUDE}", "-"]
    source = "#include <cuda_runtime.h>\n" + includes
    return subprocess.run(command, input=source, text=True, capture_output=True, check=True).stdout


def parts(text: str) -> dict[Path, str]:
    """What each of the simulator's headers expands to."""
    found: dict[Path, str] = {}
    pieces = LINE.split(text)
    for name, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        path = Path(name).resolve()
        if INCLUDE in path.parents and str(path.relative_to(INCLUDE)) not in OWN:
            found[path] = found.get(path, "") + piece
    return found


def names(code: str) -> tuple[list[str], list[str], list[str]]:
    """The functions, those of older CUDA, and the types of one header."""
    code = ATTRIBUTE.sub(" ", code)
    functions: dict[str, bool] = {}
    for match in FUNCTION.finditer(code):
        name = match["name"]
        if not INTERNAL.search(name) and not re.search(r"\boperator\b", match["type"]):
            functions[name] = functions.get(name, True) and match["old"] is not None
    types = {n for groups in TYPE.findall(code) for n in groups if n and not INTERNAL.search(n)}
    types -= {"T", "result", "tile", "tile_of", "multi_warp_tile", "payload", "kind_of_group"}
    types -= {"arrival_token", "clusterDim", "programmaticEvent"}
    functions = {n: is_old for n, is_old in functions.items() if n not in types}  # constructors
    old = sorted(n for n, is_old in functions.items() if is_old)
    return sorted(n for n, is_old in functions.items() if not is_old), old, sorted(types)


def title(header: Path) -> str:
    """The first sentence of the header's first comment."""
    comment = re.search(r"/\*(.*?)\*/", header.read_text(), re.DOTALL)
    words = " ".join(re.sub(r"^[ \t]*\*", "", comment[1] if comment else "", flags=re.M).split())
    return re.split(r"(?<=[a-z)0-9])[.:] ", words + " ", maxsplit=1)[0].strip().rstrip(".")


def listing() -> str:
    """The list, as Markdown."""
    lines = []
    for header, code in sorted(parts(expanded()).items()):
        functions, old, types = names(code)
        kinds = (("functions", functions), ("older CUDA", old), ("types", types))
        if any(found for _, found in kinds):
            shown = header.relative_to(INCLUDE).as_posix()
            own = "" if header.parent.name == "sim" else f" (`{shown}`)"
            lines.append(f"\n**{title(header)}**{own}\n")
        for kind, found in kinds:
            if found:
                text = f"{kind}: " + ", ".join(f"`{n}`" for n in found)
                wrapped = textwrap.wrap(text, 106, break_long_words=False, break_on_hyphens=False)
                lines.append("- " + "\n  ".join(wrapped))
    return "\n".join(lines).strip()


def refused() -> str:
    """The libraries that the simulator refuses by name, as Markdown."""
    rows = "\n".join(f"| {name} | {instead} |" for _, name, instead in LIBRARIES if name)
    return f"| a program that includes | may do this here |\n|---|---|\n{rows}"


def with_listing(page: str) -> str:
    """The page with new lists between their marks."""
    for name, text in (("names", listing()), ("refused", refused())):
        begin, end = (mark.format(name) for mark in MARKS)
        before, rest = page.split(begin)
        page = f"{before}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}"
    return page


def main() -> int:
    parser = argparse.ArgumentParser(description="Lists the names of CUDA that the simulator has.")
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("page", nargs="?", type=Path, default=PAGE)
    options = parser.parse_args()
    page = options.page.read_text()
    new = with_listing(page)
    if options.check:
        if new != page:
            print(f"{options.page} is out of date: run labs/sim/supported.py", file=sys.stderr)
        return int(new != page)
    options.page.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
