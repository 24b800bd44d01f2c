"""The cache of a lab below build/, valid as long as the code is the same that decides its content:
the files of generated sequences (contract/prepared.py), and which large outputs were found right.

Programs that add in the same order give the same bits, and to compute the right result takes longer
than most of them need. So an output is first looked up by its hash.
"""

import hashlib
import shutil
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from grader import paths
from grader.model.lab import Lab
from grader.oracle.operations import Array
from grader.sandbox import choice

FOLDER = paths.BUILD / "cache"
CODE = ("grader/contract", "grader/oracle", "datasets")  # decide the content, with the lab's files
RIGHT = "right"  # the file with the hashes of right outputs, one after the other
DIGEST = 32  # bytes of each
MOST_RIGHT = 4 << 20  # bytes of them
STALE = 86_400  # seconds after which nobody uses the cache of an older course
LARGE = 4_000  # elements of an output that is looked up; a smaller one is compared as fast


def may_use(gpu: bool) -> bool:
    """Outside of a sandbox a program could write to the cache."""
    return choice.tier(gpu) is not None


def home(lab: Lab) -> Path:
    """The folder of a lab's cache. Raises OSError."""
    folder = FOLDER / lab.id / _code(lab.folder)
    if not folder.exists():  # the course has changed: the cache of an older one goes
        folder.mkdir(parents=True, exist_ok=True)
        for passed in (FOLDER, folder.parent, folder):
            passed.chmod(0o755)  # whatever the umask is, as of the files
        for old in folder.parent.iterdir():  # not what another grader may be using
            if old != folder and time.time() - old.stat().st_mtime > STALE:
                shutil.rmtree(old, ignore_errors=True)
    return folder


def was_right(lab: Lab, asked: tuple[object, ...], output: Array) -> bool:
    """Was this output found right before? asked: what decides the right result."""
    return output.size > LARGE and _digest(asked, output) in _right(lab)


def remember_right(lab: Lab, asked: tuple[object, ...], output: Array) -> None:
    """Keeps that this output is right, if it is large and there is room."""
    if output.size <= LARGE:
        return
    digest, known = _digest(asked, output), _right(lab)
    if digest in known or len(known) * DIGEST >= MOST_RIGHT:
        return
    known.add(digest)
    with suppress(OSError), (home(lab) / RIGHT).open("ab") as stream:
        stream.write(digest)


def _digest(asked: tuple[object, ...], output: Array) -> bytes:
    whole = hashlib.sha256(repr((asked, output.dtype.str, output.shape)).encode())
    whole.update(np.ascontiguousarray(output).data)
    return whole.digest()


def _right(lab: Lab) -> set[bytes]:
    """The hashes of the right outputs of a lab; of this process, where none can be kept."""
    return _right_in(FOLDER / lab.id / _code(lab.folder) / RIGHT)


@cache
def _right_in(file: Path) -> set[bytes]:
    with suppress(OSError):
        data = file.read_bytes()
        if len(data) % DIGEST == 0:
            return {data[at : at + DIGEST] for at in range(0, len(data), DIGEST)}
        file.unlink()  # a full disk or a power cut left a part of one
    return set()


@cache
def _code(folder: str) -> str:
    """The hash of what decides the inputs and the results of a lab."""
    names = ("calls.py", "oracle.py", "lab.toml")
    sources = [file for name in names if (file := paths.LABS / folder / name).exists()]
    sources += sorted(file for name in CODE for file in (paths.ROOT / name).glob("*.py"))
    whole = hashlib.sha256(np.__version__.encode())
    for file in sources:
        whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()[:24]
