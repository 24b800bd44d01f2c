"""The suites of labelled programs: which programs each has, what they need, and their labels.

Each function gets the folder of a clone and one to work in. Indigo3Suite's programs are those that
its `generate_all_codes.py CUDA` makes once codeGen/configure.txt says `bug: {all}` and
`dataType: {IntType}`; of the thousands with at most one bug, evenly spaced ones of each algorithm
and bug. faial's examples (https://gitlab.com/umb-svl/faial, examples/drf) are kernels alone: a
main() for each is made here, with one warp and small numbers where the file says nothing else.
"""

import random
import re
import struct
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

# ESBMC-GPU's way to launch a kernel, with other names where C has no overloads.
CALL_KERNEL = """#pragma once
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#define LAUNCH(kernel, grid, block, ...) \\
    do { kernel<<<grid, block>>>(__VA_ARGS__); cudaDeviceSynchronize(); } while (0)
"""
# What the programs of that suite use of a header of CUDA before 5.
CUTIL = """#pragma once
#define CUDA_SAFE_CALL(call) call
#define CUT_SAFE_CALL(call) call
#define CUT_CHECK_ERROR(message)
#define CUT_EXIT(count, arguments) return 0
"""
LAUNCHER = re.compile(r"\bESBMC_verify_kernel\w*")
# What faial's examples ask of a verifier, and functions that they declare alone.
VERIFIER = """#include <assert.h>
#undef __assume
#define __assume(...)
#define __requires(...)
#define __uniform_int(x) 1
"""
# Arguments by their types: arrays alternate 0 and 1, numbers are 4, and an enumeration's is 1.
FAIAL_MAIN = """
#include <type_traits>
#include <vector>
template <class T> struct argument {
    static T made() {
        if constexpr (std::is_enum_v<T>) return T(1);
        else if constexpr (std::is_arithmetic_v<T>) return T(4);
        else return T{};
    }
};
template <class T> struct argument<T *> {
    static T *made() {
        std::vector<int> host(1 << 20);
        for (int i = 0; i < 1 << 20; i++) host[i] = i & 1;
        std::remove_const_t<T> *array;
        cudaMalloc(&array, sizeof(int) << 20);
        cudaMemcpy(array, host.data(), sizeof(int) << 20, cudaMemcpyHostToDevice);
        return array;
    }
};
template <class... A> void call(void (*kernel)(A...)) {
    kernel<<<dim3(GRID), dim3(BLOCK), 4096>>>(argument<A>::made()...);
    cudaDeviceSynchronize();
}
"""
FAIAL_TEST = re.compile(r'^ *"([\w-]+\.cu)", \[(.*)\], (\d);', re.MULTILINE)
DIMENSIONS = re.compile(r"--(block|grid)Dim=\[?([\d,]+)")
DECLARED = re.compile(r"^(?:extern )?(__device__ (?:unsigned int|uint) \w+\(\w*\));", re.MULTILINE)
KERNEL = re.compile(r"(template *<[^>]*>\s*)?__global__\s+void\s+(\w+)\(")
POINTER = re.compile(r"^__device__ (\w+ \*)(\w+);", re.MULTILINE)
# Indigo3's bugs in the words of a label. Others never end, overflow an int, or need 2 ** 26 edges.
INDIGO = dict.fromkeys(["Race", "Sync"], "race") | {"Uninitialized": "unset"}
INDIGO |= dict.fromkeys(["Bounds", "ExcessThreads", "NbrBounds", "NborBounds", "Field"], "memory")
BUG = re.compile(r"_(?!No)(?=[A-Z])([A-Za-z]+)Bug")


@dataclass(frozen=True)
class Labelled:
    """A program, its label ("" where it is right), its options and the arguments it needs."""

    suite: str
    path: Path
    label: str
    options: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


def scor(home: Path, _: Path) -> Iterator[Labelled]:
    """ScoR's micro programs: the name says whether there is a race."""
    for path in sorted((home / "microbenchmarks" / "src").glob("*.cu")):
        yield Labelled("ScoR", path, "race" if path.name.startswith("race") else "")


def ecl(home: Path, work: Path) -> Iterator[Labelled]:
    """ECL-Suite: programs with races that some call benign, and without. They read a graph,
    which is made here: each vertex and some of its successors, in both directions, with weights."""
    graph = work / "graph.egr"
    vertices, source = 400, random.Random(1)
    edges = {(v, (v + source.randint(1, 9)) % vertices) for v in range(vertices) for _ in range(3)}
    edges |= {(b, a) for a, b in edges}
    first = [sum(a < v for a, _ in edges) for v in range(vertices + 1)]
    weights = [1 + (a + b) % 17 for a, b in sorted(edges)]
    numbers = [vertices, len(edges), *first, *(b for _, b in sorted(edges)), *weights]
    graph.write_bytes(struct.pack(f"<{len(numbers)}i", *numbers))
    for path in sorted(home.glob("src/*/**/*.cu")):
        label = "race" if "baseline" in path.parts else ""
        yield Labelled("ECL-Suite", path, label, ("-I", str(home / "library")), (str(graph),))


def esbmc(home: Path, work: Path) -> Iterator[Labelled]:
    """ESBMC-GPU's regression tests, GPUVerify's among them. Their launches are made CUDA's."""
    shared = work / "call"
    shared.mkdir()
    (shared / "call_kernel.h").write_text(CALL_KERNEL)
    (shared / "cutil.h").write_text(CUTIL)
    (shared / "sm_atomic_functions.h").write_text("")  # of CUDA before 5; others declare them
    for described in sorted((home / "regression" / "cuda").glob("**/test.desc")):
        path = described.with_name("main.cu")
        if not path.exists():
            continue
        copy = work / path.relative_to(home)
        copy.parent.mkdir(parents=True)
        copy.write_text(LAUNCHER.sub("LAUNCH", path.read_text(errors="replace")))
        label = _esbmc_label(described.read_text().splitlines()[2:])
        options = ("-I", str(shared), "-include", "call_kernel.h")
        yield Labelled("ESBMC-GPU", copy, label, options)


def _esbmc_label(lines: list[str]) -> str:
    text = " ".join(lines)
    if "FAILED" not in lines[0]:
        return ""
    if "race" in text:
        return "race"
    return "memory" if re.search("NULL|bounds", text) else "other"


def faial(home: Path, work: Path) -> Iterator[Labelled]:
    """faial's own tests for races: within a block, or within the grid if one says so."""
    folder = home / "examples" / "drf"
    tests = FAIAL_TEST.findall((folder / "test.ml").read_text())
    named = {name for name, *_ in tests}
    tests += [(p.name, "", "01"[p.name[:4] == "racy"])
              for p in sorted(folder.glob("*-*.cu")) if p.name not in named]  # fmt: skip
    for number, (name, words, status) in enumerate(tests):
        if status == "2":  # no program
            continue
        options = [word.strip('" ') for word in words.split(";")]
        copy = work / "faial" / str(number) / name
        copy.parent.mkdir(parents=True)
        copy.write_text(_with_main((folder / name).read_text(), options))
        macros = tuple(word for word in options if word.startswith("-D"))
        yield Labelled("faial", copy, "race" if status == "1" else "", macros)


def _with_main(text: str, options: list[str]) -> str:
    """A program that launches the kernel of this text, as these options of faial's say."""
    said = dict(DIMENSIONS.findall(text + " ".join(options)))
    block = _fitting(said.get("block", "32"), "32")
    grid = "2" if "--grid-level" in options else _fitting(said.get("grid", "1"), "1")
    found = KERNEL.search(text)
    assert found is not None
    kernel = found[2] + ("<int>" if found[1] else "")
    set_up = "".join(
        f"{kind}p_{name} = argument<{kind}>::made(); cudaMemcpyToSymbol({name}, &p_{name}, 8); "
        for kind, name in POINTER.findall(text)
    )
    main = FAIAL_MAIN.replace("GRID", grid).replace("BLOCK", block)
    text = VERIFIER + DECLARED.sub(r"\1 { return 0; }", text)
    return f"{text}{main}int main() {{ {set_up}call({kernel}); }}"


def _fitting(sides: str, instead: str) -> str:
    """These sides of a block or a grid; others where they are far larger than a block may be."""
    return sides if int(sides.split(",")[0]) <= 1024 else instead


def indigo(home: Path, _: Path) -> Iterator[Labelled]:
    """Indigo3: algorithms on graphs in many styles, with planted bugs that the names tell."""
    groups: dict[tuple[str, str], list[Path]] = defaultdict(list)
    for path in sorted((home / "generatedCodes" / "CUDA").glob("*/*.cu")):
        bugs = BUG.findall(path.stem)
        if len(bugs) <= 1:
            groups[path.parent.name, "".join(bugs)].append(path)
    graph = str(home / "inputs" / "undirect2dim_rand_torus_100n_400e.egr")
    for (_algorithm, bug), paths in groups.items():
        label = INDIGO.get(bug, "other") if bug else ""
        if label != "other":
            some = paths[:: -(-len(paths) // (3 if bug else 6))]
            include = ("-I", str(home / "lib"))
            yield from (Labelled("Indigo3", p, label, include, (graph, "1", "0")) for p in some)


SUITES: dict[str, Callable[[Path, Path], Iterator[Labelled]]] = {
    "ScoR": scor, "ECL-Suite": ecl, "esbmc-gpu": esbmc, "faial": faial, "Indigo3Suite": indigo,
}  # fmt: skip
