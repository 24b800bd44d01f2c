/* Check suite of labs/runtime/runner/float_state.c: what a function may break, and what not. */
#include "runner/float_state.h"
#include "test_suite.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <x86intrin.h>

static void use_floats(void) {
    volatile float third = 1.0f;
    volatile long double wide = 1.0L;
    third = third / 3.0f; /* inexact: a status bit, no setting */
    wide = wide / 3.0L;
}

static void round_down(void) {
    fesetround(FE_DOWNWARD);
}

static void flush_to_zero(void) {
    _mm_setcsr(_mm_getcsr() | 0x8000);
}

static void use_mmx(void) {
    __asm__ volatile("pxor %%mm0, %%mm0" : : : "mm0");
}

static void use_mmx_and_end(void) {
    __asm__ volatile("pxor %%mm0, %%mm0\n\temms" : : : "mm0");
}

static void round_down_and_restore(void) {
    fesetround(FE_DOWNWARD);
    fesetround(FE_TONEAREST);
}

static const struct {
    void (*function)(void);
    const char *says; /* NULL: nothing is wrong */
} functions[] = {
    {use_floats, NULL},
    {use_mmx_and_end, NULL},
    {round_down_and_restore, NULL},
    {round_down, "rounding mode"},
    {flush_to_zero, "another setting"},
    {use_mmx, "call _mm_empty()"},
};

LOOP_TEST(changed_state_is_named_and_restored, 0, (int)(sizeof functions / sizeof functions[0])) {
    const struct float_state before = float_state_now();
    functions[_i].function();
    const char *const broke = float_state_restore(before);
    ck_assert_int_eq(broke != NULL, functions[_i].says != NULL);
    ck_assert(!broke || strstr(broke, functions[_i].says) != NULL);
    ck_assert_int_eq(fegetround(), FE_TONEAREST);
    ck_assert_ptr_null(float_state_restore(before));
    volatile long double wide = 1.0L;
    wide = wide + 1.0L; /* a NaN where registers of MMX are in use */
    ck_assert(wide == 2.0L);
}

TEST(float_state_of_the_caller_is_preserved) {
    fesetround(FE_UPWARD);
    const struct float_state before = float_state_now();
    fesetround(FE_TONEAREST);
    ck_assert_ptr_nonnull(float_state_restore(before));
    ck_assert_int_eq(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
}

#else

static const int functions[1];

LOOP_TEST(changed_state_is_named_and_restored, 0, (int)(sizeof functions / sizeof functions[0])) {
    ck_assert_ptr_null(float_state_restore(float_state_now()));
}

TEST(float_state_of_the_caller_is_preserved) {
}

#endif

SUITE("float_state")
