"""Submissions that attack the grader.

A program of `programs()` is the lab's solution behind a gate: its functions do their work only if
the attack succeeded. So a successful attack earns full marks and a failed one earns nothing, and a
test need not believe what the program prints.
"""

import io
import os
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from grader import paths
from grader.model.lab import Lab

HEADERS = """
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "lab.h"
"""
OPENS = "int fd = open({}, O_RDONLY); if (fd < 0) return 0; close(fd); return 1;"
FORGED = r"""
static void forge(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd >= 0 && write(fd, text, strlen(text)) > 0)
        close(fd);
}
/* Writes what it thinks is read to every file of its own command line and ends before main(). */
__attribute__((constructor)) static void forge_all(void) {
    static char line[1 << 16];
    const char *good = "{\"completed\":true,\"returned\":0,\"error\":\"\",\"outputs\":[]}";
    int fd = open("/proc/self/cmdline", O_RDONLY);
    ssize_t n = read(fd, line, sizeof line - 1);
    for (char *at = line; at < line + n; at += strlen(at) + 1)
        forge(at, good);
    forge("result.json", "{\"score\":{\"earned\":100,\"measured\":100,\"total\":100}}");
    forge("/tmp/result.json", "{\"score\":100}");
    puts("all checks passed\n100/100 measured\n{\"score\": 100}");
    fflush(stdout);
    _exit(0);
}
"""

# The loops and bombs run on some inputs only, or a class would take hours.
ATTACKS: dict[str, str] = {
    "fork bomb": "if (width == 64) while (fork() >= 0 || sleep(1) == 0) ; return 0;",
    "memory bomb": "if (width == 64) for (;;) { char *p = (char *)malloc(1 << 24); "
    "if (p) memset(p, 1, 1 << 24); } return 0;",
    "endless loop": "if (width == 64) for (;;) ; return 0;",
    "sleeps and ignores SIGTERM": "signal(SIGTERM, SIG_IGN); if (width == 64) for (;;) sleep(1); "
    "return 0;",
    "endless output": 'if (width == 64) for (;;) puts("100/100 measured, all checks passed"); '
    "return 0;",
    "daemon": "if (width == 64 && fork() == 0) { setsid(); if (fork() == 0) for (;;) sleep(1); "
    "_exit(0); } return 0;",
}
GATED: dict[str, str] = {
    "reads the solutions": OPENS.format('"SOLUTIONS"'),
    "reads a sibling": OPENS.format('"SIBLING"'),
    "reads the hidden cases": OPENS.format('"HIDDEN"'),
    "connects to the network": "struct sockaddr_in to; memset(&to, 0, sizeof to); "
    "to.sin_family = AF_INET; to.sin_port = htons(PORT); "
    "to.sin_addr.s_addr = htonl(INADDR_LOOPBACK); int fd = socket(AF_INET, SOCK_STREAM, 0); "
    "return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0;",
    "writes outside of its outputs": 'int fd = open("PWNED", O_WRONLY | O_CREAT, 0644); '
    "return fd >= 0;",
    "kills all that it can": "return kill(PARENT, 0) == 0;",
}
# A gate for each kind of function: the kinds differ in their parameters.
GATES = {
    "cpu": """
void NAME(const float *image, int width, int height, const float *mask, int radius,
          enum border border, float *out) {
    if (attack(width))
        honest_NAME(image, width, height, mask, radius, border, out);
}
""",
    "filter": """
cudaError_t NAME(const float *d_image, int width, int height, int radius, enum border border,
                 float *d_out) {
    if (!attack(width))
        return cudaErrorUnknown;
    return honest_NAME(d_image, width, height, radius, border, d_out);
}
""",
    "copy": """
cudaError_t NAME(const float *values, int radius) {
    return attack(radius == 2 ? 64 : 0) ? honest_NAME(values, radius) : cudaErrorUnknown;
}
""",
}
FUNCTIONS = {
    "lab1": {"correlate_loops": "cpu", "correlate_rows": "cpu", "correlate_openmp": "cpu"},
    "lab3": {
        "set_mask": "copy",
        "set_bank": "copy",
        "correlate_constant": "filter",
        "correlate_polyphase": "filter",
    },
}


def solution(lab: Lab) -> str:
    """The text of the lab's solution."""
    return (paths.ROOT / "solutions" / lab.folder / lab.submit[0]).read_text()


def gated(lab: Lab, attack: str, before: str = "", base: str | None = None) -> str:
    """The solution, or another `base`, behind a gate: it works only where attack(width) returns 1.
    before: what the gate needs."""
    names = FUNCTIONS[lab.id]
    renamed = "".join(f"#define {name} honest_{name}\n" for name in names)
    back = "".join(f"#undef {name}\n" for name in names)
    gates = "".join(GATES[kind].replace("NAME", name) for name, kind in names.items())
    gate = f"static int attack(int width) {{ (void)width; {attack} }}\n"
    base = solution(lab) if base is None else base
    return f"{HEADERS}{before}\n{gate}{renamed}{base}{back}{gates}"


def programs(lab: Lab, sibling: Path, port: int) -> dict[str, str]:
    """The attacking programs, by name. None may earn a point."""
    known = {
        "SOLUTIONS": f"{paths.ROOT}/solutions/{lab.folder}/{lab.submit[0]}",
        "HIDDEN": str(paths.hidden_cases(lab.folder)),
        "SIBLING": str(sibling),
        "PORT": str(port),
        "PWNED": f"{sibling.parent}/pwned",
        "PARENT": str(os.getpid()),
    }
    texts = {}
    for name, attack in (ATTACKS | GATED).items():
        for word, value in known.items():
            attack = attack.replace(word, value)
        texts[name] = gated(lab, attack)
    texts["forges its verdict"] = HEADERS + FORGED + solution(lab).replace('#include "lab.h"', "")
    leaves = "__attribute__((constructor)) static void leave(void) { _exit(0); }\n"
    texts["constructor that exits"] = HEADERS + leaves + solution(lab)
    texts["includes the solutions"] = f'#include "{known["SOLUTIONS"]}"\n'
    texts["includes a sibling"] = f'#include "{sibling}"\n'
    return texts


# ---------------------------------------------------------------- archives


def _zip(members: list[tuple[zipfile.ZipInfo | str, bytes]]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members:
            archive.writestr(member, content)
    return data.getvalue()


def _tar(members: list[tuple[tarfile.TarInfo, bytes]], mode: str = "w:gz") -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:  # type: ignore[call-overload]
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


def _special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


Archive = Callable[[], tuple[str, bytes]]


def archives(lab: Lab) -> dict[str, Archive]:
    """Hostile and damaged archives, by name: what makes the suffix and the content of one, for some
    take seconds. Each must be rejected."""
    name, good = lab.submit[0], solution(lab).encode()
    link = zipfile.ZipInfo(name)
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    locked = bytearray(_zip([(name, good)]))
    for at in (6, locked.index(b"PK\x01\x02") + 8):  # the flags, in both headers
        struct.pack_into("<H", locked, at, 1)
    whole = _zip([(name, good)])
    tarball = _tar([(tarfile.TarInfo(name), good)])
    inside = [
        (_special("d", tarfile.SYMTYPE, "/etc"), b""),
        (tarfile.TarInfo(f"d/../{name}"), good),
    ]
    return {
        "zip slip": lambda: (".zip", _zip([(f"../../{name}", good)])),
        "absolute path": lambda: (".zip", _zip([(f"/tmp/{name}", good)])),
        "symlink out, zip": lambda: (".zip", _zip([(link, b"/etc/passwd")])),
        "symlink out, tar": lambda: (
            ".tar.gz",
            _tar([(_special(name, tarfile.SYMTYPE, "/etc/passwd"), b"")]),
        ),
        "hard link, tar": lambda: (
            ".tar",
            _tar([(_special(name, tarfile.LNKTYPE, "/etc/passwd"), b"")], "w"),
        ),
        "write through a link": lambda: (".tgz", _tar(inside)),
        "device": lambda: (".tar", _tar([(_special(name, tarfile.CHRTYPE), b"")], "w")),
        "fifo": lambda: (".tar", _tar([(_special(name, tarfile.FIFOTYPE), b"")], "w")),
        "bomb": lambda: (".zip", _zip([(name, bytes(900_000))])),
        "tar bomb": lambda: (".tar.gz", _tar([(tarfile.TarInfo("zeros"), bytes(300 << 20))])),
        "too many files": lambda: (".zip", _zip([(f"{i}", b"") for i in range(20_001)])),
        "too deep": lambda: (".zip", _zip([("d/" * 200 + name, good)])),
        "twice the same path": lambda: (".tar", _tar([(tarfile.TarInfo(name), good)] * 2, "w")),
        "two that differ": lambda: (
            ".zip",
            _zip([(f"a/{name}", good), (f"b/{name}", b"int x;\n")]),
        ),
        "truncated zip": lambda: (".zip", whole[: len(whole) // 2]),
        "truncated tarball": lambda: (".tar.gz", tarball[: len(tarball) // 2]),
        "encrypted": lambda: (".zip", bytes(locked)),
        "no archive at all": lambda: (".zip", b"\x7fELF" + bytes(600)),
        "empty file": lambda: (".zip", b""),
    }
