/* An honest file: atomic counters. */
#include <stdatomic.h>
static atomic_int finished;
static _Atomic double total;
int finish(double value);
int finish(double value) {
    total += value;
    atomic_fetch_add_explicit(&finished, 1, memory_order_relaxed);
    return atomic_load(&finished) + __atomic_load_n(&finished, __ATOMIC_ACQUIRE);
}
