/* Doubles rounded in one direction: sim_abi.h. The processor rounds as its mode says, which is
 * changed for one operation alone. No compiler knows that the operation depends on it, so an opaque
 * step keeps it between the two changes. */
#include "sim_abi.h"

#include <fenv.h>
#include <math.h>

static int begin(sim_rounding mode) {
    static const int modes[] = {[SIM_ROUND_NEAREST] = FE_TONEAREST,
                                [SIM_ROUND_ZERO] = FE_TOWARDZERO,
                                [SIM_ROUND_DOWN] = FE_DOWNWARD,
                                [SIM_ROUND_UP] = FE_UPWARD};
    int before = fegetround();
    fesetround(modes[mode]);
    return before;
}

#define OPAQUE(x) __asm__ volatile("" : "+m"(x)::"memory")

double sim_double_add(double a, double b, sim_rounding mode) {
    int before = begin(mode);
    OPAQUE(a);
    double result = a + b;
    OPAQUE(result);
    fesetround(before);
    return result;
}

double sim_double_multiply(double a, double b, sim_rounding mode) {
    int before = begin(mode);
    OPAQUE(a);
    double result = a * b;
    OPAQUE(result);
    fesetround(before);
    return result;
}

double sim_double_divide(double a, double b, sim_rounding mode) {
    int before = begin(mode);
    OPAQUE(a);
    double result = a / b;
    OPAQUE(result);
    fesetround(before);
    return result;
}

double sim_double_fused(double a, double b, double c, sim_rounding mode) {
    int before = begin(mode);
    OPAQUE(a);
    double result = fma(a, b, c);
    OPAQUE(result);
    fesetround(before);
    return result;
}

double sim_double_root(double a, sim_rounding mode) {
    int before = begin(mode);
    OPAQUE(a);
    double result = sqrt(a);
    OPAQUE(result);
    fesetround(before);
    return result;
}
