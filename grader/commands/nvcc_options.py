"""The options that users give to nvcc, as `./grade run` takes them."""

import difflib
from dataclasses import dataclass, field

from grader.compile.make import ProgramOptions

HELP = (
    "nvcc's options: -D, -U, -I, -include, -l, -L, -std, -x cu, -Xcompiler -fopenmp, and -o FILE, "
    "which keeps a program that runs by itself. Options for the device or for optimization have "
    "no effect."
)
# The same under its long name.
LONG = {
    "--define-macro": "-D", "--undefine-macro": "-U", "--include-path": "-I", "--std": "-std",
    "--library": "-l", "--library-path": "-L", "--output-file": "-o",
    "--compiler-options": "-Xcompiler", "--x": "-x",
}  # fmt: skip
# What the simulator needs not know: how fast the code is, and for which device.
SILENT = (
    "-O", "-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code",
    "-use_fast_math", "--use_fast_math", "-g", "-G", "-lineinfo", "--generate-line-info", "-w",
    "--optimize", "-m64", "-rdc", "-dc", "--relocatable-device-code", "-ftz", "-fmad", "--fmad",
    "-prec-div", "-prec-sqrt", "-cudart", "--cudart",
)  # fmt: skip
# What they define, with one - or two.
MACROS = {
    "-extended-lambda": "-D__CUDACC_EXTENDED_LAMBDA__",
    "-expt-extended-lambda": "-D__CUDACC_EXTENDED_LAMBDA__",
    "-expt-relaxed-constexpr": "-D__CUDACC_RELAXED_CONSTEXPR__",
}
# These take the next word, unless they have their value behind a =.
WITH_VALUE = (
    "-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code",
    "--optimize", "-cudart", "--cudart", "-x", "-ccbin", "-Xptxas", "-Xlinker", "-maxrregcount",
    "--maxrregcount", "--ptxas-options", "--linker-options", "--compiler-bindir", "-std",
    "-Xcompiler", "-include", "-isystem", "-diag-suppress", "-Xcudafe", "-t", "--threads",
    "-default-stream", "--default-stream", "-Xnvlink", "--split-compile", "-odir", "-keep-dir",
)  # fmt: skip
JOINED = ("-D", "-U", "-I", "-L", "-l", "-o")  # with their value as one word, or as two
OWN_FLAGS = ("--profile", "--check", "--step", "--code", "--predict", "-h", "--help")
OWN = (*OWN_FLAGS, "--sample", "--gpu", "--time-limit", "--json")
STANDARDS = ("20", "2a", "23", "2b")  # newer ones than the simulator's own, C++17
CUDA = ("cudart", "cudart_static", "cuda", "cudadevrt", "nvToolsExt")  # it needs none of them


@dataclass
class Given:
    """What a command line says, and what is left of it. output: of -o. ignored: what has no
    meaning here, as the user wrote it. arguments: those of the program."""

    arguments: list[str]
    rest: list[str] = field(default_factory=list)
    program: ProgramOptions = field(default_factory=ProgramOptions)
    output: str | None = None
    ignored: list[str] = field(default_factory=list)


def parse(words_given: list[str], arguments: list[str]) -> Given:
    """Takes nvcc's options out of what follows `./grade run`."""
    given = Given(arguments)
    words = iter(words_given)
    for word in words:
        name, equals, value = word.partition("=")
        if not word.startswith("-") or name in OWN:
            given.rest.append(word)
            if name in OWN and name not in OWN_FLAGS and not equals:
                given.rest += [value for value in [next(words, None)] if value is not None]
            continue
        if name in LONG:
            name, value = LONG[name], value if equals else next(words, "")
        elif word[:2] in JOINED and name not in (*SILENT, *WITH_VALUE):
            name, value = word[:2], word[2:] or next(words, "")
        elif name in WITH_VALUE and not equals:
            value = next(words, "")
        _take(given, word, name, value)
    return given


def _take(given: Given, word: str, name: str, value: str) -> None:
    program = given.program
    if name == "-D" and not value.startswith(("_", "NDEBUG")):
        program.defines.append(value)
    elif name in ("-D", "-U"):
        program.flags.append(name + value)
    elif macro := MACROS.get(name.removeprefix("-") if name[:2] == "--" else name):
        program.flags.append(macro)
    elif name == "-I" or name == "-isystem":
        program.include.append(value)
    elif name == "-L":
        program.libraries.append(name + value)
    elif name == "-l":
        if value not in CUDA:
            program.libraries.append(name + value)
    elif name == "-o":
        given.output = value
    elif name == "-include":
        program.flags += [name, value]
    elif name == "-x" and value == "cu":
        program.cuda = True
    elif name == "-std":
        if value.removeprefix("gnu++").removeprefix("c++") in STANDARDS:
            program.standard = value
    elif name == "-Xcompiler":
        options = value.replace(",", " ").replace('"', " ").split()
        program.openmp = program.openmp or "-fopenmp" in options
        for option in options:
            if option[:2] in ("-D", "-U"):
                _take(given, option, option[:2], option[2:])
    elif name.startswith("--") and _near(name):
        given.rest.append(word)  # for the message that says what was meant
    elif name not in SILENT and name[:2] != "-O":
        near = _near("-" + name)
        given.ignored.append(word + (f" (did you mean {near[0]}?)" if near else ""))


def _near(name: str) -> list[str]:
    """The option of ./grade run's own that is written like this."""
    return difflib.get_close_matches(name, OWN, 1, 0.8)
