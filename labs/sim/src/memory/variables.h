/* The program's __constant__, __device__ and __managed__ variables: where they lie, and which of their addresses
 * the program has asked for. */
#ifndef SIM_VARIABLES_H
#define SIM_VARIABLES_H

#include "base/device.h"

/* The variables of a traced program, which registers them before main(). */
const struct sim_variable *sim_variables(void);

/* Is `address` in a section of device variables? sim_variables_end() then returns the end of the
 * section, else NULL. */
bool sim_is_in_variables(const void *address);
const char *sim_variables_end(const void *address);

/* Is `address` in the section of __constant__ variables? */
static inline bool sim_is_constant(const void *address) {
    const char *at = address;
    return at >= __start_sim_constant && at < __stop_sim_constant;
}

/* Is it in the section of __managed__ variables, which the host uses as well? */
static inline bool sim_is_managed(const void *address) {
    const char *at = address;
    return at >= __start_sim_managed && at < __stop_sim_managed;
}

/* Is `pointer` only the host's name of a device variable? On a GPU that is not an address; here it
 * looks like one. It becomes an address once the program has asked for it, or a kernel has passed
 * on a pointer to it. Hold the device's lock. */
bool sim_is_host_name(const void *pointer);

/* Records that the program has asked for the address of these bytes. Hold the device's lock. */
void sim_note_address(const void *from, size_t bytes);

/* Records the pointers in bytes that the host has copied from the device. Hold the device's
 * lock. */
void sim_note_pointers(const void *copied, size_t bytes);

#endif
