/* Does a student's function keep what the calling convention asks it to keep: the settings of
 * floating-point arithmetic, and registers of MMX that are not in use? Arithmetic of its caller
 * would go wrong.
 *
 * Of the calling thread alone. On other processors than x86-64, nothing is ever wrong.
 */
#pragma once

struct float_state {
    unsigned sse; /* the control bits of MXCSR: rounding mode, denormals, exceptions */
    unsigned x87; /* the control word */
};

struct float_state float_state_now(void);

/* What a function that was called since `before` broke, as the end of a sentence that begins with
 * its name; NULL: nothing. What is broken, is as before again. */
const char *float_state_restore(struct float_state before);
