/* memory/: the memory of the device and what is known of it.
 *
 * This header: allocations, each in a mapping of its own between guard pages (allocations.c says
 * how they lie). Not locked: hold the device's lock. */
#pragma once

#include "base/findings.h"
#include "memory/shadow.h"

/* Managed memory is the host's and the device's at once. */
enum sim_space {
    SIM_DEVICE_MEMORY,
    SIM_PINNED_MEMORY,
    SIM_REGISTERED_MEMORY,
    SIM_MANAGED_MEMORY,
    SIM_HEAP_MEMORY, /* of kernels alone: heap.h */
};

struct sim_allocation {
    char *base;   /* 256-byte aligned */
    size_t bytes; /* as asked for */
    char *mapping;
    size_t mapped; /* guard pages included */
    size_t guard;  /* bytes on each side that no other memory has */
    enum sim_space space;
    unsigned flags;
    bool freed;
    bool is_result;              /* what the caller of a graded function gets */
    bool open;                   /* a kernel has accessed it: device_access.c */
    char *large_from, *large_to; /* between them it has large pages, or NULL */
    uint64_t number;             /* counts allocations */
    struct sim_location location;
    const char *name;      /* such as "d_out", or NULL: sim_name_memory() */
    struct shadow *shadow; /* of the checks, or NULL; owned */
    struct sim_pool *pool; /* memory in the order of a stream, or NULL */
    size_t set_bytes;      /* of its beginning, by the last cudaMemset() of one; 0: none */
    struct sim_location set_at;
    bool is_free_queued; /* its stream has not reached cudaFreeAsync() yet */
    bool of_graph;       /* a node allocates it: its addresses stay its own when it is freed */
    bool launched;       /* by a graph that does not free it as well */
    struct sim_allocation *next_open, *next_freed;
};

static inline bool sim_is_live_on_device(const struct sim_allocation *a) {
    return !a->freed && (a->space == SIM_DEVICE_MEMORY || a->space == SIM_HEAP_MEMORY);
}

/* As a finding names it; NULL: as nothing. */
struct sim_object sim_object_of(const struct sim_allocation *a);

/* Everything that accesses device memory or runs on the device holds this lock. */
void sim_lock_device(void);
void sim_unlock_device(void);

/* In a forked child: did another thread hold the lock, which is not there to give it back? It is
 * free now. */
bool sim_free_device_lock(void);

/* New memory full of SIM_POISON (with sim_options.zeros, of zeros), or NULL. It takes room of the
 * host only where it is written. */
void *sim_allocate(size_t bytes, enum sim_space space, unsigned flags,
                   struct sim_location location);

/* Records memory of the program as page-locked. False if some of it already is. */
bool sim_register(void *base, size_t bytes, unsigned flags, struct sim_location location);

/* The bytes of all managed and page-locked memory that there has been so far. */
size_t sim_shared_with_host(void);

/* The live allocation of `space` that starts at `pointer`, or NULL. */
struct sim_allocation *sim_allocation_at(const void *pointer, enum sim_space space);

/* The allocation, live or freed, that holds `address` or whose guard pages do; NULL if none. */
const struct sim_allocation *sim_owner(const void *address);

/* "overflow" if an address before the memory from..to would be inside, had a product of 32 bits, or
 * an index of elements of up to 16 bytes, not overflowed; else NULL. */
const char *sim_if_overflow(const char *from, const char *to, const char *at);

/* The end of the device allocation or section of device variables that holds `address`, or NULL
 * when it is not the device's alone. */
const char *sim_device_end(const void *address);

/* Each allocation, live or freed, in the order of addresses, then NULL. */
struct sim_allocation *sim_nth_allocation(size_t n);

/* Frees it: any later access faults. */
void sim_release(struct sim_allocation *allocation);
void sim_release_device(void);

/* Memory of a graph: allocates it at its addresses again, if it is freed; false: out of memory.
 * Ends when no graph has a node that allocates it; what a launch has left to the program stays. */
bool sim_allocate_again(struct sim_allocation *allocation);
void sim_leave_graph(struct sim_allocation *allocation);

/* A kernel runs between these two calls. Its first access of an allocation faults, for a thread
 * that handles its faults with sim_open_at(). The second call also reports bytes that were written
 * just outside of an allocation, by `kernel`. */
void sim_open_device(void);
void sim_close_device(const char *kernel, struct sim_location location);

/* After it, before code of the host goes on: any further access of device memory faults. */
void sim_return_device(void);

/* While a kernel runs: makes the device memory around this address accessible. False if that is not
 * possible, and the access is wrong. To be called when it has faulted. */
bool sim_open_at(const void *address);

/* The same for a range, which need not be device memory. */
void sim_open_range(const void *from, size_t bytes);
void sim_close_range(const void *from, size_t bytes);

/* As sim_open_range(), where the caller writes each of the bytes and needs none of them. */
void sim_open_to_overwrite(void *to, size_t bytes);

/* Report what is still allocated: at the end of the program all of it, before a reset of the device
 * its memory. */
void sim_report_leaks(void);
void sim_report_device_leaks(void);

/* The bytes of live device allocations. */
size_t sim_device_bytes(void);
