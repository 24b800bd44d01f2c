"""Receives progress reports during a grading."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.model.lab import Technique
from grader.model.result import Check, Result

if TYPE_CHECKING:
    from grader.execute.profile import Profile


@dataclass(frozen=True)
class Observer:
    """Functions that a grading calls, in the grader's own process.

    starting: what begins now. failing: the next check in their order fails for certain; what is
    wrong is still looked for. checked: a check has its verdict. profiled: a technique check has
    read this profile. scored: the grade without predictions, which are under way and change no
    points. exclusive: held while something is timed, or repeated because the machine was too busy;
    other work may have to wait.
    """

    starting: Callable[[str], None] = field(default=lambda _: None)
    checked: Callable[[Check], None] = field(default=lambda _: None)
    profiled: Callable[[Technique, Profile], None] = field(default=lambda *_: None)
    scored: Callable[[Result], None] = field(default=lambda _: None)
    exclusive: Callable[[], AbstractContextManager[None]] = nullcontext
    failing: Callable[[Check], None] = field(default=lambda _: None)
