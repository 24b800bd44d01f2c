/* memory/: the memory of the device and what is known of it.
 *
 * This header: allocations, each in a mapping of its own between guard pages (allocations.c says
 * how they lie). Not locked: hold the device's lock. */
#ifndef SIM_ALLOCATIONS_H
#define SIM_ALLOCATIONS_H

#include "base/findings.h"
#include "memory/shadow.h"

enum sim_space { SIM_DEVICE_MEMORY, SIM_PINNED_MEMORY, SIM_REGISTERED_MEMORY };

struct sim_allocation {
    char *base;   /* 256-byte aligned */
    size_t bytes; /* as asked for */
    char *mapping;
    size_t mapped; /* guard pages included */
    enum sim_space space;
    unsigned flags;
    bool freed;
    struct sim_location location;
    struct shadow *shadow; /* the checks', or NULL; owned */
    struct sim_allocation *next;
};

/* The width of the guard on each side of an allocation; wider ones catch what goes astray farther.
 * To be set before the first allocation. */
extern size_t sim_guard;

/* Everything that touches device memory or runs on the device does so one after the other. */
void sim_lock_device(void);
void sim_unlock_device(void);

/* New memory filled with SIM_POISON, or NULL. */
void *sim_allocate(size_t bytes, enum sim_space space, unsigned flags,
                   struct sim_location location);

/* Notes memory of the program's own as page-locked. False when some of it is already. */
bool sim_register(void *base, size_t bytes, unsigned flags, struct sim_location location);

/* The live allocation of `space` that starts at `pointer`, or NULL. */
struct sim_allocation *sim_allocation_at(const void *pointer, enum sim_space space);

/* The allocation, live or freed, that holds `address` or whose guard pages do; NULL if none. */
const struct sim_allocation *sim_owner(const void *address);

/* The end of the device allocation or section of device variables that holds `address`, or NULL
 * when it is not the device's. */
const char *sim_device_end(const void *address);

/* Frees it: whoever touches it later faults. */
void sim_release(struct sim_allocation *allocation);
void sim_release_device(void);

/* Device memory is out of the host's reach except between these two. The second also looks for
 * bytes written just outside of the allocations; `kernel` is to blame for them. */
void sim_open_device(void);
void sim_close_device(const char *kernel, struct sim_location location);

/* The same for a range, which may lie anywhere. */
void sim_open_range(const void *from, size_t bytes);
void sim_close_range(const void *from, size_t bytes);

void sim_report_leaks(void);

/* The bytes of live device allocations. */
size_t sim_device_bytes(void);

#endif
