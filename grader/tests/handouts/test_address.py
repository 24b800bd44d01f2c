"""The address of the repository: where it is written, once it has one."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from grader import paths
from handouts import address
from handouts.facts import badges

ADDRESS = "https://github.com/An-Owner/labs"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, _, _ in address.PLACES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((paths.ROOT / name).read_bytes())
    return tmp_path


def test_an_address_is_written_once_wherever_it_stands(tree: Path) -> None:
    for new in ("https://github.com/first/one", ADDRESS, ADDRESS):
        address.set_repository(tree, new)
        assert address.repository(tree) == new
    tomllib.loads((tree / "pyproject.toml").read_text())
    assert json.loads((tree / "codemeta.json").read_text())["codeRepository"] == ADDRESS
    assert (tree / "CITATION.cff").read_text().count(f'\nrepository-code: "{ADDRESS}"\n') == 1
    text = (tree / ".devcontainer/devcontainer.json").read_text()
    container = json.loads(re.sub(r"^\s*//.*\n", "", text, flags=re.M))
    assert container["image"] == "ghcr.io/an-owner/labs/student:latest"
    assert "build" not in container and container["remoteUser"] == "student"


def test_a_file_without_a_place_is_named_and_nothing_is_written(tree: Path) -> None:
    (tree / "codemeta.json").write_text("{}")
    before = (tree / "pyproject.toml").read_text()
    with pytest.raises(ValueError, match=r"codemeta\.json has no place"):
        address.set_repository(tree, ADDRESS)
    assert (tree / "pyproject.toml").read_text() == before


@pytest.mark.parametrize(
    "text",
    ["", "github.com/a/b", "http://github.com/a/b", "https://github.com/a", f"{ADDRESS}/tree/x",
     'https://github.com/a/b"', "https://example.org/a/b"],
)  # fmt: skip
def test_other_texts_are_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert address.main([text]) == 2
    assert "usage" in capsys.readouterr().err


def test_badges_lead_to_a_browser_and_a_container() -> None:
    made = badges.of(ADDRESS)
    assert "(https://colab.research.google.com/github/An-Owner/labs/blob/main/handouts/" in made
    assert "(https://codespaces.new/An-Owner/labs)" in made
    for target in re.findall(r"\]\((handouts/[^)#]+)", badges.of("")):
        assert (paths.ROOT / target).is_file()
