"""python -m grader.tests.ask.every_program [--out FILE] [--jobs N] [--shard K/N] [WORD ...]: the
keys of all kinds of questions over all programs, part by part: the solutions and the known
submissions. Kinds that compile are drawn once, the others three times, or more where there are too
few.

On all cores by default. --shard 3/8: the third eighth of them. WORD: only programs whose name has
one of them, such as lab3/right. It writes a row for each program, part and kind, prints what is
withheld and who has too few questions, and then the kinds; its exit status is 1 where a key is not
certain, or where there are too few."""

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import as_completed
from dataclasses import dataclass, field
from pathlib import Path

from grader import paths
from grader.ask.catalogue import KINDS
from grader.ask.draft import CannotTell
from grader.ask.program import NoQuestionsError
from grader.ask.quiz import ROUNDS, quiz
from grader.compile.make_process import BuildError
from grader.model import outline, spec
from grader.model import submission as submissions
from grader.sandbox.ending import TooBusyError
from grader.tests.known_submissions import entries, grading

ENOUGH, TURNS = 5, 3


@dataclass
class Keys:
    """What became of the drafts about a part of a program. refused: why nothing is asked."""

    program: str
    part: str
    refused: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    withheld: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    def rows(self) -> Iterator[str]:
        for kind in KINDS:
            differing = sum(text.startswith(f"{kind}: ") for text in self.withheld)
            agreed = self.asked[kind]
            numbers = (agreed + differing, agreed, differing)
            yield "\t".join(
                [self.program, self.part, kind, *map(str, numbers), self.reasons.get(kind, "")]
            )


def programs() -> Iterator[tuple[str, str]]:
    """Each lab, and a program of it, by name."""
    for lab in outline.available():
        yield lab, f"{lab}/solution"
    for entry in entries.everything():
        yield entry.lab, str(entry)


def write(lab: str, name: str, folder: Path) -> Path:
    """Writes a program's files, and returns their folder."""
    if name.endswith("/solution"):
        return paths.SOLUTIONS / spec.load(lab).folder
    return entries.write(entries.find(name), folder)


def keys(lab: str, name: str, part: str) -> Keys:
    """Draws of all kinds about a part. To be called in a process of its own."""
    made = Keys(name, part)
    with tempfile.TemporaryDirectory(prefix="ask-") as folder:
        submission = submissions.find(
            spec.load(lab, hidden=False), str(write(lab, name, Path(folder)))
        )
        with quiz(submission, part, "every program") as drawn:
            try:
                drawn.program.must_be_right()
                for turn in range(ROUNDS):
                    if turn >= TURNS and drawn.tally.asked.total() >= ENOUGH:
                        break
                    for kind in KINDS:
                        if turn == 0 or not KINDS[kind].rebuilds:
                            drawn.one(kind, turn)
            except (NoQuestionsError, BuildError, TooBusyError, CannotTell) as reason:
                made.refused = str(reason).partition("\n")[0]
            tally = drawn.tally
            made.asked, made.withheld, made.reasons = tally.asked, tally.withheld, tally.reasons
    return made


def report(found: list[Keys]) -> int:
    """Prints it. Returns how many faults there are."""
    withheld = [f"{k.program} {k.part}: {text}" for k in found for text in k.withheld]
    asked = [k for k in found if not k.refused]
    few = [k for k in asked if k.asked.total() < ENOUGH]
    for k in few:
        print(f"{k.program} {k.part} has {k.asked.total()} questions: {dict(k.asked)} {k.reasons}")
    print(*withheld, sep="\n")
    print(f"\n{'kind':16} {'asked':>6} {'agreed':>6} {'withheld':>8} {'programs':>8}")
    for kind in KINDS:
        agreed = sum(k.asked[kind] for k in found)
        differing = sum(text.startswith(f"{kind}: ") for k in found for text in k.withheld)
        of = sum(k.asked[kind] > 0 for k in asked)
        print(f"{kind:16} {agreed + differing:6} {agreed:6} {differing:8} {of:8}")
    print(
        f"{len(asked)} parts of programs have questions, {len(found) - len(asked)} are not right "
        f"or do not build; {len(few)} have fewer than {ENOUGH}, {len(withheld)} keys differ"
    )
    return len(few) + len(withheld)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=paths.BUILD / "ask-keys.tsv")
    options.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options.add_argument("--shard", default="1/1", metavar="K/N")
    options.add_argument("words", nargs="*")
    given = options.parse_args()
    wanted = [
        (lab, name, part.id)
        for lab, name in programs()
        if not given.words or any(word in name for word in given.words)
        for part in spec.load(lab).part
    ]
    shard, of = map(int, given.shard.split("/"))
    wanted = wanted[shard - 1 :: of]
    found = []
    with grading.processes(given.jobs) as pool, given.out.open("w") as out:
        running = {pool.submit(keys, *each): each for each in wanted}
        for done in as_completed(running):
            found.append(done.result())
            rows = [f"{found[-1].program}\t{found[-1].part}\trefused: {found[-1].refused}"]
            out.write("\n".join(rows if found[-1].refused else found[-1].rows()) + "\n")
            out.flush()
            print(f"{len(found)} of {len(wanted)}", end="\r", file=sys.stderr, flush=True)
    return 1 if report(sorted(found, key=lambda k: (k.program, k.part))) else 0


if __name__ == "__main__":
    sys.exit(main())
