"""No attempt gets more from `./grade mcp` than facts; and what would leak is noticed."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from grader import paths
from grader.assistant import conversation, hints, own, texts, tools
from grader.commands import options
from grader.model import spec
from grader.model.submission import Submission
from grader.tests.attacks import assistant, table

Patch = pytest.MonkeyPatch


@pytest.mark.parametrize("name", assistant.ATTEMPTS)
def test_attempt_gains_nothing(name: str) -> None:
    outcome = assistant.attempt(name)
    assert not outcome.survived, table.line(outcome)


def test_there_are_enough() -> None:
    assert len(assistant.ATTEMPTS) >= 40


def no_fence(patch: Patch) -> None:
    def bare(lines: Iterable[str]) -> list[str]:
        return list(lines)

    patch.setattr(texts, "fenced", bare)
    patch.setattr(conversation, "fenced", bare)


def followed_links(patch: Patch) -> None:
    def anywhere(lab: str) -> Submission:
        return options.submission(spec.load(lab), str(paths.STARTER))

    patch.setattr(own, "submission", anywhere)


def every_check(patch: Patch) -> None:
    def shown(checks: Any, name: str, of: str) -> Any:
        return named([*checks], "identity 3x3", of) if "hidden" in name else named(checks, name, of)

    named = own.named
    patch.setattr(own, "named", shown)


def every_hint(patch: Patch) -> None:
    given = iter(range(2, 99))
    patch.setattr(hints, "number_of_next", lambda *_: min(next(given), 3))


def every_try(patch: Patch) -> None:
    patch.setattr(conversation, "TRIES", 99)


def lax_arguments(patch: Patch) -> None:
    def request(name: str, arguments: dict[str, Any]) -> tools.Request:
        kept = {k: v for k, v in arguments.items() if k not in ("src", "hidden", "number", "why")}
        return strict(name, kept)

    strict = tools.request
    patch.setattr(tools, "request", request)


@pytest.mark.parametrize(
    ("weaken", "noticed_by"),
    [
        (no_fence, "source: #error that commands"),
        (no_fence, "fence: names of kernels, lines and options that command"),
        (followed_links, "folder: link to the solution's"),
        (every_check, "finding: a hidden check by its name"),
        (every_hint, "hint: one after the other"),
        (every_hint, "hint: by two servers"),
        (every_try, "ask: one answer after the other"),
        (lax_arguments, "argument that names another file"),
        (lax_arguments, "hint: its number"),
    ],
)
def test_server_without_a_defence_is_noticed(
    weaken: Callable[[Patch], None], noticed_by: str, monkeypatch: Patch
) -> None:
    weaken(monkeypatch)
    assert assistant.attempt(noticed_by).survived


def test_leaks_are_noticed() -> None:
    with assistant.world() as world:
        assert assistant.leaks(world) == []
        line = assistant.secrets()[0].text.decode()
        for text in (line, assistant.OUTSIDE, assistant.HIDDEN, assistant.KEY, assistant.COMMAND):
            world.sent = [{"result": {"content": [{"text": f"x\n{text}"}]}}]
            assert assistant.leaks(world), text
