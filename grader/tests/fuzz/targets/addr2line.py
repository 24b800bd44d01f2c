"""What addr2line prints of a program that a student wrote (grader/execute/addr2line.py)."""

from collections.abc import Iterator

from grader import paths
from grader.execute import addr2line


def seeds() -> Iterator[bytes]:
    yield b"0x0000000000001139\n" + bytes(paths.ROOT) + b"/a.cu:3 (discriminator 2)\n??:0\n"
    yield b"0x1\nlabs/sim/include/x.h:1\na.cu:4\n0x2\n/usr/include/x.h:9\n??:?\n"
    yield b"0x1\na.c:0\n0x1\na.c:" + b"9" * 4400 + b"\n"
    yield b"0x1\na\0.c:1\n0x2\n" + b"a/" * 2100 + b":1\n"
    yield "0x3\n\u202e\xff:\u0661\n".encode()
    yield b"a.c:7\n0xffffffffffffffff\n:1\n"


def check(data: bytes) -> None:
    for pc, (file, line) in addr2line.read_locations(data.decode(errors="replace")).items():
        assert file and line > 0 and "\n" not in file and "\0" not in file
        assert hex(pc).startswith("0x") or pc == -1
        assert not (paths.ROOT / file).is_relative_to(addr2line.SIMULATOR_HEADERS)
