"""The terms of a predicted time: what each is called, and what would make it smaller."""

WORDS = {
    "issue": "issuing instructions",
    "alu": "integer arithmetic and comparisons",
    "fma": "float arithmetic",
    "fp64": "double arithmetic",
    "special": "conversions, divisions and square roots",
    "constant": "reads of constant memory",
    "shared": "wavefronts of shared memory",
    "l1": "wavefronts of the L1 cache",
    "l2": "the L2 cache's bandwidth",
    "dram": "DRAM's bandwidth",
    "latency": "latency that the resident warps do not hide",
    "atomics": "atomic functions",
    "blocks": "starting blocks",
    "launch": "the launch",
}

WORSE = 1.05  # times the solution's term: below that there is nothing to advise
UNROLLED = ("issue", "constant")  # terms that are smaller where loops are unrolled
# What would make a term smaller, in one sentence each.
CHANGES = {
    "issue": "give each thread more outputs, and unroll loops whose count is known: fewer "
    "instructions for loops, addresses and tests.",
    "alu": "compute addresses and border tests once for each thread, not once for each tap.",
    "fma": "fewer multiply-adds: use the mask's structure, such as two passes instead of one.",
    "fp64": "use float where double is not asked for: a GPU has fewer units for double.",
    "special": "move divisions, square roots and conversions out of the loops.",
    "constant": "let all lanes of a warp read the same word of constant memory, or unroll the loop "
    "so that the address is a constant of the program.",
    "shared": "let the lanes of a warp use different banks (pad the rows), and keep in registers "
    "what several outputs need.",
    "l1": "let neighbouring lanes read neighbouring words, 16 bytes each where you can, and reuse "
    "what was read.",
    "l2": "read each value once for each block: reuse it from shared memory or registers.",
    "dram": "touch fewer bytes: fuse passes, and do not write what is read again.",
    "latency": "keep more warps resident (fewer registers, less shared memory), or begin several "
    "loads before the first is used.",
    "atomics": "add up within a block first, then use one atomic function for each block.",
    "blocks": "launch fewer blocks that do more each.",
    "launch": "launch fewer kernels: a launch takes some microseconds whatever it does.",
}
