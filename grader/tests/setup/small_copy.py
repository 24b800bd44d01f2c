"""A small copy of the repository whose lock names one package, which pip finds in a folder."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from grader.tests import tiny_course

ROOT = Path(__file__).resolve().parents[3]

MAIN = """
import sys, tiny
print("graded", *sys.argv[1:])
"""
PICTURE = b"a picture"
FETCH = """
from pathlib import Path
folder = Path(__file__).parent.parent / "build" / "datasets"
folder.mkdir(parents=True, exist_ok=True)
(folder / "coffee.png").write_bytes(b"a picture")
"""


# What the front door and set-up import, and `./grade list`, `hint` and `doctor`.
STANDARD_LIBRARY_ONLY = (
    *("__init__.py", "before_setup.py", "exit_codes.py", "files.py", "outside_labs.py"),
    "paths.py",
    *("setup/*.py", "student/*.py", "sandbox/*.py", "source/*.py"),
    *(f"commands/{name}.py" for name in ("__init__", "doctor", "errors", "exam", "hint", "list")),
    "commands/setup.py",
    *(f"commands/{name}.py" for name in ("output", "overview", "parser", "source_help")),
    *(f"commands/{name}.py" for name in ("grade_options", "options", "run")),  # as texts
    *(
        f"model/{name}.py"
        for name in ("__init__", "outline", "plain_text", "score", "submission", "todos")
    ),
)


def wheel(folder: Path, name: str) -> str:
    """Makes a package of nothing but one empty module. Returns its line in a lock."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    about = f"{name}-1.0.dist-info"
    members = {
        f"{name}.py": "",
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as file:
        for member, text in members.items():
            file.writestr(zipfile.ZipInfo(member), text)  # of 1980: the same hash each time
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


def no_network() -> list[str]:
    """The command that runs another one without a network; [] where there is none."""
    command = ["unshare", "--user", "--map-root-user", "--net"]
    try:
        done = subprocess.run([*command, "true"], capture_output=True, check=False)
    except OSError:
        return []
    return command if done.returncode == 0 else []


class Copy:
    """A small copy of the repository, its name as odd as names are, and how to run its `grade`."""

    def __init__(self, folder: Path) -> None:
        self.shop = folder / "shop"
        self.shop.mkdir()
        self.root = folder / "a b'\"ü $(x) %s"
        self.root.mkdir()
        shutil.copy(ROOT / "grade", self.root / "grade")
        for part in STANDARD_LIBRARY_ONLY:
            for file in sorted((ROOT / "grader").glob(part)):
                copied = self.root / file.relative_to(ROOT)
                copied.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copied)
        (self.root / "grader" / "__main__.py").write_text(MAIN)
        for lab in ("lab1", "lab2", "lab3"):
            file = self.root / "labs" / f"{lab}_sums" / "lab.toml"
            file.parent.mkdir(parents=True)
            file.write_text(tiny_course.SPEC.replace("lab9", lab))
        (self.root / "datasets").mkdir()
        (self.root / "datasets" / "generate.py").write_text(FETCH)
        digest = hashlib.sha256(PICTURE).hexdigest()
        (self.root / "datasets" / "manifest.toml").write_text(
            f'[photograph]\nsha256 = "{digest}"\n'
        )
        tiny = wheel(self.shop, "tiny")
        (self.root / "grader" / "setup" / "requirements.lock").write_text(tiny)
        shutil.copy(ROOT / "grader/setup/requirements-pip.lock", self.root / "grader" / "setup")
        (self.root / "grader" / "setup" / "requirements-dev.lock").write_text(
            tiny + wheel(self.shop, "tinytest")
        )
        self.cwd = folder
        self.prefix: list[str] = []  # of the command line, such as unshare
        self.python, self.flags = sys.executable, list[str]()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("PIP_")}
        self.environment.pop("MAKELEVEL", None)
        self.environment |= {
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": self.shop.as_uri(),
            "PIP_CONFIG_FILE": os.devnull,
            "PYTHONPATH": "/nonexistent",
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.prefix, self.python, *self.flags, str(self.root / "grade"), *arguments],
            cwd=self.cwd,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def grade(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, stdout, stderr."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def stamped(self) -> set[str]:
        return {path.stem for path in (self.root / "build" / "venv").glob("*.stamp")}
