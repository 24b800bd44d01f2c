/* Before all other headers of a traced program: what the C++ library copies and fills for the
 * program is an access of the program's. g++ makes loads and stores of a short copy by a built-in
 * function, and reports none of them. */
#pragma once

#ifdef __SANITIZE_THREAD__
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
void *sim_memcpy(void *to, const void *from, size_t bytes);
void *sim_memmove(void *to, const void *from, size_t bytes);
void *sim_memset(void *to, int value, size_t bytes);
#ifdef __cplusplus
}
#endif

#define __builtin_memcpy(...) sim_memcpy(__VA_ARGS__)
#define __builtin_memmove(...) sim_memmove(__VA_ARGS__)
#define __builtin_memset(...) sim_memset(__VA_ARGS__)
#endif
