"""Which thread of the team writes a row, and how much?"""

from collections import Counter

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.setting import runs
from grader.execute import records
from grader.execute.accesses import ThreadAccess
from grader.execute.openmp_team import Team

OF_IMAGES = True
# Directives that give work to threads as they come.
AS_THEY_COME = {"dynamic", "guided", "runtime", "auto", "task", "taskloop", "sections", "single"}


def ask(program: AskedPart, draw: Random) -> Draft:
    trace = program.trace
    team = records.readable(trace.team, Team)
    if team is None or team.largest < 2:
        raise CannotTell("no team of threads")
    stores = of_output(trace.threads, trace.size[0] * trace.size[1] * trace.dtype.itemsize)
    owners: dict[int, int] = {}
    written: Counter[int] = Counter()
    for access in stores:
        if access.thread >= team.largest:
            raise CannotTell("a thread outside of the team")
        written[access.thread] += access.width
        for byte in range(access.at, access.at + access.width, trace.dtype.itemsize):
            if owners.setdefault(byte, access.thread) != access.thread:
                raise CannotTell("two threads write the same pixel")
    users = Counter(at for at, _ in {(a.at, a.thread) for a in trace.threads})
    others = [a for a in trace.threads if a.store and a.at not in owners]
    shared = any(a.thread and users[a.at] > 1 for a in others)
    as_they_come = any(AS_THEY_COME & {*words} for _, words, _ in program.text.code.pragmas)
    if shared or as_they_come:
        raise CannotTell("which thread writes what depends on time")
    thread = draw.randrange(team.largest)
    pixels = [[*owners.values()].count(number) for number in range(team.largest)]
    answer = pixels[thread]

    def second() -> int | str:
        if written[thread] == team.written[thread]:
            return answer
        if any(access.thread == thread for access in others):
            raise CannotTell("the thread writes to other memory, too")
        return f"{team.written}, not {written}"

    total = trace.size[0] * trace.size[1]
    share = total // team.largest
    return Draft(
        line=stores[0].line,
        text=f"{runs(program, program.case())}. How many "
        f"different pixels of the result does thread {thread} write (threads are counted from 0)?",
        answer=answer,
        second=second,
        why=f"In the run, the threads write {', '.join(map(str, pixels))} pixels: {total} in all.",
        mistakes=[
            (total, "all pixels: the directive divides the loop among the threads"),
            (share, "the pixels divided by the threads, but rows or whole sections are divided"),
            (-(-total // team.largest), "the pixels divided by the threads, rounded up"),
            *((value, "that is what another thread writes") for value in pixels),
            (trace.size[0], "that is one row"),
            (answer + trace.size[0], "one row more"),
            (answer - trace.size[0], "one row less"),
            (-(-answer // trace.size[0]), "those are rows, not pixels"),
            (answer * trace.dtype.itemsize, "those are bytes, not pixels"),
            (written[thread], "those are the bytes that it writes, some of them twice"),
            (total - answer, "those are the pixels of all other threads"),
            (max(users.values()) * answer, "each pixel counts once, however often it is written"),
            (0, "it takes part: the team shares the loop"),
        ],
        counts="divide the loop that the directive shares among the threads, then count pixels",
    )


def of_output(accesses: list[ThreadAccess], size: int) -> list[ThreadAccess]:
    """The stores to the output: those to `size` bytes in a row, each stored. Raises CannotTell."""
    runs: list[list[ThreadAccess]] = []
    end = -1
    for access in sorted((a for a in accesses if a.store), key=lambda a: a.at):
        if not runs or access.at > end:
            runs.append([])
        runs[-1].append(access)
        end = max(end, access.at + access.width)
    for run in runs:
        if max(a.at + a.width for a in run) - run[0].at == size:
            return run
    raise CannotTell("which stores write the output")
