/* How the processor computes with floats: its rounding, what it does with denormals, and which
 * exceptions it raises. It belongs to the thread, and a function must leave it as it was. */
#pragma once

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

/* The mode of the calling thread, without the flags of exceptions that happened; 0 on a processor
 * that this does not know. */
static inline unsigned long float_mode(void) {
#if defined(__x86_64__)
    return _mm_getcsr() & ~(unsigned)_MM_EXCEPT_MASK;
#elif defined(__aarch64__)
    unsigned long mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
#else
    return 0;
#endif
}

/* Sets what float_mode() returned. */
static inline void set_float_mode(unsigned long mode) {
#if defined(__x86_64__)
    _mm_setcsr((unsigned)mode);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#else
    (void)mode;
#endif
}
