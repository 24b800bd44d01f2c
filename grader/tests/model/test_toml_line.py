"""A mistake in a lab.toml is named with its line, and as the instructor's."""

from pathlib import Path

import pytest

from grader import paths
from grader.model import spec
from grader.oracle import operations

REAL = (paths.LABS / "lab3_constant_mask" / "lab.toml").read_text()


def said(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> str:
    file = folder / "lab3_constant_mask" / "lab.toml"
    file.parent.mkdir()
    file.write_text(text)
    for name in ("ROOT", "LABS", "SOLUTIONS"):
        monkeypatch.setattr(paths, name, folder)
    with pytest.raises(spec.SpecError) as refused:
        operations.require(spec.load("lab3"))
    return str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('operation = "polyphase"', 'operation = "polyphas"', "there is no operation 'polyphas'"),
        ('border = "zero"', 'border = "zer"', "there is no border 'zer'"),
        ("border =", "bordr =", "unknown field `bordr`"),
        ("seed =", 'seed = "1" #', "Expected `int`, got `str`"),
        ('part = "B"', 'part = "Z"', "there is no part Z"),
        ("title =", "title = =", "Invalid value"),
    ],
)
def test_a_mistake_has_its_line(
    old: str, new: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = REAL.replace(old, new, 1)
    line = 1 + REAL[: REAL.index(old)].count("\n")
    message = said(monkeypatch, tmp_path, text)
    assert says in message and spec.INSTRUCTORS in message
    assert message.startswith("lab3_constant_mask/lab.toml: ")
    if says != "there is no part Z":  # all its checks lack it; each names the part alone
        assert f"line {line}" in message, message
