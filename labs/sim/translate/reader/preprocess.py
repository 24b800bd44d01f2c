"""Runs the preprocessor of g++ over a .cu file."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from labs.sim.translate.reader.declared import INCLUDE, names_file
from labs.sim.translate.reader.expanded import Expanded, Lines, Refusal, quoted, read
from labs.sim.translate.reader.pragmas import Pragmas
from labs.sim.translate.reader.refused_headers import missing, refuse_headers

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# nvcc's own macros. SIM_TRANSLATES: the simulator's headers leave __global__ and the like as words.
DEFINED = (
    "SIM_TRANSLATES=1",
    "__CUDACC__=1",
    "__NVCC__=1",
    "__CUDACC_EXTENDED_LAMBDA__=1",
    "__CUDACC_VER_MAJOR__=13",
    "__CUDACC_VER_MINOR__=0",
    "__CUDACC_VER_BUILD__=0",
)
ARCHITECTURE = 900  # __CUDA_ARCH__ of the device that the simulator stands for
OPEN_MACRO = re.compile(
    r"^(?P<file>.*?):\d+:\d+: error: unterminated argument list invoking macro \"(?P<name>\w+)\"",
    re.MULTILINE,
)
COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
BRACKET = re.compile(rb"[()]|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
NUMBER = re.compile(rb"\(*[ \t]*(\d+)[uUlL]*[ \t]*\)*")


USES_PRECOMPILED = "-fpch-preprocess"
TRACES = "-fsanitize=thread"


def precompile(compiler: list[str], out: Path) -> int:
    """Compiles the simulator's header, sim/first.h, for files that the same command compiles, and
    lists its names. g++ takes it where -I names the folder above `out`'s, before that of the header
    itself. Returns g++'s exit status."""
    defined = [f"-D{name}" for name in DEFINED]
    command = [*compiler, *defined, "-x", "c++-header", str(INCLUDE / "sim" / "first.h")]
    text = subprocess.run([*command, "-E"], stdout=subprocess.PIPE, check=False).stdout
    names_file(out).write_bytes(b"\n".join(sorted(set(re.findall(rb"\b[A-Za-z_]\w*", text)))))
    return subprocess.run([*command, "-o", str(out)], check=False).returncode


class PreprocessorError(Exception):
    """g++ could not preprocess the file; the text is what it said."""


@dataclass(frozen=True)
class Preprocessor:
    """compiler: the command that compiles the result, with its flags. shown: the file's name in
    messages and in __FILE__. lock_step: as --lock-step."""

    compiler: list[str]
    path: Path
    shown: str
    lock_step: bool = False
    defines: tuple[str, ...] = ()  # of the program alone: NAME or NAME=VALUE
    is_host: bool = False  # a .cpp or .c file, in which nvcc's words mean nothing

    @property
    def is_traced(self) -> bool:
        """Is the program for counters and checks?"""
        return TRACES in self.compiler

    def plain(self) -> Preprocessor:
        """The same for the program as it runs without counters and checks."""
        whole = self.without_precompiled()
        return replace(whole, compiler=[flag for flag in whole.compiler if flag != TRACES])

    def without_precompiled(self) -> Preprocessor:
        """The same with the text of all headers: a precompiled one is the host's reading."""
        return replace(self, compiler=[flag for flag in self.compiler if flag != USES_PRECOMPILED])

    def run(self, on_device: bool = False, last: bytes = b"") -> tuple[bytes, bytes]:
        """The preprocessed file, and the compiler's warnings. last: lines added at the end."""
        defined = [f"-D{name}" for name in ([] if self.is_host else DEFINED)]
        defined += ["-DSIM_LOCK_STEP=1"] if self.lock_step else []
        defined += [f"-D__CUDA_ARCH__={ARCHITECTURE}"] if on_device else []
        given = "" if self.is_host else "#include <sim/first.h>\n"
        for define in self.defines:  # the simulator's headers may have the same names
            name, _, value = define.partition("=")
            given += f"#define {name} {value if '=' in define else 1}\n"
        given += f"#line 1 {quoted(self.shown)}\n"
        language = "c" if self.path.suffix == ".c" else "c++"
        done = subprocess.run(
            [*self.compiler, *defined, "-E", "-iquote", str(self.path.parent), "-x", language, "-"],
            input=given.encode(errors="surrogateescape") + self.source() + last,
            capture_output=True,
            check=False,
        )
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace")
            self.expand(done.stdout, Lines(self.shown, b""))  # a refused header comes first
            refusal = missing(said)
            if refusal:
                raise Refusal(refusal)
            raise PreprocessorError(self._open_macro(said) or said)
        return done.stdout, done.stderr

    def _open_macro(self, said: str) -> str | None:
        """g++ says at the end of the file that a macro's arguments do not end: where they begin."""
        found = OPEN_MACRO.search(said)
        if not found or found["file"] != self.shown:
            return None
        source = COMMENT.sub(lambda m: re.sub(rb"[^\n]", b" ", m.group()), self.source())
        for use in re.finditer(rb"\b%s[ \t]*(?=\()" % re.escape(found["name"].encode()), source):
            line_start = source.rfind(b"\n", 0, use.start()) + 1
            if source[line_start : use.start()].lstrip().startswith(b"#"):
                continue
            depth = 0
            for bracket in BRACKET.finditer(source, use.end()):
                depth += {b"(": 1, b")": -1}.get(bracket.group(), 0)
                if depth == 0:
                    break
            if depth > 0:
                line = source.count(b"\n", 0, use.start()) + 1
                column = use.start() - line_start + 1
                return (
                    f"{self.shown}:{line}:{column}: error: the arguments of the macro "
                    f"{found['name']}() do not end: is a closing parenthesis missing?"
                )
        return None

    def source(self) -> bytes:
        """The file as g++ reads it: without a byte order mark, and with an end of its last line."""
        source = self.path.read_bytes().removeprefix(BYTE_ORDER_MARK).replace(b"\r\n", b"\n")
        return source if source.endswith(b"\n") else source + b"\n"

    def expand(self, output: bytes, sources: Lines) -> Expanded:
        """The program's own text in the preprocessor's output."""
        folder = str(INCLUDE)
        real: dict[str, bool] = {}

        def is_foreign(name: str) -> bool:
            if name not in real:
                real[name] = name.startswith("<") or name.endswith("//") or str(
                    Path(name).resolve()).startswith(folder)  # fmt: skip
            return real[name]

        expanded, entered = read(output, sources, is_foreign)
        refuse_headers(entered)
        return expanded

    def unroll_counts(self, own: bytes) -> dict[bytes, int]:
        """The value of each macro that stands in a #pragma unroll, which g++ does not expand."""
        names = {
            unroll.count
            for unroll in Pragmas(own).unrolls
            if re.search(rb"[A-Za-z_]", unroll.count)
        }
        if not names:
            return {}
        listed = sorted(names)
        probe = b"".join(b"sim_unroll_count %s\n" % name for name in listed)
        output, _ = self.run(last=b"\n" + probe)
        values = re.findall(rb"^sim_unroll_count ([^\n]*)", output, re.MULTILINE)
        counts: dict[bytes, int] = {}
        for name, value in zip(listed, values, strict=False):
            number = NUMBER.fullmatch(value.strip())
            if number:
                counts[name] = int(number[1])
        return counts
