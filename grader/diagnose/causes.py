"""Says why an output is wrong only where that explains every wrong output of its part.

A mistake that a small or plain input seems to show is often refuted by the next check. So a cause
is a hypothesis: it is tried on each wrong output of the part's public cases, and only one that
reproduces them all is said. Otherwise each check says where its output is wrong, and nothing else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.diagnose.explain import Hypothesis
from grader.diagnose.mistake import FACTS, Diagnosis, Wanted, without_numbers
from grader.model.result import Check


@dataclass(frozen=True)
class WrongOutput:
    """A check whose output is wrong. named: the mistake that reproduces it, if one does. explained:
    what the mistake of that name says of it; None where it does not reproduce it. is_testable: can
    a mistake be told from others by it? line: the check's line with that cause, or without one; of
    a hidden case None."""

    check: str
    part: str
    hidden: bool
    named: Diagnosis | None
    hypothesis: Hypothesis
    line: Callable[[Diagnosis | None], Check] | None = None

    def explained(self, wanted: Wanted) -> Diagnosis | None:
        if self.named and wanted.fits(self.named):
            return self.named
        return self.hypothesis.diagnosis(wanted)

    def refutes(self, wanted: Wanted) -> bool:
        """Is the output certainly not what that mistake gives?"""
        return not (self.named and wanted.fits(self.named)) and self.hypothesis.refutes(wanted)


def cause_of(outputs: Sequence[WrongOutput]) -> Wanted | None:
    """The mistake that explains all of them: the same words, numbers apart, or else the same name;
    None where none does."""
    named = [o.named for o in outputs if o.named and o.named.name not in FACTS]
    alike = [Wanted(found.name, without_numbers(found.text)) for found in named]
    by_name = [Wanted(found.name) for found in named]
    tried = dict.fromkeys([*alike, *by_name])
    return next((each for each in tried if not any(o.refutes(each) for o in outputs)), None)


def agreed(outputs: Sequence[WrongOutput]) -> dict[str, Check]:
    """The lines, by the check's id, of those that say something else now that all are known."""
    lines, cause = {}, cause_of(outputs)
    for output in outputs:
        if output.named and output.named.name in FACTS:
            continue
        said = output.explained(cause) if cause else None
        said = said or output.hypothesis.fact()
        if said != output.named and output.line:
            lines[output.check] = output.line(said)
    return lines


def stands(diagnosis: Diagnosis, outputs: Sequence[WrongOutput]) -> bool:
    """Do the wrong outputs of the part's cases allow that cause?"""
    return diagnosis.name in FACTS or not any(o.refutes(Wanted(diagnosis.name)) for o in outputs)
