"""Labs outside of the tree: links come with the line in course.toml, and go with it."""

from pathlib import Path

import pytest

from grader import outside_labs, paths
from grader.release import secret


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course, and a folder with a lab beside it."""
    root, mine = tmp_path / "course", tmp_path / "mine"
    monkeypatch.setattr(paths, "ROOT", root)
    monkeypatch.setattr(paths, "BUILD", root / "build")
    for folder in ("labs/lab1_own", "solutions", "starter", "handouts"):
        (root / folder).mkdir(parents=True)
    for kind in ("labs", "solutions", "starter"):
        (mine / kind / "lab9_sum").mkdir(parents=True)
        (mine / kind / "lab9_sum" / "sum.cu").write_text(kind)
    (mine / "handouts").mkdir()
    (mine / "handouts" / "lab9.md").write_text("# Lab 9\n")
    return root


def listed(root: Path, text: str) -> None:
    (root / "course.toml").write_text(text)
    outside_labs.link()


def test_links_come_and_go(tree: Path) -> None:
    listed(tree, 'labs = ["../mine"]')
    listed(tree, 'labs = ["../mine"]')
    links = ["labs/lab9_sum", "solutions/lab9_sum", "starter/lab9_sum", "handouts/lab9.md"]
    assert sorted(outside_labs.links(tree)) == sorted(links)
    assert (tree / "starter/lab9_sum/sum.cu").read_text() == "starter"
    (tree / "starter" / "lab8_other").symlink_to(tree)  # of a folder that is no longer listed
    listed(tree, 'title = "a course"')
    assert not [file for file in tree.rglob("*") if file.is_symlink()]
    assert (tree / "labs/lab1_own").is_dir() and (tree.parent / "mine/labs/lab9_sum").is_dir()


def test_without_course_toml_there_is_nothing_to_link(tree: Path) -> None:
    outside_labs.link()
    assert outside_labs.links(tree) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('labs = "../mine"', "is a list of folders"),
        ("labs = [3]", "is a list of folders"),
        ('labs = ["../nowhere"]', "'../nowhere' in `labs` has no folder labs/"),
        ("labs = [", "course.toml: "),
    ],
)
def test_a_wrong_list_says_what_is_wrong(tree: Path, text: str, said: str) -> None:
    with pytest.raises(outside_labs.OutsideError) as refused:
        listed(tree, text)
    assert said in str(refused.value)


def test_two_labs_of_one_name_are_refused_and_nothing_is_overwritten(tree: Path) -> None:
    (tree / "labs" / "lab9_sum").mkdir()
    with pytest.raises(outside_labs.OutsideError, match="rename one"):
        listed(tree, 'labs = ["../mine"]')
    assert not (tree / "labs" / "lab9_sum").is_symlink()


def test_the_gate_reads_solutions_behind_a_link(tree: Path) -> None:
    listed(tree, 'labs = ["../mine"]')
    assert [file.name for file in secret._sources(tree / "solutions")] == ["sum.cu"]
