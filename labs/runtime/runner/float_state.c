#include "float_state.h"

#include <fenv.h>
#include <stddef.h>

#if defined(__x86_64__)
#include <stdint.h>
#include <x86intrin.h>

enum { CONTROL = 0xffc0 /* of MXCSR; the bits below say which exceptions there were */ };
enum { ALL_EMPTY = 0xffff };

/* What fnstenv stores. */
struct environment {
    uint16_t control, _1, status, _2, tags, _3;
    uint32_t pointers[4];
};

/* fnstenv also masks all exceptions, so it is loaded again. */
static struct environment x87_environment(void) {
    struct environment found;
    __asm__ volatile("fnstenv %0\n\tfldenv %0" : "=m"(found));
    return found;
}

struct float_state float_state_now(void) {
    return (struct float_state){.sse = _mm_getcsr() & CONTROL, .x87 = x87_environment().control};
}

const char *float_state_restore(struct float_state before) {
    const struct environment found = x87_environment();
    const uint16_t control = (uint16_t)before.x87;

    if (found.tags != ALL_EMPTY) {
        __asm__ volatile("emms");
        return "returned with registers of MMX in use: call _mm_empty() before it returns";
    }
    if ((_mm_getcsr() & CONTROL) != before.sse || found.control != control) {
        _mm_setcsr(before.sse);
        __asm__ volatile("fldcw %0" : : "m"(control));
        return "changed the rounding mode or another setting of floating-point arithmetic, which "
               "its caller relies on: restore it before it returns";
    }
    return NULL;
}

#else

struct float_state float_state_now(void) {
    return (struct float_state){0};
}

const char *float_state_restore(struct float_state before) {
    (void)before;
    return NULL;
}

#endif

/* gcc calls this where an _Atomic double is added to; of libatomic, which programs do not link
 * with, nothing else is needed. */
void __atomic_feraiseexcept(int exceptions);  // NOLINT: gcc gives the name
void __atomic_feraiseexcept(int exceptions) { // NOLINT
    feraiseexcept(exceptions);
}
