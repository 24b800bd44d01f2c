"""pip in build/venv where Python has no ensurepip, as Debian's without python3-venv and those of
hosted notebooks: the wheel that the lock names, and no other."""

import base64
import hashlib
import html
import http.client
import os
import re
import ssl
import sys
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

from grader.setup import failure, stamp
from grader.setup.failure import SetupError
from grader.setup.runner import Runner

LOCK = Path(stamp.ROOT) / "grader" / "setup" / "requirements-pip.lock"
PYPI = "https://pypi.org/simple"
SECONDS = 30  # for an answer of the index


def add_pip(site: Path, runner: Runner) -> None:
    """Puts pip into the environment with that site-packages: by this Python's own pip, which knows
    the user's index, else by unpacking the wheel. Raises SetupError."""
    runner.doing("adding pip")
    install = ["install", "--require-hashes", "--only-binary", ":all:", "-r", str(LOCK)]
    pip = [sys.executable, "-I", "-m", "pip", "--python", stamp.PYTHON, "--no-input"]
    if runner.run([*pip, *install]).status == 0:
        return
    name, digest = locked()
    try:
        data = next(_found(name), b"") or _fetched(name)
    except (OSError, ValueError, http.client.HTTPException) as problem:
        cause = failure.cause(str(problem))
        raise SetupError(
            f"this Python has no ensurepip, and pip could not be fetched from {_host()}: "
            f"{cause.text}",
            f"{cause.advice}. Or put {name} from elsewhere into a folder `wheels` and run\n\n"
            "    PIP_FIND_LINKS=wheels ./grade setup",
            str(problem),
        ) from problem
    if hashlib.sha256(data).hexdigest() != digest:
        raise SetupError(
            f"{name} is not the one that {LOCK.name} names",
            f"{failure.AGAIN}; if it fails again, do not trust the package server",
        )
    wheel = site / name
    wheel.write_bytes(data)
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)
    wheel.unlink()


def has_certificates() -> bool:
    """Whether this Python has certificates to tell a server by; without, it fetches nothing."""
    places = ssl.get_default_verify_paths()
    files = [os.environ.get("PIP_CERT"), places.cafile]
    return any(file and os.path.isfile(file) for file in files) or bool(
        places.capath and os.listdir(places.capath)
    )


def locked() -> tuple[str, str]:
    """The file name and the SHA-256 of the wheel in the lock."""
    match = re.search(r"^pip==(\S+).*?--hash=sha256:(\w+)", LOCK.read_text(), re.M | re.S)
    if match is None:
        raise SetupError(f"{LOCK.name} names no pip", "take it from the course again")
    return f"pip-{match[1]}-py3-none-any.whl", match[2]


def _found(name: str) -> Iterator[bytes]:
    """The wheel in the folders of PIP_FIND_LINKS."""
    for link in os.environ.get("PIP_FIND_LINKS", "").split():
        folder = urllib.request.url2pathname(urllib.parse.urlsplit(link).path)
        if (file := Path(folder) / name).is_file():
            yield file.read_bytes()


def _fetched(name: str) -> bytes:
    """The wheel from the index, whose page of pip links to it. Raises OSError and others."""
    page = f"{_index()}/pip/"
    text = _read(page).decode(errors="replace")
    link = re.search(rf"""href=["']([^"'#]*/{re.escape(name)})["'#]""", text)
    if link is None:
        raise OSError(f"its page of pip does not have {name}")
    return _read(urllib.parse.urljoin(page, html.unescape(link[1])))


def _read(address: str) -> bytes:
    """What is at an address of an index; a file of this machine is none."""
    parts = urllib.parse.urlsplit(address)
    if parts.scheme not in ("http", "https"):
        raise ValueError("its address is none of http or https")
    user, _, host = parts.netloc.rpartition("@")
    request = urllib.request.Request(parts._replace(netloc=host).geturl())
    if user:
        secret = base64.b64encode(urllib.parse.unquote(user).encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {secret}")
    trusted = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)
    with urllib.request.urlopen(request, timeout=SECONDS, context=trusted) as answer:
        data: bytes = answer.read()
    return data


def _index() -> str:
    if os.environ.get("PIP_NO_INDEX"):
        raise OSError("no network: PIP_NO_INDEX forbids to ask the index")
    return os.environ.get("PIP_INDEX_URL", PYPI).rstrip("/")


def _host() -> str:
    """The index without the password that its address may have."""
    return urllib.parse.urlsplit(os.environ.get("PIP_INDEX_URL", PYPI)).hostname or "the index"
