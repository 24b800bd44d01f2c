"""The figures of lab 6."""

from __future__ import annotations

from collections.abc import Callable

from drawing import Drawing

FIGURES: dict[str, Callable[[], Drawing]] = {}
