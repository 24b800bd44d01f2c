"""Rewrites CUDA C so that g++ can compile it against the simulator's cuda_runtime.h.

    rewrite.py [--shown NAME] IN.cu -o OUT.cpp

A launch, a __shared__ variable and a __constant__ or __device__ one are not C++. They are found by
parsing, not by searching text. Every edit stays on its own line and the output begins with #line,
so compilers and findings name the student's own file and line. What the simulator does not have is
refused by name: NAME:LINE:COLUMN: error: ..., and exit status 1.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

INCLUDE = Path(__file__).resolve().parent / "include"
LIBRARIES = re.compile(
    r"[<\"](thrust/|cub/|cuda/|cublas|curand|cufft|cudnn|cusparse|cusolver|npp|nvrtc|nvtx|mma\.h|"
    r"cooperative_groups|cuda_fp16|cuda_bf16|cuda_fp8|cuda\.h|cuda_texture|texture_|surface_)"
)
ELSEWHERE = "the simulator does not have it; --backend gpu, on a machine with a GPU, does"
MEMORY_SPACES = ("__shared__", "__constant__", "__device__", "__managed__")


class Refusal(Exception):  # noqa: N818 - it is one
    """Something that cannot be run here, at a node of the source."""

    def __init__(self, node: Node, message: str) -> None:
        super().__init__(message)
        self.node = node


@dataclass(frozen=True)
class Edit:
    """Replace the bytes start..end by `text`, which holds as many line ends as they do."""

    start: int
    end: int
    text: str


def text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def descend(node: Node) -> Iterator[Node]:
    """`node` and all below it in the order of the text; a loop, since nesting may be deep."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(here.children))


def known_names() -> frozenset[str]:
    """Every identifier in our own headers: what a program may use of CUDA."""
    headers = "".join(header.read_text() for header in sorted(INCLUDE.glob("*.h")))
    return frozenset(re.findall(r"[A-Za-z_]\w*", headers))


class Rewriter:
    """Collects the edits of one file."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.edits: list[Edit] = []
        self.root = Parser(Language(tree_sitter_cuda.language())).parse(source).root_node
        self.known = known_names()
        self.nodes = list(descend(self.root))
        self.templates = {
            text(name)
            for node in self.nodes
            if node.type == "template_declaration"
            for name in self._declared(node)
        }
        self.own = {text(name) for name in self._declared(self.root)} | {
            text(name)
            for node in self.nodes
            if node.type in ("preproc_function_def", "preproc_def")
            and (name := node.child_by_field_name("name")) is not None
        }

    def _declared(self, node: Node) -> Iterator[Node]:
        """The names of the functions that are declared below a node."""
        for below in descend(node):
            if below.type == "function_declarator":
                name = below.child_by_field_name("declarator")
                if name is not None:
                    yield name

    def rewrite(self, shown: str) -> bytes:
        """The whole file as C++. Raises Refusal."""
        for node in self.nodes:
            if node.type == "kernel_call_syntax":
                self._launch(node)
            elif node.type == "declaration":
                self._variable(node)
            elif node.type == "preproc_include":
                path = node.child_by_field_name("path")
                if path is not None and LIBRARIES.match(text(path)):
                    raise Refusal(node, f"#include {text(path)}: {ELSEWHERE}")
            elif node.type in ("preproc_function_def", "preproc_def"):
                value = node.child_by_field_name("value")
                if value is not None and "<<<" in text(value):
                    raise Refusal(
                        node, "a kernel launch inside a #define: write it as a function instead"
                    )
            elif node.type == "gnu_asm_expression":
                raise Refusal(node, f"inline PTX (asm): {ELSEWHERE}")
            elif node.type in ("identifier", "type_identifier"):
                self._name(node)
        return self._apply(shown)

    def _apply(self, shown: str) -> bytes:
        # nvcc includes its header in every .cu file, asked or not.
        out = [f'#include <cuda_runtime.h>\n#line 1 "{shown}"\n'.encode()]
        at = 0
        for edit in sorted(self.edits, key=lambda e: (e.start, e.end)):
            out += [self.source[at : edit.start], edit.text.encode()]
            at = edit.end
        return b"".join([*out, self.source[at:]])

    def _name(self, node: Node) -> None:
        """Refuses CUDA's names that our headers do not have."""
        name = text(node)
        if name in self.known or name in self.own:
            return
        called = node.parent is not None and node.parent.type == "call_expression"
        runtime = re.fullmatch(r"cuda[A-Z]\w*", name) and not self._is_declared_here(name)
        intrinsic = called and re.fullmatch(r"__(?!builtin_|sync_|atomic_)[a-z]\w*", name)
        if runtime or intrinsic or name in ("texture", "surface", "__managed__"):
            raise Refusal(node, f"{name}: {ELSEWHERE}")

    def _is_declared_here(self, name: str) -> bool:
        """A variable of the program's own, such as a local `cudaStatus`."""
        return any(
            node.type in ("identifier", "type_identifier")
            and text(node) == name
            and node.parent is not None
            and "declarat" in node.parent.type
            for node in self.nodes
        )

    def _launch(self, syntax: Node) -> None:
        """k<<<c>>>(a)  ->  sim_kernel(k, "k", __FILE__, __LINE__).on(c)(a)"""
        call = syntax.parent
        kernel = call.child_by_field_name("function") if call is not None else None
        if kernel is None:
            raise Refusal(syntax, "this kernel launch could not be understood")
        if self._in_device_code(syntax):
            raise Refusal(syntax, f"a kernel that launches a kernel: {ELSEWHERE}")
        configuration = [c for c in syntax.named_children if c.type != "comment"]
        if not 2 <= len(configuration) <= 4:
            raise Refusal(syntax, "a launch takes <<<grid, block>>> and at most two values more")
        name = " ".join(text(kernel).split()).replace('"', "'").replace("\\", "")
        bare = name.split("<")[0].split("::")[-1].strip()
        end = f', "{name}", __FILE__, __LINE__).on('
        if bare in self.templates and kernel.type != "template_function":
            begin = "sim_any_kernel([&](auto... sim_a) { "
            end = f"(sim_a...); }}{end}"
        else:
            begin = "sim_kernel("
        self.edits.append(Edit(kernel.start_byte, kernel.start_byte, begin))
        self.edits.append(Edit(syntax.start_byte, syntax.start_byte + 3, end))
        self.edits.append(Edit(syntax.end_byte - 3, syntax.end_byte, ")"))

    def _in_device_code(self, node: Node) -> bool:
        at = node.parent
        while at is not None:
            if at.type == "function_definition":
                head = text(at).split("{", 1)[0]
                return "__global__" in head or ("__device__" in head and "__host__" not in head)
            at = at.parent
        return False

    def _variable(self, node: Node) -> None:
        """A declaration with a memory space."""
        kinds = ("type_qualifier", "storage_class_specifier", *MEMORY_SPACES)
        words = {text(c): c for c in node.children if c.type in kinds}
        space = next((s for s in MEMORY_SPACES if s in words), None)
        declarators = node.children_by_field_name("declarator")
        functions = any(n.type == "function_declarator" for d in declarators for n in descend(d))
        if space is None or functions:
            return
        if space == "__managed__":
            raise Refusal(words[space], f"__managed__: {ELSEWHERE}")
        if space != "__shared__":
            self._in_section(space, words)
        elif "extern" in words:
            self._dynamic_shared(node, declarators)
        else:
            self._static_shared(node, words, declarators)

    def _in_section(self, space: str, words: dict[str, Node]) -> None:
        """Known bounds, and no `const`: the runtime writes what the program only reads."""
        section = "SIM_CONSTANT" if space == "__constant__" else "SIM_DEVICE"
        self.edits.append(Edit(words[space].start_byte, words[space].end_byte, section))
        for word in ("const", "constexpr"):
            if word in words:
                self.edits.append(Edit(words[word].start_byte, words[word].end_byte, ""))

    def _identifier(self, declarator: Node) -> Node:
        for node in descend(declarator):
            if node.type == "identifier":
                return node
        raise Refusal(declarator, "this __shared__ variable could not be understood")

    def _dynamic_shared(self, node: Node, declarators: list[Node]) -> None:
        """extern __shared__ T name[];  ->  T *const name = (T *)sim_dynamic_shared();"""
        if len(declarators) != 1 or declarators[0].type != "array_declarator":
            raise Refusal(node, "extern __shared__ declares one array without a size: T name[]")
        name = text(self._identifier(declarators[0]))
        kind = " ".join(
            text(c)
            for c in node.children
            if c.end_byte <= declarators[0].start_byte
            and text(c) not in ("extern", "__shared__", "static")
        )
        kind = re.sub(r"__align__\s*\([^)]*\)|alignas\s*\([^)]*\)", "", kind)
        lines = "\n" * text(node).count("\n")
        if node.parent is not None and node.parent.type == "translation_unit":
            line = node.end_point[0] + 1
            new = f"\n#define {name} (({kind} *)sim_dynamic_shared())\n#line {line}\n"
        else:
            new = f"{kind} *const {name} = ({kind} *)sim_dynamic_shared();{lines}"
        self.edits.append(Edit(node.start_byte, node.end_byte, new))

    def _static_shared(self, node: Node, words: dict[str, Node], declarators: list[Node]) -> None:
        """__shared__ T a[N], b;  ->  typedef T a_type[N], b_type; and a reference for each."""
        for word in ("__shared__", "static"):
            if word in words:
                new = "typedef" if word == "__shared__" else ""
                self.edits.append(Edit(words[word].start_byte, words[word].end_byte, new))
        bound = ""
        for declarator in declarators:
            if declarator.type == "init_declarator":
                raise Refusal(declarator, "a __shared__ variable cannot have an initial value")
            name = self._identifier(declarator)
            self.edits.append(Edit(name.end_byte, name.end_byte, "_sim_type"))
            it = text(name)
            bound += (
                f" struct {it}_sim_tag; {it}_sim_type &{it} = sim_shared_variable<{it}_sim_tag, "
                f'{it}_sim_type>("{it}", __FILE__, {name.start_point[0] + 1});'
            )
        self.edits.append(Edit(node.end_byte, node.end_byte, bound))


def main() -> int:
    parser = argparse.ArgumentParser(description="CUDA C to C++ for the simulator.")
    parser.add_argument("--shown", help="the file's name in messages")
    parser.add_argument("-o", dest="output", required=True, type=Path)
    parser.add_argument("input", type=Path)
    options = parser.parse_args()
    shown = options.shown or str(options.input)
    try:
        source = options.input.read_bytes()
        options.output.write_bytes(Rewriter(source).rewrite(shown))
    except Refusal as refusal:
        row, column = refusal.node.start_point
        print(f"{shown}:{row + 1}:{column + 1}: error: {refusal}", file=sys.stderr)
        return 1
    except OSError as problem:
        print(f"{shown}: {problem.strerror}: {problem.filename}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
