/* The program's __constant__, __device__ and __managed__ variables: where they lie, and which of
 * their addresses the program has asked for. */
#pragma once

#include "base/device.h"

/* The variables outside of classes, which the program registers before main(). */
const struct sim_variable *sim_variables(void);

/* The one of them that holds `address`, or NULL. */
const struct sim_variable *sim_variable_at(const void *address);

/* A static variable of a device function: it is in the device's memory, too. */
struct sim_static {
    struct sim_variable variable;
    struct shadow *shadow; /* of the checks, or NULL; owned */
};

/* The one that holds `address`, or NULL; the i-th that is known, or NULL. */
struct sim_static *sim_static_at(const void *address);
struct sim_static *sim_nth_static(unsigned i);

/* Each time a thread comes to its declaration, a traced program calls this: g++ gives those of
 * templates no section. */
void sim_note_static(const char *name, const char *file, int line, const void *at,
                     unsigned long bytes);

/* A section of device variables, from `from` to before `to`. */
struct sim_section {
    char *from, *to;
};
#define SIM_PAGE 4096
extern char sim_constants_end[SIM_PAGE];
enum { SIM_CONSTANTS, SIM_INITIAL, SIM_ZERO, SIM_SHARED_WITH_HOST, SIM_SECTIONS };

static inline struct sim_section sim_section(unsigned i) {
    switch (i) {
    case SIM_CONSTANTS:
        return (struct sim_section){__start_sim_constant, sim_constants_end};
    case SIM_INITIAL:
        return (struct sim_section){__start_sim_device, __stop_sim_device};
    case SIM_ZERO:
        return (struct sim_section){__start_sim_device_zero, __stop_sim_device_zero};
    default:
        return (struct sim_section){__start_sim_managed, __stop_sim_managed};
    }
}

/* Its number, or SIM_SECTIONS when `address` is in none of them. */
static inline unsigned sim_section_of(const void *address) {
    unsigned i = 0;
    while (i < SIM_SECTIONS && ((const char *)address < sim_section(i).from ||
                                (const char *)address >= sim_section(i).to)) {
        i++;
    }
    return i;
}

static inline bool sim_is_constant(const void *address) {
    return sim_section_of(address) == SIM_CONSTANTS;
}

/* Is it in the section of __managed__ variables, which the host uses as well? */
static inline bool sim_is_managed(const void *address) {
    return sim_section_of(address) == SIM_SHARED_WITH_HOST;
}

/* Is it a variable that only kernels may use: __constant__ or __device__? */
static inline bool sim_is_in_variables(const void *address) {
    return sim_section_of(address) < SIM_SHARED_WITH_HOST;
}

/* While a kernel runs, its store to a __constant__ variable faults. */
void sim_protect_constants(bool from_writes);

/* The end of the section that holds `address`, or NULL. */
const char *sim_variables_end(const void *address);

/* Is `pointer` only the host's name of a device variable? On a GPU that is not an address; here it
 * looks like one. It becomes an address once the program has asked for it, or a kernel has passed
 * on a pointer to it. Hold the device's lock. */
bool sim_is_host_name(const void *pointer);

/* Records that the program has asked for the address of these bytes. Hold the device's lock. */
void sim_note_address(const void *from, size_t bytes);

/* Records the pointers in bytes that the host has copied from the device. Hold the device's
 * lock. */
void sim_note_pointers(const void *copied, size_t bytes);
