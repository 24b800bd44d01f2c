/* A program is linked with these before it is linked with the C library's. */
#include "sim/min_max.h"

#include <math.h>

SIM_MIN_MAX(, float, fminf, fmaxf, )
SIM_MIN_MAX(, double, fmin, fmax, )
