"""The kinds of questions, a module each, and what all use. CONTRIBUTING.md says what one has."""

from random import Random

from grader.ask.draft import CannotTell, Draft
from grader.ask.program import AskedPart

__all__ = ["AskedPart", "CannotTell", "Draft", "Random"]
