"""The page's list of supported names is that of the headers."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "labs/sim/supported.py"


def listed(page: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROGRAM), "--check", str(page)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_page_is_up_to_date() -> None:
    done = listed(ROOT / "handouts/simulator.md")
    assert done.returncode == 0, done.stderr


def test_a_stale_page_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = (ROOT / "handouts/simulator.md").read_text()
    assert (
        "`cudaGraphLaunch`" in text and "`__shfl_down_sync`" in text and "`cudaDeviceProp`" in text
    )
    page.write_text(text.replace("`cudaGraphLaunch`,", ""))
    assert listed(page).returncode == 1
