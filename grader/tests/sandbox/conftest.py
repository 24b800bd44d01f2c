"""What the tests of the sandboxes share."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def open_path() -> Iterator[Path]:
    """As tmp_path, for a test with programs of other users: pytest's folders let only their owner
    in, and each pytest that starts closes them again."""
    with tempfile.TemporaryDirectory(prefix="convlabs-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
