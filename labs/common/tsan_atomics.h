/* The functions that gcc calls for atomic accesses in code that it instruments (-fsanitize=thread).
 * Each does what its name says, whatever the order of memory asked for; before that it tells who
 * includes this: NOTE_ATOMIC(at, bytes, writes) must be defined, and may use
 * __builtin_return_address(0) for where the access stands. Compare-and-exchange counts as a write,
 * and so does any other update.
 */
#ifndef CONVLABS_TSAN_ATOMICS_H
#define CONVLABS_TSAN_ATOMICS_H

#include <stdbool.h>
#include <stdint.h>

#define ATOMIC_LOAD_AND_STORE(type, bits)                                                          \
    type __tsan_atomic##bits##_load(const volatile type *at, int order);                           \
    type __tsan_atomic##bits##_load(const volatile type *at, int order) {                          \
        (void)order;                                                                               \
        NOTE_ATOMIC(at, sizeof *at, false);                                                        \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order);                    \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order) {                   \
        (void)order;                                                                               \
        NOTE_ATOMIC(at, sizeof *at, true);                                                         \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                             \
    }

#define ATOMIC_UPDATE(type, bits, name, builtin)                                                   \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order);                   \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order) {                  \
        (void)order;                                                                               \
        NOTE_ATOMIC(at, sizeof *at, true);                                                         \
        return builtin(at, value, __ATOMIC_SEQ_CST);                                               \
    }

#define ATOMIC_COMPARE(type, bits, strength)                                                       \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *at, type *expected,       \
                                                          type value, int order, int otherwise);   \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *at, type *expected,       \
                                                          type value, int order, int otherwise) {  \
        (void)order, (void)otherwise;                                                              \
        NOTE_ATOMIC(at, sizeof *at, true);                                                         \
        return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,           \
                                           __ATOMIC_SEQ_CST);                                      \
    }

#define ATOMICS(type, bits)                                                                        \
    ATOMIC_LOAD_AND_STORE(type, bits)                                                              \
    ATOMIC_UPDATE(type, bits, exchange, __atomic_exchange_n)                                       \
    ATOMIC_UPDATE(type, bits, fetch_add, __atomic_fetch_add)                                       \
    ATOMIC_UPDATE(type, bits, fetch_sub, __atomic_fetch_sub)                                       \
    ATOMIC_UPDATE(type, bits, fetch_and, __atomic_fetch_and)                                       \
    ATOMIC_UPDATE(type, bits, fetch_or, __atomic_fetch_or)                                         \
    ATOMIC_UPDATE(type, bits, fetch_xor, __atomic_fetch_xor)                                       \
    ATOMIC_COMPARE(type, bits, strong)                                                             \
    ATOMIC_COMPARE(type, bits, weak)

ATOMICS(uint8_t, 8)
ATOMICS(uint16_t, 16)
ATOMICS(uint32_t, 32)
ATOMICS(uint64_t, 64)

#endif
