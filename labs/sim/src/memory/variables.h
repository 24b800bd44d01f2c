/* The program's __constant__ and __device__ variables: where they lie, and which of their addresses
 * the program has asked for. */
#ifndef SIM_VARIABLES_H
#define SIM_VARIABLES_H

#include "base/device.h"

/* The variables of a traced program, which registers them before main(). */
const struct sim_variable *sim_variables(void);

/* Is it in a section of device variables? sim_variables_end(): then where does the section end?
 * Else NULL. */
bool sim_is_in_variables(const void *address);
const char *sim_variables_end(const void *address);

/* Is it in the section of __constant__ variables? */
static inline bool sim_is_constant(const void *address) {
    const char *at = address;
    return at >= __start_sim_constant && at < __stop_sim_constant;
}

/* Is `pointer` the host's name of a variable of the device? That is no address on a GPU; here it
 * looks like one. The program has the address once it has asked for it, or a kernel has handed out
 * a pointer. Hold the device's lock. */
bool sim_is_host_name(const void *pointer);

/* The program has asked for the address of these bytes. Hold the lock. */
void sim_note_address(const void *from, size_t bytes);

/* The host has copied these bytes from the device: it knows the pointers in them. Hold the lock. */
void sim_note_pointers(const void *copied, size_t bytes);

#endif
