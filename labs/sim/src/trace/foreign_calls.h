/* Calls of the host's libraries in a traced program: no kernel may make one. */
#pragma once

#include <stdbool.h>

/* The program is about to call a function of the C++ library. Ends the run, with a finding, if that
 * is a kernel's call; it returns to `pc`. */
void foreign_call(bool in_kernel, const void *pc);
