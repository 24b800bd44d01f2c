"""`./grade bulk`: grades a class."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import typer

from grader import exit_codes
from grader.classroom.bulk import final, questions
from grader.classroom.bulk.batch import Batch
from grader.classroom.bulk.cache_key import Options
from grader.classroom.bulk.database import FILE, HIDDEN
from grader.classroom.bulk.intake import discover, takes
from grader.classroom.bulk.intake.discover import DOWNLOAD, Download
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.folder import DiskFolder
from grader.classroom.bulk.intake.on_roster import attendance
from grader.classroom.bulk.intake.on_roster import timed as timed_by_roster
from grader.classroom.bulk.pool import Pool
from grader.classroom.bulk.store import Store
from grader.classroom.bulk.variants import Variants
from grader.classroom.commands import bulk_machine, cluster_options
from grader.classroom.commands import bulk_options as options
from grader.classroom.commands import bulk_problems as problems
from grader.classroom.commands.bulk_progress import Bar
from grader.classroom.course import settings
from grader.classroom.course.roster import Roster
from grader.classroom.course.roster import load as load_roster
from grader.classroom.export import gradebook, publish
from grader.classroom.export.summary import summary
from grader.commands import output
from grader.commands.errors import UsageError
from grader.model import outline, plain_text, spec
from grader.model.lab import Lab
from grader.oracle import inputs
from grader.session.plan import matching

NO_SUBMISSIONS = "{} has no submissions: it needs a folder, zip or tarball per student"


def bulk(
    submissions: options.Submissions,
    out: options.Out,
    labs: options.Labs = "",
    jobs: options.Jobs = options.JOBS,
    course: options.CourseFile = None,
    roster: options.RosterFile = None,
    resume: options.Resume = False,
    quiet: options.Quiet = False,
    backend: options.Backend = "auto",
    timed: options.Timed = True,
    seconds: options.Seconds = None,
    pages: options.Pages = True,
    executor: options.Executor = "local",
    slurm_options: options.SlurmOptions = None,
    per_task: options.PerTask = 8,
    trusted: options.Trusted = False,
    ask: options.Ask = 0,
    answers: options.AnswersFile = None,
    check: options.Check = "",
) -> None:
    """Grade a folder of submissions, each in a sandbox."""
    chosen = _labs(labs)
    _check_again(check, resume, chosen)
    cluster = cluster_options.Cluster.of(executor, slurm_options or [], per_task)
    _check_folders(submissions, out)
    with problems.of_usage():
        expected = load_roster(roster) if roster else None
    given = _course(course)
    answered = _answers(answers)
    bulk_machine.check_disk(out)
    output.announce_first_build()
    bulk_machine.check_sandbox(trusted, backend == "gpu")
    download, entries = _submissions(submissions, expected)
    if resume and not (out / HIDDEN / FILE).exists():
        output.say(f"{out} has no run yet: beginning one")
        resume = False
    with problems.of_usage(), closing(Store(out, resume)) as store, problems.of_run(out):
        if given:
            store.keep_setting(final.COURSE, given)
        rules = final.rules(store)
        takes.assign(rules, entries, chosen)
        for line in timed_by_roster(entries, rules.zone()):
            output.say(line)
        seeds = {
            lab: its.hidden_seed for lab, its in rules.lab.items() if its.hidden_seed is not None
        }
        grading = Options(backend, timed, seconds, pages, seeds, rules.predicted_speed)
        bar = Bar(quiet)
        variants = Variants.of(rules, entries)
        batch = Batch(store, chosen, grading, bar, rules.attempts == "best", variants, check)
        batch.prepare()
        store.keep_setting(DOWNLOAD, str(download).encode())
        store.keep_setting(final.COLLECTED, datetime.now(UTC).isoformat().encode())
        with Pool(jobs, store.own) as pool, bar:
            batch.run(entries, cluster.executor(pool, batch, trusted) if cluster else pool)
        if check:
            many = f"in {batch.graded_again} grades; ./grade diff {out} says whose changed"
            output.say(f'the checks with "{plain_text.line(check)}" were graded again {many}')
        if ask:
            _ask(store, chosen, ask)
        if unknown := questions.keep(store, answered) if answered else []:
            few = plain_text.few([plain_text.line(name, 60) for name in unknown], 3)
            output.say(f"answers to questions that were not drawn here: {few}")
        _publish(store, rules)
        raise typer.Exit(exit_codes.FAULT if store.count("error") else exit_codes.FULL_MARKS)


def _publish(store: Store, rules: settings.Course) -> None:
    """Writes what the instructor needs of the grades, and says where it is."""
    publish.write(store)
    if unknown := final.strangers(rules, final.students(store.submissions(), rules)):
        names = ", ".join(plain_text.line(name) for name in unknown)
        output.say(f"course.toml has names that no student of this run has: {names}")
    for each in store.submissions():
        for note in each.notes.split(", "):
            if note.startswith(takes.NOT_THERE):
                output.say(f"{plain_text.line(each.student)}: {note}")
    print(summary(store))
    print(f"gradebook: {store.folder / gradebook.NAME}")


def _ask(store: Store, labs: list[Lab], count: int) -> None:
    """Draws questions for the class. Says how many, and which were withheld."""
    from grader.classroom.bulk import quizzes  # it imports what judges

    made = list(quizzes.make(store, labs, count))
    total = sum(len(each.asked) for each in made)
    output.say(f"questions drawn: {total}, programs: {len(made)}; ./grade export writes them")
    if names := [plain_text.line(m.student, 40) for m in made if len(m.asked) < count]:
        few = plain_text.few(names, 5)
        output.say(f"read these programs yourself: fewer than {count} questions: {few}")
    for fault in [text for each in made for text in each.withheld]:
        output.say(f"a question was withheld, please report this fault of ours: {fault}")


def _check_again(name: str, resume: bool, labs: list[Lab]) -> None:
    """Raises UsageError where there is no such check to grade again."""
    if name and not resume:
        raise UsageError("--check grades checks of a run again: add --resume")
    if name and not any(matching(lab, name) for lab in labs):
        raise UsageError(f'no check has "{plain_text.line(name)}" in its name')


def _check_folders(submissions: Path, out: Path) -> None:
    """Raises UsageError when the folders cannot be what the instructor meant."""
    if submissions.is_file() and submissions.suffix.lower() == ".zip":
        return
    if not submissions.is_dir():
        raise UsageError(f"{submissions} is not a folder, and not the zip of a class")
    if out.resolve().is_relative_to(submissions.resolve()):
        raise UsageError(
            f"{out} is inside {submissions}, where every folder is taken for a student's; "
            "name a folder outside of it"
        )
    if not DiskFolder(submissions).children():
        raise UsageError(NO_SUBMISSIONS.format(submissions))


def _course(file: Path | None) -> bytes:
    """The text of --course, which can be used; b"" for none. Raises UsageError."""
    if file is None:
        return b""
    with problems.of_usage(), problems.of_file(file):
        settings.load(file, frozenset(outline.available()))
        return file.read_bytes()


def _answers(file: Path | None) -> questions.Answers:
    """The answers of --answers. Raises UsageError."""
    if file is None:
        return {}
    with problems.of_usage(), problems.of_file(file):
        return questions.read(file.read_bytes(), str(file))


def _submissions(place: Path, expected: Roster | None) -> tuple[Download, list[Entry]]:
    """What was handed in, and an empty entry for each student of the roster who handed in nothing.
    Says on stderr what was recognized. Raises UsageError."""
    with problems.of_file(place):
        download = discover.download(place)
    if not download.entries:
        raise UsageError(NO_SUBMISSIONS.format(place))
    output.say(str(download))
    if download.doubt:
        output.say(download.doubt)
    if expected is None:
        return download, download.entries
    present = attendance(download.entries, expected)
    for line in present.lines():
        output.say(line)
    return download, present.entries


def _labs(listed: str) -> list[Lab]:
    """The labs of --labs; every lab when it is empty. Raises UsageError for an unknown name, and
    SpecError."""
    known = list(outline.available())
    names = [name.strip() for name in listed.split(",") if name.strip()] or known
    for name in names:
        if name not in known:
            raise UsageError(f"there is no {name}; the labs are {', '.join(known)}")
    chosen = [spec.load(name) for name in dict.fromkeys(names)]
    for lab in chosen:
        inputs.require(lab)
    return chosen
