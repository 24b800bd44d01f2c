"""Packs the archive, the same bytes for the same commit, and unpacks it again."""

import gzip
import io
import tarfile
from pathlib import Path

from grader.release.contents import Member


def pack(members: list[Member], folder: str, mtime: int) -> bytes:
    """The bytes of a .tar.gz of the members, in their order, below `folder`. It names no user, and
    `mtime` is the time of every file."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for member in members:
            entry = tarfile.TarInfo(f"{folder}/{member.path}")
            entry.size = len(member.content)
            entry.mode = 0o755 if member.executable else 0o644
            entry.mtime = mtime
            tar.addfile(entry, io.BytesIO(member.content))
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(plain.getvalue())
    return packed.getvalue()


def unpack(archive: Path, target: Path) -> Path:
    """Unpacks into `target` what pack() made. Returns the one folder of the archive."""
    with tarfile.open(archive, "r:gz") as tar:
        # Only Python 3.11.4 and later have the filter; Debian 12 has 3.11.2.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(target)
    return next(target.iterdir())
