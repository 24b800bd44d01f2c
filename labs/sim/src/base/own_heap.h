/* A heap of the runtime's own, so that no pointer of a submission leads near its counters. The
 * Makefile includes this file before all others in the folders whose memory no submission is given;
 * what they allocate is then here, and the confinement (trace/confinement.h) knows where that is.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>

/* As those of the C library; NULL when the heap is full. own_free() and own_realloc() also take
 * memory of the C library's heap, such as a stream's of open_memstream(). */
void *own_malloc(size_t bytes);
void *own_calloc(size_t number, size_t bytes);
void *own_realloc(void *memory, size_t bytes);
void own_free(void *memory);

/* Where it is: from *begin, `bytes` long, however much of it is in use. */
size_t own_heap_range(const char **begin);

#ifndef SIM_OWN_HEAP_ITSELF
#define malloc own_malloc
#define calloc own_calloc
#define realloc own_realloc
#define free own_free
#endif
