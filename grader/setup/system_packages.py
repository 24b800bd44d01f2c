"""The system packages that convlabs needs, and which of them are missing."""

import importlib.util
import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.setup import bootstrap


@dataclass(frozen=True)
class Package:
    """A system package, and how to see whether what it provides is already installed."""

    name: str  # in Debian and Ubuntu
    provides: str  # in words, for systems other than Debian
    program: str = ""  # a program on PATH
    header: str = ""  # a header that `compiler` finds
    library: str = ""  # a library that the C compiler finds
    compiler: str = "gcc"
    check: Callable[[], bool] | None = None  # whatever else tells that it is there

    def present(self) -> bool:
        if self.check:
            return self.check()
        if self.program:
            return shutil.which(self.program) is not None
        if self.header:
            return header_found(self.header, self.compiler)
        return library_found(self.library)


def packages(flavour: str) -> list[Package]:
    """The packages that a flavour needs: "run" grades with the simulator, "check" also builds the
    unit tests in C, "dev" runs `make test`, "pages" also opens pages in a browser."""
    needed = [
        Package("gcc", "the C compiler gcc", program="gcc"),
        Package("g++", "the C++ compiler g++", program="g++"),
        Package("make", "GNU make", program="make"),
        Package("binutils", "the archiver ar", program="ar"),
        Package("libstb-dev", "the headers of stb (stb/stb_image.h)", header="stb/stb_image.h"),
    ]
    if importlib.util.find_spec("ensurepip") is None:  # then pip is fetched, by bootstrap.py
        what = "the certificates of servers"
        needed.append(Package("ca-certificates", what, check=bootstrap.has_certificates))
    if flavour in ("check", "dev", "pages"):
        needed += [
            Package("check", "the unit test library Check", header="check.h"),
            Package("libsubunit-dev", "the library subunit", library="libsubunit.so"),
            Package("gcc", "gcc's AddressSanitizer (libasan)", library="libasan.so"),
        ]
    if flavour in ("dev", "pages"):
        needed += [
            Package("clang", "the compiler clang", program="clang"),
            Package("libomp-dev", "clang's OpenMP (omp.h)", header="omp.h", compiler="clang"),
            Package("bubblewrap", "the sandbox bubblewrap", program="bwrap"),
        ]
    if flavour == "pages":
        needed += browser()
    return needed


def browser() -> list[Package]:
    """The browser in which the tests open reports; [] where one is installed. Ubuntu's package only
    refers to a snap, so none is installed there, and the tests that need one are skipped."""
    known = ("chromium", "google-chrome", "google-chrome-stable", "chrome")
    if any(shutil.which(name) for name in known) or "ubuntu" in release():
        return []
    return [Package("chromium", "the browser Chromium", program="chromium")]


def release() -> str:
    """The name of this system and of those it is based on, such as "linuxmint ubuntu debian"."""
    try:
        system = platform.freedesktop_os_release()
    except OSError:
        return ""
    return f"{system.get('ID', '')} {system.get('ID_LIKE', '')}".lower()


def header_found(name: str, compiler: str = "gcc") -> bool:
    """Whether the compiler finds the header; False where there is no such compiler."""
    return answer([compiler, "-E", "-x", "c", "-"], f"#include <{name}>\n") is not None


def library_found(name: str) -> bool:
    """Whether gcc finds the library; it then prints a path instead of the bare name."""
    path = answer(["gcc", f"-print-file-name={name}"], "")
    return path is not None and os.path.isabs(path.strip())


def answer(command: Sequence[str], text: str) -> str | None:
    """What a compiler prints for the input `text`; None where it is missing or fails."""
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
