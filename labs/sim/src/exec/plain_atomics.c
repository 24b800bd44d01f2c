/* Atomic functions of a plain program whose volatile accesses are in lock step: the compiler calls
 * functions for them as well, which lock_step.sed names so. */
#define ATOMIC_FUNCTION(bits, name) sim_plain_atomic##bits##_##name
#define NOTE_ATOMIC(at, bytes, kind) ((void)0)
#include "base/tsan_atomics.h"

void sim_plain_atomic_thread_fence(int order);
void sim_plain_atomic_thread_fence(int order) {
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void sim_plain_atomic_signal_fence(int order);
void sim_plain_atomic_signal_fence(int order) {
    (void)order;
}
