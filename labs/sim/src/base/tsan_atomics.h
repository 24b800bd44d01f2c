/* The functions that gcc calls for atomic accesses in code that it instruments (-fsanitize=thread).
 * Each does what its name says, whatever the order of memory asked for; before that it tells who
 * includes this: NOTE_ATOMIC(at, bytes, kind) must be defined, and may use
 * __builtin_return_address(0) for where the access stands. ATOMIC_FUNCTION(bits, name) may be
 * defined to give them other names.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifndef ATOMIC_FUNCTION
#define ATOMIC_FUNCTION(bits, name) __tsan_atomic##bits##_##name
#endif

/* ATOMIC_MAY_COMPARE: a compare-and-exchange that may fail without a reason, the weak one. */
enum atomic_kind {
    ATOMIC_LOAD,
    ATOMIC_STORE,
    ATOMIC_EXCHANGE,
    ATOMIC_UPDATE,
    ATOMIC_COMPARE,
    ATOMIC_MAY_COMPARE
};

#define LOAD_AND_STORE(TYPE, bits)                                                                 \
    TYPE ATOMIC_FUNCTION(bits, load)(const volatile TYPE *at, int order);                          \
    TYPE ATOMIC_FUNCTION(bits, load)(const volatile TYPE *at, int order) {                         \
        (void)order;                                                                               \
        NOTE_ATOMIC(at, sizeof *at, ATOMIC_LOAD);                                                  \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    void ATOMIC_FUNCTION(bits, store)(volatile TYPE *at, TYPE value, int order);                   \
    void ATOMIC_FUNCTION(bits, store)(volatile TYPE *at, TYPE value, int order) {                  \
        (void)order;                                                                               \
        NOTE_ATOMIC(at, sizeof *at, ATOMIC_STORE);                                                 \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                             \
    }

#define UPDATE(TYPE, bits, name, builtin, kind)                                                    \
    TYPE ATOMIC_FUNCTION(bits, name)(volatile TYPE *at, TYPE value, int order);                    \
    TYPE ATOMIC_FUNCTION(bits, name)(volatile TYPE *at, TYPE value, int order) {                   \
        (void)order;                                                                               \
        NOTE_ATOMIC(at, sizeof *at, kind);                                                         \
        return builtin(at, value, __ATOMIC_SEQ_CST);                                               \
    }

#define COMPARE(TYPE, bits, strength, kind)                                                        \
    int ATOMIC_FUNCTION(bits, compare_exchange_##strength)(volatile TYPE *at, TYPE *expected,      \
                                                           TYPE value, int order, int otherwise);  \
    int ATOMIC_FUNCTION(bits, compare_exchange_##strength)(volatile TYPE *at, TYPE *expected,      \
                                                           TYPE value, int order, int otherwise) { \
        (void)order, (void)otherwise;                                                              \
        NOTE_ATOMIC(at, sizeof *at, kind);                                                         \
        return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,           \
                                           __ATOMIC_SEQ_CST);                                      \
    }

#define ATOMICS(TYPE, bits)                                                                        \
    LOAD_AND_STORE(TYPE, bits)                                                                     \
    UPDATE(TYPE, bits, exchange, __atomic_exchange_n, ATOMIC_EXCHANGE)                             \
    UPDATE(TYPE, bits, fetch_add, __atomic_fetch_add, ATOMIC_UPDATE)                               \
    UPDATE(TYPE, bits, fetch_sub, __atomic_fetch_sub, ATOMIC_UPDATE)                               \
    UPDATE(TYPE, bits, fetch_and, __atomic_fetch_and, ATOMIC_UPDATE)                               \
    UPDATE(TYPE, bits, fetch_or, __atomic_fetch_or, ATOMIC_UPDATE)                                 \
    UPDATE(TYPE, bits, fetch_xor, __atomic_fetch_xor, ATOMIC_UPDATE)                               \
    COMPARE(TYPE, bits, strong, ATOMIC_COMPARE)                                                    \
    COMPARE(TYPE, bits, weak, ATOMIC_MAY_COMPARE)

ATOMICS(uint8_t, 8)
ATOMICS(uint16_t, 16)
ATOMICS(uint32_t, 32)
ATOMICS(uint64_t, 64)
