"""The seccomp filter, as a program for each processor."""

import os
import struct

import pytest

from grader.sandbox import seccomp


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_has_every_call_of_the_machine(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = os.uname_result(("Linux", "x", "6", "1", machine))
    monkeypatch.setattr(os, "uname", lambda: fake)
    strict, loose = seccomp.program(), seccomp.program(debugger=True)
    assert strict and loose and len(strict) % 8 == 0
    assert (len(strict) - len(loose)) // 8 == 2 * len(seccomp.DEBUGGER)
    column = seccomp.ARCHITECTURES[machine][0]
    denied = seccomp.DENIED | seccomp.MEMORY | seccomp.DEBUGGER | seccomp.BEYOND
    denied |= seccomp.NEW_GROUPS
    everything = [*denied.values(), *seccomp.FILE_ATTRIBUTES.values()]
    numbers = [row[column] for row in everything if row[column] is not None]
    assert len(set(numbers)) == len(numbers)


class Kernel:
    """What the kernel answers to a call under a filter: an interpreter of its instructions."""

    def __init__(self, code: bytes) -> None:
        self.code = list(struct.iter_unpack("=HBBI", code))

    def answer(self, number: int, argument: int = 0, architecture: int = 0xC000003E) -> int:
        data = struct.pack("=iIQQ", number, architecture, 0, argument)
        at, loaded = 0, 0
        while True:
            code, if_true, if_false, value = self.code[at]
            at += 1
            if code == 0x06:
                return int(value)
            if code == 0x20:
                loaded = struct.unpack_from("=I", data, value)[0]
                continue
            true = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}[code]
            at += if_true if true else if_false


ALLOWED, REFUSED = 0x7FFF0000, 0x00050001  # EPERM


@pytest.mark.parametrize(
    ("number", "argument", "namespaces", "without", "compiler"),
    [
        (0, 0, ALLOWED, ALLOWED, ALLOWED),  # read
        (41, 2, ALLOWED, REFUSED, REFUSED),  # socket
        (53, 1, ALLOWED, ALLOWED, ALLOWED),  # socketpair
        (62, 0xFFFFFFFF, ALLOWED, REFUSED, REFUSED),  # kill(-1, ...)
        (62, 0xFFFFFFFFFFFFFFFF, ALLOWED, REFUSED, REFUSED),
        (62, 0, REFUSED, REFUSED, REFUSED),  # kill(0, ...)
        (62, 4711, ALLOWED, ALLOWED, ALLOWED),
        (302, 0, ALLOWED, ALLOWED, ALLOWED),  # prlimit of the caller
        (302, 4711, ALLOWED, REFUSED, REFUSED),
        (112, 0, REFUSED, REFUSED, ALLOWED),  # setsid
        (90, 0, ALLOWED, REFUSED, ALLOWED),  # chmod
        (56, 0x10000000, REFUSED, REFUSED, REFUSED),  # clone(CLONE_NEWUSER)
        (56, 0x00000011, ALLOWED, ALLOWED, ALLOWED),  # fork
        (435, 0, 0x00050026, 0x00050026, 0x00050026),  # clone3: ENOSYS
        (165, 0, REFUSED, REFUSED, REFUSED),  # mount
        (0x40000000, 0, 0x80000000, 0x80000000, 0x80000000),  # the x32 ABI
    ],
)
def test_filter_allows_or_refuses_each_call(
    number: int,
    argument: int,
    namespaces: int,
    without: int,
    compiler: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = os.uname_result(("Linux", "x", "6", "1", "x86_64"))
    monkeypatch.setattr(os, "uname", lambda: fake)
    filters = {
        seccomp.program(): namespaces,
        seccomp.program(namespaces=False): without,
        seccomp.program(namespaces=False, compiler=True): compiler,
    }
    for code, answer in filters.items():
        assert code is not None and Kernel(code).answer(number, argument) == answer
        assert Kernel(code).answer(number, argument, 0x40000003) == 0x80000000  # 32-bit calls
