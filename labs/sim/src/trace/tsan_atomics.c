/* Atomics of a traced program: the compiler turns them into these calls. They do what they say;
 * like Nsight Compute's columns for loads and stores, the counters leave them out. */
#include "base/options.h"
#include "check/memcheck.h"

/* The running thread gets at `at` atomically. `pc`: where the call returns to. */
static void check(const volatile void *at, size_t bytes, enum race_access how, const void *pc) {
    if (sim_checked) {
        const void *address = (const void *)(uintptr_t)at;
        check_access(address, bytes, how, pc);
        race_atomic(address);
    }
}

/* The strong compare-and-exchange is atomicCAS(); sim_atomics.h makes other functions of weak ones.
 */
#define NOTE_ATOMIC(at, bytes, kind)                                                               \
    check(at, bytes, (kind) == ATOMIC_COMPARE ? RACE_COMPARE : RACE_ATOMIC,                        \
          __builtin_return_address(0))
#include "tsan_atomics.h"

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
    if (sim_checked && order == __ATOMIC_SEQ_CST) { /* __threadfence(), not the block's own */
        race_fence();
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
