"""Set-up by a Python that has no ensurepip: pip comes from this Python's own, a folder or an index,
and only the locked one."""

import functools
import hashlib
import http.server
import importlib.metadata
import shutil
import ssl
import sys
import sysconfig
import threading
import types
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.setup import bootstrap, python_packages, stamp, system_packages
from grader.setup.failure import SetupError
from grader.setup.runner import Output, Runner
from grader.tests.setup.small_copy import Copy

FILES = [
    file
    for file in importlib.metadata.files("pip") or []
    if ".." not in file.parts and file.suffix != ".pyc"
]
NAME = f"pip-{importlib.metadata.version('pip')}-py3-none-any.whl"


def packed_pip(folder: Path) -> str:
    """Makes a wheel of the pip that runs here. Returns its line in a lock."""
    with zipfile.ZipFile(folder / NAME, "w") as wheel:
        for file in FILES:
            wheel.write(file.locate(), str(file))
    digest = hashlib.sha256((folder / NAME).read_bytes()).hexdigest()
    return f"pip=={importlib.metadata.version('pip')} \\\n    --hash=sha256:{digest}\n"


def python_without_ensurepip(prefix: Path, has_pip: bool) -> str:
    """A Python with all of this one's standard library but ensurepip."""
    library = Path(sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}))
    here = prefix / "lib" / library.name
    here.mkdir(parents=True)
    for entry in library.iterdir():
        if entry.name not in ("ensurepip", "site-packages", "dist-packages", "EXTERNALLY-MANAGED"):
            (here / entry.name).symlink_to(entry)
    (here / "site-packages").mkdir()
    for top in {file.parts[0] for file in FILES} if has_pip else ():
        source = Path(str(importlib.metadata.distribution("pip").locate_file(top)))
        (here / "site-packages" / top).symlink_to(source)
    python = prefix / "bin" / "python3"
    python.parent.mkdir()
    shutil.copy(Path(sys.executable).resolve(), python)
    return str(python)


@pytest.mark.slow("sets up an environment, without a network")
@pytest.mark.parametrize("has_pip", [False, True])
def test_a_python_without_ensurepip_sets_up(has_pip: bool, tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    lock = copy.root / "grader" / "setup" / "requirements-pip.lock"
    lock.write_text(packed_pip(copy.shop))
    copy.python = python_without_ensurepip(tmp_path / "python", has_pip)
    status, out, err = copy.grade("lab1")
    assert (status, out) == (0, "graded lab1\n"), err
    log = (copy.root / "build" / "setup.log").read_text()
    assert "--without-pip" in log
    assert ("No module named pip" in log) is not has_pip


@pytest.mark.slow("sets up an environment, without a network")
def test_pip_that_is_nowhere_is_explained_and_another_one_refused(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    lock = copy.root / "grader" / "setup" / "requirements-pip.lock"
    lock.write_text(packed_pip(tmp_path))
    copy.python = python_without_ensurepip(tmp_path / "python", has_pip=False)
    status, out, err = copy.grade("lab1")
    assert (status, out) == (3, "") and "Traceback" not in err
    assert "this Python has no ensurepip, and pip could not be fetched from pypi.org" in err
    assert f"put {NAME} from elsewhere into a folder `wheels`" in err
    assert copy.stamped() == set()
    (copy.shop / NAME).write_bytes(b"another one")
    status, out, err = copy.grade("lab1")
    assert (status, out) == (3, "")
    assert f"{NAME} is not the one that requirements-pip.lock names" in err
    assert list((copy.root / "build/venv/lib").glob("*/site-packages/pip*")) == []


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of pip in a package index, which pip's settings name."""
    folder = tmp_path / "simple" / "pip"
    folder.mkdir(parents=True)
    handler = functools.partial(Silent, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.delenv("PIP_NO_INDEX", raising=False)
        monkeypatch.setenv("PIP_FIND_LINKS", "")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple/")
        yield folder
        server.shutdown()


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing: the test's output is for what fails."""


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """One in which this Python has no pip."""
    monkeypatch.setattr(Runner, "run", lambda *_, **__: Output(1, "No module named pip"))
    return Runner(tmp_path / "log", 1)


def locked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock that names a wheel with one module, which lies in the folder."""
    with zipfile.ZipFile(folder / "pip-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("pip/__init__.py", "")
    digest = hashlib.sha256((folder / "pip-1.0-py3-none-any.whl").read_bytes()).hexdigest()
    (folder / "lock").write_text(f"pip==1.0 \\\n    --hash=sha256:{digest}\n")
    monkeypatch.setattr(bootstrap, "LOCK", folder / "lock")


@pytest.mark.parametrize(
    "link",
    [
        '<a href="../../files/pip-1.0-py3-none-any.whl#sha256=00">',
        "<a rel='x' href='/files/pip-1.0-py3-none-any.whl'>",
        '<a href="/other/pip-11.0-py3-none-any.whl"><a href="/files/pip-1.0-py3-none-any.whl">',
        '<a href="/pip-1.0-py3-none-any.whl?a&amp;b"><a href="/files/pip-1.0-py3-none-any.whl">',
    ],
)
def test_the_wheel_is_taken_from_the_index(
    link: str, index: Path, runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, site = tmp_path / "files", tmp_path / "site"
    files.mkdir()
    site.mkdir()
    locked(files, monkeypatch)
    (index / "index.html").write_text(link)
    bootstrap.add_pip(site, runner)
    assert [file.name for file in site.iterdir()] == ["pip"]


@pytest.mark.parametrize(
    "link",
    [
        '<a href="/files/pip-1.0-py3-none-any.whl.metadata">',
        '<a href="/files/pip-1.0.tar.gz">',
        '<a href="file:///files/pip-1.0-py3-none-any.whl">',
        "not even a link to pip-1.0-py3-none-any.whl",
        '<a href="/nowhere/pip-1.0-py3-none-any.whl">',
        "",
    ],
)
def test_an_index_without_the_wheel_is_explained(
    link: str, index: Path, runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked(tmp_path, monkeypatch)
    (index / "index.html").write_text(link)
    with pytest.raises(SetupError, match=r"pip could not be fetched from 127\.0\.0\.1"):
        bootstrap.add_pip(tmp_path, runner)


@pytest.mark.parametrize("place", ["127.0.0.1:9", "localhost", "[::1]:9"])
def test_the_password_of_an_index_is_not_shown(
    place: str, runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.delenv("PIP_NO_INDEX", raising=False)
    monkeypatch.setenv("PIP_INDEX_URL", f"http://me:secret@{place}/simple")
    with pytest.raises(SetupError) as error:
        bootstrap.add_pip(tmp_path, runner)
    assert "secret" not in f"{error.value} {error.value.advice} {error.value.output}"


@pytest.mark.parametrize("there", ["cafile", "capath", "PIP_CERT", ""])
def test_certificates_are_a_system_package_where_there_are_none(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "a.pem").touch()
    (tmp_path / "none").mkdir()
    file = str(tmp_path / "some" / "a.pem")
    paths = types.SimpleNamespace(
        cafile=file if there == "cafile" else None,
        capath=str(tmp_path / ("some" if there == "capath" else "none")),
    )
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: paths)
    monkeypatch.setenv("PIP_CERT", file if there == "PIP_CERT" else str(tmp_path / "no.pem"))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    missing = [p.name for p in system_packages.packages("run") if not p.present()]
    assert ("ca-certificates" in missing) is (there == "")


def test_the_lock_names_one_wheel() -> None:
    assert len(list(python_packages.locked(Path(stamp.ROOT) / bootstrap.LOCK))) == 1
    assert bootstrap.LOCK.read_text().count("--hash") == 1
