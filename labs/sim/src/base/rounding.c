/* Doubles rounded in one direction: sim/abi.h. The processor rounds as its mode says, which is
 * changed for one operation alone. No compiler knows that the operation depends on it, so an opaque
 * step keeps it between the two changes. */
#include "sim/abi.h"

#ifndef __x86_64__
#include <fenv.h>
#endif
#include <math.h>

#ifdef __x86_64__
/* Of the SSE unit alone: fesetround() also changes the x87, which costs more than the operation. */
static unsigned begin(sim_rounding mode) {
    static const unsigned modes[] = {[SIM_ROUND_NEAREST] = 0,
                                     [SIM_ROUND_DOWN] = 0x2000,
                                     [SIM_ROUND_UP] = 0x4000,
                                     [SIM_ROUND_ZERO] = 0x6000};
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr((before & ~0x6000u) | modes[mode]);
    return before;
}

static void end(unsigned before) {
    __builtin_ia32_ldmxcsr(before);
}
#else
static unsigned begin(sim_rounding mode) {
    static const int modes[] = {[SIM_ROUND_NEAREST] = FE_TONEAREST,
                                [SIM_ROUND_ZERO] = FE_TOWARDZERO,
                                [SIM_ROUND_DOWN] = FE_DOWNWARD,
                                [SIM_ROUND_UP] = FE_UPWARD};
    int before = fegetround();
    fesetround(modes[mode]);
    return (unsigned)before;
}

static void end(unsigned before) {
    fesetround((int)before);
}
#endif

#define OPAQUE(x) __asm__ volatile("" : "+m"(x)::"memory")

double sim_double_add(double a, double b, sim_rounding mode) {
    unsigned before = begin(mode);
    OPAQUE(a);
    double result = a + b;
    OPAQUE(result);
    end(before);
    return result;
}

double sim_double_multiply(double a, double b, sim_rounding mode) {
    unsigned before = begin(mode);
    OPAQUE(a);
    double result = a * b;
    OPAQUE(result);
    end(before);
    return result;
}

double sim_double_divide(double a, double b, sim_rounding mode) {
    unsigned before = begin(mode);
    OPAQUE(a);
    double result = a / b;
    OPAQUE(result);
    end(before);
    return result;
}

double sim_double_fused(double a, double b, double c, sim_rounding mode) {
    unsigned before = begin(mode);
    OPAQUE(a);
    double result = fma(a, b, c);
    OPAQUE(result);
    end(before);
    return result;
}

double sim_double_root(double a, sim_rounding mode) {
    unsigned before = begin(mode);
    OPAQUE(a);
    double result = sqrt(a);
    OPAQUE(result);
    end(before);
    return result;
}
