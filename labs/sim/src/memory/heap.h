/* The heap of the device: what kernels allocate with malloc() and new. It is one allocation of
 * cudaLimitMallocHeapSize bytes, made at the first use; its parts are chunks. */
#pragma once

#include "memory/allocations.h"

struct heap_chunk {
    char *base;
    size_t bytes;                 /* as asked for */
    size_t size;                  /* its part of the heap */
    struct sim_location location; /* of the call, if known; or */
    const void *pc;               /* its return address */
    bool freed;
};

/* New memory, 16-byte aligned; NULL when the heap is full. Threads of kernels may call this at the
 * same time. */
void *sim_heap_new(size_t bytes, struct sim_location location, const void *pc);

/* What is wrong with freeing `pointer`; if nothing is, frees it. */
enum heap_answer { HEAP_FREED, HEAP_NOT_A_CHUNK, HEAP_FREED_BEFORE };
enum heap_answer sim_heap_delete(void *pointer);

/* The chunk, live or freed, whose part of the heap holds `address`; NULL if none does. */
const struct heap_chunk *sim_heap_chunk(const void *address);

/* Forgets everything: the memory of the device is released. */
void sim_heap_reset(void);

void sim_heap_report_leaks(void);
