"""The linker's messages become readable diagnostics."""

from pathlib import Path

import pytest

from grader.compile import compiler_messages
from grader.model import spec, submission


def test_a_header_beside_the_file_is_not_handed_in(tmp_path: Path) -> None:
    (tmp_path / "cpu_loop.c").write_text('#include "mine.h"\n#include "none.h"\n')
    (tmp_path / "mine.h").touch()
    found = submission.find(spec.load("lab1"), str(tmp_path))
    for line, (name, is_there) in enumerate((("mine.h", True), ("none.h", False)), 1):
        log = f"{found.path('cpu_loop.c')}:{line}:10: fatal error: {name}: No such file"
        said = compiler_messages.listed(compiler_messages.diagnostics_in(log, found.shown), found)
        assert ("mine.h is not handed in: lab1 is cpu_loop.c" in said[-1]) == is_there, said


def test_functions_of_libraries_that_are_not_there() -> None:
    log = "".join(
        f"a.cpp: undefined reference to `{name}'\n"
        for name in ("cufftPlan2d", "glClearColor", "cuInit", "cufftless", "glue", "cudaOfMine")
    )
    assert compiler_messages.undefined(log) == [
        "cufftPlan2d is part of cuFFT, which the simulator does not have",
        "glClearColor is part of OpenGL, which the simulator does not have",
        "cuInit is part of the CUDA driver API, which the simulator does not have",
        "cufftless is used, but none of the files defines it",
        "glue is used, but none of the files defines it",
        "cudaOfMine is used, but none of the files defines it",
    ]


def test_an_assembler_error_is_the_students() -> None:
    log = (
        "{standard input}: Assembler messages:\n"
        "{standard input}:16: Error: no such instruction: `this is none'\n"
        "ptxas /tmp/tmpxft_1-0.ptx, line 33; error   : Unknown symbol 'x'\n"
    )
    assert compiler_messages.unassembled(log) == [
        "the assembly in your file is invalid: no such instruction: `this is none'",
        "the assembly in your file is invalid: Unknown symbol 'x'",
    ]
    assert compiler_messages.unassembled("make: *** [x.o] Error 1\n") == []


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("_Z11tile_kernelPfi", "tile_kernel"),
        ("_Z4tileILi128EEvPf", "tile"),
        ("_ZN10namespace_4tileEPf", "tile"),
        ("tile_kernel", "tile_kernel"),
    ],
)
def test_too_much_static_shared_memory_is_not_called_assembly(mangled: str, name: str) -> None:
    log = f"ptxas error   : Entry function '{mangled}' uses too much shared data "
    log += "(0x13880 bytes, 0xc000 max)\n"
    [said] = compiler_messages.unassembled(log + log)
    assert said.startswith(
        f"static shared memory: the kernel {name} has 80000 bytes of __shared__ variables, more "
        "than the limit of a block, 49152 bytes (48 KB): use a smaller tile"
    )


def test_unrelated_note_does_not_supply_the_byte_count() -> None:
    shared = "a.cu:3:9: error: static assertion failed: static shared memory: s takes more than "
    shared += "the limit of a block, 49152 bytes (48 KB): use a smaller tile\n"
    other = "a.cu:9:1: error: static assertion failed: my own\n"
    note = "a.cu:9:1: note: the comparison reduces to ‘(7 <= 3)’\n"
    assert compiler_messages.program_errors(shared + other + note) == [
        "a.cu:3:9: error: static shared memory: s takes more than the limit of a block, 49152 "
        "bytes (48 KB): use a smaller tile",
        *(other + note).splitlines(),
    ]


@pytest.mark.parametrize(
    "log",
    [
        "gcc: internal compiler error: Segmentation fault signal terminated program cc1\n",
        "during RTL pass: final\nlab1/cpu_loop.c:1:4: internal compiler error: in foo, at b.cc:1\n",
        "cc1: fatal error: /tmp/x: No such file or directory\ncompilation terminated.\n",
    ],
)
def test_a_compiler_that_gives_up_a_file(log: str) -> None:
    reason, advice = compiler_messages.given_up(log)
    assert "error: " in reason and advice.startswith("look for ")


@pytest.mark.parametrize(
    "log",
    [
        "g++: fatal error: Killed signal terminated program cc1plus\n",
        "cc1plus: fatal error: out of memory allocating 65536 bytes\n",
        "/usr/bin/ld: a.o: undefined reference to `f'\n",
        "make: *** [labs/runtime/submission.mk:65: build/x.o] Error 1\n",
    ],
)
def test_compiler_killed_by_the_machine_blames_no_file(log: str) -> None:
    assert compiler_messages.given_up(log) == []


def test_a_message_can_be_shown() -> None:
    (shown,) = compiler_messages.diagnostics_in("l/a.c:1:2: error: \x1b[2J\u202ex\n", "l")
    assert shown.render() == "l/a.c:1: ?x"
    assert compiler_messages.program_errors("a.c:1: \x1b]0;t\x07\x9b1mx\n") == ["a.c:1: x"]


def test_the_line_that_leads_to_an_error_in_a_header() -> None:
    log = """In file included from /usr/include/c++/12/bits/stl_algobase.h:71,
                 from my/x.cu:2:
/usr/include/c++/12/bits/predefined_ops.h: In instantiation of 'constexpr bool f()':
/usr/include/c++/12/bits/stl_algo.h:1809:14:   required from 'void std::sort()'
my/x.cu:5:14:   required from here
/usr/include/c++/12/bits/predefined_ops.h:45:23: error: no match for 'operator<'
my/x.cu:3:8: note: 'tap' is not derived from it
/usr/include/c++/12/bits/predefined_ops.h:98:22: error: another
other/y.h:1:1: warning: nothing
"""
    assert [d.render() for d in compiler_messages.errors_in_headers(log, "my")] == [
        "my/x.cu:5: no match for 'operator<' [in predefined_ops.h, line 45, which this line uses]",
        "my/x.cu:2: another [in predefined_ops.h, line 98, which this line uses]",
    ]
    assert compiler_messages.errors_in_headers(log, "my.") == []


def test_an_error_that_no_reader_knows() -> None:
    log = "a warning\n/usr/bin/ld: error: section too large\nmake: *** [run] Error 1\n"
    assert compiler_messages.last_error(log)[1:] == ["/usr/bin/ld: error: section too large"]


def test_gcc_sorry_and_relocation_errors_are_diagnosed(tmp_path: Path) -> None:
    (tmp_path / "cpu_loop.c").write_text("int x;\n")
    found = submission.find(spec.load("lab1"), str(tmp_path))
    log = f"{found.path('cpu_loop.c')}:1:5: sorry, unimplemented: a variable length\n"
    (said,) = compiler_messages.diagnostics_in(log, found.shown)
    assert (said.line, said.severity, said.text) == (1, "error", "a variable length")
    log = "x.o: in function `u': relocation truncated to fit: R_X86_64_PC32 against `.bss'\n"
    assert "must stay below 2 GB" in compiler_messages.unlinked(log, found)[0]
