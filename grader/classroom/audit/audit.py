"""An audit of a lab: its slips, cheats and right variants, graded side by side, and what came of
each."""

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import TypeVar

from grader.classroom.audit import cheats, mutants, trial, variants
from grader.classroom.audit.cheats import Answer
from grader.classroom.audit.mutants import Mutant, Wanted
from grader.classroom.audit.trial import Outcome
from grader.model.lab import Lab
from grader.model.result import Check

K = TypeVar("K")
V = TypeVar("V")

BLOCKS = "blocks"  # how the names of variants begin that may be wrong
Z = 1.96  # of a 95 % interval


@dataclass
class Audit:
    """What came of each. slips: without those that do not compile and those that lab.toml explains.
    lost: of each variant, the checks that it fails, which with other blocks may be as it should be;
    wrong: variants that are no right answer."""

    lab: Lab
    solution: list[Check]
    slips: dict[Mutant, Outcome] = field(default_factory=dict)
    cheats: dict[Answer, Outcome] = field(default_factory=dict)
    lost: dict[Answer, list[str]] = field(default_factory=dict)
    wrong: list[Answer] = field(default_factory=list)

    def spoiled(self) -> list[str]:
        """The checks that the solution itself does not pass, and what they say."""
        bad = [c for c in self.solution if c.verdict in ("fail", "error") or c.needs]
        return [f"{c.name}: {' '.join(c.message)}" for c in bad]

    def caught(self) -> dict[str, int]:
        """How many slips each kind of check catches."""
        kinds = (o.caught_by for o in self.slips.values())
        return dict(Counter(kind for kind in kinds if kind not in (None, "error")))

    def survivors(self) -> list[Mutant]:
        return [m for m, o in self.slips.items() if o.caught_by in (None, "error")]

    def share(self) -> float:
        """Of the slips, those that a check catches."""
        return 1 - len(self.survivors()) / len(self.slips) if self.slips else 0.0

    def problems(self) -> list[str]:
        """Why the lab is not good enough; [] if it is."""
        if spoiled := self.spoiled():
            return [f"the solution does not pass {spoiled[0]}"]
        found = []
        if self.share() < self.lab.audit.caught:
            bar = f"lab.toml asks for {self.lab.audit.caught:.0%}"
            found.append(f"{self.share():.0%} of the slips are caught; {bar}")
        free = [a for a, o in self.cheats.items() if o.caught_by in (None, "error")]
        found += [f"the cheat '{a.name}' of part {a.part} passes all checks" for a in free]
        for answer, lost in self.lost.items():
            if lost and not answer.name.startswith(BLOCKS):
                found.append(f"a right variant loses points ({answer.name}): {', '.join(lost)}")
        return found


def interval(hits: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    if of == 0:
        return 0.0, 1.0
    share, z = hits / of, Z * Z
    middle = (share + z / (2 * of)) / (1 + z / of)
    half = Z / (1 + z / of) * math.sqrt(share * (1 - share) / of + z / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def audit(lab: Lab, count: int, said: Callable[[str], None]) -> Audit:
    """Grades `count` slips or as many as there are, all cheats and all variants. said: is told
    each, as it comes."""
    read = {name: mutants.solution(lab.id, name).read_bytes() for name in lab.submit}
    solved = {name: mutants.solved_text(text.decode()) for name, text in read.items()}
    made = Audit(lab, trial.grade_files(lab.id, _bytes(solved)))
    if made.spoiled():
        return made  # what is graded beside it would mean nothing
    slips = mutants.chosen(lab.id, Wanted(math.ceil(0.7 * count), count // 8, count // 8))
    workers = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(workers, initializer=os.nice, initargs=(10,)) as pool:
        of_slips = {pool.submit(trial.judge, slip): slip for slip in slips}
        of_cheats = {
            pool.submit(trial.judge_files, lab.id, _bytes(solved, a), a.name): a
            for a in cheats.of(lab, solved)
        }
        of_variants = {
            pool.submit(trial.grade_files, lab.id, _bytes(solved, a)): a
            for a in variants.of(solved)
        }
        for slip, outcome in _done(of_slips):
            said(f"{slip.id}  {outcome.words()}")
            if outcome.caught_by != "build" and slip.id not in lab.audit.equivalent:
                made.slips[slip] = outcome
        for answer, outcome in _done(of_cheats):
            said(f"cheat: {answer.name}  {outcome.words()}")
            made.cheats[answer] = outcome
        for answer, checks in _done(of_variants):
            said(f"variant: {answer.name}")
            _judge(made, answer, checks)
    return made


def _judge(made: Audit, answer: Answer, checks: list[Check]) -> None:
    failed = [c for c in checks if c.verdict == "fail" or c.needs]
    is_wrong = any(c.kind in ("correct", "build", "safe") for c in failed)
    if is_wrong and answer.name.startswith(BLOCKS):
        made.wrong.append(answer)
    else:
        made.lost[answer] = [c.name for c in failed]


def _bytes(solved: dict[str, str], answer: Answer | None = None) -> dict[str, bytes]:
    """The files to grade, one of them an answer's."""
    texts = {**solved, **({answer.file: answer.text} if answer else {})}
    return {name: text.encode() for name, text in texts.items()}


def _done(running: dict[Future[V], K]) -> Iterator[tuple[K, V]]:
    for future in as_completed(running):
        yield running[future], future.result()
