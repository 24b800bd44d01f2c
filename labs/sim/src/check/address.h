/* Whose memory an address of a kernel is, and where that ends. */
#ifndef SIM_CHECK_PLACE_H
#define SIM_CHECK_PLACE_H

#include "exec/thread.h"
#include "memory/shadow.h"

enum memory_kind {
    MEMORY_UNKNOWN,  /* no memory that the simulator gave out */
    MEMORY_OWN,      /* the thread's own, the launch's arguments, constants of the program */
    MEMORY_GLOBAL,   /* an allocation; page-locked host memory as well */
    MEMORY_SHARED,   /* a __shared__ variable */
    MEMORY_DYNAMIC,  /* the block's dynamic shared memory */
    MEMORY_CONSTANT, /* a __constant__ variable */
    MEMORY_VARIABLE  /* a __device__ variable */
};

/* The object that an address is in or, if it is in none, the nearest of the same memory. */
struct memory_object {
    enum memory_kind kind;
    const char *from, *to;  /* its bytes: the address may lie outside */
    const char *near, *far; /* every address in near..far has this object for its nearest */
    struct shadow *shadow;  /* NULL: nothing is remembered of it */
    const char *name;       /* of a variable */
    struct sim_location declared_at; /* where it was declared or allocated */
    bool freed;
};

/* Forgets what it has learnt: of the whole launch, or of a block's dynamic shared memory. */
void address_forget(void);
void address_begin_block(const struct worker *w);

/* The object of an address, valid until the next call of address_forget(). */
const struct memory_object *address_object(const struct worker *w, const char *at);

/* The runtime API has filled memory, or copied it, from the host's or the device's. */
void address_filled(const char *to, size_t bytes);
void address_copied(const char *to, const char *from, size_t bytes);

/* "the 4096 bytes allocated at x.cu:12", "s_tile (1024 bytes of shared memory, x.cu:7)" ... */
void address_describe(const struct memory_object *p, char *text, size_t size);

/* Is this the host's memory of __constant__ or __device__ variables? Then which, else NULL. */
const struct sim_variable *address_variable(const char *at);

#endif
