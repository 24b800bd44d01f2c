"""`./grade labN --code` and `./grade run FILE --code`: what nvcc makes of each line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from grader import exit_codes
from grader.commands import options, output
from grader.commands.errors import CommandError, UsageError
from grader.compile import make
from grader.compile.make_process import BuildError
from grader.execute.addr2line import shortened
from grader.execute.profile import Launch
from grader.machine_code import page, ran, report, runs, terminal
from grader.model import plain_text
from grader.model.submission import Submission
from grader.sass import compiled, listing
from grader.sass.compiled import Code, NoCodeError
from grader.session.plan import matching

WIDTH = 110


def lab(lab_id: str, src: str, pattern: str | None) -> int:
    """Shows the machine code of a submission. Returns the exit status."""
    submission = options.submission(options.load(lab_id), src)
    if submission.problems:
        raise UsageError("\n       ".join([*submission.problems, *submission.remedies()]))
    texts = {submission.path(n): submission.text(n) for n in submission.contents if _is_cuda(n)}
    if not texts:
        raise UsageError(f"{lab_id} has no CUDA file, and so no code for a GPU")
    if pattern is not None and not matching(submission.lab, pattern):
        raise UsageError(f"no check of {lab_id} matches '{pattern}'")
    require_nvcc()
    output.announce_first_build()
    with make.start(make.BuildRequest(submission, "sim", "code")) as wait:
        binary = _traced(submission)
        launches = runs.launches(submission, binary, pattern) if binary else []
        built = wait()
    if built.binary is None:
        raise CommandError("\n".join(built.errors), exit_codes.LESS)
    with _said():
        code = compiled.read(built.binary, submission)
    print(_shown(lab_id, code, texts, binary, launches, pattern is not None))
    return exit_codes.FULL_MARKS


def require_nvcc() -> None:
    """Raises CommandError where there is no nvcc."""
    with _said():
        compiled.require_nvcc()


@contextmanager
def _said() -> Iterator[None]:
    """Turns a NoCodeError into a CommandError."""
    try:
        yield
    except NoCodeError as problem:
        raise CommandError(str(problem), exit_codes.LESS) from problem


def _traced(submission: Submission) -> Path | None:
    """The traced program; None where the simulator does not take the file."""
    with suppress(BuildError, OSError):
        return make.build(make.BuildRequest(submission, "sim", "checked")).binary
    return None


def program(files: list[str], binary: Path, launches: list[Launch]) -> str:
    """What to say of a user's own program that was built with its machine code."""
    codes, texts = [], {}
    for number, name in enumerate(files):
        if _is_cuda(name):
            with _said():
                codes.append(compiled.read(binary.with_name(f"{number}.txt")))
            texts[listing.shown(plain_text.name(name))] = Path(name).read_text(errors="replace")
    return _shown(Path(files[0]).stem, compiled.joined(codes), texts, binary, launches)


def _is_cuda(name: str) -> bool:
    return name.endswith(".cu")


def _shown(
    title: str,
    code: Code,
    texts: Mapping[str, str],
    binary: Path | None,
    launches: list[Launch],
    only_ran: bool = False,
) -> str:
    """Writes the page; the text for the terminal."""
    names = {kernel.name for kernel in code.kernels}
    counted = ran.of_launches(binary, launches, names) if binary else {}
    found = report.kernels(code, texts, counted, only_ran and bool(counted))
    if not found:
        return "no kernel: nvcc made no code for a GPU"
    sources = {file: text.splitlines() for file, text in texts.items()}
    file = output.page_file("code", title, page.page(title, found, sources))
    width = min(output.width_of(sys.stdout) or WIDTH, WIDTH)
    text = plain_text.document(terminal.text(found, sources, width))
    return f"{text}\n\n  source and instructions side by side: {shortened(str(file))}"
