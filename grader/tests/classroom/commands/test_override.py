"""./grade override: two graders never undo each other unseen."""

from pathlib import Path

import pytest

from grader.classroom.commands import override as overriding
from grader.classroom.commands import run_folder
from grader.classroom.commands.override import override
from grader.commands.errors import UsageError
from grader.tests.classroom.export import runs


@pytest.fixture
def run(tmp_path: Path) -> Path:
    store = runs.make(tmp_path / "run")
    store.close()
    return store.folder


def set_by(
    monkeypatch: pytest.MonkeyPatch, grader: str, run: Path, points: str, *, replacing: bool = False
) -> None:
    monkeypatch.setattr(overriding, "_login", lambda: grader)
    override(run, "9017", "lab3", points, "by hand", "", replacing)


def points(run: Path) -> float | None:
    with run_folder.opened(run) as store:
        return store.overrides.current()["9017", "lab3"].points


def test_what_another_grader_set_is_changed_only_on_request(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_by(monkeypatch, "kim", run, "30")
    set_by(monkeypatch, "kim", run, "31")
    for value in ("40", "none"):
        with pytest.raises(UsageError, match=r"by kim .*set to 31.*\n.*--replace"):
            set_by(monkeypatch, "lee", run, value)
    assert points(run) == 31
    set_by(monkeypatch, "lee", run, "40", replacing=True)
    assert points(run) == 40
    set_by(monkeypatch, "lee", run, "none")
    set_by(monkeypatch, "kim", run, "12")
    assert points(run) == 12, "nothing held any more"
