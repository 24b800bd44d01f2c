"""What compilers and the linker print about a student's file (compiler_messages.py)."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from grader.compile import compiler_messages as messages
from grader.model import spec
from grader.model.submission import Submission

SHOWN = "lab1_cpu_loop"


@cache
def submission() -> Submission:
    lab = spec.load("lab1")
    content = b"int x;\n\x1b[31m\xe2\x80\xaey\r\nint\xff z;\n"
    return Submission(lab, Path("/nowhere"), SHOWN, {"cpu_loop.c": content}, [])


def seeds() -> Iterator[bytes]:
    yield b"lab1_cpu_loop/cpu_loop.c:2:5: error: expected ';'\n    2 | int x\n      |      ^\n"
    yield b'lab1_cpu_loop/cpu_loop.c(3): error: identifier "y" is undefined\n'
    yield b"lab1_cpu_loop/cpu_loop.c(3): warning #177-D: variable unused\nmake: *** [x] Error 1\n"
    yield b"a.cu:9: fatal error: no.h: No such file\n"
    yield b"labs/sim/include/x.h:1:2: warning: w\na.cu:1:2: warning: few (int, const char*, int)'\n"
    yield b"a.o: undefined reference to `cublasCreate_v2'\nundefined reference to `main'\n"
    yield b"a.o: multiple definition of `main'; b.o: first defined here\n"
    yield b"relocation truncated to fit: R_X86_64_PC32\n"
    yield b"/usr/bin/ld: final link failed: No space left on device\n"
    yield b"    2 | No space left on device\n"
    yield b"a.c:" + b"9" * 4400 + b": error: x\n"
    yield b"a\0b.c:1: warning: x\n" + b"a/" * 2100 + b":1: warning: x\n"
    yield b"undefined reference to `" * 100
    yield "\u202ea.c:\u0661: error: \x1b]0;x\x07".encode()


def check(data: bytes) -> None:
    log = data.decode(errors="replace")
    found = messages.diagnostics_in(log, SHOWN)
    assert len(found) <= len(log.splitlines()) and len(set(found)) == len(found)
    for diagnostic in found:
        assert diagnostic.file.startswith(SHOWN + "/") and diagnostic.line >= 0
        assert diagnostic.severity in ("error", "warning")
        assert submission().line(diagnostic.file, diagnostic.line).isprintable()
    if found:
        assert 1 <= len(messages.listed(found, submission())) <= 6
    for warning in messages.program_warnings(log):
        assert warning.severity == "warning" and warning.render()
    errors = messages.program_errors(log)
    assert len(errors) <= len(log.splitlines())
    assert all(line.isprintable() for line in errors)
    assert messages.disk_error(log) in (
        None,
        "No space left on device",
        "Disk quota exceeded",
        "Read-only file system",
    )
    for sentence in [*messages.unlinked(log, submission()), *messages.unlinkable(log)]:
        assert sentence
