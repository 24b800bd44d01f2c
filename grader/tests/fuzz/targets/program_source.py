"""A source, and what the preprocessor leaves of it (source_check.py, own_text.py)."""

from collections.abc import Iterator

from grader.compile.permitted import source_check

NAMES = {"cpu_loop.c": "cpu_loop.c", "a.c": "a.c"}


def seeds() -> Iterator[bytes]:
    yield b'# 1 "cpu_loop.c"\nint f(void) { asm("nop"); return 1; }\n'
    yield b'# 1 "cpu_loop.c"\n__attribute__((constructor, no_sanitize("x"))) void f(void);\n'
    yield b'# 3 "/usr/include/x.h" 1 3\nint g;\n# 9 "cpu_loop.c" 2\n#pragma GCC optimize("O0")\n'
    yield b'#line 7 "other.c"\n#include "/etc/passwd"\n/* asm */ // asm\n"asm" \'"\' R"(asm)"\n'
    yield b'# 1 "cpu_loop.c"\n[[gnu::constructor]] void f();\n_Pragma("weak f") alignas(8) int x;\n'
    yield b"# " + b"9" * 4400 + b' "cpu_loop.c"\nasm\n'
    yield b'# 1 "cpu_loop.c"\n' + b"__attribute__((" * 200 + b"(" * 1000
    yield b'# 1 "cpu_loop.c"\n' + b"/*" * 1000 + b'"\\' * 500
    # None of them ends.
    for repeated in (b"include<", b'R"(', b'"\\', b"'\\", b"__attribute__((", b"[["):
        yield b'# 1 "cpu_loop.c"\n' + repeated * 20_000 + b"\n#line 3"
    yield b"\xff\0\r#\\\nline 3\n%:line 4\n??=line 5\n"


def check(data: bytes) -> None:
    lines = data.count(b"\n") + 1
    for refused in source_check.check_source("cpu_loop.c", data):
        assert 1 <= refused.line <= lines and refused.text
    for is_gpu in (False, True):
        reserved = frozenset({"sim_load"})
        for refused in source_check.check_text(data, NAMES.get, is_gpu, reserved):
            assert refused.file in NAMES.values() and refused.text and refused.line >= 0
