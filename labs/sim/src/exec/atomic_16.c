/* Atomic functions on 16 bytes, for which the compiler would call a library. */
#include "exec/hooks.h"

#include <string.h>

__extension__ typedef unsigned __int128 sixteen;

#ifdef __x86_64__
__attribute__((target("cx16")))
#endif
bool sim_atomic_compare_16(void *address, void *expected, const void *value) {
    sixteen before, after, found;
    memcpy(&before, expected, sizeof before);
    memcpy(&after, value, sizeof after);
    if (sim_hooks) {
        sim_hooks->atomic(address, sizeof found, __builtin_return_address(0));
    }
    found = __sync_val_compare_and_swap((sixteen *)address, before, after);
    memcpy(expected, &found, sizeof found);
    return found == before;
}
