"""The seed of an input's random numbers."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from grader.model.lab import Input

AnInput = TypeVar("AnInput", bound=Input)


def seeded(check: AnInput, seed: int, text: str | None = None) -> AnInput:
    """The check with its own seed, which does not change when another check is added. The seed
    depends on the check's name, or on `text`: two checks with the same text have the same input."""
    mixed = seed
    for byte in (text or check.name).encode():
        mixed = (mixed * 1099511628211 + byte) % 2**63  # FNV's multiplier
    return replace(check, seed=mixed)
