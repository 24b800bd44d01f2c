/* Which object of memory an address belongs to, and where that object ends. */
#pragma once

#include "exec/thread.h"
#include "memory/shadow.h"

enum memory_kind {
    MEMORY_UNKNOWN,  /* memory that the simulator did not allocate */
    MEMORY_OWN,      /* a stack, the arguments of the launch, constants of the program */
    MEMORY_GLOBAL,   /* an allocation, also of page-locked host memory */
    MEMORY_HEAP,     /* what a kernel has allocated with malloc() or new */
    MEMORY_SHARED,   /* a __shared__ variable */
    MEMORY_DYNAMIC,  /* the block's dynamic shared memory */
    MEMORY_CONSTANT, /* a __constant__ variable */
    MEMORY_VARIABLE  /* a __device__ variable */
};

/* The object that holds an address, or the nearest object of the same memory. */
struct memory_object {
    enum memory_kind kind;
    const char *from, *to;  /* its bytes: the address may lie outside */
    const char *near, *far; /* this object is the nearest one for every address of near..far */
    struct shadow *shadow;  /* NULL if nothing is remembered of it */
    const char *name;       /* of a variable, or of named memory; NULL: none */
    struct sim_location declared_at; /* where it was declared or allocated */
    bool freed;
    size_t element;         /* bytes of an element; 0: not known */
    unsigned rows, columns; /* the last two extents of an array of several dimensions, or 0 */
};

/* Begins a launch: forgets the objects that were looked up. Begins a block: its shared memory holds
 * nothing that was written. */
void address_forget(void);
/* A block goes on: its shared memory counts as written. */
void address_resume_block(const struct worker *w);
void address_begin_block(const struct worker *w);

/* The object of an address, valid until the next call of address_forget(). */
const struct memory_object *address_object(const struct worker *w, const char *at);

/* The runtime API has written to memory: filled it, or copied it from host or device memory. */
void address_filled(const char *to, size_t bytes);
void address_copied(const char *to, const char *from, size_t bytes);

/* How many bytes of a range of device memory were never written; 0 if it is not such a range. */
size_t address_unwritten(const char *from, size_t bytes);

/* As a finding names it. */
struct sim_object address_described(const struct memory_object *p);

/* The device variable at or nearest to this address, or NULL. */
const struct sim_variable *address_variable(const char *at);
