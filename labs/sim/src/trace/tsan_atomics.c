/* Atomic functions of a traced program, which the compiler turns into these calls. They do what
 * their names say. Like the columns for loads and stores in Nsight Compute, the counters leave them
 * out. */
#include "base/options.h"
#include "check/memcheck.h"
#include "trace/recorder.h"
#include "trace/spin.h"

/* The running thread accesses `at` atomically. `pc`: the return address of the callback. */
static void check(const volatile void *at, size_t bytes, enum race_access how, const void *pc) {
    if (sim_checked) {
        const void *address = (const void *)(uintptr_t)at;
        check_access(address, bytes, how, pc);
        race_atomic(address, how);
    }
    spin_note(at, bytes, pc);
}

void record_atomic(const void *at, size_t bytes, const void *pc) {
    check(at, bytes, RACE_COMPARE, pc);
}

/* The strong compare-and-exchange is atomicCAS(); sim_atomics.h builds other functions from weak
 * ones. */
#define NOTE_ATOMIC(at, bytes, kind)                                                               \
    check(at, bytes, (kind) == ATOMIC_COMPARE ? RACE_COMPARE : RACE_ATOMIC,                        \
          __builtin_return_address(0))
#include "tsan_atomics.h"

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
    if (sim_checked && order == __ATOMIC_SEQ_CST) { /* __threadfence(), not __threadfence_block() */
        race_fence();
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
