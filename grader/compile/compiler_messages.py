"""Reads the messages of compilers and the linker about a student's files."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from grader import paths
from grader.model.submission import Submission

_DIAGNOSTIC = re.compile(
    r"^(?P<file>.+?)[:(](?P<line>\d+)(?:[:,]\d+)?\)?:? ?:?\s*(?P<kind>fatal error|error|warning)\s*"
    r"(?:#[\w-]+)?: (?P<text>.*)$"
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
_EXCERPT = re.compile(r" *\d+ \| (?P<source>.*)")
_CARET = re.compile(r" *\| (?P<before> *)")
# The simulator's functions of the runtime API also take the file and line of a call.
_ADDED_PARAMETERS = re.compile(r"(?:, )?const char\*, int\)(?=’|')")
_OUT_OF_REACH = re.compile(r"relocation truncated to fit|failed to convert GOTPCREL relocation")
_TWICE = re.compile(r"multiple definition of `(?P<name>[^'(]+)")


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler about a student's file. severity: "error" or "warning"."""

    file: str
    line: int
    severity: str
    text: str

    def render(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


def diagnostics_in(log: str, shown: str) -> list[Diagnostic]:
    """The messages of gcc, g++ or nvcc about files in the folder `shown`, in order and without
    repetitions: two builds of one file give the same messages twice."""
    return [d for d in _diagnostics(log) if d.file.startswith(shown + "/")]


def program_warnings(log: str) -> list[Diagnostic]:
    """The compiler's warnings about the files of a user's own program, in order and without
    repetitions; none about the simulator's headers and the code that it adds."""
    return [
        replace(d, text=_ADDED_PARAMETERS.sub(")", d.text))
        for d in _diagnostics(log)
        if d.severity == "warning" and "sim_" not in d.text and not _is_simulators(d.file)
    ]


def program_errors(log: str) -> list[str]:
    """What the compiler printed about a user's own program. A caret behind the end of its line is
    left out: it points into code that the simulator added there."""
    lines: list[str] = []
    for line in log.splitlines():
        source = _EXCERPT.fullmatch(lines[-1]) if lines else None
        caret = _CARET.match(line)
        if source and caret and len(caret["before"]) > len(source["source"]):
            continue
        if not line.startswith("make: "):
            lines.append(line)
    return lines


def disk_error(log: str) -> str | None:
    """Why the compiler could not write a file; None when it says nothing of the kind."""
    found = _DISK.search(log)
    return found[1] if found else None


def _is_simulators(file: str) -> bool:
    return (paths.ROOT / file).resolve().is_relative_to(paths.LABS / "sim")


def _diagnostics(log: str) -> list[Diagnostic]:
    diagnostics = []
    for match in filter(None, map(_DIAGNOSTIC.match, log.splitlines())):
        severity = "warning" if match["kind"] == "warning" else "error"
        line_number = int(match["line"])
        diagnostics.append(Diagnostic(match["file"], line_number, severity, match["text"]))
    return list(dict.fromkeys(diagnostics))


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
            "does not have for them: use cudaMalloc() in place of large __device__ variables, and "
            "malloc() in place of large arrays of the host"
        ]
    return undefined(log)


def listed(errors: list[Diagnostic], submission: Submission) -> list[str]:
    """The first error with the student's source line below it, and a few of the other errors."""
    source = submission.line(errors[0].file, errors[0].line)
    shown = [errors[0].render(), *([f"    {source}"] if source else [])]
    shown += [d.render() for d in errors[1:4]]
    if len(errors) > 4:
        shown.append(f"and {len(errors) - 4} more; the first one often causes the others")
    return shown
