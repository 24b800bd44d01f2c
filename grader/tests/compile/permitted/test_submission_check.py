"""The refusal as a student meets it: the check "compiles" fails, with the line."""

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader import paths
from grader.compile import make, make_process
from grader.compile.make import Build, BuildRequest
from grader.compile.permitted import source_check
from grader.model import spec
from grader.model import submission as submissions

INCLUDE = '#include "lab.h"\n'
Builder = Callable[..., Build]


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Builder]:
    """Builds lab 1 with lines added below the first include of the solution."""

    def built(added: str, target: make.Target = "run") -> Build:
        lab = spec.load("lab1")
        solution = (paths.ROOT / "solutions" / lab.folder / "cpu_loop.c").read_text()
        assert INCLUDE in solution
        (tmp_path / "cpu_loop.c").write_text(solution.replace(INCLUDE, INCLUDE + added, 1))
        home = paths.BUILD / "tests" / tmp_path.name
        submission = replace(submissions.find(lab, str(tmp_path)), home=home)
        return make.build(BuildRequest(submission, "cpu", target, checked=target == "run"))

    yield built
    shutil.rmtree(paths.BUILD / "tests" / tmp_path.name, ignore_errors=True)


def line_of(text: str, tmp_path: Path) -> int:
    lines = (tmp_path / "cpu_loop.c").read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize("target", ["run", "checked", "speed"])
def test_every_build_refuses_forbidden_source(build: Builder, tmp_path: Path, target: str) -> None:
    result = build('#include <stdlib.h>\nint debug(void) { return !getenv("A"); }\n', target)
    where = f"{tmp_path}/cpu_loop.c:{line_of('getenv', tmp_path)}"
    assert result.binary is None
    assert result.errors[0] == (
        f"{where}: calls getenv(); a lab's code may not read or change the environment"
    )
    assert result.errors[1].strip() == 'int debug(void) { return !getenv("A"); }'


def test_wrong_assembly_is_the_students(build: Builder, tmp_path: Path) -> None:
    result = build(
        'static void nothing(void) { asm("this is none"); }\nvoid g(void) { nothing(); }\n'
    )
    assert result.binary is None
    assert f":{line_of('this is none', tmp_path)}: asm: " in result.errors[0]


@pytest.mark.parametrize(
    "unclear",
    [
        "#if __has_include(<x/*>)\n#endif",
        "#if __has_include(<%s/*>)\n#endif" % ("x" * 1100),
        '#if __has_include("x\\") /* "\n/*/\n#endif',
        "#if __has_include(<x//y>) /*\n/*/\n#endif",
        'extern const char include[];\nint f(void) { return include < "a>b /* "; }',
        '#define X éR"(/*)"',
        "#define X 1'\"a\" /* '\n/*/",
        "#define X 1$'\"a\" /* '\n/*/",
    ],
    ids=range(8),
)
def test_line_directives_cannot_be_hidden(unclear: str) -> None:
    """What may look like the beginning of a comment, and a comment's end far behind it."""
    hidden = f'{unclear}\n#line 7 "lab.h"\n/* */\n'
    (refusal,) = source_check.check_source("cpu_loop.c", hidden.encode())
    assert refusal.line == unclear.count("\n") + 2 and refusal.text.startswith("#line: ")


def test_a_macro_with_an_odd_name_names_no_file() -> None:
    for name in ("é", "$", "\\u00e9"):
        source = f'#define {name} "/usr/include/x.h"\n# 1 {name}\n'.encode()
        assert len(source_check.check_source("cpu_loop.c", source)) == 1


def test_unterminated_comments_take_linear_time() -> None:
    started = time.process_time()
    for text in (b"\n#/*", b"/*", b"1e+", b"include", b"'\""):
        source_check.check_source("cpu_loop.c", b"/*\n#line 2\n*/" + text * (500_000 // len(text)))
        source_check.check_source("cpu_loop.c", text * (500_000 // len(text)))
    assert time.process_time() - started < 20


def test_a_comment_may_number_its_lines() -> None:
    source = (
        b'/* don\'t include:\n# 1 load "it"\n#line 2\n*/\n#include <a/b.h> // 1\nchar c[] = "R";\n'
    )
    assert not source_check.check_source("cpu_loop.c", source)


def test_an_error_and_a_line_directive(build: Builder, tmp_path: Path) -> None:
    """The compiler's errors are about another file then; they are the student's all the same."""
    result = build('#line 7 "lab.h"\nint wrong(void) { return }\n')
    assert result.binary is None
    assert f":{line_of('#line 7', tmp_path)}: #line: " in result.errors[0]


def test_main_is_refused_before_the_linker_does(build: Builder) -> None:
    result = build("int main(void) { return 0; }\n")
    assert result.binary is None and "defines main, " in result.errors[0]


def test_function_named_constructor_is_accepted(build: Builder) -> None:
    assert build("int constructor(int asm_like);\nint constructor(int a) { return a; }\n").binary


# ---- errors that gcc places in a header


def test_an_error_in_a_header_is_the_students(build: Builder, tmp_path: Path) -> None:
    result = build("#include <avxintrin.h>\n")
    where = f"{tmp_path}/cpu_loop.c:{line_of('avxintrin', tmp_path)}: "
    assert result.errors[0].startswith(f"{where}#error ")
    assert "[in avxintrin.h, line " in result.errors[0]
    assert result.errors[1].strip() == "#include <avxintrin.h>"


def test_a_macro_that_breaks_a_header_is_the_students(build: Builder, tmp_path: Path) -> None:
    result = build("#define __nmemb 3\n#include <stdlib.h>\n")
    assert f":{line_of('<stdlib.h>', tmp_path)}: " in result.errors[0]
    assert "[in stdlib.h, line " in result.errors[0]


def test_a_failure_that_the_starter_shows_too_is_not(
    build: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = {"cpu_loop.c": b"#include <avxintrin.h>\n"}
    monkeypatch.setattr(make, "_starter", lambda _: broken)
    with pytest.raises(
        make_process.BuildError, match="the parts of lab1 that come with the course"
    ):
        build("#include <avxintrin.h>\n")
