"""The container's files: the packages, folders and stages that they name are those of the course.

What they do was tried by hand with Buildah and runc; CI builds and runs the image with Docker.
"""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader import paths
from grader.release import contents
from grader.setup import system_packages

ROOT = paths.ROOT
DOCKERFILE = (ROOT / "Dockerfile").read_text()
BEFORE_SETUP = {"ca-certificates", "git", "python3"}  # what the README asks for, but compilers
# Tracked, but no part of an image: what makes images and archives, and what tests the project.
NOT_IN_IMAGE = {
    ".ci", ".devcontainer", ".vscode", ".dockerignore", ".gitattributes", ".github", "Dockerfile",
    "compose.yaml", "CITATION.cff", "CODE_OF_CONDUCT.md", "codemeta.json", "paper",
}  # fmt: skip
PINNED = re.compile(r"[\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def stages(dockerfile: str) -> dict[str, str]:
    """The lines of each stage by its name, with continued lines joined and comments removed."""
    text = re.sub(r"^\s*#.*\n", "", dockerfile, flags=re.M).replace("\\\n", " ")
    parts = re.split(r"^FROM \S+ AS (\w+)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def installed(dockerfile: str, stage: str) -> set[str]:
    """The packages that a stage installs."""
    found = re.findall(r"apt-get install ([^&\n]*)", stages(dockerfile)[stage])
    return {word for words in found for word in words.split() if not word.startswith("-")}


def needed(flavour: str) -> set[str]:
    """What set-up installs."""
    return {package.name for package in system_packages.packages(flavour)}


@pytest.fixture
def bare_debian(monkeypatch: pytest.MonkeyPatch) -> None:
    """No browser is installed, and this is Debian."""
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    monkeypatch.setattr(system_packages, "release", lambda: "debian")


def dev_container() -> dict[str, Any]:
    text = (ROOT / ".devcontainer/devcontainer.json").read_text()
    parsed: dict[str, Any] = json.loads(re.sub(r"^\s*//.*\n", "", text, flags=re.M))
    return parsed


def test_the_image_has_the_packages_that_set_up_installs() -> None:
    assert installed(DOCKERFILE, "system") == BEFORE_SETUP | needed("check")


@pytest.mark.usefixtures("bare_debian")
def test_the_image_for_developers_adds_those_of_the_tests() -> None:
    assert installed(DOCKERFILE, "dev") == needed("pages") - needed("check")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("libstb-dev ", "", id="one is missing"),
        pytest.param("git python3", "git sudo python3", id="one is added"),
        pytest.param("        binutils", "        # binutils", id="a line is switched off"),
        pytest.param("libstb-dev", "libstb0", id="another one"),
    ],
)
def test_a_list_that_drifts_is_found(old: str, new: str) -> None:
    assert old in DOCKERFILE
    changed = DOCKERFILE.replace(old, new)
    assert installed(changed, "system") != BEFORE_SETUP | needed("check")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("gcc libstb-dev", "gcc \\\n        libstb-dev", id="another line"),
        pytest.param("binutils check", "check binutils", id="another order"),
        pytest.param("        binutils", "    # compilers\n        binutils", id="a comment"),
    ],
)
def test_equivalent_package_lists_are_accepted(old: str, new: str) -> None:
    assert old in DOCKERFILE
    changed = DOCKERFILE.replace(old, new)
    assert installed(changed, "system") == BEFORE_SETUP | needed("check")


def test_image_copies_exactly_the_course() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    assert patterns[0] == "*"
    taken = {line[1:] for line in patterns if line.startswith("!")}
    tracked = {path.partition("/")[0] for path in contents.tracked(ROOT)}
    assert taken == tracked - NOT_IN_IMAGE


def test_images_do_not_run_as_root() -> None:
    for name in ("dev", "course"):
        lines = stages(DOCKERFILE)[name].splitlines()
        assert lines.index("USER student") < next(
            number for number, line in enumerate(lines) if line.startswith("RUN ./grade setup")
        )
        assert [line for line in lines if line.startswith("USER")] == ["USER student"]


def test_compose_and_the_dev_container_use_the_folders_of_the_image() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    service, container = compose["services"]["course"], dev_container()
    assert service["build"]["target"] in stages(DOCKERFILE)
    assert "image" in container or container["build"]["target"] in stages(DOCKERFILE)
    assert "WORKDIR /convlabs\n" in DOCKERFILE
    assert service["volumes"] == [".:/convlabs", "build:/convlabs/build"]
    assert container["workspaceFolder"] == "/convlabs"
    assert container["workspaceMount"].endswith(",target=/convlabs,type=bind")
    assert [mount.split(",")[1:] for mount in container["mounts"]] == [
        ["target=/convlabs/build", "type=volume"]
    ]


WORKFLOWS = [
    *sorted((ROOT / ".github/workflows").glob("*.yml")),
    ROOT / "handouts/classroom/grade.yml",
]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_pins_its_actions_may_only_read_and_ends(file: Path) -> None:
    """What a job may do besides, its own `permissions` say."""
    text = file.read_text()
    uses = re.findall(r"uses: (.*)", text)
    assert uses
    assert [line for line in uses if not PINNED.fullmatch(line)] == []
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())
