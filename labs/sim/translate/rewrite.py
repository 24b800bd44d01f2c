"""Rewrites CUDA C so that g++ can compile it against the simulator's cuda_runtime.h.

    rewrite.py [--traced] [--shown NAME] [-I DIR]... IN.cu -o OUT.cpp

Three constructs are not C++: a launch, a __shared__ variable, and a __constant__ or __device__
variable. A regular expression finds candidates, and the syntax tree decides what they are. Every
edit stays on its line and the output names the input by #line, so that compilers and findings show
the student's own file and line. What the simulator does not support is refused by name, in the
format of g++: NAME:LINE:COLUMN: error: MESSAGE, with exit status 1.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from control_marks import marks
from known_names import INCLUDE, cuda_words, local_words
from macro_launches import UNCLEAR, launches
from syntax_tree import Refusal, Source, below, on_one_line, text
from tree_sitter import Node
from unchecked_calls import is_unchecked

ELSEWHERE = "the simulator does not support it; on a machine with a GPU, use --backend gpu"
LIBRARY = re.compile(
    r"(thrust|cub|cuda|nv|cutlass)/|cooperative_groups|cu(blas|rand|fft|dnn|sparse|solver)|npp|nvrtc"
    r"|cuda_(fp\d|bf16|pipeline|awbarrier|profiler|gl_|texture)|mma\.h|texture_|surface_|cuComplex"
    r"|device_\w+_functions|math_functions|host_defines|builtin_types|sm_\d+_|cupti|nccl"
)
CANDIDATE = (
    rb"<<<|\b(?:cu(?:da)?[A-Z]\w*|__[a-z]\w*|asm|texture|surface|(?:tex|surf)[123]D\w*"
    rb"|(?:erfc?inv|erfcx|normcdfinv|cyl_bessel_i[01])f?)\b"
    rb"|^[ \t]*#[ \t]*include\b"
)
SPACES = ("__shared__", "__constant__", "__device__", "__managed__")
TEXT = ("comment", "string_content", "string_literal", "char_literal", "raw_string_literal",
        "raw_string_content", "system_lib_string", "preproc_directive")  # fmt: skip
DECLARATIONS = ("declaration", "function_definition")
FILE_SCOPE = ("translation_unit", "namespace_definition", "declaration_list", "preproc_if",
              "preproc_ifdef", "preproc_else", "linkage_specification")  # fmt: skip
# Types whose variables are zero unless they have an initial value.
PLAIN_TYPE = re.compile(
    r"(u?(char|short|int|long|longlong)|float|double)[1-4]|u?int(8|16|32|64)_t|size_t"
)
ERROR_QUERIES = ("cudaGetLastError", "cudaPeekAtLastError")
NAMED_BY = ("init_declarator", "pointer_declarator", "array_declarator", "function_declarator",
            "reference_declarator", "parameter_declaration", "optional_parameter_declaration",
            "preproc_def", "preproc_function_def", "enumerator", "struct_specifier",
            "class_specifier", "enum_specifier", "alias_declaration",
            "type_definition")  # fmt: skip


@dataclass
class Rewriter(Source):
    """One file: `rewrite()` returns it as C++, or raises Refusal."""

    folders: list[Path]  # searched for #include "...", the file's own folder first
    output: Path
    headers: dict[Path, Path] = field(
        default_factory=dict
    )  # the program's own headers, and the files that g++ reads instead
    is_traced: bool = False  # mark the control flow of device functions
    is_moved: bool = True  # the output stands for the file, in another folder
    included: list[tuple[Node, Path]] = field(default_factory=list)
    macros: set[int] = field(default_factory=set)  # ids of bodies whose launches are rewritten

    def __post_init__(self) -> None:
        super().__post_init__()
        self.known, self.functions = cuda_words()
        self.own, self.sees_all = local_words(self.source.decode(errors="replace"), self.folders)

    # ---- candidates

    def rewrite(self) -> bytes:
        self._kernels()
        self._addresses()
        for node, word in self.find(CANDIDATE):
            if node.type in TEXT:
                continue
            if word == "<<<":
                (self._macro if node.type == "preproc_arg" else self._launch)(node)
            elif word.lstrip().startswith("#"):
                self._include(node)
            elif word in SPACES:
                self._variable(node, word)
            else:
                self._name(node, word)
        for at, mark in marks(self.understood) if self.is_traced else ():
            self.insert(at, mark)
        copied = any(header not in self.headers for _, header in self.included)
        if self.is_moved or self.edits or copied:
            for node, header in self.included:
                self.replace(node, f'"{header}"')
        shown = self.shown.replace("\\", "\\\\").replace('"', '\\"')
        return f'#line 1 "{shown}"\n'.encode() + self.edited()

    # ---- what the simulator does not support

    def _include(self, token: Node) -> None:
        nodes = (token, *self.above(token))
        include = next((n for n in nodes if n.type == "preproc_include"), None)
        path = include.child_by_field_name("path") if include is not None else None
        if path is None:
            return
        name = text(path).strip('<>"')
        beside = next((d / name for d in self.folders if (d / name).is_file()), None)
        if LIBRARY.match(name) and beside is None and not (INCLUDE / name).is_file():
            raise self.refusal(path, f"#include <{name}>: {ELSEWHERE}")
        if text(path).startswith('"') and beside is not None:
            self.included.append((path, self._header(beside.resolve())))

    def _header(self, path: Path) -> Path:
        """The program's own header, or its rewritten copy beside the output if it contains CUDA."""
        if path not in self.headers:
            self.headers[path] = path
            folders = [path.parent, *self.folders[1:]]
            header = Rewriter(
                path.read_bytes(), str(path), folders, self.output, self.headers,
                self.is_traced, False,
            )  # fmt: skip
            code = header.rewrite()
            if header.edits:
                copy = self.output.resolve().with_suffix(f".{len(self.headers)}.h")
                copy.write_bytes(code)
                self.headers[path] = copy
        return self.headers[path]

    def _name(self, node: Node, word: str) -> None:
        if node.type == "preproc_arg":
            return  # the body of a macro is text: g++ reads its expansion
        parent = node.parent
        if word in ("asm", "__asm__", "__asm"):
            if any(at.type == "gnu_asm_expression" for at in self.above(node)):
                raise self.refusal(node, f"inline PTX (asm): {ELSEWHERE}")
            return
        if word in self.functions and parent is not None:
            if node.type == "identifier" and parent.type not in ("call_expression", *NAMED_BY):
                self.replace(node, f"sim_c_{word}")  # the C function, without its default arguments
            elif (
                parent.type == "call_expression"
                and word not in ERROR_QUERIES
                and is_unchecked(parent)
            ):
                self.insert(parent.start_byte, "sim_unchecked_call(")
                self.insert(parent.end_byte, f', "{word}", __FILE__, {parent.start_point[0] + 1})')
            return
        is_name = node.type in ("identifier", "type_identifier") and text(node) == word
        if not is_name or word in self.known or word in self.own or parent is None:
            return
        callee = parent.child_by_field_name("function") if "call" in parent.type else None
        template = parent.type in ("template_type", "template_function")
        if word.startswith("__"):
            refused = callee == node and not re.match(r"__(builtin|sync|atomic)_", word)
        elif word.startswith("cuda"):
            refused = True
        else:
            refused = template or callee == node
        if refused and self.sees_all and not self._is_named_here(word):
            raise self.refusal(node, f"{word}: {ELSEWHERE}")

    def _is_named_here(self, word: str) -> bool:
        """Does the file itself declare or define this name?"""
        for node in self.find_word(word):
            parent = node.parent
            if parent is None:
                continue
            by_declaration = parent.type == "declaration" and node.type == "identifier"
            if by_declaration or (parent.type in NAMED_BY and node.type != "preproc_arg"):
                value = parent.child_by_field_name("value")
                kind = parent.child_by_field_name("type")
                if node not in (value, kind):
                    return True
        return False

    # ---- launches

    def _kernels(self) -> None:
        """Counts the template arguments that each kernel needs, and the kernels of each name."""
        self.template_arguments: dict[str, int] = {}
        self.overloads: dict[str, set[str]] = {}
        for node in self.find_word("__global__"):
            if node.type in (*TEXT, "preproc_arg"):
                continue
            above = self.above(node)
            declaration = next((n for n in above if n.type in DECLARATIONS), None)
            if declaration is None:
                continue
            declarator = next(
                (n for n in below(declaration) if n.type == "function_declarator"), None
            )
            if declarator is None:
                continue
            name = declarator.child_by_field_name("declarator")
            kernel = text(name).split("::")[-1] if name is not None else ""
            if declaration.type == "function_definition":
                self.overloads.setdefault(kernel, set()).add(text(declarator))
            outer = above[above.index(declaration) + 1 : above.index(declaration) + 2]
            if outer and outer[0].type == "template_declaration":
                parameters = outer[0].child_by_field_name("parameters")
                named = parameters.named_children if parameters is not None else []
                needed = sum(not n.type.startswith("optional_") for n in named)
                self.template_arguments[kernel] = max(
                    needed, self.template_arguments.get(kernel, 0)
                )

    def _addresses(self) -> None:
        """(void *)k  ->  (void *)sim_kernel_address("k", k): the runtime can launch it from then on"""
        for kernel in self.overloads:
            for node in self.find_word(kernel):
                cast = next((n for n in self.above(node) if n.type == "cast_expression"), None)
                value = cast.child_by_field_name("value") if cast is not None else None
                kind = cast.child_by_field_name("type") if cast is not None else None
                if node.type in TEXT or cast is None or value is None or kind is None:
                    continue
                named = text(value).lstrip("&").split("<")[0].split("::")[-1].strip()
                if named == kernel and re.fullmatch(r"(const\s+)?void(\s+const)?\s*\*", text(kind)):
                    self.insert(value.start_byte, f'sim_kernel_address("{kernel}", ')
                    self.insert(value.end_byte, ")")

    def _launch(self, token: Node) -> None:
        """k<<<c>>>(a)  ->  ((void)sizeof((k(a), 0)), sim_kernel(FILE, LINE, "k", k).on(c)(a))"""
        syntax = token.parent
        call = syntax.parent if syntax is not None else None
        kernel = call.child_by_field_name("function") if call is not None else None
        arguments = call.child_by_field_name("arguments") if call is not None else None
        if (syntax is None or call is None or kernel is None or arguments is None
                or syntax.type != "kernel_call_syntax" or call.has_error):  # fmt: skip
            raise self.refusal(
                token,
                "this kernel launch could not be understood: it should read "
                "kernel<<<grid, block>>>(arguments); is a parenthesis missing?",
            )
        inside = self.function(call)
        if inside and ("__global__" in inside[1] or
                       ("__device__" in inside[1] and "__host__" not in inside[1])):  # fmt: skip
            raise self.refusal(call, f"a kernel that launches a kernel: {ELSEWHERE}")
        configuration = [c for c in syntax.named_children if c.type != "comment"]
        if not 2 <= len(configuration) <= 4:
            raise self.refusal(
                syntax, "a launch takes <<<grid, block>>> and at most two more values"
            )
        name = on_one_line(kernel).replace("\\", "\\\\").replace('"', '\\"')
        plain = name.split("<")[0].split("::")[-1].strip() if "(" not in name else name
        where = f'__FILE__, {kernel.start_point[0] + 1}, "{plain}", '
        if self._chosen_by_arguments(kernel, plain):
            once = on_one_line(kernel)
            begin = f"(sim_generic_kernel({where}[&](auto... sim_a) {{ {once}(sim_a...); }}).on("
            lines = "\n" * text(kernel).count("\n")
            self.cut(kernel.start_byte, syntax.start_byte + 3, begin + lines)
        else:
            self.insert(kernel.start_byte, f"({self._fits(kernel, arguments)}sim_kernel({where}")
            self.cut(syntax.start_byte, syntax.start_byte + 3, ").on(")
        self.cut(syntax.end_byte - 3, syntax.end_byte, ")")
        self.insert(call.end_byte, ")")

    def _macro(self, body: Node) -> None:
        """Rewrites the launches in the body of a macro, all at once."""
        if body.id in self.macros or body.parent is None:
            return
        self.macros.add(body.id)
        head = body.parent.child_by_field_name("parameters")
        parameters = re.findall(r"\w+", text(head)) if head is not None else []
        for edits in launches(body.text or b"", parameters):
            if edits is None:
                raise self.refusal(body, UNCLEAR)
            for begin, end, new in edits:
                self.cut(body.start_byte + begin, body.start_byte + end, new)

    def _fits(self, kernel: Node, arguments: Node) -> str:
        """A call in sizeof, never executed: g++ reports wrong arguments with the kernel's name."""
        unfit = ("lambda_expression", "raw_string_literal", "compound_statement")
        if any(n.type in unfit or n.type.startswith("preproc") for n in below(arguments)):
            return ""
        return f"(void)sizeof(({on_one_line(kernel)}{on_one_line(arguments)}, 0)), "

    def _chosen_by_arguments(self, kernel: Node, plain: str) -> bool:
        """Do the arguments select the kernel, because its name alone does not?"""
        listed = next((n for n in below(kernel) if n.type == "template_argument_list"), None)
        count = len(listed.named_children) if listed is not None else 0
        if count < self.template_arguments.get(plain, 0):
            return True
        return listed is None and len(self.overloads.get(plain, ())) > 1

    # ---- variables in a memory space

    def _variable(self, node: Node, space: str) -> None:
        if node.type == "preproc_arg":
            if space in ("__shared__", "__constant__"):
                raise self.refusal(
                    node,
                    f"{space} inside a #define: the simulator does not support it; write it out",
                )
            return
        if space == "__managed__":
            raise self.refusal(node, f"__managed__: {ELSEWHERE}")
        above = self.above(node)
        declaration = next((n for n in above if n.type in DECLARATIONS), None)
        if declaration is None or declaration.type == "function_definition":
            if space != "__device__":
                raise self.refusal(node, f"this {space} variable could not be understood")
            return
        declarators = declaration.children_by_field_name("declarator")
        if any(n.type == "function_declarator" for d in declarators for n in below(d)):
            return
        marks = {
            text(c): c
            for c in declaration.children
            if c.child_by_field_name("body") is None
            and ("specifier" in c.type or "qual" in c.type or c.type in SPACES)
        }
        if space == "__shared__":
            self._shared(declaration, marks, declarators)
        elif "constexpr" in marks or (space == "__device__" and "__constant__" in marks):
            self.replace(node, "")
        else:
            self._in_section(node, space, declaration, marks, declarators)

    def _declared(self, declarator: Node) -> Node:
        if declarator.type == "init_declarator":
            declarator = declarator.children[0]
        for node in below(declarator):
            if node.type == "identifier":
                return node
        raise self.refusal(declarator, "this variable could not be understood")

    def _in_section(self, node: Node, space: str, declaration: Node, marks: dict[str, Node],
                    declarators: list[Node]) -> None:  # fmt: skip
        """Puts it into the section of its space, without `const`: the runtime writes to it."""
        shapes = {n.type for d in declarators for n in below(d) if n.type.endswith("_declarator")}
        if "const" in marks and "pointer_declarator" not in shapes:
            if space == "__device__" and "array_declarator" not in shapes:
                return  # it may serve as a constant expression
            self.replace(marks["const"], "")
        if "extern" in marks:
            self.replace(node, "")
            return
        at_file_scope = all(n.type in FILE_SCOPE for n in self.above(declaration))
        mark = "SIM_CONSTANT" if space == "__constant__" else "SIM_DEVICE"
        if mark == "SIM_DEVICE" and at_file_scope and _is_zero(declaration, marks, declarators):
            mark = "SIM_DEVICE_ZERO"
        self.replace(node, mark)
        if at_file_scope:
            for declarator in declarators:
                name = self._declared(declarator)
                line = name.start_point[0] + 1
                self.insert(
                    declaration.end_byte, f" SIM_VARIABLE({mark}_SECTION, {text(name)}, {line})"
                )
        limit, why = "SIM_CONSTANT_BYTES", "a device has 65536 bytes of __constant__ memory"
        if space != "__constant__":
            limit = "SIM_VARIABLE_BYTES"
            why = "the simulator has no __device__ variable above 1.75 GB: use cudaMalloc()"
        for declarator in declarators if at_file_scope or space == "__constant__" else ():
            size = f"sizeof({text(self._declared(declarator))}) <= {limit}"
            self.insert(declaration.end_byte, f' static_assert({size}, "{why}");')

    def _shared(self, declaration: Node, marks: dict[str, Node], declarators: list[Node]) -> None:
        """__shared__ T a[N], b;  ->  typedef T a_sim_type[N], b_sim_type; and two references."""
        align = "16"
        for word, mark in marks.items():
            aligned = re.search(r"align(?:as|ed)\s*\((.*)\)", word, re.DOTALL)
            aligned = re.match(r"([^()]*)", aligned[1]) if aligned and "((" in word else aligned
            if "__shared__" in word:
                self.replace(mark, "typedef")
            elif aligned or word in ("static", "extern"):
                self.replace(mark, "\n" * word.count("\n"))
            if aligned:
                align = aligned[1].strip()
        scope = next((n for n in self.above(declaration) if n.type == "compound_statement"), None)
        for declarator in declarators:
            if declarator.type == "init_declarator":
                raise self.refusal(declarator, "a __shared__ variable cannot have an initial value")
            name = self._declared(declarator)
            it, kind = text(name), f"{text(name)}_sim_type"
            self.insert(name.end_byte, "_sim_type")
            if "extern" in marks:
                bound = f" {kind} &{it} = *({kind} *)sim_dynamic_shared();"
            else:
                self.insert(declaration.end_byte, f" struct {it}_sim_tag;")
                bound = (
                    f" {kind} &{it} = sim_shared<{it}_sim_tag, {kind}>"
                    f'("{it}", __FILE__, {name.start_point[0] + 1}, {align});'
                )
            if scope is not None:
                self.insert(declaration.end_byte, bound)
            else:
                self._bind_where_used(name, bound)

    def _bind_where_used(self, declared: Node, bound: str) -> None:
        """A __shared__ variable at file scope: each function that uses it gets a reference."""
        functions: dict[int, Node] = {}
        hidden: set[int] = set()
        for node in self.find_word(text(declared)):
            inside = self.function(node) if node != declared else None
            if inside is None or node.type != "identifier":
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
                self.insert(body.start_byte + 1, bound)


def _is_zero(declaration: Node, marks: dict[str, Node], declarators: list[Node]) -> bool:
    """Is it certain that these variables at file scope begin as zeros, and are defined once?"""
    kind = declaration.child_by_field_name("type")
    plain = kind is not None and (
        kind.type in ("primitive_type", "sized_type_specifier")
        or PLAIN_TYPE.fullmatch(text(kind)) is not None
    )
    initial = any(n.type == "init_declarator" for d in declarators for n in (d, *below(d)))
    return plain and not initial and "inline" not in marks


def main() -> int:
    parser = argparse.ArgumentParser(description="CUDA C to C++ for the simulator.")
    parser.add_argument("--shown", help="the file's name in messages")
    parser.add_argument("-I", dest="folders", action="append", default=[], type=Path,
                        help="a folder with headers of the program")  # fmt: skip
    parser.add_argument("--traced", action="store_true", help="for a traced build")
    parser.add_argument("-o", dest="output", required=True, type=Path)
    parser.add_argument("input", type=Path)
    options = parser.parse_args()
    shown = options.shown or str(options.input)
    try:
        source = options.input.read_bytes()
        folders = [options.input.parent, *options.folders]
        code = Rewriter(
            source, shown, folders, options.output, is_traced=options.traced
        ).rewrite()
        # nvcc includes its header in every .cu file.
        head = b"#include <cuda_runtime.h>\n" + b"#include <sim_marks.h>\n" * options.traced
        options.output.write_bytes(head + code)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    except OSError as problem:
        print(f"{shown}: {problem.strerror}: {problem.filename}", file=sys.stderr)
        return 1
    except ValueError as problem:  # the grammar was built for another tree-sitter
        print(f"rewrite.py: tree-sitter and tree-sitter-cuda do not fit together ({problem}); "
              "./grade setup installs versions that do", file=sys.stderr)  # fmt: skip
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
