"""What changed between two runs: who moved, by how much, by which check, and what was the cause."""

from collections.abc import Iterable
from dataclasses import dataclass

from grader.classroom.bulk.history import Past
from grader.classroom.bulk.store import Store
from grader.model.plain_text import line
from grader.model.result import Check, Result

FILES = "the submission"


@dataclass(frozen=True)
class CheckChange:
    """A check that two grades judge differently; "" and 0 where a grade has no such check."""

    name: str
    before: str  # the verdict
    after: str
    points: float  # gained; negative: lost


@dataclass(frozen=True)
class Change:
    """A grade of one student for one lab that is not as it was. None: the run did not have it."""

    before: Past | None
    after: Past | None
    causes: tuple[str, ...]  # "the submission", "the spec", "the machine", ...
    checks: tuple[CheckChange, ...]

    @property
    def student(self) -> str:
        return self._either.student

    @property
    def lab(self) -> str:
        return self._either.lab

    @property
    def moved(self) -> bool:
        """Whether the student has more, fewer or other points, or another status."""
        return _worth(self.before) != _worth(self.after)

    @property
    def gain(self) -> float | None:
        """Points gained; None where either run gave no grade."""
        if self.before is None or self.after is None:
            return None
        if self.before.points is None or self.after.points is None:
            return None
        return self.after.points - self.before.points

    @property
    def _either(self) -> Past:
        either = self.after or self.before
        assert either is not None
        return either


def changes(store: Store, before: int, after: int) -> list[Change]:
    """Every grade that differs between two runs, also those made again without any other points.
    Raises StoreError when a grade is damaged."""
    old = {(past.student, past.lab): past for past in store.history.of(before)}
    new = {(past.student, past.lab): past for past in store.history.of(after)}
    return [
        _change(store, old.get(key), new.get(key))
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key) and not _is_without(old.get(key), new.get(key))
    ]


def versions(store: Store, pasts: Iterable[Past | None]) -> tuple[str, ...]:
    """The versions of the course that made these grades. Raises StoreError."""
    results = (store.result(past.key) for past in pasts if past and past.key)
    return tuple(sorted({result.grader_version for result in results if result}))


def _is_without(before: Past | None, after: Past | None) -> bool:
    """Whether neither run gave a grade, for the same reason: nothing has changed."""
    if before is None or after is None:
        return False
    return before.points is None is after.points and before.status == after.status


def _change(store: Store, before: Past | None, after: Past | None) -> Change:
    if before is None or after is None or not (before.key and after.key):
        cause = (FILES,) if (before and before.key) != (after and after.key) else ()
        return Change(before, after, cause, ())
    if before.key == after.key:
        return Change(before, after, (), ())
    made_before, made_after = store.made(before.key), store.made(after.key)
    names = sorted(made_before.keys() | made_after.keys())
    causes = [name for name in names if made_before.get(name) != made_after.get(name)]
    if store.files(before.key) != store.files(after.key):
        causes.insert(0, FILES)
    checks = _checks(store.result(before.key), store.result(after.key))
    return Change(before, after, tuple(causes), checks)


def _checks(before: Result | None, after: Result | None) -> tuple[CheckChange, ...]:
    old = {check.id: check for check in before.checks} if before else {}
    new = {check.id: check for check in after.checks} if after else {}
    return tuple(
        CheckChange(
            check.title(),
            old_check.verdict if old_check else "",
            new_check.verdict if new_check else "",
            (new_check.points if new_check else 0) - (old_check.points if old_check else 0),
        )
        for key, check in (old | new).items()
        for old_check, new_check in [(old.get(key), new.get(key))]
        if _judged(old_check) != _judged(new_check)
        if any(check and check.verdict != "skip" for check in (old_check, new_check))
    )


def _judged(check: Check | None) -> tuple[str, float] | None:
    return (check.verdict, check.points) if check else None


def _worth(past: Past | None) -> tuple[str, float | None, float] | None:
    return (past.status, past.points, past.out_of) if past else None


def lines(change: Change) -> list[str]:
    """The student with the points before and after, and below it why they changed."""
    gain = change.gain
    step = f"  {gain:+g}" if gain else ""
    told = [f"  {line(change.student)}: {_points(change.before)} -> {_points(change.after)}{step}"]
    if change.causes:
        told.append(f"    changed: {', '.join(change.causes)}")
    for check in change.checks:
        gained = f"  {check.points:+g}" if check.points else ""
        before, after = check.before or "no such check", check.after or "no such check"
        told.append(f"    {line(check.name)}: {before} -> {after}{gained}")
    whys = (change.before.why if change.before else "", change.after.why if change.after else "")
    if whys[0] != whys[1]:
        told.append(f"    {line(whys[1]) or 'no longer: ' + line(whys[0])}")
    return told


def _points(past: Past | None) -> str:
    if past is None:
        return "not in the run"
    return past.status if past.points is None else f"{past.points:g} of {past.out_of:g}"
