"""Translates CUDA C++ for g++ and the simulator's cuda_runtime.h.

    rewrite.py [--shown NAME] [--lock-step] [--own-copies] [--define NAME=VALUE] [--own OWN]
               IN.cu -o OUT.ii -- COMPILER FLAG...
    rewrite.py --header OUT.h.gch -- COMPILER FLAG...

g++ preprocesses the file, with the flags that will compile it. In what remains, four constructs
are not C++: a launch, a variable in a memory space, the marks of functions, and #pragma unroll.
They are rewritten in the program's own text; headers of the system and of the simulator are not
looked at. Every edit stays on its line, and the preprocessor's line markers stay, so that compilers
and findings show the program's own files and lines. What the simulator does not support is refused
by name, in the format of g++: NAME:LINE:COLUMN: error: MESSAGE, with exit status 1.

--lock-step: where device code has volatile accesses, its control flow is marked, and the first
line of OUT.ii is LOCK_STEP: the compiler must then report these accesses, for the runtime's
exec/lock_step.h. Where its lanes may exchange values in other ways, sim/exchange.h watches, and
sim/vectors.h looks at the addresses of vectors.
--own-copies: the program's other files do not use the variables of this one.
--define: a macro of the program alone, not of the headers before it.
--own: the text of the program and of its headers, preprocessed and not yet translated, is written
there as well, with the preprocessor's line markers. The grader judges it
(grader/compile/permitted/source_check.py).
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import launch_bounds
from architecture import merged
from device_arithmetic import DeviceArithmetic
from evaluation_order import order_evaluation
from exchanges import in_lock_step, place_fences, watch_exchanges
from expanded import Expanded, Lines, Refusal, quoted
from launches import Launches
from local_arrays import check_indices, check_numbers
from one_text import refuse_differences
from preprocess import Preprocessor, PreprocessorError, precompile
from tokens import BEFORE_MAIN, ENDS, MARKS, Function, Tokens
from unchecked_calls import is_unchecked
from unsupported import INCLUDE, functions, refuse_clusters, refuse_names
from variables import INLINE, Variables
from vectors import check_vectors

# Only before a loop, as g++ allows it nowhere else. Only a number of iterations: an expression may
# depend on a template parameter, which g++ does not allow.
UNROLL = re.compile(
    rb"""^[ \t]*\#[ \t]*pragma[ \t]+(?P<unroll>unroll\b[ \t]*(?P<count>[^\n]*))\n
    (?=(?P<between>(?:\s|\#[^\n]*\n)*)(?:for|while|do)\b)""",
    re.MULTILINE | re.VERBOSE,
)
MAX_ITERATIONS = 1024  # of a loop that is to be unrolled completely
COPIES = 4  # of the body of a loop that cannot be: its length is known only when it begins
ERROR_QUERIES = (b"cudaGetLastError", b"cudaPeekAtLastError")
FRACTION = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[fF]))[fF]?")
CASTS = (b"reinterpret_cast", b"static_cast")
OF_BYTES = (b"cudaMemset", b"cudaMemcpy", b"cudaMalloc", b"cudaHostAlloc")
LAUNCHERS = {  # which argument is the kernel
    b"cudaLaunchKernel": 0,
    b"cudaLaunchCooperativeKernel": 0,
    b"cudaLaunchKernelExC": 1,
}
LOCK_STEP = b"#pragma sim_lock_step\n"
TOGETHER = f"\n{BEFORE_MAIN} static const sim_together sim_is_together;\n".encode()


class Translation:
    """One program; `rewrite()` returns it as C++, or raises Refusal.

    is_traced: it is for counters and checks. lock_step: as --lock-step. counts: the values of
    macros in #pragma unroll. own_copies: as --own-copies."""

    def __init__(
        self,
        expanded: Expanded,
        is_traced: bool = False,
        lock_step: bool = False,
        counts: dict[bytes, int] | None = None,
        own_copies: bool = False,
    ) -> None:
        self.expanded = expanded
        self.is_traced = is_traced
        self.lock_step = lock_step
        self.counts = counts or {}
        self.own_copies = own_copies
        self.tokens = Tokens(expanded)
        self.warnings = b""  # about what compiles and is not meant, in the format of g++

    def rewrite(self) -> bytes:
        refuse_names(self.tokens)
        refuse_clusters(self.tokens)
        self._references()
        self._renamed()
        self.launches = Launches(self.tokens)
        self.launches.rewrite()
        launch_bounds.rewrite(self.tokens, self.launches.kernels)
        self._addresses(set(self.launches.kernels))
        self._marks()
        Variables(self.tokens, self.is_traced, self.own_copies).rewrite()
        self._returns()
        self._calls()
        self._warn_of_pointers()
        DeviceArithmetic(self.tokens).rewrite()
        order_evaluation(self.tokens, self._warn)
        stepped = in_lock_step(self.tokens) if self.is_traced or self.lock_step else []
        place_fences(self.tokens, stepped)
        if self.lock_step:
            watch_exchanges(self.tokens, stepped)
        if stepped:
            self._control_flow(stepped)
        if self.is_traced:  # marks first: these edit the accesses that an operand begins with
            # only counters need unrolled loops; g++ takes long over them
            self._unroll(self._control_flow())
            check_indices(self.tokens)
            check_numbers(self.tokens)
            return self.tokens.edited() + TOGETHER * bool(stepped)
        if self.lock_step:  # within what the marks put around a load
            check_vectors(self.tokens)
        return LOCK_STEP * bool(stepped) + self.tokens.edited()

    def _marks(self) -> None:
        """Removes the marks of functions and lambdas."""
        tokens = self.tokens
        variables = Variables(tokens, self.is_traced)
        for i in tokens.words(*MARKS):
            if tokens.text[i] != b"__device__" or not variables.declares(i):
                tokens.blank(i)
        for i in tokens.words(b"__noinline__"):
            # The C++ library writes __attribute__((__noinline__)): no macro may stand for the word.
            if tokens.at(i - 1) not in (b"(", b","):
                tokens.replace(i, "__attribute__((noinline))")
        for i in tokens.words(b"__forceinline__"):
            first = last = i
            while tokens.is_word(first - 1) or tokens.at(first - 1) == b"]":
                first -= 1
            while tokens.is_word(last + 1):
                last += 1
            again = any(word in INLINE for word in tokens.text[first : last + 1])
            again = again or b"__forceinline__" in tokens.text[first:i]
            tokens.replace(i, ("" if again else "inline ") + "__attribute__((always_inline))")

    def _references(self) -> None:
        """Texture and surface references, unless the program has a `texture` of its own."""
        tokens = self.tokens
        for i in tokens.words(b"texture", b"surface"):
            own = any(
                tokens.at(k - 1) in (b"struct", b"class") for k in tokens.words(tokens.text[i])
            )
            if tokens.at(i + 1) == b"<" and tokens.at(i - 1) not in (b".", b"->") and not own:
                tokens.replace(i, f"sim_{tokens.text[i].decode()}_reference")

    def _renamed(self) -> None:
        """using config = config<int>; in a class: g++ lets no class use both meanings of a name."""
        tokens = self.tokens
        for i in tokens.words(b"using"):
            name = tokens.at(i + 1)
            if tokens.up[i] < 0 or tokens.text[i + 2 : i + 4] != [b"=", name]:
                continue
            if any(tokens.up[k] < 0 and tokens.at(k - 1) in (b"struct", b"class")
                   for k in tokens.words(name)):  # fmt: skip
                tokens.insert(tokens.start[i + 3], "::")

    def _calls(self) -> None:
        """Marks calls of the runtime API whose result the program ignores."""
        tokens, known = self.tokens, functions()
        for i, text in enumerate(tokens.text):
            if not text.startswith(b"cuda") or tokens.kind[i] != "word":
                continue
            if text in LAUNCHERS and tokens.at(i + 1) == b"(":
                given = tokens.commas(i + 2, tokens.match[i + 1])
                if len(given) > LAUNCHERS[text]:
                    self._untyped(given[LAUNCHERS[text]][0])
            if text not in known or tokens.at(i - 1) in (b".", b"->"):
                continue
            name = text.decode()
            opened = i + 1
            if text.startswith(OF_BYTES) and tokens.at(opened) == b"(":
                self._warn_of_bytes(opened)
            if tokens.at(opened) != b"(":
                if not tokens.declares(i) or tokens.at(i - 1) == b"&":
                    # the C function, without its default arguments
                    tokens.replace(i, f"sim_c_{name}")
                continue
            closed = tokens.match[opened]
            if closed > 0 and text not in ERROR_QUERIES and is_unchecked(tokens, i, closed):
                file, line, _ = tokens.expanded.position(tokens.start[i])
                first = i - 1 if tokens.at(i - 1) == b"::" else i
                tokens.insert(tokens.start[first], "sim_unchecked_call(")
                tokens.insert(tokens.end(closed), f', "{name}", {quoted(file)}, {line})')

    def _returns(self) -> None:
        """Marks where a thread leaves its kernel early."""
        tokens = self.tokens
        for i in tokens.words(b"return"):
            around = [f for f in tokens.functions if f.opened < i < f.closed]
            if tokens.at(i + 1) == b";" and [b"__global__" in f.marks for f in around] == [True]:
                line = tokens.expanded.position(tokens.start[i])[1]
                tokens.replace(i, f"return sim_returns({line})")

    def _warn_of_bytes(self, opened: int) -> None:
        """The value of a cudaMemset() is a byte, 1.0f that of the integer 1. And sizeof of a
        pointer that is copied, filled or allocated is 8."""
        tokens = self.tokens
        name = tokens.text[opened - 1].decode()
        given = tokens.commas(opened + 1, tokens.match[opened])
        names = {tokens.text[first] for first, last in given if last == first + 1}
        allocated = given[0][1] - 1 if given and "lloc" in name else -1
        if tokens.at(allocated - 1) == b"&" and self._declared_as(allocated).count(b"*") == 1:
            names.add(tokens.text[allocated])
        for first, last in given[1:]:
            text = tokens.flat(first, last)
            is_name = last == first + 1 and tokens.is_name(first)
            words = self._declared_as(first) if is_name else []
            is_float = FRACTION.fullmatch(text) and text.strip("-+.0fF")
            if name.startswith("cudaMemset") and (
                is_float or b"float" in words or b"double" in words
            ):
                why = f"sets bytes: {text} becomes an integer, and each byte gets it"
                self._warn(first, f"{name}() {why}; write numbers with a kernel, or copy them")
            for i in range(first, last):
                of = i + 2 if tokens.at(i + 1) == b"(" else i + 1
                is_whole = of == i + 1 or tokens.at(of + 1) == b")"
                is_size = tokens.text[i] == b"sizeof" and is_whole and tokens.text[of] in names
                if is_size and b"*" in self._declared_as(of):
                    of_what = tokens.text[of].decode(errors="replace")
                    why = f"{of_what} is a pointer, whose sizeof is 8 bytes"
                    better = f"write the number of elements * sizeof(*{of_what})"
                    self._warn(i, f"{name}(): {why}; {better}")

    def _warn_of_pointers(self) -> None:
        """A number of elements * sizeof p, where p is the pointer to them: 8 bytes for each."""
        tokens = self.tokens
        for i in tokens.words(b"sizeof"):
            closed = tokens.match[i + 1] if tokens.at(i + 1) == b"(" else i + 1
            of = i + 2 if closed > i + 1 else i + 1
            is_product = b"*" in (tokens.at(i - 1), tokens.at(closed + 1))
            is_name = of in (closed, closed - 1) and tokens.is_name(of)
            if is_product and is_name and self._declared_as(of).count(b"*") == 1:
                name = tokens.text[of].decode(errors="replace")
                why = f"{name} is a pointer, whose sizeof is 8 bytes"
                self._warn(i, f"{why}; sizeof(*{name}) is that of an element")

    def _declared_as(self, i: int) -> list[bytes]:
        """The type and the declarator before the name at token i, where it was declared last; a
        parameter `float a[]` has a *, too."""
        tokens = self.tokens
        body = tokens.up[i]
        while body >= 0 and tokens.up[body] >= 0 and not tokens.is_scope(tokens.up[body]):
            body = tokens.up[body]
        head = tokens.statement(max(body, 0))
        for k in reversed([k for k in tokens.words(tokens.text[i]) if k < i]):
            is_seen = tokens.is_global(k) if k < head else k < body
            if not is_seen and not (k > body and i < tokens.match[tokens.up[k]]):
                continue
            if tokens.declares(k) or tokens.at(k - 1) in (b"restrict", b"__restrict__"):
                first = k
                while tokens.at(first - 1) not in (*ENDS, b"(", b",", b")", b"<", b""):
                    first -= 1
                is_array = tokens.at(k + 1) == b"["
                array = [b"*"] if head <= k < body else []
                return array if is_array else tokens.text[first:k]
            start = tokens.statement(k)
            is_type = tokens.is_name(start) and tokens.at(start - 1) in ENDS
            if k > body and is_type and (tokens.is_name(start + 1) or tokens.at(start + 1) == b"*"):
                star = [b"*"] if tokens.at(k - 1) == b"*" else []
                return [] if tokens.at(k + 1) == b"[" else [tokens.text[start], *star]
        return []

    def _warn(self, i: int, text: str) -> None:
        file, line, column = self.tokens.expanded.position(self.tokens.start[i])
        where = f"{file}:{line}:{column}: warning: "
        if where.encode() not in self.warnings:
            self.warnings += f"{where}{text}\n".encode()

    def _addresses(self, kernels: set[bytes]) -> None:
        """(void *)k -> (void *)sim_kernel_address("k", k), which makes k known to the runtime"""
        tokens = self.tokens
        for i in tokens.words(*kernels):
            first = last = i
            while tokens.at(first - 1) == b"::":
                first -= 2 if tokens.is_name(first - 2) else 1
            if tokens.at(first - 1) == b"&":
                first -= 1
            if tokens.at(i + 1) == b"<":
                last = tokens.angle(i + 1) or i
            before = first - 1
            cast = tokens.at(before) == b")" and self._is_untyped(tokens.match[before], before)
            if tokens.at(before) == b"(" and tokens.at(before - 1) == b">":
                opened = tokens.angle_back(before - 1) or 0
                cast = tokens.at(opened - 1) in CASTS and self._is_untyped(opened, before - 1)
            if cast:
                name = tokens.text[i].decode(errors="surrogateescape")
                tokens.insert(tokens.start[first], f'sim_kernel_address("{name}", ')
                tokens.insert(tokens.end(last), ")")

    def _is_untyped(self, opened: int, closed: int) -> bool:
        """Do these brackets hold `void *`, with a const or without?"""
        inner = self.tokens.text[opened + 1 : closed] if 0 <= opened < closed else []
        return [text for text in inner if text != b"const"] == [b"void", b"*"]

    def _untyped(self, i: int) -> None:
        """Removes the cast of (void *)kernel: the simulator needs the kernel's type."""
        tokens = self.tokens
        cast = tokens.at(i) == b"(" and self._is_untyped(i, tokens.match[i])
        if cast and not self._is_of_the_host(tokens.match[i] + 1):
            tokens.blank(i, tokens.match[i])

    def _is_of_the_host(self, i: int) -> bool:
        """Is this the name of a function that is no kernel, which a device cannot launch?"""
        tokens = self.tokens
        name = tokens.at(i + 1 if tokens.at(i) == b"&" else i)
        return name not in self.launches.kernels and any(
            tokens.at(k + 1) == b"(" and tokens.at(tokens.match[k + 1] + 1) == b"{"
            for k in tokens.words(name)
        )

    def _unroll(self, of_any_length: set[int]) -> None:
        """Gives #pragma unroll its name in g++; the counters of a traced run depend on it.
        of_any_length: where loops begin that no pragma can unroll completely."""
        for found in UNROLL.finditer(self.tokens.source):
            given = found["count"].split(b"//")[0].strip()
            number = re.fullmatch(rb"\(*\s*(\d{1,5})\s*\)*", given)
            count = int(number[1]) if number else self.counts.get(given)
            if not given:
                loop = found.end() + len(found["between"])
                count = COPIES if loop in of_any_length else MAX_ITERATIONS
            if count is not None and 1 <= count < 65535:
                self.tokens.cut(*found.span("unroll"), f"GCC unroll {count}")

    def _control_flow(self, only: list[Function] | None = None) -> set[int]:
        """Adds the marks of control_marks.py, which sim/marks.h defines. only: to these functions,
        and without what only counters need. Returns where loops begin whose length is known only
        when they run."""
        from control_marks import marks  # its grammar takes a while to load

        tokens = self.tokens
        code = bytearray(tokens.source)

        def hide(start: int, end: int) -> None:
            code[start:end] = re.sub(rb"[^\n]", b" ", code[start:end])

        # What the grammar does not know: the marks of a lambda, the configuration of a launch.
        for i in tokens.words(*MARKS):
            if tokens.at(i - 1) == b"]" or (tokens.at(i - 1) in MARKS and tokens.at(i - 2) == b"]"):
                hide(tokens.start[i], tokens.end(i))
        for i in tokens.words(b"__forceinline__", b"__noinline__"):
            hide(tokens.start[i], tokens.end(i))
        for start, end in self.launches.configurations:
            hide(start, end)
        marked = marks(bytes(code), is_counted=only is None)
        above = self._above_pragmas()
        for loop, mark in marked.inserts:
            at = above.get(loop, loop)
            inside = (tokens.start[f.opened] < at < tokens.end(f.closed) for f in only or [])
            if only is None or any(inside):
                tokens.insert(at, MARK.sub(_marked, self._unrolled(at, mark)))
        return marked.of_any_length

    def _above_pragmas(self) -> dict[int, int]:
        """Where text goes that comes before a loop, by where the loop begins: between it and its
        #pragma unroll g++ allows nothing. It is the end of a line above that is no directive."""
        source = self.tokens.source
        above: dict[int, int] = {}
        for found in UNROLL.finditer(source):
            end = found.start() - 1
            while end > 0 and source[source.rfind(b"\n", 0, end) + 1 : end].lstrip()[:1] == b"#":
                end = source.rfind(b"\n", 0, end)
            above[found.end() + len(found["between"])] = max(end, 0)
        return above

    def _unrolled(self, at: int, mark: str) -> str:
        """The mark before a loop that g++ is to unroll, as it reads it: a pragma ends with its
        line, so a line marker says where the rest comes from."""
        found = UNROLL_HERE.fullmatch(mark)
        if found is None:
            return mark
        file, line, _ = self.tokens.expanded.position(at)
        return f"\n#pragma GCC unroll {found[1]}\n# {line} {quoted(file)}\n"


UNROLL_HERE = re.compile(r"SIM_UNROLL\((\d+)\)")
MARK = re.compile(r"SIM_(FUNCTION|LOOP|ROUND|ARM|END)\((\d+)(?:, (\d+))?\)")


def _marked(mark: re.Match[str]) -> str:
    """A mark of control_marks.py, as sim/marks.h defines it: the preprocessor is done already."""
    kind, number, arm = mark[1], mark[2], mark[3] or "0"
    if kind in ("FUNCTION", "ROUND"):
        return f"sim_marked_{kind.lower()}<{number}> sim_{kind.lower()}_{number};"
    return f"sim_mark_here(SIM_MARK_{kind}, {arm}, {number});"


def translate(
    path: Path,
    shown: str,
    compiler: list[str],
    lock_step: bool,
    own: Path | None,
    own_copies: bool = False,
    defines: Sequence[str] = (),
) -> tuple[bytes, bytes]:
    """The file as C++, and what g++ warned of. own: a file for the text as it was before.
    Raises Refusal or PreprocessorError, or OSError."""
    preprocessor = Preprocessor(compiler, path, shown, lock_step, tuple(defines))
    sources = Lines(shown, preprocessor.source())
    output, warnings = preprocessor.run()
    expanded = preprocessor.expand(output, sources)
    on_device = None
    if any(b"__CUDA_ARCH__" in line for lines in sources.read.values() for line in lines):
        preprocessor = preprocessor.without_precompiled()
        expanded = preprocessor.expand(preprocessor.run()[0], sources)
        on_device = preprocessor.expand(preprocessor.run(on_device=True)[0], sources)
    if own and preprocessor.is_traced:
        plain = preprocessor.plain()
        refuse_differences(expanded, plain.expand(plain.run()[0], sources))
        if on_device:
            of_device = plain.expand(plain.run(on_device=True)[0], sources)
            refuse_differences(on_device, of_device)
    expanded = merged(expanded, on_device)
    if own:
        own.write_bytes(expanded.whole(expanded.own, lambda at: at))
    counts = preprocessor.unroll_counts(expanded.own) if preprocessor.is_traced else {}
    translation = Translation(expanded, preprocessor.is_traced, lock_step, counts, own_copies)
    return translation.rewrite(), warnings + translation.warnings


def refuse_host_code(path: Path, shown: str, compiler: list[str]) -> None:
    """Raises Refusal if a file that g++ compiles as it is uses what the simulator does not have."""
    preprocessor = Preprocessor(compiler, path, shown, is_host=True)
    sources = Lines(shown, preprocessor.source())
    refuse_names(Tokens(preprocessor.expand(preprocessor.run()[0], sources)))


def main() -> int:
    parser = argparse.ArgumentParser(
        description="CUDA C++ to C++ for the simulator.",
        usage="rewrite.py [--shown NAME] [--lock-step] [--own-copies] [--define NAME=VALUE] "
        "[--own OWN] IN.cu -o OUT.ii -- COMPILER FLAG...\n"
        "       rewrite.py [--shown NAME] --host IN.cpp -- COMPILER FLAG...\n"
        "       rewrite.py --header OUT.h.gch -- COMPILER FLAG...",
    )
    parser.add_argument("--shown", help="the file's name in messages")
    parser.add_argument("--lock-step", action="store_true", help="of volatile accesses")
    parser.add_argument("--own-copies", action="store_true", help="of variables, for this file")
    parser.add_argument("--define", action="append", default=[], help="a macro of the program")
    parser.add_argument("--host", action="store_true", help="say what is refused of a host file")
    parser.add_argument("--own", type=Path, help="where to write the program's own text")
    parser.add_argument("--header", type=Path, help="precompile the simulator's header")
    parser.add_argument("-o", dest="output", type=Path)
    parser.add_argument("input", type=Path, nargs="?")
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:at])
    shown = options.shown or str(options.input)
    compiler = sys.argv[at + 1 :] or ["g++", "-std=c++17", "-remap", f"-I{INCLUDE}"]
    if options.header:
        return precompile(compiler, options.header)
    if bool(options.output) == options.host or not options.input:
        parser.error("a .cu file needs -o, and a host file takes none")
    try:
        if options.host:
            refuse_host_code(options.input, shown, compiler)
            return 0
        code, warnings = translate(
            options.input,
            shown,
            compiler,
            options.lock_step,
            options.own,
            options.own_copies,
            options.define,
        )
        options.output.write_bytes(code)
        # For a build that finds this file ready.
        options.output.with_name(f"{options.output.name}.warnings").write_bytes(warnings)
        sys.stderr.write(warnings.decode(errors="replace"))
    except (Refusal, PreprocessorError) as problem:
        print(str(problem).rstrip("\n"), file=sys.stderr)
        return 1
    except OSError as problem:
        where = problem.filename or options.output  # a full disk names no file
        print(f"{shown}: {where}: {problem.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
