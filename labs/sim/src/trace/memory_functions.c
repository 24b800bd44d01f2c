/* memcpy() and its like in a traced program: sim/device_memory.h puts these in their place, because
 * the compiler reports no access that the C library makes. */
#include "sim/abi.h"

#include "trace/recorder.h"

#include <string.h>

void *sim_memcpy(void *to, const void *from, size_t bytes) {
    record_bytes(to, from, bytes, __builtin_return_address(0));
    return memcpy(to, from, bytes);
}

void *sim_memmove(void *to, const void *from, size_t bytes) {
    record_bytes(to, from, bytes, __builtin_return_address(0));
    return memmove(to, from, bytes);
}

void *sim_memset(void *to, int value, size_t bytes) {
    record_bytes(to, NULL, bytes, __builtin_return_address(0));
    return memset(to, value, bytes);
}
