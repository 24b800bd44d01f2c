"""The sandbox's seccomp filter: refuses the system calls that no lab needs.

The filter is classic BPF, written out here because it is a plain list. Each call in DENIED fails
with EPERM, and so does a clone() that asks for new namespaces. clone3() fails with ENOSYS, so that
the C library falls back to clone(), whose flags a filter can read. All other calls are allowed:
bubblewrap isolates, and this filter keeps rarely used parts of the kernel out of reach.
"""

from __future__ import annotations

import errno
import os
import struct

# name: number on x86-64, number on aarch64
DENIED = {
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "quotactl": (179, 60),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "syslog": (103, 116),
    "vhangup": (153, 58),
}
# Memory that belongs to no process, so that the limit on memory would not count it.
MEMORY = {"memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194)}
DEBUGGER = {"ptrace": (101, 117)}
CLONE, CLONE3 = (56, 220), (435, 435)
NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW* that clone() takes

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column, AUDIT_ARCH_*
X32 = 0x40000000  # first number of the x32 ABI, a second table of calls on x86-64

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def program(debugger: bool = False) -> bytes | None:
    """The filter for this machine's processor; None for a processor that is not in ARCHITECTURES.

    debugger: allows ptrace, with which LeakSanitizer inspects its own threads.
    """
    entry = ARCHITECTURES.get(os.uname().machine)
    if entry is None:
        return None
    column, architecture = entry
    denied = DENIED | MEMORY | ({} if debugger else DEBUGGER)
    code = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, architecture, 1, 0),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER),
        _instruction(_AT_LEAST, X32, 0, 1),
        _instruction(_RETURN, _KILL),
        _instruction(_EQUAL, CLONE3[column], 0, 1),
        _instruction(_RETURN, _FAIL | errno.ENOSYS),
    ]
    for numbers in denied.values():
        code.append(_instruction(_EQUAL, numbers[column], 0, 1))
        code.append(_instruction(_RETURN, _FAIL | errno.EPERM))
    code += [
        _instruction(_EQUAL, CLONE[column], 0, 3),
        _instruction(_LOAD, _FIRST_ARGUMENT),
        _instruction(_ANY_BIT, NEW_NAMESPACES, 0, 1),
        _instruction(_RETURN, _FAIL | errno.EPERM),
        _instruction(_RETURN, _ALLOW),
    ]
    return b"".join(code)
