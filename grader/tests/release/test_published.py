"""A release from a tag: what it refuses, what it holds, and the same bytes each time."""

import gzip
import hashlib
import io
import json
import re
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

from grader import __version__, paths
from grader.release import contents, published, sbom, version
from grader.release.contents import ReleaseError
from grader.setup import python_packages

FILES = ("grader/__init__.py", "pyproject.toml", "CITATION.cff", "codemeta.json", "CHANGELOG.md")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with the files that say the version, committed and tagged with it."""
    for name in (*FILES, *published.IMAGE_FILES, "grader/setup/requirements.lock"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((paths.ROOT / name).read_bytes())
    version.set_version(tmp_path, __version__, "2026-01-02")
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path)
    git(tmp_path, "tag", f"v{__version__}")
    return tmp_path


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x", "--date", "2026-01-02T03:04:05Z")


def test_the_files_of_this_repository_say_one_version() -> None:
    """And citations say what CITATION.cff says."""
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
    meta = json.loads((paths.ROOT / "codemeta.json").read_text())
    citation = (paths.ROOT / "CITATION.cff").read_text()
    assert {project["version"], meta["version"]} == {__version__}
    assert f"\nversion: {__version__}\n" in citation
    assert f"\ndate-released: {meta['datePublished']}\n" in citation


def test_a_version_is_set_wherever_one_stands(tree: Path) -> None:
    assert set(version.set_version(tree, "2.3.4-rc.1", "2027-05-06")) == set(FILES)
    for name in FILES:
        assert "2.3.4-rc.1" in (tree / name).read_text(), name
    changes = (tree / "CHANGELOG.md").read_text()
    assert changes.index("## Unreleased") < changes.index("## 2.3.4-rc.1, 2027-05-06")
    again = version.set_version(tree, "2.3.4-rc.1", "2027-05-07")  # a later day, the same heading
    assert "CHANGELOG.md" not in again
    assert (tree / "CHANGELOG.md").read_text() == changes


def test_a_file_that_lost_its_version_is_named_and_nothing_is_written(tree: Path) -> None:
    (tree / "codemeta.json").write_text("{}")
    before = (tree / "pyproject.toml").read_text()
    with pytest.raises(ValueError, match=r"codemeta\.json has no place for the version"):
        version.set_version(tree, "2.0.0", "2027-05-06")
    assert (tree / "pyproject.toml").read_text() == before


@pytest.mark.parametrize(
    "text", ["", "1", "1.0", "v1.0.0", "1.0.0 ", "01.0.0", "1.0.0;ls", "1.0.0/.."]
)
def test_other_texts_are_no_versions(text: str, tree: Path) -> None:
    with pytest.raises(ReleaseError, match="is no version"):
        published.check(tree, text)


@pytest.mark.parametrize("text", ["0.1.0", "1.0.0", "10.20.30", "1.0.0-rc.1"])
def test_semantic_versions_are_versions(text: str) -> None:
    assert version.refused(text) == ""


def test_a_release_is_made_from_its_tag_alone(tree: Path) -> None:
    published.check(tree, __version__)
    with pytest.raises(ReleaseError, match=r"make version VERSION=9\.9\.9"):
        published.check(tree, "9.9.9")
    (tree / "new.txt").touch()
    with pytest.raises(ReleaseError, match=r"not committed:\n  \?\? new\.txt"):
        published.check(tree, __version__)
    commit(tree)
    with pytest.raises(ReleaseError, match=f"this commit has no tag v{__version__}"):
        published.check(tree, __version__)
    git(tree, "tag", "--force", f"v{__version__}")
    published.check(tree, __version__)


def test_the_notes_are_the_section_of_the_version() -> None:
    changes = "# C\n\n## Unreleased\n\n- u\n\n## 1.0.0, 2026-01-02\n\n- a\n- b\n\n## 0.9.0\n\n- c\n"
    assert version.notes(changes, "1.0.0") == "- a\n- b\n"
    assert version.notes(changes, "0.9.0") == "- c\n"
    assert version.notes(changes, "1.0") == version.notes(changes, "2.0.0") == ""


def test_the_same_commit_gives_the_same_bytes(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def site(_root: Path, folder: Path, moment: int) -> None:
        (folder / "pdf").mkdir(parents=True)
        (folder / "index.html").write_text(f"made at {moment}")
        (folder / "pdf" / "handouts.pdf").write_text("a PDF")

    monkeypatch.setattr(published, "_run_site", site)
    made = [published.files(tree, lambda _: None) for _ in range(2)]
    assert made[0] == made[1]
    sums = published.checksums(made[0]).decode()
    for name, data in made[0].items():
        assert f"{hashlib.sha256(data).hexdigest()}  {name}\n" in sums
    with tarfile.open(fileobj=io.BytesIO(made[0][f"convlabs-{__version__}.tar.gz"])) as tar:
        names = tar.getnames()
        where = f"convlabs-{__version__}/grader/model/commit.txt"
        text = tar.extractfile(where)
        assert text and text.read().decode() == contents.commit(tree).content.decode().strip()
    assert f"convlabs-{__version__}/CHANGELOG.md" in names
    with tarfile.open(fileobj=io.BytesIO(made[0][f"convlabs-images-{__version__}.tar.gz"])) as tar:
        assert {name.partition("/")[2] for name in tar.getnames()} == {*published.IMAGE_FILES}
    assert gzip.decompress(made[0][f"convlabs-site-{__version__}.tar.gz"])


def test_the_sbom_lists_every_package_of_the_locks_with_hashes() -> None:
    bom = json.loads(sbom.document(paths.ROOT, "1.0.0", 0))
    listed = {(each["name"], each["version"]): each for each in bom["components"]}
    locks = sorted((paths.ROOT / "grader" / "setup").glob("requirements*.lock"))
    assert len(locks) > 5
    for lock in locks:
        for name, number in python_packages.locked(lock):
            component = listed[name.lower(), number]
            (reference,) = component["externalReferences"]
            assert reference["hashes"]
            assert all(re.fullmatch("[0-9a-f]{64}", h["content"]) for h in reference["hashes"])
    needed = {name for name, each in listed.items() if each["scope"] == "required"}
    run = python_packages.locked(paths.ROOT / "grader" / "setup" / "requirements.lock")
    assert {(name.lower(), number) for name, number in run} <= needed < set(listed)
    assert len({each["bom-ref"] for each in bom["components"]}) == len(bom["components"])
    assert bom["metadata"]["timestamp"] == "1970-01-01T00:00:00Z"


def test_the_paper_quotes_the_measured_accuracy() -> None:
    paper = (paths.ROOT / "paper" / "paper.md").read_text()
    measured = (paths.ROOT / "labs/studies/nsight/ACCURACY.md").read_text()
    quoted = re.search(r"(\d+) of (\d+)\s+values are equal", paper)
    assert quoted
    assert f"values equal: {quoted[1]} of {quoted[2]} " in measured
    for figure in re.findall(r"\]\((\S+\.svg)\)", paper):
        assert (paths.ROOT / "paper" / figure).is_file()
    cited = set(re.findall(r"@(\w+)", paper))
    assert cited == set(
        re.findall(r"^@\w+\{(\w+),", (paths.ROOT / "paper/paper.bib").read_text(), re.M)
    )


def test_every_file_has_a_licence_whose_text_is_here() -> None:
    """The licences that REUSE.toml names, and those alone, have their texts in LICENSES/."""
    named = {
        each["SPDX-License-Identifier"]
        for each in tomllib.loads((paths.ROOT / "REUSE.toml").read_text())["annotations"]
    }
    assert named == {file.stem for file in (paths.ROOT / "LICENSES").iterdir()}
    assert (paths.ROOT / "LICENSE").read_bytes() == (paths.ROOT / "LICENSES/MIT.txt").read_bytes()
