/* Atomic functions of a traced program, which the compiler turns into these calls. They do what
 * their names say. Like the columns for loads and stores in Nsight Compute, the counters leave them
 * out, but for those that only load or store, as cuda::atomic_ref::load(): these are loads and
 * stores of the device. A relaxed load is the program's; those of another order are parts of what
 * the simulator's headers do. */
#include "base/options.h"
#include "check/memcheck.h"
#include "trace/recorder.h"
#include "trace/spin.h"

#include <stdint.h>

/* The strong compare-and-exchange is atomicCAS(); sim/atomics.h builds other functions from weak
 * ones. */
#define NOTE_ATOMIC(at, bytes, kind)                                                               \
    if (sim_checked && ((kind) == ATOMIC_STORE || (kind) == ATOMIC_EXCHANGE)) {                    \
        check_first_value((const void *)(uintptr_t)(at), bytes);                                   \
    }                                                                                              \
    record_atomic(at, bytes, (kind) == ATOMIC_COMPARE ? RACE_COMPARE : RACE_ATOMIC,                \
                  (kind) != ATOMIC_LOAD && ((kind) != ATOMIC_STORE || sim_options.predict),        \
                  __builtin_return_address(0));                                                    \
    if ((kind) == ATOMIC_STORE || ((kind) == ATOMIC_LOAD && order == __ATOMIC_RELAXED)) {          \
        record_single(at, bytes, (kind) == ATOMIC_STORE, __builtin_return_address(0));             \
    }
#include "base/tsan_atomics.h"

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
    if (sim_on_device()) {
        if (sim_checked) {
            race_fence(order != __ATOMIC_SEQ_CST); /* __threadfence_block() asks for less */
        }
        spin_fence(__builtin_return_address(0));
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
