/* Atomics of a traced program: the compiler turns them into these calls. They do what they say;
 * like Nsight Compute's columns for loads and stores, the counters leave them out. */
#include <stdbool.h>
#include <stdint.h>

#define ATOMICS(bits)                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order);       \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order) {      \
        (void)order;                                                                               \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value,            \
                                     int order);                                                   \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value,            \
                                     int order) {                                                  \
        (void)order;                                                                               \
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
        return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,           \
                                           __ATOMIC_SEQ_CST);                                      \
    }

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
