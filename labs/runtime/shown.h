/* Values as the messages of the unit tests show them. */
#pragma once

#include <math.h>

/* `value` for %g. A NaN has a sign, too, and printf() shows it: memory whose bytes are all 0xff,
 * which a test's output holds before the call, would be "-nan". */
static inline double shown(double value) {
    return isnan(value) ? (double)NAN : value;
}
