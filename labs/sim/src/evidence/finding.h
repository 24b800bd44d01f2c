/* All that the course's code in C can find: the kind of a finding, and which case of that kind, ""
 * where it has one. A record names both (grader/schema/convlabs-finding-v1.json); what they mean in
 * words is in grader/findings/catalogue.py, which has an entry for each. */
#pragma once

#include <stdint.h>

#define FINDINGS(X)                                                                                \
    /* of a kernel that runs with all checks: src/check/ */                                        \
    X(FOUND_BEFORE, "out-of-bounds", "before")                                                     \
    X(FOUND_PAST_END, "out-of-bounds", "past-end")                                                 \
    X(FOUND_OWN_ARRAY, "out-of-bounds", "own-array")                                               \
    X(FOUND_ROW, "out-of-bounds", "row")                                                           \
    X(FOUND_WRAPPED, "out-of-bounds", "wrapped")                                                   \
    X(FOUND_NULL, "out-of-bounds", "null")                                                         \
    X(FOUND_NEVER_SET, "out-of-bounds", "never-set")                                               \
    X(FOUND_NO_ALLOCATION, "out-of-bounds", "no-allocation")                                       \
    X(FOUND_STACK_GUARD, "out-of-bounds", "local")                                                 \
    X(FOUND_LOCAL, "wrong-space", "local")                                                         \
    X(FOUND_HOST_MEMORY, "wrong-space", "host")                                                    \
    X(FOUND_CONSTANT, "wrong-space", "constant")                                                   \
    X(FOUND_DEVICE_VARIABLE, "wrong-space", "device-variable")                                     \
    X(FOUND_FREED, "use-after-free", "access")                                                     \
    X(FOUND_MISALIGNED, "misaligned", "access")                                                    \
    X(FOUND_UNWRITTEN, "uninitialised-read", "unwritten")                                          \
    X(FOUND_UNWRITTEN_PART, "uninitialised-read", "part")                                          \
    X(FOUND_UNSET, "uninitialised-read", "variable")                                               \
    X(FOUND_UNSET_ELEMENT, "uninitialised-read", "own-element")                                    \
    X(FOUND_UNWRITTEN_COPY, "uninitialised-read", "copy")                                          \
    X(FOUND_SHARED_RACE, "shared-race", "")                                                        \
    X(FOUND_GLOBAL_RACE, "global-race", "")                                                        \
    X(FOUND_READ_ONLY, "read-only", "")                                                            \
    X(FOUND_FOREIGN_MEMORY, "foreign-memory", "")                                                  \
    X(FOUND_KERNEL_CALLS_LIBRARY, "foreign-call", "kernel")                                        \
    X(FOUND_NOT_COUNTED, "not-counted", "")                                                        \
    /* of an access that faults: src/exec/ */                                                      \
    X(FOUND_FAULT_NULL, "out-of-bounds", "fault-null")                                             \
    X(FOUND_FAULT_NEVER_SET, "out-of-bounds", "fault-never-set")                                   \
    X(FOUND_FAULT_NO_ALLOCATION, "out-of-bounds", "fault-no-allocation")                           \
    X(FOUND_FAULT_BEFORE, "out-of-bounds", "fault-before")                                         \
    X(FOUND_FAULT_PAST_END, "out-of-bounds", "fault-past-end")                                     \
    X(FOUND_FAULT_DYNAMIC, "out-of-bounds", "fault-dynamic")                                       \
    X(FOUND_FAULT_FREED, "use-after-free", "fault")                                                \
    X(FOUND_FAULT_DEVICE, "wrong-space", "fault")                                                  \
    X(FOUND_FAULT_CONSTANT, "wrong-space", "fault-constant")                                       \
    X(FOUND_FAULT_MISALIGNED, "misaligned", "fault")                                               \
    X(FOUND_MISALIGNED_VECTOR, "misaligned", "vector")                                             \
    X(FOUND_SEGMENTATION_FAULT, "crash", "segmentation-fault")                                     \
    X(FOUND_KERNEL_STACK, "stack-overflow", "kernel")                                              \
    X(FOUND_HOST_STACK, "stack-overflow", "host")                                                  \
    X(FOUND_DIVISION, "division-by-zero", "division")                                              \
    X(FOUND_SOURCE_UNREADABLE, "out-of-bounds", "source-unreadable")                               \
    X(FOUND_DESTINATION_UNWRITABLE, "out-of-bounds", "destination-unwritable")                     \
    /* of a kernel, always */                                                                      \
    X(FOUND_WROTE_BEFORE, "out-of-bounds", "wrote-before")                                         \
    X(FOUND_WROTE_PAST_END, "out-of-bounds", "wrote-past-end")                                     \
    X(FOUND_OUTSIDE_MASK, "barrier-divergence", "outside-mask")                                    \
    X(FOUND_ABSENT_LANE, "barrier-divergence", "absent-lane")                                      \
    X(FOUND_DEADLOCK, "barrier-divergence", "deadlock")                                            \
    X(FOUND_THREAD_LEFT, "barrier-divergence", "left")                                             \
    X(FOUND_OTHER_BARRIER, "barrier-divergence", "other-barrier")                                  \
    X(FOUND_PART_OF_GRID, "barrier-divergence", "grid")                                            \
    X(FOUND_ENDLESS_WAIT, "endless-wait", "")                                                      \
    X(FOUND_STOPPED, "stopped", "")                                                                \
    X(FOUND_EXCHANGE, "exchange", "")                                                              \
    X(FOUND_NO_RETURN, "undefined", "no-return")                                                   \
    X(FOUND_TRAP, "trap", "")                                                                      \
    X(FOUND_ASSERT, "assert", "")                                                                  \
    X(FOUND_HOST_CALL, "host-call", "")                                                            \
    X(FOUND_NO_STACKS, "out-of-memory", "stacks")                                                  \
    X(FOUND_KERNEL_FREES_AGAIN, "use-after-free", "freed-by-kernel")                               \
    X(FOUND_KERNEL_FREES_OTHERS, "wrong-space", "kernel-frees-others")                             \
    X(FOUND_KERNEL_FREES_UNKNOWN, "wrong-space", "kernel-frees-unknown")                           \
    X(FOUND_SURFACE_OUTSIDE, "out-of-bounds", "surface")                                           \
    X(FOUND_SURFACE_MISALIGNED, "misaligned", "surface")                                           \
    X(FOUND_TEXTURE_DESTROYED, "use-after-free", "texture")                                        \
    X(FOUND_TEXTURE_ARRAY_FREED, "use-after-free", "texture-array")                                \
    X(FOUND_TEXTURE_NEVER_MADE, "wrong-space", "no-texture")                                       \
    X(FOUND_NOT_A_TEXTURE, "wrong-space", "not-a-texture")                                         \
    /* of a launch */                                                                              \
    X(FOUND_EMPTY_GRID, "invalid-launch", "empty")                                                 \
    X(FOUND_TOO_MANY_THREADS, "invalid-launch", "threads")                                         \
    X(FOUND_LAUNCH_BOUNDS, "invalid-launch", "bounds")                                             \
    X(FOUND_BLOCK_TOO_DEEP, "invalid-launch", "block-z")                                           \
    X(FOUND_GRID_TOO_LARGE, "invalid-launch", "grid")                                              \
    X(FOUND_NO_STREAM, "invalid-launch", "stream")                                                 \
    X(FOUND_TOO_LARGE_TO_COOPERATE, "invalid-launch", "cooperative")                               \
    X(FOUND_TOO_MUCH_SHARED, "invalid-launch", "shared")                                           \
    X(FOUND_TOO_MUCH_SHARED_LATE, "invalid-launch", "shared-late")                                 \
    X(FOUND_LAUNCH_NO_MEMORY, "invalid-launch", "no-memory")                                       \
    X(FOUND_TOO_MUCH_STATIC_SHARED, "invalid-launch", "static-shared")                             \
    X(FOUND_NOT_COOPERATIVE, "invalid-launch", "not-cooperative")                                  \
    X(FOUND_EVENT_ATTRIBUTE, "invalid-launch", "event-attribute")                                  \
    X(FOUND_CLUSTER, "invalid-launch", "cluster")                                                  \
    X(FOUND_TOO_MUCH_CONSTANT, "invalid-launch", "constants")                                      \
    X(FOUND_ARGUMENT_NAME, "wrong-space", "argument-name")                                         \
    X(FOUND_ARGUMENT_HOST, "wrong-space", "argument-host")                                         \
    X(FOUND_UNCHECKED_LAUNCH, "unchecked-error", "launch")                                         \
    X(FOUND_UNCHECKED_CALL, "unchecked-error", "call")                                             \
    X(FOUND_OLD_ERROR, "unchecked-error", "old")                                                   \
    X(FOUND_INJECTED, "injected", "")                                                              \
    /* of a call of the runtime API */                                                             \
    X(FOUND_PART_OF_SYMBOL, "wrong-space", "part-of-symbol")                                       \
    X(FOUND_NO_SYMBOL, "wrong-space", "no-symbol")                                                 \
    X(FOUND_SYMBOL_TOO_SMALL, "out-of-bounds", "symbol")                                           \
    X(FOUND_ELEMENTS_TO_SYMBOL, "invalid-copy", "elements")                                        \
    X(FOUND_COPY_NULL, "invalid-copy", "null")                                                     \
    X(FOUND_HOST_NAME, "wrong-space", "host-name")                                                 \
    X(FOUND_COPY_FREED, "use-after-free", "copy")                                                  \
    X(FOUND_COPY_NOT_DEVICE, "wrong-space", "not-device")                                          \
    X(FOUND_COPY_NEVER_SET, "wrong-space", "copy-never-set")                                       \
    X(FOUND_COPY_OF_ARRAY, "wrong-space", "copy-of-array")                                         \
    X(FOUND_COPY_NOT_HOST, "wrong-space", "not-host")                                              \
    X(FOUND_COPY_OUTSIDE, "out-of-bounds", "copy")                                                 \
    X(FOUND_ARRAY_COPY_OUTSIDE, "out-of-bounds", "array-copy")                                     \
    X(FOUND_ARRAY_COPY_FREED, "use-after-free", "array-copy")                                      \
    X(FOUND_FREE_UNKNOWN, "wrong-space", "free-unknown")                                           \
    X(FOUND_FREE_NEVER_SET, "wrong-space", "free-never-set")                                       \
    X(FOUND_FREE_INSIDE, "wrong-space", "free-inside")                                             \
    X(FOUND_FREE_OTHER_SPACE, "wrong-space", "free-other")                                         \
    X(FOUND_FREE_AGAIN, "use-after-free", "free")                                                  \
    X(FOUND_FREE_ASYNC_AGAIN, "use-after-free", "free-async")                                      \
    X(FOUND_FREE_ASYNC_OTHER, "wrong-space", "free-async")                                         \
    X(FOUND_FREE_IN_GRAPH_AGAIN, "use-after-free", "free-in-graph")                                \
    X(FOUND_FREE_NO_ARRAY, "wrong-space", "no-array")                                              \
    X(FOUND_FREE_ARRAY_AGAIN, "use-after-free", "free-array")                                      \
    X(FOUND_DESTROY_AGAIN, "use-after-free", "destroy")                                            \
    X(FOUND_HOST_FREES_DEVICE, "wrong-space", "host-frees")                                        \
    X(FOUND_SURFACE_FLAG, "invalid-surface", "")                                                   \
    X(FOUND_TOO_MUCH_MEMORY, "out-of-memory", "host")                                              \
    /* of work in streams */                                                                       \
    X(FOUND_RACE_OF_STREAMS, "async-race", "streams")                                              \
    X(FOUND_RACE_OF_EARLY_LAUNCH, "async-race", "early")                                           \
    X(FOUND_RACE_WITH_HOST, "async-race", "host")                                                  \
    X(FOUND_SOURCE_CHANGED, "async-race", "source-changed")                                        \
    X(FOUND_ENDS_USED_MEMORY, "pending-work", "memory-ended")                                      \
    X(FOUND_LOCAL_LEFT, "pending-work", "local-left")                                              \
    X(FOUND_HOST_MEMORY_FREED, "pending-work", "memory-freed")                                     \
    X(FOUND_NEVER_WAITED, "pending-work", "never-waited")                                          \
    /* at the end */                                                                               \
    X(FOUND_LEAK, "leak", "memory")                                                                \
    X(FOUND_LEAK_OF_HOST, "leak", "host")                                                          \
    X(FOUND_LEAK_OF_KERNELS, "leak", "kernels")                                                    \
    X(FOUND_LEAK_OF_GRAPH, "leak", "graph")                                                        \
    X(FOUND_LEAK_OF_EXEC, "leak", "graph-exec")                                                    \
    X(FOUND_LEAK_OF_EVENT, "leak", "event")                                                        \
    X(FOUND_LEAK_OF_STREAM, "leak", "stream")                                                      \
    X(FOUND_LEAK_OF_POOL, "leak", "pool")                                                          \
    X(FOUND_LEAK_OF_TEXTURE, "leak", "texture")                                                    \
    X(FOUND_LEAK_OF_SURFACE, "leak", "surface")                                                    \
    /* of the runner and of the checks of C: labs/runtime/ */                                      \
    X(FOUND_THREAD_RACE, "thread-race", "")                                                        \
    X(FOUND_FOREIGN_POINTER, "foreign-call", "pointer")                                            \
    X(FOUND_CRASH_ALIGNMENT, "protection-fault", "")                                               \
    X(FOUND_CRASH_NO_MEMORY, "null-pointer", "no-memory")                                          \
    X(FOUND_CRASH_NULL, "null-pointer", "null")                                                    \
    X(FOUND_CRASH_STACK, "stack-overflow", "crash")                                                \
    X(FOUND_CRASH_FOREIGN, "crash", "foreign")                                                     \
    X(FOUND_CRASH_INSTRUCTION, "crash", "instruction")                                             \
    X(FOUND_CRASH_DIVISION, "division-by-zero", "crash")                                           \
    X(FOUND_ABORTED, "aborted", "")

#define NAME_OF_FINDING(name, kind, which) name,
enum finding_kind { FOUND_NOTHING, FINDINGS(NAME_OF_FINDING) };
#undef NAME_OF_FINDING

/* The words of a record for each. */
struct finding_words {
    const char *kind, *which;
};
extern const struct finding_words finding_words[];

/* The address of an instruction inside the program's file, as `addr2line -e` wants it. */
uintptr_t finding_address(const void *pc);

/* Writes the record of an error at this instruction, NULL if it is not known, to the evidence. May
 * be called from a signal handler. */
void finding_write(enum finding_kind found, const void *pc);
