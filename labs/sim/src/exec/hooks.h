/* How the runtime reports to trace/, which observes a traced program: the layers above trace/ call
 * it through these pointers and do not depend on it. In a plain program a hook costs one test. */
#pragma once

#include "base/device.h"
#include "base/findings.h"

struct worker; /* thread.h */

struct sim_hooks {
    /* A launch begins (all its blocks run on the calling host thread), and it has ended: closure
     * has its arguments. */
    void (*launch_begin)(const struct sim_config *config);
    void (*launch_end)(const struct sim_config *config, const void *closure);

    /* Is the block blockIdx to be run? */
    bool (*block_wanted)(void);

    /* A block begins: none of its threads has run yet. */
    void (*block_begin)(const struct worker *w);

    /* From now on, thread `t` of the block runs. */
    void (*thread)(const struct worker *w, unsigned t);

    /* The block waits for others, and other blocks run: returns what must be kept of it, from
     * malloc(), or NULL. Later the block goes on, and what was kept is freed. */
    void *(*block_parks)(const struct worker *w);
    void (*block_resumes)(const struct worker *w, void *kept);

    /* All threads of the grid are at a barrier. */
    void (*grid_barrier)(void);

    /* All threads of the block are at a barrier, or have left the kernel. */
    void (*barrier)(void);

    /* These lanes of the warp that begins with thread `first` have met at __syncwarp() or another
     * operation of the warp; done: each has its result. */
    void (*warp_operation)(const struct worker *w, unsigned first, unsigned lanes, bool done);

    /* The running thread will access these bytes atomically, in a call that returns to pc. */
    void (*atomic)(const void *at, size_t bytes, const void *pc);

    /* A kernel has allocated these bytes of the heap, or (0 bytes) freed the chunk there. */
    void (*heap_changed)(const void *at, size_t bytes);

    /* Every lane of the warp that begins with thread `first` is done or waits; soon: some of them
     * only for others of the warp, before they go on together. */
    void (*warp_waits)(const struct worker *w, unsigned first, bool soon);

    /* The program counter of the last event that trace/ saw, or NULL. */
    const void *(*position)(void);

    /* The running thread is about to access `bytes` bytes through a texture or a surface. `pc`: the
     * return address of the call in the kernel. */
    void (*accessed)(const void *address, size_t bytes, bool store, const void *pc);

    /* The runtime API has filled `bytes` bytes from the host, or copied them. */
    void (*filled)(const void *to, size_t bytes);
    void (*copied)(const void *to, const void *from, size_t bytes);

    /* The runtime API is about to copy `bytes` bytes from the device to the host, for its call at
     * `location`. */
    void (*host_receives)(const void *from, size_t bytes, struct sim_location location);

    /* Host code has called malloc() there, or is about to call free() there. */
    void (*host_allocated)(void *memory, size_t bytes, const void *return_address,
                           struct sim_location location);
    void (*host_frees)(void *memory, struct sim_location location);

    /* The bytes from here to the end of what malloc() or `new` gave host code; SIZE_MAX: unknown.
     */
    size_t (*host_room)(const void *at);

    /* A call of the runtime API at `location` is about to access what should be host memory. */
    void (*host_side)(const void *at, size_t bytes, bool store, struct sim_location location);

    /* The student's code is called next, by the function with this frame; NULL: it has returned. */
    void (*students_turn)(const void *frame);
};

/* NULL in a plain program. trace/ sets it before main(). */
extern const struct sim_hooks *sim_hooks;
