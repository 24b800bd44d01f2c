/* Atomics of a traced program: the compiler turns them into these calls. They do what they say;
 * like Nsight Compute's columns for loads and stores, the counters leave them out. */
#include "check.h"

/* The running thread gets at `at` atomically. `pc`: where the call returns to. */
static void check(const volatile void *at, size_t bytes, const void *pc) {
    if (check_on) {
        const void *address = (const void *)(uintptr_t)at;
        check_access(address, bytes, RACE_ATOMIC, pc);
        race_atomic(address);
    }
}

#define CHECK(bits) check(at, bits / 8, __builtin_return_address(0))

#define ATOMICS(bits)                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order);       \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order) {      \
        (void)order;                                                                               \
        CHECK(bits);                                                                               \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value,            \
                                     int order);                                                   \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value,            \
                                     int order) {                                                  \
        (void)order;                                                                               \
        CHECK(bits);                                                                               \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                             \
    }                                                                                              \
    UPDATE(bits, exchange, __atomic_exchange_n)                                                    \
    UPDATE(bits, fetch_add, __atomic_fetch_add)                                                    \
    UPDATE(bits, fetch_sub, __atomic_fetch_sub)                                                    \
    UPDATE(bits, fetch_and, __atomic_fetch_and)                                                    \
    UPDATE(bits, fetch_or, __atomic_fetch_or)                                                      \
    UPDATE(bits, fetch_xor, __atomic_fetch_xor)                                                    \
    COMPARE(bits, strong)                                                                          \
    COMPARE(bits, weak)

#define UPDATE(bits, name, builtin)                                                                \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t value, \
                                                int order);                                        \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t value, \
                                                int order) {                                       \
        (void)order;                                                                               \
        CHECK(bits);                                                                               \
        return builtin(at, value, __ATOMIC_SEQ_CST);                                               \
    }

#define COMPARE(bits, strength)                                                                    \
    int __tsan_atomic##bits##_compare_exchange_##strength(                                         \
        volatile uint##bits##_t *at, uint##bits##_t *expected, uint##bits##_t value, int order,    \
        int otherwise);                                                                            \
    int __tsan_atomic##bits##_compare_exchange_##strength(                                         \
        volatile uint##bits##_t *at, uint##bits##_t *expected, uint##bits##_t value, int order,    \
        int otherwise) {                                                                           \
        (void)order;                                                                               \
        (void)otherwise;                                                                           \
        CHECK(bits);                                                                               \
        return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,           \
                                           __ATOMIC_SEQ_CST);                                      \
    }

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
    if (check_on && order == __ATOMIC_SEQ_CST) { /* __threadfence(), not the block's own */
        race_fence();
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
