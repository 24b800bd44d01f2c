"""`./grade bulk`: grades a class."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import typer

from grader import exit_codes, files
from grader.classroom.bulk import class_records, questions
from grader.classroom.bulk.batch import Batch
from grader.classroom.bulk.cache_key import Options
from grader.classroom.bulk.database import FILE, OWN_FOLDER
from grader.classroom.bulk.intake import discover, takes
from grader.classroom.bulk.intake.discover import Download
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.folder import DiskFolder
from grader.classroom.bulk.intake.on_roster import attendance, with_id
from grader.classroom.bulk.intake.on_roster import timed as timed_by_roster
from grader.classroom.bulk.pool import Pool
from grader.classroom.bulk.store import Store
from grader.classroom.bulk.variants import Variants
from grader.classroom.commands import bulk_machine, cluster_options
from grader.classroom.commands import bulk_options as options
from grader.classroom.commands import bulk_problems as problems
from grader.classroom.commands.bulk_progress import Bar
from grader.classroom.course import settings
from grader.classroom.course.attempt import NOT_THERE
from grader.classroom.course.roster import Roster
from grader.classroom.course.roster import load as load_roster
from grader.classroom.course.settings import NEEDS_ZONE, Course
from grader.classroom.course.students import strangers
from grader.classroom.export import gradebook, grades, publish, sheets
from grader.classroom.export.summary import summary
from grader.commands import output
from grader.commands.errors import UsageError
from grader.commands.grouped import grouped
from grader.model import course_version, outline, plain_text, spec
from grader.model.lab import Lab
from grader.oracle import inputs
from grader.session.plan import matching

NO_SUBMISSIONS = "{} has no submissions: it needs a folder, zip or tarball per student"


@grouped
def bulk(
    of: options.Class,
    run: options.Run,
    grading: options.Grading,
    where: options.Where,
    asked: options.Questions,
) -> None:
    """Grade a folder of submissions, each in a sandbox."""
    labs = _labs(of.labs)
    _check_again(run, labs)
    cluster = cluster_options.Cluster.of(where)
    _check_folders(of.submissions, of.out)
    with problems.of_usage():
        expected = load_roster(of.roster) if of.roster else None
    given = _course(of.course)
    if given:
        _check_times(settings.parse(given, frozenset(outline.available())), expected, of.roster)
    answers = _answers(asked.answers)
    bulk_machine.check_disk(of.out)
    output.announce_first_build()
    bulk_machine.check_sandbox(run.trusted, grading.backend == "gpu")
    download, entries = _submissions(of.submissions, expected)
    with (
        problems.of_usage(),
        closing(Store(of.out, _is_resumed(run, of.out))) as store,
        problems.of_run(of.out),
    ):
        rules = _rules(store, given)
        _check_times(rules, expected, of.roster)
        _apply(rules, entries, labs)
        bar = Bar(run.quiet)
        batch = _batch(store, labs, rules, entries, bar, grading, run)
        batch.prepare()
        _say_outdated(batch)
        class_records.keep_collected(store, str(download), datetime.now(UTC))
        with Pool(run.jobs, store.own) as pool, bar:
            batch.run(entries, cluster.executor(pool, batch, run.trusted) if cluster else pool)
        if run.check:
            _say_again(batch, run.check, of.out)
        if asked.ask:
            _ask(store, labs, asked.ask)
        if asked.sheets:
            _write_sheets(store)
        if answers:
            _keep(store, answers)
        _publish(grades.of(store))
        raise typer.Exit(exit_codes.FAULT if store.count("error") else exit_codes.FULL_MARKS)


def _write_sheets(store: Store) -> None:
    """Writes the questions of the class to print."""
    folder = store.folder / "sheets"
    folder.mkdir(exist_ok=True)
    written = 0
    for name, data in sheets.render(store):
        files.update(folder / name, data, sync=False)
        written += 1
    if not written:
        output.say("--sheets has no questions to write: give --ask N, too")
    else:
        output.say(f"wrote {written} files in {folder}; those with -keys are for instructors only")


def _is_resumed(run: options.Run, out: Path) -> bool:
    """Whether there is a run to go on with, where that is asked for."""
    if run.resume and not (out / OWN_FOLDER / FILE).exists():
        output.say(f"{out} has nothing to resume; starting a new run")
        return False
    return run.resume


def _rules(store: Store, given: bytes) -> Course:
    """The course's rules: those of --course, kept for the next run, else those of the last one."""
    if given:
        store.keep_setting(class_records.COURSE, given)
    return class_records.rules(store)


def _check_times(rules: Course, expected: Roster | None, file: Path | None) -> None:
    """Raises UsageError where the roster has a time of which nothing says the zone: students who
    were on time would be a day late."""
    bare = expected.without_zone() if expected else None
    if bare and rules.needs_zone():
        raise UsageError(f'{file}, line {bare[0]}: "{plain_text.line(bare[1])}" {NEEDS_ZONE}')


def _apply(rules: Course, entries: list[Entry], labs: list[Lab]) -> None:
    """Applies the rules to what was handed in, before it is graded."""
    takes.assign(rules, entries, labs)
    for line in timed_by_roster(entries, rules.zone()):
        output.say(line)


def _batch(
    store: Store,
    labs: list[Lab],
    rules: Course,
    entries: list[Entry],
    bar: Bar,
    grading: options.Grading,
    run: options.Run,
) -> Batch:
    """Grades the submissions as the command and the course say."""
    return Batch(
        store,
        labs,
        Options(
            backend=grading.backend,
            timed=grading.timed,
            seconds=grading.seconds,
            pages=grading.pages,
            seeds=rules.hidden_seeds(),
            prediction=rules.predicted_speed,
        ),
        bar,
        every_attempt=rules.attempts == "best",
        variants=Variants.of(rules, entries),
        again=run.check,
        keep=run.keep,
    )


def _say_outdated(batch: Batch) -> None:
    """Says what an upgrade will do, before it does."""
    found, now = batch.outdated(), course_version.shown()
    if not found.count and found.versions in ((), (now,)):
        return
    made = f"made with {', '.join(map(plain_text.line, found.versions))}, now {now}"
    if not found.count:
        output.say(f"{made}: no grade is made again")
        return
    what = f"{found.count} of {found.grades} grades"
    changed = f"changed: {', '.join(found.causes)}"
    done = "kept" if batch.keep else "to be made again; --keep leaves them"
    output.say(f"{made}: {what} {done}; {changed}")


def _say_again(batch: Batch, check: str, out: Path) -> None:
    many = f"in {batch.graded_again} grades; ./grade diff {out} shows whose grades changed"
    output.say(f'the checks with "{plain_text.line(check)}" were graded again {many}')


def _keep(store: Store, answers: questions.Answers) -> None:
    """Keeps the answers of the class. Says which are to questions that it was not asked."""
    if unknown := questions.keep(store, answers):
        few = plain_text.few([plain_text.line(name, 60) for name in unknown], 3)
        output.say(f"answers to questions that this run did not generate: {few}")


def _publish(of_class: grades.Grades) -> None:
    """Writes what the instructor needs of the grades, and says where it is."""
    publish.write(of_class)
    if unknown := strangers(of_class.rules, of_class.students):
        names = ", ".join(plain_text.line(name) for name in unknown)
        output.say(f"course.toml has names that no student of this run has: {names}")
    for each in of_class.store.submissions():
        for note in each.notes.split(", "):
            if note.startswith(NOT_THERE):
                output.say(f"{plain_text.line(each.student)}: {note}")
    print(summary(of_class))
    print(f"gradebook: {of_class.store.folder / gradebook.NAME}")


def _ask(store: Store, labs: list[Lab], count: int) -> None:
    """Draws questions for the class. Says how many, and which were withheld."""
    from grader.classroom.bulk import quizzes  # it imports what judges

    made = list(quizzes.make(store, labs, count))
    total = sum(len(each.asked) for each in made)
    output.say(f"questions generated: {total}, programs: {len(made)}; ./grade export writes them")
    if names := [plain_text.line(m.student, 40) for m in made if len(m.asked) < count]:
        few = plain_text.few(names, 5)
        output.say(f"read these programs yourself: fewer than {count} questions: {few}")
    for fault in [text for each in made for text in each.withheld]:
        output.say(f"an error in the grader withheld a question; please report it: {fault}")


def _check_again(run: options.Run, labs: list[Lab]) -> None:
    """Raises UsageError where there is no such check to grade again, or nothing to keep."""
    name = run.check
    if run.keep and not run.resume:
        raise UsageError("--keep leaves the grades of a run as they are: add --resume")
    if name and not run.resume:
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
            f"{out} is inside {submissions}, where every folder counts as a student's; "
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
    expected, meaning = with_id(expected, download.entries)
    present = attendance(download.entries, expected)
    for line in filter(None, [meaning, *present.lines()]):
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
