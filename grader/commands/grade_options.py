"""The options of `./grade labN`, the command that each lab has. grade.py carries it out."""

from collections.abc import Callable
from typing import Annotated

import typer

from grader.commands import options, output
from grader.commands.errors import UsageError
from grader.model import outline, spec


def _words(context: typer.Context) -> list[str]:
    """For completion: what -k takes, the parts and the single words of the checks' names. A whole
    name contains spaces, and one word is enough to select a check."""
    try:
        lab = spec.load(context.info_name or "")
    except outline.SpecError:
        return []
    names = " ".join(c.name for c in lab.shown_checks())
    words = {word.strip(",:") for word in names.split() if len(word) > 2}
    return sorted({part.id for part in lab.part} | words)


def command(lab_id: str) -> Callable[..., None]:
    """The function that Typer makes `./grade <lab_id>` from."""

    def grade(
        src: options.Src = options.STARTER,
        backend: options.BackendOption = options.BackendName.auto,
        pattern: Annotated[
            str | None,
            typer.Option(
                "-k",
                metavar="PATTERN",
                help="Only the checks of this part (A, B, ...), or whose name contains this text.",
                autocompletion=_words,
            ),
        ] = None,
        json_file: Annotated[
            str | None,
            typer.Option("--json", metavar="FILE", help="Write convlabs-grade/v1; - for stdout."),
        ] = None,
        html_file: Annotated[
            str | None,
            typer.Option(
                "--html", metavar="FILE", help="Write a page with pictures; - for stdout."
            ),
        ] = None,
        colour: options.ColourOption = output.Colour.auto,
        verbose: Annotated[
            bool,
            typer.Option(
                "-v", "--verbose", help="Show times, every message and the build commands."
            ),
        ] = False,
        timed: Annotated[
            bool,
            typer.Option(
                "--speed/--no-speed", help="Time the correct functions; takes a few seconds longer."
            ),
        ] = True,
        corrected: Annotated[
            bool,
            typer.Option(
                "--correct/--no-correct",
                help="Where a result is wrong, try changes of one place until one makes it right.",
            ),
        ] = True,
        profiled: Annotated[
            bool,
            typer.Option(
                "--profile",
                help="Print the technique checks' counters next to their limits, and line by line.",
            ),
        ] = False,
        stepped: Annotated[
            bool,
            typer.Option(
                "--step",
                help="Write a page that steps through a block of the first check that fails, lane "
                "by lane; choose another check with -k.",
            ),
        ] = False,
        coded: Annotated[
            bool,
            typer.Option(
                "--code",
                help="Instead of grading, show what nvcc makes of each line; -k A: of part A.",
            ),
        ] = False,
        compared: Annotated[
            str | None,
            typer.Option(
                "--compare",
                metavar="OTHER",
                help="After the grade, say whether your kernels are faster than those of this file "
                "or folder, by predictions of both.",
            ),
        ] = None,
        watched: Annotated[
            bool, typer.Option("--watch", help="Grade again whenever you save; Ctrl-C to stop.")
        ] = False,
        fresh: Annotated[
            bool,
            typer.Option(
                "--fresh", help="Repeat the checks that this same file has already passed."
            ),
        ] = False,
        why: Annotated[
            str,
            typer.Option(
                "--why",
                metavar="TEXT",
                help="What you changed and what you expect of it: one line for ./grade log.",
            ),
        ] = "",
    ) -> None:
        from grader.commands import grade as grading
        from grader.commands import watch

        if coded:
            from grader.commands import code

            if json_file or html_file or profiled or stepped or watched:
                raise UsageError("--code grades nothing: only -k and --src go with it")
            raise typer.Exit(code.lab(lab_id, src, pattern))
        request = grading.Request(
            lab=lab_id,
            src=src,
            backend=backend.value,
            pattern=pattern,
            json_file=json_file,
            html_file=html_file,
            colour=output.coloured(colour),
            verbose=verbose,
            timed=timed,
            profiled=profiled,
            fresh=fresh,
            stepped=stepped,
            why=why,
            compared=compared,
            corrected=corrected and not watched,
        )
        if not watched:
            raise typer.Exit(grading.grade(request))
        if "-" in (json_file, html_file):
            raise UsageError("--watch prints more than one grade: --json and --html need a file")
        raise typer.Exit(watch.watch(lab_id, src, lambda: grading.grade(request)))

    return grade
