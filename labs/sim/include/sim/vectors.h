/* What a device accesses as a whole, in a plain `./grade run`: translate/watch/vectors.py. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* In the third register of an instruction that no processor has: it says that the address in the
 * first one is not a multiple of the second one's low half; the high half is the size of the
 * access. A call instead would cost every kernel with a vector the registers that calls change. */
#define SIM_MISALIGNED 0x6d736c67

#ifdef __cplusplus
#include <type_traits>

/* Where it is memory of the device, labs/sim/src/exec/misaligned.c reports it and ends the kernel.
 * A thread's own array may lie anywhere: a device has it in registers. */
static inline __attribute__((always_inline)) void sim_misaligned(const volatile void *address,
                                                                 size_t bytes, size_t alignment) {
    const size_t both = bytes << 32 | alignment;
#if defined(__x86_64__)
    asm volatile("ud2" : : "a"(address), "d"(both), "c"(SIM_MISALIGNED));
#elif defined(__aarch64__)
    register const volatile void *first asm("x0") = address;
    register size_t second asm("x1") = both, third asm("x2") = SIM_MISALIGNED;
    asm volatile("udf #0" : : "r"(first), "r"(second), "r"(third));
#else
    (void)address, (void)both;
#endif
}

/* sim_vectors(v)[i] is v[i]. ANY: of numbers as well, which a cast may have made of bytes; other
 * pointers to numbers are not looked at, nor structures of which each number is accessed alone. */
template <bool ANY = false, class T>
static inline __attribute__((always_inline)) T *sim_vectors(T *first) {
    if constexpr (std::is_class<T>::value || (ANY && std::is_arithmetic<T>::value)) {
        constexpr bool is_whole = alignof(T) >= 8 || alignof(T) == sizeof(T);
        if (is_whole && __builtin_expect((uintptr_t)first % alignof(T) != 0, 0)) {
            sim_misaligned(first, sizeof(T), alignof(T));
        }
    }
    return first;
}

/* What is no pointer has an operator of its own. */
template <bool ANY = false, class T>
static inline
    __attribute__((always_inline)) std::enable_if_t<!std::is_pointer<std::decay_t<T>>::value, T &&>
    sim_vectors(T &&other) {
    return static_cast<T &&>(other);
}
#endif
