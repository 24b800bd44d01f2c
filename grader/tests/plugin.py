"""What all tests share."""

import os
import shutil
import signal
from pathlib import Path

import pytest

# A test run in the background inherits an ignored SIGINT and would hand it on; the commands that
# tests interrupt must meet the signal as on a terminal.
signal.signal(signal.SIGINT, signal.default_int_handler)

# nvcc would compile each of hundreds of submissions once more: minutes in sum. So it is taken from
# PATH (but for a folder that has everything else as well), and test_nvcc_check.py puts it back.
# Workers of pytest-xdist get this PATH, hence the variable.
_NVCC = os.environ.setdefault("CONVLABS_TEST_NVCC", shutil.which("nvcc") or "")
_FOLDERS = os.environ["PATH"].split(os.pathsep)
os.environ["PATH"] = os.pathsep.join(
    f for f in _FOLDERS if not Path(f, "nvcc").exists() or Path(f, "make").exists()
)


@pytest.fixture(scope="session")
def real_nvcc() -> str:
    """The path of this machine's nvcc; without one the test is skipped."""
    if not _NVCC:
        pytest.skip("there is no nvcc")
    return _NVCC
