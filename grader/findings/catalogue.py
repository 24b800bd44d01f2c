"""What each finding means in words: one entry for each kind and case, with what to do about it.

A template's names are the members of the record (record.py) and the phrases of phrases.py. The
kinds and cases that C code finds are listed in labs/sim/src/evidence/finding.h, those that the
sanitizers find in grader/execute/sanitizers.py.
"""

TEMPLATES: dict[tuple[str, str], str] = {
    # ---- accesses of kernels, with all checks
    ("out-of-bounds", "before"): "{who} {does} {bytes} bytes that start {before} bytes before "
    "{thing}{if_overflow}",
    ("out-of-bounds", "past-end"): "{who} {does} {bytes} bytes, {past} {thing}{which}{if_elements}",
    ("out-of-bounds", "own-array"): "{who} uses element {value} of its own array `{text}`, whose "
    "indices are 0 to {limit}",
    ("out-of-bounds", "row"): "{who} uses column {value} of a row of `{text}`, whose columns are 0 "
    "to {limit}: it is in another row",
    ("out-of-bounds", "wrapped"): "{who} {does} {bytes} bytes {value} GB beyond {thing}: an "
    "unsigned index that is negative wrapped to about 4294967295; compute with int",
    ("out-of-bounds", "null"): "{who} {does} {bytes} bytes through a null pointer: address "
    "{address}",
    ("out-of-bounds", "never-set"): "{who} {does} {bytes} bytes through a pointer that was never "
    "set: its address is {address}",
    ("out-of-bounds", "no-allocation"): "{who} {does} {bytes} bytes at address {address}, which "
    "belongs to no allocation",
    ("out-of-bounds", "local"): "{who} {does} {bytes} bytes of a local variable of another thread: "
    "the local memory of a thread is its own; exchange values through shared memory",
    ("wrong-space", "local"): "{who} {does} {bytes} bytes of a local variable of another thread: "
    "the local memory of a thread is its own; exchange values through shared memory",
    ("wrong-space", "host"): "{who} {does} {bytes} bytes of host memory, which the device cannot "
    "access: copy them with cudaMemcpy() to memory from cudaMalloc()",
    ("wrong-space", "constant"): "{who} {does} {bytes} bytes of constant memory, which no kernel "
    "can change: {element}; the host sets it with cudaMemcpyToSymbol()",
    ("wrong-space", "device-variable"): "host code {does} {name} (declared {made}), which is "
    "device memory: copy it with cudaMemcpy{direction}Symbol()",
    ("use-after-free", "access"): "{who} {does} {bytes} bytes of memory that was already freed: "
    "{thing}",
    ("misaligned", "access"): "{who} {does} {bytes} bytes at once at an address that is not a "
    "multiple of {bytes}: {distance} {thing}",
    ("uninitialised-read", "unwritten"): "{who} {does} {bytes} bytes that were never written: "
    "{element}{if_set}",
    ("uninitialised-read", "part"): "{who} {does} {bytes} bytes, some of which were never written: "
    "{element}{if_set}",
    ("uninitialised-read", "variable"): "{who} reads its variable `{text}` before anything was "
    "stored there: set it where it is declared",
    ("uninitialised-read", "own-element"): "{who} reads `{text}[{value}]`, of its own array, "
    "before anything was stored there",
    ("uninitialised-read", "copy"): "this copy reads {bytes} bytes that were never written, from "
    "{thing}",
    ("shared-race", ""): "data race: {who} {does} and {other} {did} the same bytes of {element}, "
    "{order}{if_cause}",
    ("global-race", ""): "data race: {who} {does} and {other} {did} the same bytes of {element}, "
    "{order}{if_cause}",
    ("read-only", ""): "{who} uses __ldg() on {bytes} bytes that this kernel has written, of "
    "{thing}: its cache may hold what was there before; load them without __ldg()",
    ("foreign-memory", ""): "host code {does} {bytes} bytes of memory that belongs to the grader "
    "or to a library: a pointer or an index is wrong",
    ("foreign-call", "kernel"): "a kernel calls a host library function, which nvcc rejects: use "
    "a CUDA function, or write it with __device__",
    ("foreign-call", "pointer"): "this call through a pointer reaches an address that is neither a "
    "function of yours nor one that your code names: set the pointer to a function, and check what "
    "overwrites it",
    ("not-counted", ""): "the launches from this one of kernel {kernel} on are not counted: the "
    "program has had {value} before",
    # ---- accesses that fault
    ("out-of-bounds", "fault-null"): "{actor} used a null pointer: was memory allocated, and did "
    "that succeed?",
    ("out-of-bounds", "fault-never-set"): "{actor} used a pointer that was never set",
    ("out-of-bounds", "fault-no-allocation"): "{actor} accessed address {address}, which belongs "
    "to no allocation",
    ("out-of-bounds", "fault-before"): "{actor} accessed memory of no array: {before} bytes before "
    "{thing}{if_overflow}",
    ("out-of-bounds", "fault-past-end"): "{actor} accessed memory {past} {thing}",
    ("out-of-bounds", "fault-dynamic"): "{actor} accessed {dynamic} past its end: the launch asked "
    "for {asked} bytes of dynamic shared memory{if_elements}",
    ("out-of-bounds", "source-unreadable"): "{call}() reads {bytes} bytes from host memory, but "
    "your program can read only {limit} from that address on: is the number of bytes right, and is "
    "the source that long?",
    ("out-of-bounds", "destination-unwritable"): "{call}() writes {bytes} bytes to host memory "
    "that your program does not own or may not write: is the number of bytes right, and is the "
    "destination that long?",
    ("use-after-free", "fault"): "{actor} accessed memory that was already freed ({thing})",
    ("wrong-space", "fault"): "{actor} accessed device memory ({thing}), which host code cannot "
    "access",
    ("wrong-space", "fault-constant"): "{actor} writes constant memory, which no kernel can "
    "change: {thing}; the host sets it with cudaMemcpyToSymbol()",
    ("misaligned", "fault"): "{actor} used an invalid address, or one that is not a multiple of "
    "the size of the access",
    ("misaligned", "vector"): "{actor} accesses {bytes} bytes at once at an address that is not a "
    "multiple of {limit}: the remainder is {value}, in {thing_or_variable}",
    ("crash", "segmentation-fault"): "segmentation fault in {actor} at address {address}",
    ("stack-overflow", "kernel"): "stack overflow in {actor}: endless recursion, or local arrays "
    "that are too large",
    ("stack-overflow", "host"): "host code needs more than its stack of {limit_kb} KB: local "
    "arrays that are too large, or endless recursion; allocate large arrays with malloc(), new "
    "or std::vector",
    ("division-by-zero", "division"): "{actor} divides an integer by zero, or the smallest integer "
    "by -1{if_kernel}",
    # ---- kernels
    ("out-of-bounds", "wrote-before"): "kernel {kernel} wrote before the start of {thing}: it "
    "changed the byte at index {offset}",
    ("out-of-bounds", "wrote-past-end"): "kernel {kernel} wrote past the end of {thing}: it "
    "changed the byte at index {offset}",
    (
        "out-of-bounds",
        "surface",
    ): "{who} {does} {bytes} bytes at byte {at[0]} of row {at[1]}, slice "
    "{at[2]} of a surface with {extent[0]} bytes a row, {extent[1]} rows and {extent[2]} slices: x "
    "counts bytes, not elements",
    ("misaligned", "surface"): "{who} {does} {bytes} bytes at once at byte {at[0]} of row {at[1]} "
    "of a surface: x counts bytes, not elements, and must be a multiple of {bytes}",
    ("barrier-divergence", "outside-mask"): "{who} is lane {value} of its warp, which the mask "
    "{mask} of this {operation} does not include: the result is undefined",
    ("barrier-divergence", "absent-lane"): "the mask {mask} of this shuffle includes lane {value}, "
    "which never reaches it: {who} has left the kernel",
    ("barrier-divergence", "deadlock"): "kernel {kernel} never ends: {waiting} that never arrive; "
    "{other_waiting}",
    ("barrier-divergence", "left"): "not all threads of block {block} reach this barrier: thread "
    "{thread} waits here, thread {other_thread} has left the kernel{if_returned}{if_volta}",
    ("barrier-divergence", "other-barrier"): "not all threads of block {block} reach this barrier: "
    "thread {thread} waits here, thread {other_thread} waits at another barrier{if_volta}",
    ("barrier-divergence", "grid"): "kernel {kernel} never ends: {who} waits here for all {limit} "
    "blocks of the grid, but only {value} of them reach a barrier of the grid",
    ("endless-wait", ""): "kernel {kernel} never ends: {who} repeats this read and waits for "
    "another value, but no other thread can go on to write it",
    ("stopped", ""): "{stopped}: {actor} was running{running}",
    ("exchange", ""): "lanes exchange values with no barrier: a GPU may compute something else; "
    "run with --check",
    ("undefined", "no-return"): "{call}() ends without `return` here, in {actor}: what its caller "
    "gets is undefined; return a value on every way through it",
    ("trap", ""): "kernel {kernel} called __trap()",
    ("assert", ""): "{call}: block: {block_square}, thread: {thread_square} Assertion `{text}` "
    "failed.",
    ("host-call", ""): "kernel {kernel} calls {call}(), a host function, which nvcc rejects: call "
    "it before or after the kernel",
    ("out-of-memory", "stacks"): "out of memory for the stacks of the threads of kernel {kernel}",
    ("use-after-free", "freed-by-kernel"): "a kernel frees memory that was already freed",
    ("wrong-space", "kernel-frees-others"): "a kernel frees {thing}: only what a kernel allocates "
    "with malloc() or new can be freed there",
    ("wrong-space", "kernel-frees-unknown"): "a kernel frees address {address}, which is not the "
    "start of memory from malloc() or new in a kernel",
    ("use-after-free", "texture"): "kernel {kernel} uses a {text} object that was destroyed "
    "{place}",
    ("use-after-free", "texture-array"): "kernel {kernel} uses a {text} whose array (allocated "
    "{made}) was freed {gone}",
    ("wrong-space", "no-texture"): "kernel {kernel} uses a {text} that was never created or bound",
    ("wrong-space", "not-a-texture"): "kernel {kernel} uses a value that is not a {text} object",
    # ---- launches
    ("invalid-launch", "empty"): "{launch_fails}: a grid of {grid} blocks of {threads} threads is "
    "empty: every dimension must be at least 1 (was a size rounded down to 0?){if_unchecked}",
    ("invalid-launch", "threads"): "{launch_fails}: block {threads} has {volume} threads; a block "
    "may have at most {limit}: a launch is <<<grid, block>>>{if_unchecked}",
    ("invalid-launch", "bounds"): "{launch_fails}: block {threads} has {volume} threads; "
    "__launch_bounds__ of the kernel allows {limit}{if_unchecked}",
    ("invalid-launch", "block-z"): "{launch_fails}: block {threads}: z may be at most "
    "64{if_unchecked}",
    ("invalid-launch", "grid"): "{launch_fails}: grid {grid}: x may be at most 2147483647, y and z "
    "65535{if_unchecked}",
    ("invalid-launch", "stream"): "{launch_fails}: the fourth value of <<<...>>> is not a stream, "
    "or a stream that was destroyed{if_unchecked}",
    ("invalid-launch", "cooperative"): "{launch_fails}: a cooperative grid of {grid_volume} "
    "blocks: all of them must run at once, and the device runs {value} of this size on each of its "
    "{limit} multiprocessors{if_unchecked}",
    ("invalid-launch", "shared"): "{launch_fails}: {bytes} bytes of shared memory ({value} of them "
    "__shared__ variables); a block may have {limit}{if_opted_in}{if_unchecked}",
    ("invalid-launch", "shared-late"): "{launch_fails}: its __shared__ variables, up to {text} "
    "(declared {place}), take {bytes} bytes and its dynamic shared memory {value}; a block may "
    "have {limit} in all{if_usual_limit}{if_unchecked}",
    ("invalid-launch", "no-memory"): "{launch_fails}: out of memory{if_unchecked}",
    ("invalid-launch", "static-shared"): "nvcc does not compile {kernel}: its __shared__ variables "
    "and those of the functions that it calls, up to {text}, take {bytes} bytes; a block may have "
    "{limit} (48 KB) of static shared memory: use a smaller tile, or declare it extern __shared__ "
    "and ask for its bytes with cudaFuncSetAttribute({kernel}, "
    "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
    ("invalid-launch", "not-cooperative"): "kernel {kernel} synchronizes its grid, but it was not "
    "launched with cudaLaunchCooperativeKernel(): on a device it fails or hangs here",
    ("invalid-launch", "event-attribute"): "the simulator has no "
    "cudaLaunchAttributeProgrammaticEvent: launch the dependent kernel in the same stream, with "
    "cudaLaunchAttributeProgrammaticStreamSerialization",
    ("invalid-launch", "cluster"): "the simulator has no cluster of more than one block: exchange "
    "data between blocks through global memory",
    ("invalid-launch", "constants"): "the __constant__ variables take {bytes} bytes; a device has "
    "{limit} bytes of constant memory",
    ("wrong-space", "argument-name"): "argument {value} of kernel {kernel} is a __constant__ or "
    "__device__ variable, whose name in host code is not a device address: use the variable itself "
    "in the kernel, or get its address from cudaGetSymbolAddress()",
    ("wrong-space", "argument-host"): "argument {value} of kernel {kernel} points to host memory, "
    "which the device cannot access: copy it with cudaMemcpy() to memory from cudaMalloc()",
    ("unchecked-error", "launch"): "the launch of {kernel} failed with {error}. The program never "
    "checks for this error: call cudaGetLastError() after each launch and check what it returns",
    ("unchecked-error", "call"): "{call}() failed with {error}. The program ignores its return "
    "value: check the return value of every CUDA call",
    ("unchecked-error", "old"): "{error} is the error of {call}() {place}, not of the launch "
    "since: call cudaGetLastError() after a call that failed, which forgets its error",
    ("injected", ""): "call {value} of {call} was made to fail on purpose",
    # ---- calls of the runtime API
    ("wrong-space", "part-of-symbol"): "{call}() fails with cudaErrorInvalidSymbol: its symbol is "
    "a part of {name}, {offset} bytes after its start, and CUDA accepts only {name} as a whole: "
    "write {name}, and {reach_part}",
    ("wrong-space", "no-symbol"): "the symbol of this copy is not a device variable: write the "
    "name of a __constant__ or __device__ variable, without quotes and &",
    ("out-of-bounds", "symbol"): "{bytes} bytes at offset {offset} do not fit in a symbol of "
    "{limit} bytes: {too_many} too many",
    ("invalid-copy", "elements"): "{call}() copies {bytes} bytes to {text_or_variable}, whose "
    "elements have {value} bytes each: it takes a number of bytes; multiply the number of elements "
    "by their sizeof",
    ("invalid-copy", "null"): "the {side} of this copy is a null pointer: was memory allocated?",
    ("wrong-space", "host-name"): "the {side_of_call} is a __constant__ or __device__ variable, "
    "whose name is not a device address: use {call}(), or get the address from "
    "cudaGetSymbolAddress()",
    ("use-after-free", "copy"): "the {side} of this call was already freed",
    ("wrong-space", "not-device"): "the {side} of this call should be device memory but is host "
    "memory: does the direction, such as cudaMemcpyHostToDevice, fit both pointers?",
    ("wrong-space", "copy-never-set"): "the {side} of this call should be device memory but is a "
    "pointer that was never set",
    ("wrong-space", "copy-of-array"): "the {side} of this call is a CUDA array, which has no "
    "address: use {array_call}()",
    ("wrong-space", "not-host"): "the {side} of this call should be host memory but is device "
    "memory: does the direction, such as cudaMemcpyHostToDevice, fit both pointers?",
    ("out-of-bounds", "copy"): "this call accesses {bytes} bytes, but the {side} has only {limit} "
    "from that address on",
    ("out-of-bounds", "array-copy"): "this copy of {size[0]} bytes x {size[1]} rows x {size[2]} "
    "slices from byte {at[0]}, row {at[1]}, slice {at[2]} on does not fit the {side}, an array of "
    "{extent[0]} bytes x {extent[1]} rows x {extent[2]} slices allocated {made}",
    ("use-after-free", "array-copy"): "the {side} of this call is an array that was freed {place}",
    ("wrong-space", "free-unknown"): "{call}() of a pointer that no allocation returned",
    ("wrong-space", "free-never-set"): "{call}() of a pointer that was never set: initialize it "
    "to NULL",
    ("wrong-space", "free-inside"): "{call}() of an address {offset} bytes after the start of its "
    "allocation: pass the pointer that the allocation returned",
    ("wrong-space", "free-other"): "{call}() of {memory} memory: use {freed_by}",
    ("use-after-free", "free"): "{call}() of memory that was already freed ({thing})",
    ("use-after-free", "free-async"): "cudaFreeAsync() of memory that was already freed",
    ("wrong-space", "free-async"): "cudaFreeAsync() of what is not the start of device memory: use "
    "the function that belongs to its allocation",
    ("use-after-free", "free-in-graph"): "another node of this graph frees this memory already",
    ("wrong-space", "no-array"): "{call}() of a pointer that is not a CUDA array",
    ("use-after-free", "free-array"): "{call}() of an array that was already freed {place}",
    ("use-after-free", "destroy"): "{call}() of an object that was already destroyed {place}",
    ("wrong-space", "host-frees"): "free() of {memory} memory ({thing}): use {freed_by_host}",
    ("invalid-surface", ""): "CUDA requires the flag cudaArraySurfaceLoadStore when allocating an "
    "array for a surface; an H200 works without it",
    ("out-of-memory", "host"): "this program fills or copies {bytes_gb} GB of device memory at "
    "once; the simulator keeps it in the memory of this machine, which has {limit_gb} GB: use "
    "smaller sizes",
    # ---- work in streams
    ("async-race", "streams"): "{work} and {other_work} in another stream access the same bytes of "
    "{thing}, at least one of them writes, and either may run first: give each stream bytes of its "
    "own, or let one wait for an event of the other",
    ("async-race", "early"): "{work} accesses bytes of {thing} that {other_work}, before it in its "
    "stream, accesses too, and at least one of them writes; its launch lets it overlap that "
    "kernel: call cudaGridDependencySynchronize() before the first such access",
    ("async-race", "host"): "host code {does} {thing} while {other_work}, which was queued at line "
    "{other_line} and {uses} it, may still run: wait for it first, with cudaStreamSynchronize() or "
    "an event",
    ("async-race", "source-changed"): "host code changed memory that {work} had not read yet: wait "
    "for this operation before you use the memory again",
    ("pending-work", "memory-ended"): "{call}() releases memory that {other_work}, which was "
    "queued at "
    "line {other_line}, still uses: wait for it first ({thing})",
    ("pending-work", "local-left"): "{work} uses a local variable of a function that has already "
    "returned: let the function wait for this operation before it returns",
    ("pending-work", "memory-freed"): "{work} uses host memory that was already freed: wait for "
    "this operation before you free the memory",
    ("pending-work", "never-waited"): "the program ends without waiting for {work}, which may "
    "never run: call cudaDeviceSynchronize(), or wait for the stream",
    # ---- at the end
    ("leak", "memory"): "{asked} bytes of {leaked}",
    ("leak", "host"): "{bytes} bytes of host memory allocated here were never freed ({number} "
    "call{s}): {how_to_free}",
    ("leak", "kernels"): "{number} allocation{s} of kernels on the device's heap ({bytes} bytes) "
    "{was} never freed",
    ("leak", "graph"): "the graph that this call created was never destroyed: call "
    "cudaGraphDestroy()",
    ("leak", "graph-exec"): "the graph that was instantiated here was never destroyed: call "
    "cudaGraphExecDestroy()",
    ("leak", "event"): "the event created here was never destroyed",
    ("leak", "stream"): "the stream created here was never destroyed",
    ("leak", "pool"): "the memory pool created here was never destroyed: call cudaMemPoolDestroy()",
    ("leak", "texture"): "a texture object created here was never destroyed: call "
    "cudaDestroyTextureObject()",
    ("leak", "surface"): "a surface object created here was never destroyed: call "
    "cudaDestroySurfaceObject()",
    # ---- programs in C: the runner, the check of OpenMP's threads
    ("thread-race", ""): "data race: thread {thread_x} {does} and thread {other_thread_x} {did} "
    "the same bytes, with no barrier, lock or atomic access between them",
    ("protection-fault", ""): "general protection fault: an instruction such as that of "
    "_mm_load_si128() got an address that is not a multiple of its size, or a pointer is not valid",
    ("null-pointer", "no-memory"): "a NULL pointer is used. The last call that failed ran out of "
    "memory: malloc() then returns NULL; check what it returns",
    ("null-pointer", "null"): "a NULL pointer is used",
    ("stack-overflow", "crash"): "endless recursion, or local arrays that are too large",
    ("crash", "foreign"): "{accesses} that your program does not own",
    ("crash", "instruction"): "this processor does not have this instruction",
    ("division-by-zero", "crash"): "an integer is divided by 0",
    ("aborted", ""): "abort() was called here, or by a function that is called here: free() calls "
    "it for a pointer that malloc() did not return, and an exception that nothing catches, as when "
    "`new` or a std::vector gets no memory",
    # ---- programs in C: the sanitizers
    ("undefined", ""): "{text}; the C standard does not define what happens then",
    ("leak", "sanitizer"): "{bytes} bytes are never freed",
    ("leak", "somewhere"): "memory is never freed",
    ("use-after-free", "heap"): "{accesses} of memory that was already freed",
    ("use-after-free", "frame"): "{accesses} of a local variable that no longer exists",
    ("out-of-bounds", "block-before"): "{accesses} {value} bytes before the beginning of a block "
    "of {limit} bytes",
    ("out-of-bounds", "block-after"): "{accesses} {after} a block of {limit} bytes",
    ("out-of-bounds", "named"): "{accesses} outside of {text}",
    ("out-of-bounds", "nowhere"): "{accesses} outside of any variable or block",
    ("out-of-bounds", "output"): "{accesses} just outside of an array of the caller",
    ("crash", "bad-free"): "frees memory that was not allocated or was already freed",
    ("crash", "other"): "{text} (AddressSanitizer)",
}
UNKNOWN = "{kind} {case}"  # of a record that no entry describes
