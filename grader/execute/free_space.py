"""Whether there is room for what a run writes, as the grader itself sees it."""

import os
import tempfile
from pathlib import Path

PIECE = 1 << 20  # bytes


def is_full(folder: Path, size: int) -> bool:
    """Can nothing write another `size` bytes to the folder now? To be asked while what the run left
    there still takes its room."""
    piece = bytes(PIECE)
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            for at in range(0, max(size, 1), PIECE):
                file.write(piece[: max(size, 1) - at])
            os.fsync(file.fileno())
    except OSError:
        return True
    return False
