"""A `contract` check: many small calls generated from what lab.h allows, in sequences.

What fails is made as small as it gets, and that is what the student sees: the calls, the wrong
element, the mistake where it is known, and a test with these calls to paste.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain

from grader import files, paths
from grader.contract import arrays, as_c, draw, injected_failures, prepared, reasons, shrink, words
from grader.contract.failed_step import Failure, find_failure
from grader.contract.play import Played, Player
from grader.contract.reasons import Reasons
from grader.contract.step import Sequence, Step, consistent
from grader.diagnose import causes, location
from grader.diagnose.causes import WrongOutput
from grader.diagnose.explain import Hypothesis
from grader.diagnose.mistake import Diagnosis
from grader.execute.modes import CHECKED, PLAIN
from grader.model.grade_line import grade_line
from grader.model.lab import Case, Contract
from grader.model.result import Check, Verdict
from grader.oracle import compare
from grader.session.programs import Binary
from grader.session.report_data import Wrong
from grader.session.session import Session

SQUARE = ("plane", "bank")  # masks that radius 0 makes a single number
ENOUGH = 4  # wrong elements
MOST_EXPLAINED = 1 << 25  # multiply-adds of one known mistake; there are hundreds of them to try
TOLD_BY_SIZE = ("all-zero", "uninitialised-value")  # known by wrong pixels of 0, or by huge ones
# What only a traced program finds, the safe checks judge, unless the device is lost after it.
COUNTED = frozenset((
    "foreign-call", "foreign-memory", "unchecked-error", "invalid-launch", "invalid-copy",
    "crash", "null-pointer", "protection-fault", "stack-overflow", "division-by-zero", "aborted",
    "misaligned", "use-after-free",
))  # fmt: skip
REFUSED = (
    "it follows a call that must be refused: a call that returns "
    "cudaErrorInvalidValue must change nothing"
)
SECRET = (
    "a call that lab.h allows fails; it is one of those that only your instructor's grader makes. "
    "Call your function in a unit test with what no other check covers: the smallest and the "
    "largest "
    "value of each argument, sizes that no block divides, and twice in a row with different "
    "data, the smaller image second. Every argument must take effect, and no state may carry over"
)


def judge_contract(session: Session, contract: Contract, binary: Binary) -> Check:
    """Plays the contract's sequences up to the first that fails: those of the public seed, those in
    which the calls of other parts alternate with this part's, those of the secret seed, those with
    failures. The others' verdicts may still be to come: so the secret ones are played before, and
    tell less.

    Raises OSError, for which the student is not to blame.
    """
    gpu = binary.backend == "gpu"
    source = session.submission.text(session.lab.file_of(contract))
    player = Player(session.lab, contract, binary.file, session.work, gpu=gpu, source=source)
    run = _Run(session, player)
    lab = session.lab

    def drawn(seed: int | None) -> list[Sequence]:
        of_seed = [] if seed is None else draw.draw_sequences(lab, contract, seed)
        return _on(binary.backend, of_seed)

    public, hidden = drawn(contract.seed), drawn(contract.secret_seed)
    if gpu:
        run.play_together([*public, *hidden])
    if line := run.line_of(public):
        return line
    secret = run.line_of(hidden, is_secret=True)
    if others := _that_hold(session, contract):
        mixed = draw.draw_mixed(lab, [contract, *others], contract.seed)
        mixed = _on(binary.backend, mixed)
        if gpu:
            run.play_together(mixed)
        if line := run.line_of(mixed):
            return line
    # Last, since this waits for the traced program.
    if binary.backend == "sim" and (line := _with_failures(session, contract, binary)):
        return line
    return secret or run.line("pass", details={"calls": run.calls})


def _secret(session: Session, part: str) -> str:
    """What is said of a call that only an instructor's grader makes."""
    failed = [c.name for c in session.so_far if c.part == part and c.verdict == "fail"]
    return f"the check '{failed[0]}' fails, too: begin with that one" if failed else SECRET


def _with_failures(session: Session, contract: Contract, plain: Binary) -> Check | None:
    """The check's line if a call of the CUDA runtime can fail without being handled. The traced
    program runs, whose host code can neither reach what decides which call fails nor see it."""
    counted = draw.draw_counted(session.lab, contract)
    if not counted:
        return None
    runner = session.runner()
    file, mode = (runner.binary, CHECKED) if runner else (plain.file, PLAIN)
    source = session.submission.text(session.lab.file_of(contract))
    player = Player(
        session.lab, contract, file, session.work, mode=mode, source=source, only=COUNTED
    )
    run = _Run(session, player)
    played = player.play(counted, is_drawn=True)
    if line := run.judged(played):
        return line
    seed = contract.secret_seed if contract.secret_seed is not None else contract.seed
    resized = draw.draw_resized(session.lab, contract, seed)
    extreme = draw.draw_extreme(session.lab, contract, seed)
    for sequence in injected_failures.sequences(counted, played.results, seed, resized, extreme):
        if line := run.judged(player.play(sequence)):
            return line
    return None


def _that_hold(session: Session, but: Contract) -> list[Contract]:
    """The contracts of other parts in the same file, where all checks of results have passed."""
    lab = session.lab
    so_far = [*session.so_far, *session.checks_of_other_processes(but)]
    wrong = {c.part for c in so_far if c.kind == "correct" and c.verdict != "pass"}
    passed = {c.id for c in so_far if c.verdict == "pass"}
    return [
        other
        for other in lab.contract
        if lab.id_of(other) in passed
        and other.part != but.part
        and other.part not in wrong
        and lab.file_of(other) == lab.file_of(but)
    ]


def _on(backend: str, sequences: list[Sequence]) -> list[Sequence]:
    """Those of a backend: only the simulator makes calls fail and imitates other devices."""
    if backend == "gpu":
        kept = ([s for s in sequence if not (s.failing or s.shared)] for sequence in sequences)
        sequences = [consistent(steps) for steps in kept]
    return [sequence for sequence in sequences if sequence]


@dataclass
class _Run:
    """One check that runs. calls: so far. right: the sequences that play_together() found right."""

    session: Session
    player: Player
    calls: int = 0
    right: set[Sequence] = field(default_factory=set)
    started_at: float = field(default_factory=time.monotonic)

    def line(
        self,
        verdict: Verdict,
        lines: Iterable[str] = (),
        diagnosis: str | None = None,
        details: Mapping[str, int] | None = None,
    ) -> Check:
        return grade_line(
            self.player.lab,
            self.player.contract,
            verdict,
            list(lines),
            diagnosis=diagnosis,
            details=details,
            seconds=time.monotonic() - self.started_at,
        )

    def play_together(self, sequences: list[Sequence]) -> None:
        """Notes which sequences are right in one process. The others are played by themselves."""
        for played in self.player.play_together(sequences) if sequences else ():
            if find_failure(self.player, played) is None:
                self.calls += len(played.results)
                self.right.add(played.sequence)

    def line_of(self, sequences: list[Sequence], is_secret: bool = False) -> Check | None:
        """The check's line if one of the sequences fails."""
        unknown = [sequence for sequence in sequences if sequence not in self.right]
        with closing(self.player.play_ahead(unknown)) as ahead:
            for played in chain.from_iterable(map(self._to_its_end, ahead)):
                if played.end == "our-fault":
                    reason = "" if is_secret else f": {played.reason}"  # with what was printed
                    return self.line("error", [f"the runner failed{reason}"])
                self.calls += len(played.results)
                if failure := find_failure(self.player, played):
                    break
            else:
                return None
        return (
            self.line("fail", [_secret(self.session, self.player.contract.part)])
            if is_secret
            else self._failed(played, failure)
        )

    def judged(self, played: Played) -> Check | None:
        """The check's line if the sequence fails."""
        if played.end == "our-fault":
            return self.line("error", [f"the runner failed: {played.reason}"])
        failure = find_failure(self.player, played)
        return self._failed(played, failure) if failure else None

    def _to_its_end(self, played: Played) -> Iterator[Played]:
        """Plays on behind a call in which the program may end."""
        yield played
        while rest := played.sequence[len(played.results) + 1 :]:
            played = self.player.play(consistent(rest))
            yield played

    def _failed(self, played: Played, failure: Failure) -> Check:
        player = self.player
        self.session.observer.failing(self.line("fail"))
        played, failure = self._without_failing(played, failure)
        first = failure
        original = replace(played.sequence[failure.index], refuse=0)  # shrinking tries without it
        reason, failure = _smallest(player, played, first)
        sequence = reason.sequence
        if failure.name == "returned-error" and "NotSupported" in failure.lines[0]:
            file = player.lab.file_of(player.contract)
            todo = self.session.submission.first_todo(file, player.contract.part)
            more = [f"begin with the TODO at {todo}"] if todo else []
            return self.line("fail", [failure.lines[0], *more], failure.name)
        lines = [words.tell_smallest(sequence, player.contract.refuses, reason.needed)]
        name, diagnosis, wrong = failure.name, None, None
        if failure.comparison:
            wrong = _wrong(player, sequence[-1], failure)
            lines += [REFUSED] if sequence[-1].refuse else []
            lines += _wrong_lines(wrong)
            # Shrinking has tried to do without the calls before: they are part of the reason.
            if len(sequence) == 1 and not sequence[-1].refuse:
                diagnosis = self._that_stands(
                    _explained(player, sequence[-1], failure), original, first
                )
                if diagnosis is None:
                    diagnosis, larger = _explained_larger(player, original, first)
                    diagnosis = self._that_stands(diagnosis, original, first)
                    if diagnosis:
                        refuses = player.contract.refuses
                        described = words.tell_sequence((larger,), refuses, reason.needed)
                        lines.append(f"on a larger one, {described}:")
                lines += [diagnosis.text] if diagnosis else []
            name = diagnosis.name if diagnosis else name
        lines += [line for line in failure.lines if line]
        if self.session.keep_notes:
            where = _kept(player, as_c.write_test(player, sequence, failure))
            lines.append(f"these calls as a test, to paste into your unit test: {where}")
        line = self.line("fail", lines, name, {"steps": len(sequence)})
        if wrong:
            self.session.keep_wrong(wrong)
        return line

    def _without_failing(self, played: Played, failure: Failure) -> tuple[Played, Failure]:
        """The same failure, or the one of the same call where no call of CUDA is made to fail."""
        step = played.sequence[failure.index]
        if step.failing and not step.huge:
            plain = replace(step, failing=None)
            again = self.player.play(consistent([*played.sequence[: failure.index], plain]))
            found = find_failure(self.player, again)
            if found and found.index == failure.index:
                return again, found
        return played, failure

    def _that_stands(
        self, diagnosis: Diagnosis | None, original: Step, first: Failure
    ) -> Diagnosis | None:
        """The mistake, if it explains the call that was drawn, too, and the part's wrong cases."""
        if diagnosis is None:
            return None
        part = self.player.contract.part
        wrong = [o for o in self.session.wrong_outputs if o.part == part]
        if hypothesis := _hypothesis(self.player, original, first):
            wrong.append(WrongOutput("", part, True, None, hypothesis))
        return diagnosis if causes.stands(diagnosis, wrong) else None


def _kept(player: Player, test: str) -> str:
    """Keeps the test with a part's failing calls beside the lab's build; where it is."""
    file = paths.BUILD / "smallest" / f"{player.lab.id}_{player.contract.part}.c"
    file.parent.mkdir(parents=True, exist_ok=True)
    files.replace(file, test.encode())
    return str(file.relative_to(paths.ROOT))


def _smallest(player: Player, played: Played, failure: Failure) -> tuple[Reasons, Failure]:
    """A small sequence that fails in the same way, what of it is the reason, and its failure."""
    found: dict[Sequence, Failure] = {}

    def fails(candidate: Sequence) -> bool:
        again = find_failure(player, player.play(candidate))
        if again is None or again.index != len(candidate) - 1 or again.name != failure.name:
            return False
        found[candidate] = again
        return True

    small = shrink.shrink(played.sequence, failure.index, fails, shrink.Budget())
    if small not in found:
        small = played.sequence[: failure.index + 1]
        found[small] = failure
    reason = reasons.find_reasons(small, player.contract.choose, fails, reasons.cost())
    return reason, found[reason.sequence]


def _wrong(player: Player, step: Step, failure: Failure) -> Wrong:
    """The wrong output as that of a case, for the diagnosis and the pictures."""
    assert failure.comparison
    case = Case(
        name=player.contract.name,
        part=player.contract.part,
        image="drawn",
        points=0,
        border=step.border,
        set={k: v for k, v in step.driver_settings().items() if k != "border"},
        exact=player.contract.exact,
    )
    return Wrong(
        case,
        player.operation(step),
        prepared.inputs(step),
        failure.comparison,
        is_drawn=True,
    )


def _hypothesis(player: Player, step: Step, failure: Failure) -> Hypothesis | None:
    """The wrong output of a call, where it is large enough to tell one mistake from others."""
    if failure.comparison is None:
        return None
    if step.given:
        wrong = _wrong(player, step, failure)
        on_host = player.lab.file_of(player.contract).endswith(".c")
        return Hypothesis(
            wrong.case,
            wrong.operation,
            wrong.inputs,
            wrong.comparison,
            on_host,
            source=player.source,
        )
    if failure.comparison.count() < ENOUGH:
        return None
    framed = (step.width + 2 * step.radius) * (step.height + 2 * step.radius)
    too_long = framed * (2 * step.radius + 1) ** 2 > MOST_EXPLAINED
    if too_long or step.elements() > prepared.MOST_IN_MEMORY:
        return None  # to compute it with each of the known mistakes takes minutes
    alike = step.image_content == "flat" or step.mask_content in ("one", "zero")
    if alike or (step.radius == 0 and step.mask in SQUARE):
        return None  # many mistakes give the same output there
    wrong = _wrong(player, step, failure)
    on_host = player.lab.backends == ["cpu"]
    if not wrong.case.set.get("weights", "709").isdigit():
        return None  # the known mistakes are those with the weights of the sources
    return Hypothesis(
        wrong.case, wrong.operation, wrong.inputs, wrong.comparison, on_host, source=player.source
    )


def _explained(player: Player, step: Step, failure: Failure) -> Diagnosis | None:
    """The known mistake, where there are enough wrong elements to tell it from others."""
    hypothesis = _hypothesis(player, step, failure)
    found = hypothesis.diagnosis() if hypothesis else None
    if found and found.name in TOLD_BY_SIZE and step.image_content in arrays.FAR_FROM_1:
        return None
    return found


def _explained_larger(
    player: Player, original: Step, failure: Failure
) -> tuple[Diagnosis | None, Step]:
    """The known mistake as the generated call shows it, or else one of its size with values
    that tell mistakes apart; and that call."""
    if diagnosis := _explained(player, original, failure):
        return diagnosis, original
    content = "noise" if original.type == "u1" else "signed"
    (clearer,) = consistent(
        [replace(original, image_content=content, mask_content="signed", failing=None, kept=False)]
    )
    again = find_failure(player, player.play((clearer,)))
    if again is None or again.name != failure.name:
        return None, original
    return _explained(player, clearer, again), clearer


def _wrong_lines(wrong: Wrong) -> list[str]:
    comparison = wrong.comparison
    operation = wrong.operation
    index = comparison.first()
    got, right = float(comparison.got[index]), float(comparison.expected.value[index])
    where = location.wrong_elements(wrong.operation, wrong.inputs, comparison)
    size = comparison.got.size
    differ = f"{comparison.count()} of {size} {operation.things()} differ: {where}"
    return [
        *([differ] if size > 1 else []),
        f"out{operation.subscript(index)} = {compare.number(got, comparison.got.dtype)}, expected "
        f"{compare.number(right, comparison.got.dtype)}",
    ]
