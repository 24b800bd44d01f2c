"""All files of a release, made from its tag: the archives of students and of instructors, the site
and its PDF, what builds the images, the SBOM, the notes and the checksums.

The same tag gives the same bytes: every time in them is that of the commit.
"""

import gzip
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from grader import __version__, paths
from grader.model import course_version
from grader.release import archive, contents, sbom, version
from grader.release.contents import Member, ReleaseError

IMAGE_FILES = ("Dockerfile", ".dockerignore", "compose.yaml", ".devcontainer/devcontainer.json")


def check(root: Path, asked: str) -> None:
    """Raises ReleaseError unless this is the tree of the tag of that version, and nothing else."""
    if problem := version.refused(asked):
        raise ReleaseError(problem)
    tag = f"v{asked}"
    if asked != __version__:
        raise ReleaseError(
            f"this is {__version__}, not {asked}: run make version VERSION={asked}, commit and tag "
            f"it; or, if {tag} exists, git switch --detach {tag}"
        )
    if not version.notes((root / "CHANGELOG.md").read_text("utf-8"), asked):
        raise ReleaseError(
            f"CHANGELOG.md has no section ## {asked}: run make version VERSION={asked}"
        )
    if changed := contents.changes(root):
        raise ReleaseError(
            "there are changes that are not committed:\n  "
            + "\n  ".join(changed[:10])
            + "\na release is made from its tag alone: commit or stash them"
        )
    if tag not in contents.git(root, "tag", "--points-at", "HEAD").split():
        raise ReleaseError(
            f"this commit has no tag {tag}: git tag -a {tag} -m 'convlabs {asked}'; or, if it "
            f"exists, git switch --detach {tag}"
        )


def files(root: Path, say: Callable[[str], None]) -> dict[str, bytes]:
    """The files of the release of this tree, by name, but for the students' archive and the
    checksums. Raises ReleaseError."""
    moment = int(contents.git(root, "log", "-1", "--format=%ct"))
    name = f"convlabs-{__version__}"
    made = {
        f"{name}.tar.gz": _instructors(root, name),
        f"convlabs-images-{__version__}.tar.gz": archive.pack(
            _members(root, IMAGE_FILES), f"convlabs-images-{__version__}", moment
        ),
        f"{name}.cdx.json": sbom.document(root, __version__, moment),
        "NOTES.md": version.notes((root / "CHANGELOG.md").read_text("utf-8"), __version__).encode(),
        "CITATION.cff": (root / "CITATION.cff").read_bytes(),
    }
    with tempfile.TemporaryDirectory(prefix="convlabs-site-") as work:
        site = Path(work) / "site"
        _run_site(root, site, moment)
        pages = _members(site, sorted(str(f.relative_to(site)) for f in site.rglob("*.*")))
        folder = f"convlabs-site-{__version__}"
        made[f"{folder}.tar.gz"] = archive.pack(pages, folder, moment)
        made[f"convlabs-handouts-{__version__}.pdf"] = (site / "pdf" / "handouts.pdf").read_bytes()
        say(f"the site: {len(pages)} files")
    return made


def checksums(made: dict[str, bytes]) -> bytes:
    """What `sha256sum --check` reads."""
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}" for name, data in sorted(made.items())]
    return ("\n".join(lines) + "\n").encode()


def _instructors(root: Path, name: str) -> bytes:
    """The whole repository as it is at the tag, and its commit, which git no longer tells there."""
    commit = contents.commit(root)
    where = f"{name}/{course_version.COMMIT.relative_to(paths.ROOT)}"
    text = commit.content.decode().strip()
    options = ("--format=tar", f"--prefix={name}/", f"--add-virtual-file={where}:{text}")
    command = ["git", "-c", f"safe.directory={root}", "archive", *options, "HEAD"]
    done = subprocess.run(command, cwd=root, capture_output=True)
    if done.returncode != 0:
        raise ReleaseError(f"git archive: {done.stderr.decode(errors='replace').strip()}")
    return gzip.compress(done.stdout, mtime=0)


def _members(folder: Path, names: tuple[str, ...] | list[str]) -> list[Member]:
    return [
        Member(name, (folder / name).read_bytes(), executable=False)
        for name in names
        if (folder / name).is_file()
    ]


def _run_site(root: Path, site: Path, moment: int) -> None:
    """Makes the site in the folder `site`. Raises ReleaseError."""
    command = [sys.executable, "-m", "handouts.site", "--out", str(site)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(moment)}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise ReleaseError(f"the site cannot be made: {(done.stderr or done.stdout).strip()}")
