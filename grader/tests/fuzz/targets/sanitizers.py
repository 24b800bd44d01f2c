"""What sanitizers print on stderr, where a student's program prints too (sanitizers.py)."""

from collections.abc import Iterator

from grader.execute import evidence, sanitizers
from grader.execute.evidence import Evidence
from grader.execute.finding_lines import MAX_FINDINGS

REPORTED = Evidence([(evidence.LEAK, b"")])
ACCESS = b"""==9==ERROR: AddressSanitizer: %s on address 0x602000000034 at pc 0x55 bp 0x7f sp 0x7f
WRITE of size 4 at 0x602000000034 thread T0
    #0 0x7f0 in memset ../../../../src/libsanitizer/x.inc:799
    #1 0x555 in correlate a/cpu_loop.c:12:3
    #2 0x556 in main labs/runtime/runner/runner.c:3

0x602000000034 is located 0 bytes %s 52-byte region [0x6020,0x6034)
"""


def seeds() -> Iterator[bytes]:
    for kind in (b"heap-buffer-overflow", b"heap-use-after-free", b"SEGV", b"attempting"):
        yield ACCESS % (kind, b"after")
    yield ACCESS % (b"stack-overflow", b"to the left of")
    yield ACCESS % (b"stack-use-after-return", b"x")
    yield ACCESS % (b"stack-buffer-overflow", b"x") + (
        b"    [32, 36) 'sum' (line 5) <== Memory access at offset 36 overflows this variable\n"
    )
    yield ACCESS % (b"global-buffer-overflow", b"x") + (
        b"0x5 is located 4 bytes after global variable 'table' defined in 'a.c:3:5'\n"
    )
    yield b"a.c:7:9: runtime error: signed integer overflow\n" * 2
    yield b"Direct leak of 40 byte(s) in 1 object(s) allocated from:\n    #0 0x1 in f a.c:3\n\n"
    yield b"a.c:" + b"9" * 4400 + b": runtime error: x\n"
    yield b"ERROR: AddressSanitizer: overflow\n" + b"'a'" * 20_000
    yield b"Direct leak of 1 byte(s)\n" * 5_000
    yield b"ERROR: AddressSanitizer: SEGV\n    #0 0x1 in " + b"a:1 " * 20_000


def check(data: bytes) -> None:
    stderr = data.decode(errors="replace")
    found = sanitizers.findings(stderr, REPORTED)
    assert any(f.kind == "leak" for f in found), "a leak that was reported is lost"
    assert len(found) <= 2 * MAX_FINDINGS + 2
    for finding in found:
        shown = finding.render()
        assert shown.isprintable() and 0 < len(shown) <= 400 and finding.line >= 0
    without = sanitizers.findings(stderr, Evidence())
    assert len(without) <= len(found)
