/* Functions of the C library, without a check: for the runtime's own memory. */
#pragma once

#include <stddef.h>

void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int byte, size_t bytes);
