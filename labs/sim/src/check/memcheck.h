/* check/: the checks of a traced program, on when CONVLABS_SIM_CHECK is set: what the four tools of
 * compute-sanitizer look for, and more. A finding names the instruction; the grader looks up its
 * line.
 *
 * This header: what each access is checked for. racecheck.h: accesses that nothing orders.
 * address.h: whose memory an address is. */
#pragma once

#include "check/racecheck.h"
#include "exec/thread.h"

/* The running thread is about to access `bytes` bytes (any number for a copy of a structure). Ends
 * the kernel if a device would. `pc`: the return address of the callback. */
void check_access(const void *address, size_t bytes, enum race_access how, const void *pc);

/* The same for an atomic function. `of_block`: it has that scope. */
void check_atomic(const void *address, size_t bytes, enum race_access how, bool of_block,
                  const void *pc);

/* The same for an address that need not be a multiple of `bytes`, as the compiler knows: the device
 * makes smaller accesses of it. */
void check_unaligned(const void *address, size_t bytes, enum race_access how, const void *pc);

/* The same for an access to a volatile variable. */
void check_volatile(const void *address, size_t bytes, enum race_access how, const void *pc);

/* An atomic function is about to store a value that does not depend on the one before: it is no
 * read of memory that was never written. */
void check_first_value(const void *address, size_t bytes);

/* The running thread is about to load what the kernel must not write: __ldg(). */
void check_read_only(const void *address, size_t bytes, const void *pc);

/* The host is about to receive these bytes of a row of device memory, by the call at `location`. */
void check_copy_to_host(const void *from, size_t bytes, struct sim_location location);

/* If it is set: told of an access that ends its thread. */
extern void (*check_fatal)(const void *address, size_t bytes, bool store, const void *pc);

/* Turns the checks on, before main(); then what happens as a launch runs. */
void check_begin(void);
/* A kernel has allocated these bytes of the device's heap, or (0 bytes) freed the chunk there. */
void check_heap_changed(const void *at, size_t bytes);

void check_launch_begin(void);
void check_launch_end(void);
/* A block waits while other blocks run: returns its number, with which it resumes. */
uint32_t check_block_waits(void);
void check_block_resumes(const struct worker *w, uint32_t number);
void check_block_begin(const struct worker *w);
void check_thread(unsigned t);
