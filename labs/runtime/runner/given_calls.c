/* Functions of the C library that call what they are given: a plain program's own calls of them
 * come here first (given_calls.symbols), as its calls through pointers go to indirect_calls.S. */
#include "calls/call_targets.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#define CALLER __builtin_return_address(0)

typedef int compare(const void *, const void *);

void judged_qsort(void *base, size_t count, size_t bytes, compare *function);
void *judged_bsearch(const void *key, const void *base, size_t count, size_t bytes,
                     compare *function);
int judged_pthread_once(pthread_once_t *once, void (*function)(void));

void judged_qsort(void *base, size_t count, size_t bytes, compare *function) {
    call_target_judge((uintptr_t)function, CALLER);
    qsort(base, count, bytes, function);
}

void *judged_bsearch(const void *key, const void *base, size_t count, size_t bytes,
                     compare *function) {
    call_target_judge((uintptr_t)function, CALLER);
    return bsearch(key, base, count, bytes, function);
}

int judged_pthread_once(pthread_once_t *once, void (*function)(void)) {
    call_target_judge((uintptr_t)function, CALLER);
    return pthread_once(once, function);
}
