"""Rewrites CUDA C so that g++ can compile it against the simulator's cuda_runtime.h.

    rewrite.py [--shown NAME] [-I DIR]... IN.cu -o OUT.cpp

Three constructs are no C++: a launch, a __shared__ variable, a __constant__ or __device__ variable.
Candidates are found by their spelling, and the syntax tree says what they are. Every edit stays on
its own line and the output names the input by #line, so that compilers and findings show the
student's own file and line. What the simulator does not have is refused by name, as g++ would say
it: NAME:LINE:COLUMN: error: MESSAGE, exit 1.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

INCLUDE = Path(__file__).resolve().parent / "include"
ELSEWHERE = "the simulator does not have it; on a machine with a GPU, --backend gpu does"
LIBRARY = re.compile(
    r"(thrust|cub|cuda|nv|cutlass)/|cooperative_groups|cu(blas|rand|fft|dnn|sparse|solver)|npp|nvrtc"
    r"|cuda_(fp\d|bf16|pipeline|awbarrier|profiler|gl_|texture)|mma\.h|cuda\.h|texture_|surface_"
)
CANDIDATE = re.compile(
    rb"<<<|\b(?:cuda[A-Z]\w*|__[a-z]\w*|asm|texture|surface|(?:tex|surf)[123]D\w*)\b"
    rb"|^[ \t]*#[ \t]*include\b",
    re.MULTILINE,
)
SPACES = ("__shared__", "__constant__", "__device__", "__managed__")
TEXT = ("comment", "string_content", "string_literal", "char_literal", "raw_string_literal",
        "raw_string_content", "system_lib_string", "preproc_directive")  # fmt: skip
MADE = ("declaration", "function_definition")
NAMED_BY = ("init_declarator", "pointer_declarator", "array_declarator", "function_declarator",
            "reference_declarator", "parameter_declaration", "optional_parameter_declaration",
            "preproc_def", "preproc_function_def", "enumerator", "struct_specifier",
            "class_specifier", "enum_specifier", "alias_declaration")  # fmt: skip


class Refusal(Exception):  # noqa: N818 - what it is
    """Something that the simulator cannot run, and where it stands."""

    def __init__(self, node: Node, message: str) -> None:
        super().__init__(message)
        self.node = node


@dataclass(frozen=True)
class Edit:
    """Replaces the bytes start..end by `text`."""

    start: int
    end: int
    text: str


def text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def below(node: Node) -> Iterator[Node]:
    """Every node of a (small) tree, in the order of the text."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(here.children))


def words(source: str) -> set[str]:
    """The identifiers of a C file, its comments left out."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", " ", source, flags=re.DOTALL)
    return set(re.findall(r"[A-Za-z_]\w*", code))


def on_one_line(node: Node) -> str:
    """The text of an expression without comments and line ends."""
    code = bytearray(node.text or b"")
    for part in below(node):
        if part.type == "comment":
            for i in range(part.start_byte - node.start_byte, part.end_byte - node.start_byte):
                code[i] = ord(" ")
    return " ".join(code.decode(errors="replace").replace("\\\n", " ").split())


@dataclass
class Rewriter:
    """One file: `rewrite()` gives it as C++, or raises Refusal."""

    source: bytes
    shown: str
    folders: list[Path] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)

    def __post_init__(self) -> None:
        # The grammar does not know __align__(n), which is written like alignas(n).
        understood = self.source.replace(b"__align__", b"alignas  ")
        parser = Parser(Language(tree_sitter_cuda.language()))
        self.root = parser.parse(understood).root_node
        headers = "\n".join(header.read_text() for header in sorted(INCLUDE.glob("*.h")))
        self.known = words(headers)
        self.functions = set(re.findall(r"SIM_API(?:_VOID)?\((cuda\w+)", headers))
        self.own, self.sees_all = self._local_names(self.source.decode(errors="replace"), set())

    def _local_names(self, code: str, seen: set[Path]) -> tuple[set[str], bool]:
        """The words of the headers of the program's own, and whether all of them were found."""
        names: set[str] = set()
        complete = True
        for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', code, re.MULTILINE):
            path = next((d / name for d in self.folders if (d / name).is_file()), None)
            if path is None:
                complete = complete and (INCLUDE / name).is_file()
            elif path not in seen:
                seen.add(path)
                header = path.read_text(errors="replace")
                more, all_found = self._local_names(header, seen)
                names |= words(header) | more
                complete = complete and all_found
        return names, complete

    # ---- finding

    def rewrite(self) -> bytes:
        self._launches_of_templates()
        for match in CANDIDATE.finditer(self.source):
            node = self.root.descendant_for_byte_range(match.start(), match.end())
            if node is None or node.type in TEXT:
                continue
            word = match.group().decode()
            if word == "<<<":
                self._launch(node)
            elif word.lstrip().startswith("#"):
                self._include(node)
            elif word in SPACES:
                self._variable(node, word)
            else:
                self._name(node, word)
        # nvcc includes its header in every .cu file, asked or not.
        shown = self.shown.replace("\\", "\\\\").replace('"', '\\"')
        out = [f'#include <cuda_runtime.h>\n#line 1 "{shown}"\n'.encode()]
        at = 0
        for edit in sorted(self.edits, key=lambda e: (e.start, e.end)):  # stable
            out += [self.source[at : edit.start], edit.text.encode()]
            at = edit.end
        return b"".join([*out, self.source[at:]])

    def _above(self, node: Node) -> list[Node]:
        """The nodes that contain `node`, the innermost first."""
        path: list[Node] = []
        here: Node | None = self.root
        while here is not None and here != node:
            path.append(here)
            here = here.child_with_descendant(node)
        return path[::-1]

    def _function(self, node: Node) -> tuple[Node, str] | None:
        """The innermost function around `node` and the text before its body."""
        for at in self._above(node):
            body = at.child_by_field_name("body")
            if at.type == "function_definition" and body is not None:
                head = self.source[at.start_byte : body.start_byte].decode(errors="replace")
                return at, head
        return None

    def _insert(self, at: int, new: str) -> None:
        self.edits.append(Edit(at, at, new))

    def _replace(self, node: Node, new: str) -> None:
        self.edits.append(Edit(node.start_byte, node.end_byte, new))

    # ---- what the simulator does not have

    def _include(self, node: Node) -> None:
        for at in [node, *self._above(node)]:
            path = at.child_by_field_name("path") if at.type == "preproc_include" else None
            name = text(path).strip('<>"') if path is not None else ""
            if LIBRARY.match(name) and not (INCLUDE / name).is_file():
                raise Refusal(at, f"#include <{name}>: {ELSEWHERE}")

    def _name(self, node: Node, word: str) -> None:
        if node.type == "preproc_arg":
            return  # a macro's body is text: g++ sees what becomes of it
        parent = node.parent
        if word in ("asm", "__asm__", "__asm"):
            if any(at.type == "gnu_asm_expression" for at in self._above(node)):
                raise Refusal(node, f"inline PTX (asm): {ELSEWHERE}")
            return
        if word in self.functions and parent is not None:
            if node.type == "identifier" and parent.type not in ("call_expression", *NAMED_BY):
                self._replace(node, f"sim_c_{word}")  # the function itself, as C has it
            return
        is_name = node.type in ("identifier", "type_identifier") and text(node) == word
        if not is_name or word in self.known or word in self.own or parent is None:
            return
        callee = parent.child_by_field_name("function") if "call" in parent.type else None
        template = parent.type in ("template_type", "template_function")
        if word.startswith("__"):
            wanted = callee == node and not re.match(r"__(builtin|sync|atomic)_", word)
        elif word.startswith("cuda"):
            wanted = True
        else:
            wanted = template or callee == node
        if wanted and self.sees_all and not self._is_named_here(word):
            raise Refusal(node, f"{word}: {ELSEWHERE}")

    def _is_named_here(self, word: str) -> bool:
        """Does the file itself declare or define this name?"""
        for match in re.finditer(rb"\b%s\b" % word.encode(), self.source):
            node = self.root.descendant_for_byte_range(match.start(), match.end())
            parent = node.parent if node is not None else None
            if node is None or parent is None:
                continue
            by_declaration = parent.type == "declaration" and node.type == "identifier"
            if by_declaration or (parent.type in NAMED_BY and node.type != "preproc_arg"):
                value = parent.child_by_field_name("value")
                kind = parent.child_by_field_name("type")
                if node not in (value, kind):
                    return True
        return False

    # ---- launches

    def _launches_of_templates(self) -> None:
        """How many template arguments each kernel needs, and which kernels share a name."""
        self.template_arguments: dict[str, int] = {}
        self.overloads: dict[str, set[str]] = {}
        for match in re.finditer(rb"\b__global__\b", self.source):
            node = self.root.descendant_for_byte_range(match.start(), match.end())
            if node is None or node.type in (*TEXT, "preproc_arg"):
                continue
            above = self._above(node)
            made = next((n for n in above if n.type in MADE), None)
            if made is None:
                continue
            declarator = next((n for n in below(made) if n.type == "function_declarator"), None)
            if declarator is None:
                continue
            name = declarator.child_by_field_name("declarator")
            kernel = text(name).split("::")[-1] if name is not None else ""
            if made.type == "function_definition":
                self.overloads.setdefault(kernel, set()).add(text(declarator))
            outer = above[above.index(made) + 1 : above.index(made) + 2]
            if outer and outer[0].type == "template_declaration":
                parameters = outer[0].child_by_field_name("parameters")
                named = parameters.named_children if parameters is not None else []
                needed = sum(not n.type.startswith("optional_") for n in named)
                self.template_arguments[kernel] = max(
                    needed, self.template_arguments.get(kernel, 0)
                )

    def _launch(self, token: Node) -> None:
        """k<<<c>>>(a)  ->  ((void)sizeof((k(a), 0)), sim_kernel(FILE, LINE, "k", k).on(c)(a))"""
        if token.type == "preproc_arg":
            raise Refusal(token, "a kernel launch inside a #define: write it as a function instead")
        syntax = token.parent
        call = syntax.parent if syntax is not None else None
        kernel = call.child_by_field_name("function") if call is not None else None
        arguments = call.child_by_field_name("arguments") if call is not None else None
        if (syntax is None or call is None or kernel is None or arguments is None
                or syntax.type != "kernel_call_syntax" or call.has_error):  # fmt: skip
            raise Refusal(
                token,
                "this kernel launch could not be understood: it should read "
                "kernel<<<grid, block>>>(arguments); is a parenthesis missing?",
            )
        inside = self._function(call)
        if inside and ("__global__" in inside[1] or
                       ("__device__" in inside[1] and "__host__" not in inside[1])):  # fmt: skip
            raise Refusal(call, f"a kernel that launches a kernel: {ELSEWHERE}")
        configuration = [c for c in syntax.named_children if c.type != "comment"]
        if not 2 <= len(configuration) <= 4:
            raise Refusal(syntax, "a launch takes <<<grid, block>>> and at most two values more")
        name = on_one_line(kernel).replace("\\", "\\\\").replace('"', '\\"')
        plain = name.split("<")[0].split("::")[-1].strip() if "(" not in name else name
        where = f'__FILE__, {kernel.start_point[0] + 1}, "{plain}", '
        if self._chosen_by_arguments(kernel, plain):
            once = on_one_line(kernel)
            begin = f"(sim_generic_kernel({where}[&](auto... sim_a) {{ {once}(sim_a...); }}).on("
            self.edits.append(Edit(kernel.start_byte, kernel.start_byte, begin))
            self.edits.append(Edit(kernel.start_byte, syntax.start_byte + 3,
                                   "\n" * text(kernel).count("\n")))  # fmt: skip
        else:
            self._insert(kernel.start_byte, f"({self._fits(kernel, arguments)}sim_kernel({where}")
            self.edits.append(Edit(syntax.start_byte, syntax.start_byte + 3, ").on("))
        self.edits.append(Edit(syntax.end_byte - 3, syntax.end_byte, ")"))
        self._insert(call.end_byte, ")")

    def _fits(self, kernel: Node, arguments: Node) -> str:
        """A call that is never made, for g++ to complain about in the kernel's own name."""
        unfit = ("lambda_expression", "raw_string_literal", "compound_statement")
        if any(n.type in unfit or n.type.startswith("preproc") for n in below(arguments)):
            return ""
        return f"(void)sizeof(({on_one_line(kernel)}{on_one_line(arguments)}, 0)), "

    def _chosen_by_arguments(self, kernel: Node, plain: str) -> bool:
        """Is the kernel's name not enough to say which one is meant?"""
        given = next((n for n in below(kernel) if n.type == "template_argument_list"), None)
        count = len(given.named_children) if given is not None else 0
        if count < self.template_arguments.get(plain, 0):
            return True
        return given is None and len(self.overloads.get(plain, ())) > 1

    # ---- variables in a memory space

    def _variable(self, node: Node, space: str) -> None:
        if node.type == "preproc_arg":
            if space in ("__shared__", "__constant__"):
                raise Refusal(node, f"{space} inside a #define: write the declaration out")
            return
        if space == "__managed__":
            raise Refusal(node, f"__managed__: {ELSEWHERE}")
        above = self._above(node)
        made = next((n for n in above if n.type in MADE), None)
        if made is None or made.type == "function_definition":
            if space != "__device__":
                raise Refusal(node, f"this {space} variable could not be understood")
            return
        declarators = made.children_by_field_name("declarator")
        if any(n.type == "function_declarator" for d in declarators for n in below(d)):
            return
        marks = {text(c): c for c in made.children if "specifier" in c.type or "qual" in c.type
                 or c.type in SPACES}  # fmt: skip
        if space == "__shared__":
            self._shared(made, marks, declarators)
        elif "constexpr" in marks or (space == "__device__" and "__constant__" in marks):
            self._replace(node, "")
        else:
            self._in_section(node, space, made, marks, declarators)

    def _declared(self, declarator: Node) -> Node:
        if declarator.type == "init_declarator":
            declarator = declarator.children[0]
        for node in below(declarator):
            if node.type == "identifier":
                return node
        raise Refusal(declarator, "this variable could not be understood")

    def _in_section(self, node: Node, space: str, made: Node, marks: dict[str, Node],
                    declarators: list[Node]) -> None:  # fmt: skip
        """Known bounds, and no `const`: the runtime writes what the program only reads."""
        shapes = {n.type for d in declarators for n in below(d) if n.type.endswith("_declarator")}
        if "const" in marks and "pointer_declarator" not in shapes:
            if space == "__device__" and "array_declarator" not in shapes:
                return  # a constant expression, for all that the program does with it
            self._replace(marks["const"], "")
        if "extern" in marks:
            self._replace(node, "")
            return
        self._replace(node, "SIM_CONSTANT" if space == "__constant__" else "SIM_DEVICE")
        if space == "__constant__":
            for declarator in declarators:
                size = f"sizeof({text(self._declared(declarator))}) <= 65536"
                why = "a device has 65536 bytes of __constant__ memory"
                self._insert(made.end_byte, f' static_assert({size}, "{why}");')

    def _shared(self, made: Node, marks: dict[str, Node], declarators: list[Node]) -> None:
        """__shared__ T a[N], b;  ->  typedef T a_sim_type[N], b_sim_type; and a reference each."""
        align = "16"
        for word, mark in marks.items():
            aligned = re.search(r"align(?:as|ed)\s*\((.*)\)", word, re.DOTALL)
            aligned = re.match(r"([^()]*)", aligned[1]) if aligned and "((" in word else aligned
            if "__shared__" in word:
                self._replace(mark, "typedef")
            elif aligned or word in ("static", "extern"):
                self._replace(mark, "\n" * word.count("\n"))
            if aligned:
                align = aligned[1].strip()
        scope = next((n for n in self._above(made) if n.type == "compound_statement"), None)
        for declarator in declarators:
            if declarator.type == "init_declarator":
                raise Refusal(declarator, "a __shared__ variable cannot have an initial value")
            name = self._declared(declarator)
            it, kind = text(name), f"{text(name)}_sim_type"
            self._insert(name.end_byte, "_sim_type")
            if "extern" in marks:
                bound = f" {kind} &{it} = *({kind} *)sim_dynamic_shared();"
            else:
                self._insert(made.end_byte, f" struct {it}_sim_tag;")
                bound = (
                    f" {kind} &{it} = sim_shared<{it}_sim_tag, {kind}>"
                    f'("{it}", __FILE__, {name.start_point[0] + 1}, {align});'
                )
            if scope is not None:
                self._insert(made.end_byte, bound)
            else:
                self._bind_where_used(name, bound)

    def _bind_where_used(self, declared: Node, bound: str) -> None:
        """A __shared__ variable at file scope: each function that uses it binds it by itself."""
        functions: dict[int, Node] = {}
        hidden: set[int] = set()
        for match in re.finditer(rb"\b%s\b" % text(declared).encode(), self.source):
            node = self.root.descendant_for_byte_range(match.start(), match.end())
            inside = self._function(node) if node is not None and node != declared else None
            if node is None or inside is None or node.type != "identifier":
                continue
            function, head = inside
            parent = node.parent
            declares = parent is not None and parent.type in (*NAMED_BY, "declaration")
            if declares and parent is not None and parent.child_by_field_name("value") != node:
                hidden.add(function.id)
            if "__global__" in head or "__device__" in head:
                functions[function.id] = function
        for number, function in functions.items():
            body = function.child_by_field_name("body")
            if body is not None and number not in hidden:
                self._insert(body.start_byte + 1, bound)


def main() -> int:
    parser = argparse.ArgumentParser(description="CUDA C to C++ for the simulator.")
    parser.add_argument("--shown", help="the file's name in messages")
    parser.add_argument("-I", dest="folders", action="append", default=[], type=Path,
                        help="where the program's own headers are")  # fmt: skip
    parser.add_argument("-o", dest="output", required=True, type=Path)
    parser.add_argument("input", type=Path)
    options = parser.parse_args()
    shown = options.shown or str(options.input)
    try:
        source = options.input.read_bytes()
        folders = [options.input.parent, *options.folders]
        options.output.write_bytes(Rewriter(source, shown, folders).rewrite())
    except Refusal as refusal:
        row, column = refusal.node.start_point
        print(f"{shown}:{row + 1}:{column + 1}: error: {refusal}", file=sys.stderr)
        return 1
    except OSError as problem:
        print(f"{shown}: {problem.strerror}: {problem.filename}", file=sys.stderr)
        return 1
    except ValueError as problem:  # the grammar was built for another tree-sitter
        print(f"rewrite.py: tree-sitter and tree-sitter-cuda do not fit together ({problem}); "
              "./grade setup installs the ones that do", file=sys.stderr)  # fmt: skip
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
