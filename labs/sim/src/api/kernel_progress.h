/* Says on the terminal how far the kernel is, in programs that take longer than two seconds. */
#pragma once

#include <stdint.h>

/* A launch of so many blocks begins, and has ended. */
void sim_progress_begin(const char *kernel, uint64_t blocks);
void sim_progress_end(void);
