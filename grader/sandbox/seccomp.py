"""The sandbox's seccomp filter: refuses the system calls that no lab needs.

The filter is classic BPF, written out here because it is a plain list. Each call in DENIED fails
with EPERM, and so does a clone() that asks for new namespaces. clone3() fails with ENOSYS, so that
the C library falls back to clone(), whose flags a filter can read. All other calls are allowed:
bubblewrap isolates, and this filter keeps rarely used parts of the kernel out of reach.

Where there are no namespaces (the tiers with Landlock), the filter does more: it also refuses what
reaches beyond the process and is no matter of files that Landlock could decide.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Callable

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
# What a network namespace and an IPC namespace keep inside: no socket is made, and nothing that
# outlives the process. A pair of connected sockets leads nowhere.
BEYOND = {
    "socket": (41, 198),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
}
# Landlock lets a process change the owner, the mode and the times of each file of its user. A
# compiler may: a linker makes its output executable. None: the architecture has no such call.
FILE_ATTRIBUTES = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "truncate": (76, 45),  # older kernels' Landlock does not decide about it
}
# A program stays in the session and the process group that it is started in: one signal to the
# group then ends it with all its children, at once. Each new session would also get as large a
# share of the processors as the grader's. make and the tools that it starts may use groups.
NEW_GROUPS = {"setpgid": (109, 154), "setsid": (112, 157)}
KILL, PRLIMIT = (62, 129), (302, 261)
EVERY_PROCESS = 0xFFFFFFFF  # kill(-1, ...)
WHOLE_GROUP = 0  # kill(0, ...): bubblewrap is in it
CLONE, CLONE3 = (56, 220), (435, 435)
NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW* that clone() takes

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column, AUDIT_ARCH_*
X32 = 0x40000000  # first number of the x32 ABI, a second table of calls on x86-64

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def program(
    debugger: bool = False, namespaces: bool = True, compiler: bool = False
) -> bytes | None:
    """The filter for this machine's processor; None for a processor that is not in ARCHITECTURES.

    debugger: allows ptrace, with which LeakSanitizer inspects its own threads.
    namespaces: the command is in namespaces of its own.
    compiler: allows what a compiler needs, and a submission's program does not.
    """
    entry = ARCHITECTURES.get(os.uname().machine)
    if entry is None:
        return None
    column, architecture = entry
    denied: dict[str, tuple[int, int | None]] = {**DENIED, **MEMORY}
    denied |= {} if debugger else DEBUGGER
    denied |= {} if compiler else NEW_GROUPS
    if not namespaces:
        denied |= BEYOND | ({} if compiler else FILE_ATTRIBUTES)
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
        number = numbers[column]
        if number is not None:
            code.append(_instruction(_EQUAL, number, 0, 1))
            code.append(_instruction(_RETURN, _FAIL | errno.EPERM))
    code += _refused_for(KILL[column], _EQUAL, WHOLE_GROUP, refused=True)
    if not namespaces:
        code += _refused_for(KILL[column], _EQUAL, EVERY_PROCESS, refused=True)
        # Of another process: 0 is the caller.
        code += _refused_for(PRLIMIT[column], _EQUAL, 0, refused=False)
    code += _refused_for(CLONE[column], _ANY_BIT, NEW_NAMESPACES, refused=True)
    code.append(_instruction(_RETURN, _ALLOW))
    return b"".join(code)


def _refused_for(number: int, test: int, value: int, refused: bool) -> list[bytes]:
    """Refuses a call whose first argument passes a test, or one that does not pass it."""
    on_true, on_false = (0, 1) if refused else (1, 0)
    return [
        _instruction(_EQUAL, number, 0, 4),
        _instruction(_LOAD, _FIRST_ARGUMENT),
        _instruction(test, value, on_true, on_false),
        _instruction(_RETURN, _FAIL | errno.EPERM),
        _instruction(_LOAD, _NUMBER),
    ]


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def installer(code: bytes) -> Callable[[], None]:
    """The function that puts this process under a filter, forever. It makes a system call and
    nothing else. The process must have given up new privileges. Raises OSError."""
    buffer = ctypes.create_string_buffer(code, len(code))
    wanted = _Program(len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    unused = ctypes.c_ulong(0)

    def install() -> None:
        mode = ctypes.c_ulong(_SECCOMP_MODE_FILTER)
        if libc.prctl(_PR_SET_SECCOMP, mode, ctypes.byref(wanted), unused, unused) != 0:
            raise OSError(ctypes.get_errno(), "the kernel refuses the seccomp filter")
        assert len(buffer) == len(code)  # keeps the buffer until here

    return install
