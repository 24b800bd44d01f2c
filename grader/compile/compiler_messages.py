"""Reads the messages of compilers and the linker about a student's files."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from grader import paths
from grader.model import plain_text
from grader.model.submission import Submission

_DIAGNOSTIC = re.compile(
    r"^(?P<file>.+?)[:(](?P<line>\d{1,9})(?:[:,]\d+)?\)?:? ?:?\s*"
    r"(?P<kind>fatal error|error|sorry, unimplemented|warning)\s*(?:#[\w-]+)?: (?P<text>.*)$"
)
_UNDEFINED = re.compile(r"undefined reference to `(?P<name>[^'(]+)")
# Whose functions a program may declare and not define, by the beginning of their names.
_LIBRARIES = (
    (r"cublas(?:Lt|Xt)?[A-Z]", "cuBLAS"),
    (r"cufft[A-Z]", "cuFFT"),
    (r"curand[A-Z]", "cuRAND"),
    (r"cusparse[A-Z]", "cuSPARSE"),
    (r"cusolver(?:Dn|Sp|Rf|Mg)", "cuSOLVER"),
    (r"cudnn[A-Z]", "cuDNN"),
    (r"npp[is][A-Z]", "NPP"),
    (r"nvrtc[A-Z]", "NVRTC"),
    (r"nccl[A-Z]", "NCCL"),
    (r"MPI_", "MPI"),
    (r"(?:gl|glut|glew|glfw|glX|egl)[A-Z]", "OpenGL"),
    (r"vk[A-Z]", "Vulkan"),
    (r"cu[A-Z]", "the CUDA driver API"),
)
_MISSING = re.compile(r"undefined reference to `(?P<name>[^']+)'")
_DISK = re.compile(
    r"^(?! *\d* \|).*(No space left on device|Disk quota exceeded|Read-only file system)'?$",
    re.MULTILINE,
)
# What g++ writes before a message, about the place of it.
_CONTEXT = re.compile(r"(?:In file included | {17})from |\S.*: (?:In |At global scope)")
_MESSAGE = re.compile(
    r"(?P<file>\S.*?):\d{1,9}(?::\d+)?: (?P<kind>fatal error|error|warning|note): (?P<text>.*)"
)
_COLUMN = re.compile(r"(:\d{1,9}):\d+(?=: (?:fatal error|error|warning|note): )")
_EXCERPT = re.compile(r" *\d+ \| (?P<source>.*)")
_CARET = re.compile(r" *\| (?P<before> *)")
# The simulator's functions of the runtime API also take the file and line of a call.
_ADDED_PARAMETERS = re.compile(r"(?:, )?const char\*, int\)(?=’|')")
_AKA = re.compile(r" \{aka ‘[^’]*\bsim_[^’]*’\}")
_COMPANION = re.compile(r"(?<=\w)_sim_(?:kernel|bounds)\b")
_INTERNAL = re.compile(r"\bsim_\w+")
_OUT_OF_REACH = re.compile(r"relocation truncated to fit|failed to convert GOTPCREL relocation")
# Of the assembler, and of that for GPUs, about what a compiler made of a file.
_ASSEMBLER = re.compile(
    r"^(?:\{standard input\}|\S+\.s):\d+: (?:Fatal e|E)rror: (?P<text>.*)"
    r"|^ptxas .*?(?:error|fatal) *: (?P<ptx>.*)",
    re.MULTILINE,
)
_GIVEN_UP = re.compile(
    r"^(?:\S+: )?(?:gcc|g\+\+|cc1|cc1plus|[^\s:]+\.(?:c|cu|ii)(?::\d+)*): "
    r"(?P<text>(?:internal compiler|fatal) error: .*)$",
    re.MULTILINE,
)
# Of translate/device/variables.py in labs/sim, and the note in which g++ says how many bytes.
_TOO_MUCH_SHARED = re.compile(
    r"static assertion failed: (?P<names>static shared memory: .+ takes?) (?P<rest>more than .*)"
)
_COMPARED = re.compile(r"^\S.*: note: the comparison reduces to .\((?P<bytes>\d+) <= \d+\)")
# The same of ptxas, which knows no line.
_PTX_SHARED = re.compile(
    r"^ptxas error +: Entry function '(?P<kernel>\w+)' uses too much shared data "
    r"\((?P<bytes>0x[0-9a-f]+) bytes, (?P<limit>0x[0-9a-f]+) max\)",
    re.MULTILINE,
)
# Lines of gcc that lead from a header to the file that uses it.
_LEADS_TO = (
    r"(?:In file included from |\s+from )(?P<file>{own}[^:]+):(?P<line>\d+)"
    r"|(?P<user>{own}[^:]+):(?P<at>\d+)(?::\d+)?:   (?:recursively )?required "
)
_KILLED = re.compile(r"Killed signal terminated|out of memory|virtual memory exhausted")
_NO_HEADER = re.compile(r"(?P<name>[\w.-]{1,200}): No such file")
_TWICE = re.compile(r"multiple definition of `(?P<name>[^'(]+)")


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler about a student's file. severity: "error" or "warning"."""

    file: str
    line: int
    severity: str
    text: str

    def render(self) -> str:
        return plain_text.line(f"{self.file}:{self.line}: {self.text}")


def diagnostics_in(log: str, shown: str) -> list[Diagnostic]:
    """The messages of gcc, g++ or nvcc about files in the folder `shown`, in order and without
    repetitions: two builds of one file give the same messages twice."""
    return [d for d in _diagnostics(log) if d.file.startswith(shown + "/")]


def errors_in_headers(log: str, shown: str) -> list[Diagnostic]:
    """The errors that gcc or g++ places in a header, each at the line of the folder `shown` that
    leads there: the last "required from", or else the #include."""
    leads_to = re.compile(_LEADS_TO.format(own=re.escape(shown + "/")))
    found: list[Diagnostic] = []
    include: tuple[str, int] | None = None
    user: tuple[str, int] | None = None
    for text in log.splitlines():
        if lead := leads_to.match(text):
            if lead["file"]:
                include = lead["file"], int(lead["line"])
            else:
                user = lead["user"], int(lead["at"])
        elif (error := _DIAGNOSTIC.match(text)) and error["kind"] != "warning":
            if place := user or include:
                header = f"{Path(error['file']).name}, line {error['line']}, which this line uses"
                found.append(Diagnostic(*place, "error", f"{error['text']} [in {header}]"))
            user = None
    return list(dict.fromkeys(found))


def last_error(log: str) -> list[str]:
    """What make's tools said last of an error, where no other reader knows it; never empty."""
    lines = [line for line in log.splitlines() if "error" in line.lower()]
    said = [plain_text.line(line, 200) for line in lines if not line.startswith("make: ")][:1]
    return ["your file does not build, and the starter file does", *said]


def program_warnings(log: str) -> list[Diagnostic]:
    """The compiler's warnings about the files of a user's own program, in order and without
    repetitions; none about the simulator's headers and the code that it adds."""
    return [
        replace(d, text=_ADDED_PARAMETERS.sub(")", d.text))
        for d in _diagnostics(log)
        if d.severity == "warning" and "sim_" not in d.text and not _is_simulators(d.file)
    ]


def program_errors(log: str) -> list[str]:
    """What the compiler printed about a user's own program, without its warnings if there is an
    error. A caret behind the end of its line is left out, and so is the column in its message: it
    points into code that the simulator added there. So are warnings about the
    simulator's headers; of a note about one, as of a function that was not called right, the text
    stays."""
    lines: list[str] = []
    context: list[str] = []  # of the next message: In function ...
    is_shown = True
    for line in _with_bytes(log).splitlines():
        if line.startswith("make: "):
            continue
        if _CONTEXT.match(line):
            context.append(line)
            continue
        if message := _MESSAGE.match(line):
            is_ours = _is_simulators(message["file"])
            is_shown = not (is_ours or "sim_" in line) or message["kind"].endswith("error")
            # The translator writes this sign: after an error, g++ takes offence at it, too.
            is_shown = is_shown and not (lines and "‘->*’ token" in line)
            if is_shown:
                lines += [plain_text.line(text) for text in context]
            context = []
            if is_ours and message["kind"] == "note" and "sim_" not in message["text"]:
                lines.append(plain_text.line(f"note: {message['text']}"))
        if not is_shown:
            continue
        source = _EXCERPT.fullmatch(lines[-1]) if lines else None
        caret = _CARET.match(line)
        if source and caret and len(caret["before"]) > len(source["source"]):
            if len(lines) > 1:
                lines[-2] = _COLUMN.sub(r"\1", lines[-2])
            continue
        lines.append(plain_text.line(line))
    return [_in_own_names(text) for text in _errors_alone(lines)]


def _errors_alone(lines: list[str]) -> list[str]:
    """The lines without those about warnings, whose number the last one says; all if no message is
    an error. A message begins where its context does."""
    kept: list[str] = []
    context: list[str] = []
    left_out, is_warning, errors = 0, False, False
    for line in lines:
        message = _MESSAGE.match(line)
        if _CONTEXT.match(line):
            context.append(line)
            continue
        if message and message["kind"] != "note":
            is_warning = message["kind"] == "warning"
            left_out += is_warning
            errors = errors or not is_warning
        if not is_warning:
            kept += [*context, line]
        context = []
    if not errors or not left_out:
        return lines
    return [*kept, f"({left_out} warning{'s' * (left_out > 1)} not shown)"]


def _in_own_names(line: str) -> str:
    message = _MESSAGE.fullmatch(line)
    if not message:
        return _COMPANION.sub("", _ADDED_PARAMETERS.sub(")", line))
    return line[: message.start("text")] + own_names(message["text"])


def own_names(text: str) -> str:
    """A message in the names of the program: without those that the translator adds to it."""
    text = _ADDED_PARAMETERS.sub(")", _AKA.sub("", text))
    text = _COMPANION.sub("", text)
    return text if not _INTERNAL.search(text) else "the compiler does not understand this line"


def disk_error(log: str) -> str | None:
    """Why the compiler could not write a file; None when it says nothing of the kind."""
    found = _DISK.search(log)
    return found[1] if found else None


def _is_simulators(file: str) -> bool:
    if "\0" in file:
        return False  # no path at all
    return (paths.ROOT / file).resolve().is_relative_to(paths.LABS / "sim")


def _diagnostics(log: str) -> list[Diagnostic]:
    diagnostics = []
    for match in filter(None, map(_DIAGNOSTIC.match, _with_bytes(log).splitlines())):
        severity = "warning" if match["kind"] == "warning" else "error"
        line_number = int(match["line"])
        diagnostics.append(Diagnostic(match["file"], line_number, severity, match["text"]))
    return list(dict.fromkeys(diagnostics))


def _with_bytes(log: str) -> str:
    """The log in which an error about static shared memory says itself how many bytes there are;
    g++ has them in a note a few lines below it."""
    lines: list[str] = []
    error = -1  # the line of the last such error
    for line in log.splitlines():
        if match := _TOO_MUCH_SHARED.search(line):
            line = line[: match.start()] + f"{match['names']} {match['rest']}"
            error = len(lines)
        elif (note := _COMPARED.match(line)) and error >= 0:
            before, _, after = lines[error].partition(" more than the limit")
            lines[error] = f"{before} {note['bytes']} bytes, more than the limit{after}"
            error = -1
            continue
        elif _DIAGNOSTIC.match(line):
            error = -1
        lines.append(line)
    return "\n".join(lines)


def shared_data(log: str) -> list[str]:
    """ptxas's errors about kernels with too much static shared memory, in words; [] when there are
    none."""
    return list(
        dict.fromkeys(
            f"static shared memory: the kernel {_kernel(m['kernel'])} has {int(m['bytes'], 16)} "
            f"bytes of __shared__ variables, more than the limit of a block, {int(m['limit'], 16)} "
            "bytes (48 KB): use a smaller tile, or declare it extern __shared__ and ask for its "
            "bytes with cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, "
            "bytes)"
            for m in _PTX_SHARED.finditer(log)
        )
    )


def _kernel(mangled: str) -> str:
    """The name of a kernel as the program writes it, without namespaces and template arguments;
    the mangled name where it cannot be read."""
    i = re.match(r"_ZN?", mangled)
    rest, name = mangled[i.end() :] if i else "", mangled
    while length := re.match(r"\d+", rest):
        end = length.end() + int(length[0])
        name, rest = rest[length.end() : end], rest[end:]
    return name


def unassembled(log: str) -> list[str]:
    """The assembler's errors, in words; [] when there are none. Only assembly in a file causes
    them, and static shared memory: what a compiler writes itself can be assembled."""
    if shared := shared_data(log):
        return shared[:4]
    found = [match["text"] or match["ptx"] for match in _ASSEMBLER.finditer(log)]
    return [f"the assembly in your file is invalid: {text[:200]}" for text in dict.fromkeys(found)][
        :4
    ]


def machine_ended(log: str) -> bool:
    """Did the machine end a compiler, for lack of memory or by a signal?"""
    return _KILLED.search(log) is not None


def given_up(log: str) -> list[str]:
    """Why a compiler gave up a student's file without a line of it: one that is nested too deep, or
    larger than any compiler can work on. [] when none did, and where the machine killed it."""
    found = None if machine_ended(log) else _GIVEN_UP.search(log)
    if found is None:
        return []
    return [
        f"the compiler gave up on your file: {found['text'][:200]}",
        "look for very large arrays, very deep nesting, and #pragma GCC lines",
    ]


def unlinked(log: str, submission: Submission) -> list[str]:
    """The linker's errors about the student's functions, in words; [] when there are none."""
    if twice := sorted({m["name"] for m in _TWICE.finditer(log)}):
        return [
            f"{name} is defined twice: in your file and in the lab's own code; remove it from yours"
            for name in twice
        ]
    if missing := sorted({m["name"] for m in _UNDEFINED.finditer(log)}):
        names = ", ".join(f"{n}()" for n in missing)
        return [
            f"your file does not define {names}",
            f"labs/{submission.lab.folder}/lab.h says what each must do; "
            "its name and parameters must be exactly those of lab.h",
        ]
    if _OUT_OF_REACH.search(log):
        return [
            "the variables of your file are too large: together they must stay below 2 GB; use "
            "malloc() or cudaMalloc(), or smaller arrays"
        ]
    return []


def _missing(name: str) -> str:
    library = next((library for prefix, library in _LIBRARIES if re.match(prefix, name)), None)
    if library:
        return f"{name} is part of {library}, which the simulator does not have"
    return f"{name} is used, but none of the files defines it"


def undefined(log: str) -> list[str]:
    """The linker's complaints that functions of a user's own program are defined nowhere, one
    sentence each; [] when there are none."""
    names = list(dict.fromkeys(m["name"] for m in _MISSING.finditer(log)))
    sentences = [_missing(name) for name in names if name != "main"]
    if "main" in names:
        why = "the program has no main(): ./grade run needs all of its files, one with a main()"
        sentences.insert(0, why)
    return sentences


def unlinkable(log: str) -> list[str]:
    """Why a user's own program does not link, one sentence each; [] when the linker did not say."""
    if _OUT_OF_REACH.search(log):
        return [
            "the global variables of all files together take more than 2 GB, which the simulator "
            "does not have for them: use cudaMalloc() instead of large __device__ variables, and "
            "malloc() instead of large host arrays"
        ]
    return undefined(log)


def listed(errors: list[Diagnostic], submission: Submission) -> list[str]:
    """The first error with the student's source line below it, and a few of the other errors."""
    source = submission.line(errors[0].file, errors[0].line)
    shown = [errors[0].render(), *([f"    {source}"] if source else [])]
    shown += [d.render() for d in errors[1:4]]
    if len(errors) > 4:
        shown.append(f"and {len(errors) - 4} more; the first one often causes the others")
    header = _NO_HEADER.match(errors[0].text)
    if header and (submission.folder / header["name"]).is_file():
        lab, file = submission.lab.id, Path(errors[0].file).name
        shown.append(
            f"{header['name']} is not handed in: {lab} is {' and '.join(submission.lab.submit)}; "
            f"move its contents into {file}"
        )
    return shown
