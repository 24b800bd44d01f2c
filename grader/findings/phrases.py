"""The phrases of the catalogue's templates, each made from a record.

A record may lack any member: a damaged line must still be reported as a finding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from grader.findings.record import MemoryObject, Record

DOES = {"read": "reads", "write": "writes", "atomic": "atomically updates"}
AWAITED = {
    "block": "the other threads of the block",
    "grid": "the other blocks of the grid",
    "tile": "the other threads of its tile",
    "warp": "lanes of its warp",
}
STOPPED = {
    "interrupt": "Ctrl-C ended the program",
    "processor-time": "the limit of processor time ended the program",
    "own-limit": "CONVLABS_SIM_LIMIT ended the program",
    "near-limit": "shortly before the limit of processor time",
    "time-limit": "the time limit ended the program",
    "terminated": "SIGTERM ended the program",
}
# Allocations: what their memory is, and what frees it, instead of a call and of free().
MEMORY = {
    "device": ("device", "cudaFree()", "cudaFree()"),
    "page-locked": ("page-locked host", "cudaFreeHost()", "cudaFreeHost()"),
    "registered": ("registered host", "cudaHostUnregister()", "cudaHostUnregister()"),
    "managed": ("managed", "cudaFree()", "cudaFree()"),
    "device-heap": (
        "a kernel's own",
        "free() or delete in a kernel, not cudaFree()",
        "free() in a kernel",
    ),
}
ELEMENTS_NOT_BYTES = "it takes a number of bytes; multiply the number of elements by their sizeof"
MAX_SHARED = "cudaFuncAttributeMaxDynamicSharedMemorySize"
USUAL_SHARED = 48 * 1024  # bytes of a block that has not asked for more
NOTHING = MemoryObject()


@dataclass(frozen=True)
class Phrases:
    """As a mapping, for str.format_map(): a phrase, or else the record's member. near: the file of
    the finding's line, which is not named again; "" where it is not shown."""

    f: Record
    near: str

    def __getitem__(self, name: str) -> object:
        phrase = getattr(self, name, None)
        return getattr(self.f, name) if phrase is None else phrase

    # ---- who

    @property
    def block(self) -> str:
        return triple(self.f.block)

    @property
    def thread(self) -> str:
        return triple(self.f.thread)

    @property
    def other_thread(self) -> str:
        return triple(self.f.other_thread)

    @property
    def thread_x(self) -> int:
        return coordinates(self.f.thread)[0]

    @property
    def other_thread_x(self) -> int:
        return coordinates(self.f.other_thread)[0]

    @property
    def who(self) -> str:
        return f"thread {self.thread} of block {self.block}"

    @property
    def actor(self) -> str:
        return f"{self.who} of kernel {self.f.kernel}" if self.f.kernel else "host code"

    @property
    def other(self) -> str:
        return f"thread {self.other_thread} of the same block" if self.in_block else "another block"

    @property
    def in_block(self) -> bool:
        return bool(self.f.other_thread)

    @property
    def order(self) -> str:
        if self.f.kind == "global-race" and (self.f.verb, self.f.other_verb) == ("write", "write"):
            return "so two threads compute one element: check the index that each writes to"
        if self.in_block:
            return "with no barrier between them"
        remedy = "let a later launch read it, or another array hold it"
        return f"and either block may run first: {remedy}"

    @property
    def work(self) -> str:
        return f"kernel {self.f.kernel}" if self.f.kernel else f"{self.f.call}()"

    @property
    def other_work(self) -> str:
        kernel, call = self.f.other_kernel, self.f.other_call
        return f"kernel {kernel}" if kernel else f"{call}()"

    # ---- what it does

    @property
    def does(self) -> str:
        return DOES.get(self.f.verb, "accesses")

    @property
    def did(self) -> str:
        return DOES.get(self.f.other_verb, "accesses")

    @property
    def accesses(self) -> str:
        return f"{self.does} {self.f.bytes} bytes" if self.f.bytes else "accesses memory"

    @property
    def uses(self) -> str:
        return "uses" if self.f.verb == "write" else "writes"

    @property
    def direction(self) -> str:
        return "From" if self.f.verb == "read" else "To"

    @property
    def address(self) -> str:
        return f"0x{self.f.address:x}" if self.f.address else "(nil)"

    @property
    def mask(self) -> str:
        return f"0x{self.f.mask:08x}"

    @property
    def operation(self) -> str:
        name = self.f.text or "operation of the warp"
        return f"{name}()" if name.startswith("_") else name

    # ---- the memory

    @property
    def it(self) -> MemoryObject:
        return self.f.object or NOTHING

    @property
    def name(self) -> str:
        return self.it.name

    @property
    def asked(self) -> int:
        return self.it.bytes

    @property
    def before(self) -> int:
        return -self.f.offset

    @property
    def past(self) -> str:
        """Where the access begins, or how much of it lies behind the end."""
        begins = self.f.offset - self.it.bytes
        if begins < 0:
            return f"{begins + self.f.bytes} of them past the end of"
        return f"{begins} bytes past the end of" if begins else "just past the end of"

    @property
    def after(self) -> str:
        """Of an access behind a block, which may be another one than is meant."""
        return f"of no array: {self.f.value} bytes past" if self.f.value else "just past"

    @property
    def thing(self) -> str:
        """The array of 4096 bytes allocated at x.cu:12, s_tile (1024 bytes of shared memory,
        declared at x.cu:7), ..."""
        it, made = self.it, self.made
        if it.space in MEMORY:
            if it.name:
                return f"{it.name} ({it.bytes} bytes)"
            return f"the array of {it.bytes} bytes allocated {made}"
        if it.space == "heap" and it.file:
            return f"the {it.bytes} bytes that a kernel allocated {made}"
        if it.space == "heap":
            return f"{it.bytes} bytes that a kernel allocated with new"
        if it.space == "dynamic" and it.name:
            return f"{it.name} ({it.bytes} bytes of dynamic shared memory)"
        if it.space == "dynamic":
            return f"the block's {it.bytes} bytes of dynamic shared memory"
        if it.name:
            return f"{it.name} ({it.bytes} bytes of {it.space} memory, declared {made})"
        return {"global": "a device variable", "host": "host memory"}.get(it.space, "memory")

    @property
    def thing_or_variable(self) -> str:
        return self.thing if self.f.object else "shared memory or a variable"

    @property
    def index(self) -> str:
        """Which whole element the access is of, which may lie outside: s_tile[3][4], or element 12
        of what has no name; "" where it is none."""
        it, offset = self.it, self.f.offset
        is_named = it.element > 0 and it.name != ""
        element = it.element or self.f.bytes
        odd = self.f.bytes % element if is_named else self.f.bytes > 8
        if element <= 0 or offset % element or odd:
            return ""
        i = offset // element
        if not is_named or i < 0:
            return f"element {i}"
        if it.rows > 0 and it.columns > 0:
            plane, row = divmod(i // it.columns, it.rows)
            return f"{it.name}[{plane}][{row}][{i % it.columns}]"
        if it.columns > 0:
            return f"{it.name}[{i // it.columns}][{i % it.columns}]"
        return f"{it.name}[{i}]"

    @property
    def which(self) -> str:
        return f": {self.index}" if self.index else ""

    @property
    def element(self) -> str:
        index = self.index
        if index.endswith("]"):  # its name begins the words for the array, too
            return index + self.thing.removeprefix(self.it.name)
        return f"{index} of {self.thing}" if index else f"{self.f.offset} bytes into {self.thing}"

    @property
    def distance(self) -> str:
        offset = self.f.offset
        if offset < 0:
            return f"{-offset} bytes before"
        if offset >= self.it.bytes:
            return self.past
        return f"{offset} bytes into"

    @property
    def dynamic(self) -> str:
        it = self.it
        if it.name and it.element > 0 and self.f.offset % it.element == 0:
            return f"{it.name}[{self.f.offset // it.element}]"
        return "shared memory"

    @property
    def memory(self) -> str:
        return MEMORY[self.it.space][0] if self.it.space in MEMORY else "other"

    @property
    def freed_by(self) -> str:
        return MEMORY[self.it.space][1] if self.it.space in MEMORY else "another function"

    @property
    def freed_by_host(self) -> str:
        return MEMORY[self.it.space][2] if self.it.space in MEMORY else "another function"

    @property
    def leaked(self) -> str:
        if self.it.space == "registered":
            return "host memory registered here were never unregistered"
        return f"{self.memory} memory allocated here were never freed"

    # ---- where

    def _at(self, file: str, line: int) -> str:
        return f"at line {line}" if file and file == self.near else f"at {file or '?'}:{line}"

    @property
    def made(self) -> str:
        return self._at(self.it.file, self.it.line)

    @property
    def gone(self) -> str:
        return self._at(self.it.gone_file, self.it.gone_line)

    @property
    def place(self) -> str:
        return self._at(self.f.place_file, self.f.place_line)

    # ---- barriers and threads that stop

    @property
    def waiting(self) -> str:
        f = self.f
        mask = f" (mask {self.mask})" if f.mask else ""
        return (
            f"thread {self.thread} waits {self._at(f.file, f.line)} for {awaited(f.awaits)}{mask}"
        )

    @property
    def other_waiting(self) -> str:
        if not self.f.other_thread:
            return "no thread waits at a barrier of the block"
        whom = awaited(self.f.other_awaits)
        return f"thread {self.other_thread} waits {self.place} for {whom}"

    @property
    def stopped(self) -> str:
        return STOPPED.get(self.f.cause, "the program was stopped")

    @property
    def running(self) -> str:
        if self.f.number:
            return f"; this atomic function has had no effect {self.f.number} times"
        return ", which was launched here" if self.f.place_line else ""

    @property
    def block_square(self) -> str:
        return square(self.f.block)

    @property
    def thread_square(self) -> str:
        return square(self.f.thread)

    # ---- launches and calls

    @property
    def launch_fails(self) -> str:
        return f"the launch of {self.f.kernel} fails with {self.f.error}"

    @property
    def grid(self) -> str:
        return triple(self.f.grid)

    @property
    def threads(self) -> str:
        return triple(self.f.threads)

    @property
    def volume(self) -> int:
        return prod(coordinates(self.f.threads))

    @property
    def grid_volume(self) -> int:
        return prod(coordinates(self.f.grid))

    @property
    def side_of_call(self) -> str:
        return "memory to be set" if self.f.side == "memory" else f"{self.f.side} of this copy"

    @property
    def array_call(self) -> str:
        return f"cudaMemcpy2D{'From' if self.f.side == 'source' else 'To'}Array"

    @property
    def text_or_variable(self) -> str:
        return self.f.text or "a variable"

    @property
    def reach_part(self) -> str:
        if self.f.call == "cudaGetSymbolAddress":
            return "add the distance to the address that you get"
        return "give the distance in bytes as the argument offset"

    @property
    def too_many(self) -> int:
        f = self.f
        return f.bytes if f.offset > f.limit else f.bytes - (f.limit - f.offset)

    @property
    def how_to_free(self) -> str:
        return "delete[] them" if self.f.cause == "new-array" else "call free()"

    # ---- numbers

    @property
    def s(self) -> str:
        return "" if self.f.number == 1 else "s"

    @property
    def was(self) -> str:
        return "was" if self.f.number == 1 else "were"

    @property
    def limit_kb(self) -> int:
        return self.f.limit // 1024

    @property
    def bytes_gb(self) -> str:
        return f"{self.f.bytes / 1e9:.1f}"

    @property
    def limit_gb(self) -> str:
        return f"{self.f.limit / 1e9:.1f}"

    @property
    def at(self) -> Sequence[int]:
        return coordinates(self.f.at)

    @property
    def size(self) -> Sequence[int]:
        return coordinates(self.f.size)

    @property
    def extent(self) -> Sequence[int]:
        return coordinates(self.f.extent)

    # ---- what is said only sometimes

    @property
    def if_elements(self) -> str:
        if self.it.space == "device" and self.f.bytes and self.it.bytes % self.f.bytes:
            return f"; {self.it.bytes} bytes are no whole number of {self.f.bytes} bytes"
        if self.f.cause != "elements":
            return ""
        return (
            "; does the kernel use more than that, or is it a number of elements, to be multiplied "
            "by their sizeof?"
        )

    @property
    def if_overflow(self) -> str:
        if self.f.cause != "overflow":
            return ""
        return "; an index or a product of 32 bits has overflowed: compute it with size_t"

    @property
    def if_set(self) -> str:
        if self.f.cause != "elements":
            return ""
        return (
            f"; cudaMemset() {self.place} sets {self.f.value} of its {self.it.bytes} bytes: "
            f"{ELEMENTS_NOT_BYTES}"
        )

    @property
    def if_cause(self) -> str:
        return {
            "lock-without-fence": ": no __threadfence() follows the atomicCAS() that took the lock",
            "same-value": "; both write the same value",
        }.get(self.f.cause, "")

    @property
    def if_kernel(self) -> str:
        if not self.f.kernel:
            return ""
        return ": a GPU does not stop there, and continues with an undefined value"

    @property
    def if_returned(self) -> str:
        return f", by the return {self.place}" if self.f.place_line else ""

    @property
    def if_volta(self) -> str:
        if self.f.severity != "note":
            return ""
        return (
            "; since compute capability 7.0 a GPU waits only for threads that have not left, so "
            "this is correct if it had no work left"
        )

    @property
    def if_unchecked(self) -> str:
        if not self.f.unchecked:
            return ""
        return (
            ". The program never checks for this error: call cudaGetLastError() after each launch "
            "and check what it returns"
        )

    @property
    def if_opted_in(self) -> str:
        if not self.f.number:
            return ""
        return (
            f" (48 KB), or up to {self.f.number} after cudaFuncSetAttribute({self.f.kernel}, "
            f"{MAX_SHARED}, bytes)"
        )

    @property
    def if_usual_limit(self) -> str:
        if self.f.limit != USUAL_SHARED:
            return ""
        return f" (48 KB), or more after cudaFuncSetAttribute() with {MAX_SHARED}"


def coordinates(index: Sequence[int]) -> Sequence[int]:
    return index if len(index) == 3 else (0, 0, 0)


def triple(index: Sequence[int]) -> str:
    return "({},{},{})".format(*coordinates(index))


def square(index: Sequence[int]) -> str:
    return "[{},{},{}]".format(*coordinates(index))


def awaited(whom: str) -> str:
    return AWAITED.get(whom, "others")
