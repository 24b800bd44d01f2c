"""Names that the simulator does not support, and what to do instead. Headers that it refuses are in
reader/refused_headers.py.

Only what the preprocessor keeps is judged. A name is refused if no header declares it and if the
program uses it where it cannot be declaring it; in doubt, the name is left to g++.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from labs.sim.translate.reader.declared import Mentions, functions
from labs.sim.translate.reader.program import Program
from labs.sim.translate.reader.refused_headers import ELSEWHERE, NEEDS, advice

# Names, and what to do instead of what they do.
INSTEAD = (
    (r"cudaIpc", "let one process do the work of both"),
    (r"cuda\w*External", "copy the data through the host's memory"),
    (r"cudaGraphics|cuda(?:GL|EGL|VDPAU|D3D)", "copy the image to the host and write it to a file"),
    (r"cuda\w*Mipmap|tex\w+(?:Lod|Grad)", "read the level that you need from an array of its own"),
)
CLUSTER = "a cluster of more than one block needs a GPU machine and nvcc; here, exchange data "
CLUSTER += "between blocks through global memory"
DRIVER = re.compile(
    rb"cu[A-Z]\w*|CU(?:device|context|module|function|stream|event|array|result)\w*"
)
PLAIN = re.compile(rb"cuda[A-Z]\w*|nvcuda|__[a-z]\w*|tex(?:[123]D|Cubemap)\w*(?:Lod|Grad)")
# Of libraries whose headers declare nothing here (header.gcc): many programs include one in vain.
OF_LIBRARY = re.compile(
    rb"(?:cublas|cufft|curand|cusparse|cusolver(?:Dn|Sp)?|cudnn)(?:[A-Z]|_\w)\w*"
    rb"|CU(?:BLAS|FFT|RAND|SPARSE|SOLVER|DNN)_\w+"
)
# Headers in which nvcc finds none of these names.
WITHOUT = re.compile(
    rb"[<\"](?:cuda(?:_runtime(?:_api)?)?\.h|device_launch_parameters\.h|cstring|string\.h|vector"
    rb"|algorithm|c?(?:math|stdlib)(?:\.h)?|limits)[>\"]"
)
HEADERS = (
    (re.compile(rb"(?:f|sn?)?printf|fopen|FILE|stderr|stdout"), "<cstdio>"),
    (re.compile(rb"u?int(?:8|16|32|64)_t"), "<cstdint>"),
)
OF_GCC = re.compile(
    rb"__(?:builtin|sync|atomic|attribute|extension|typeof|asm|alignof|func|FUNC|PRETTY|restrict"
    rb"|const|volatile|inline|signed|complex|real|imag|label|thread|null|is_|has_|underlying|bases"
    rb"|direct_bases|auto_type|int128|float|decltype|int\d|transaction|uuidof|remove_|reference_"
    rb"|integer_pack|global__|device__|host__|shared__|constant__|managed__|noinline__"
    rb"|forceinline__|export|make_integer|type_pack)\w*"
)


def refuse_names(program: Program) -> None:
    """Refuses the first name of CUDA's that is declared nowhere."""
    uses: dict[bytes, int] = {}
    declared: set[bytes] = set()
    for i, text in enumerate(program.text):
        if not (text.startswith((b"cu", b"CU", b"__", b"nvcuda", b"texCubemap"))
                and program.kind[i] == "word") or text in declared:  # fmt: skip
            continue
        if not DRIVER.fullmatch(text) and not OF_LIBRARY.fullmatch(text) and (
            not PLAIN.fullmatch(text) or OF_GCC.fullmatch(text)):  # fmt: skip
            continue
        if _is_use(program, i):
            uses.setdefault(text, i)
        else:
            declared.add(text)
    known = Mentions(program.expanded.foreign) if uses else ()
    for name, i in uses.items():
        if name in declared or name in known:
            continue
        shown = name.decode(errors="replace")
        if OF_LIBRARY.fullmatch(name):
            why = advice(shown.lower()) or ELSEWHERE
        elif DRIVER.fullmatch(name):
            why = (
                f"the driver API {NEEDS}; here, use the runtime API, as cudaMalloc() and k<<<>>>()"
            )
        elif name in functions():
            why = "include <cuda_runtime.h>: nvcc includes it by itself in a .cu file only"
        else:
            instead = next((text for name, text in INSTEAD if re.match(name, shown)), None)
            why = f"{ELSEWHERE}; here, {instead}" if instead else ELSEWHERE
        raise program.refusal(i, f"{shown}: {why}")


def refuse_missing_headers(program: Program, lines: Iterable[bytes]) -> None:
    """Refuses what nvcc knows from headers alone, in a file that includes none which may have it:
    the simulator's own header includes them. lines: of the source."""
    included = [found[1] for line in lines if (found := re.match(rb"\s*#\s*include\s*(.*)", line))]
    if all(WITHOUT.match(name) for name in included):
        for i, text in enumerate(program.text):
            header = next((h for names, h in HEADERS if names.fullmatch(text)), None)
            if header and not any(program.declares(k) for k in program.words(text)):
                raise program.refusal(i, f'identifier "{text.decode()}" is undefined: #include '
                                      f"{header}")  # fmt: skip


def refuse_clusters(program: Program) -> None:
    """Refuses __cluster_dims__(2), and removes it where its kernels have clusters of one block."""
    for i in program.words(b"sim_cluster_dims"):
        opened = i + 1
        sizes = program.text[opened + 1 : program.match[opened]]
        if any(size not in (b"1", b",") for size in sizes):
            raise program.refusal(i, CLUSTER)
        program.blank(i - 3, program.match[i - 2])  # from __attribute__ to its last bracket


def _is_use(program: Program, i: int) -> bool:
    """Is the name at token i used, where it cannot be declared?"""
    before, after = program.at(i - 1), program.at(i + 1)
    if program.is_name(i - 1) or before in (b"*", b"&", b">", b".", b"->", b"~", b"::"):
        return False
    if OF_LIBRARY.fullmatch(program.text[i]):  # but not of an enumeration
        return before not in (b"{", b",") or after not in (b"=", b",", b"}")
    if after == b"(":
        return before not in (b"(",) or program.at(i - 2) != b"("
    if program.text[i].startswith(b"__"):
        return False
    if after == b"<":
        return before in (b";", b"{", b"}", b"(", b"=", b"return", b"static", b"")
    if program.is_name(i + 1):
        return before in (b";", b"{", b"}", b"(", b",", b"static", b"const", b"")
    if after == b"::":
        return True
    return after in (b")", b";") and before in (b"(", b",", b"=", b"|", b"return")
