/* What the runtime tells a traced program's observer, which is trace/: the layers above it call it
 * through these pointers and know nothing of it. In a plain program a hook costs a test. */
#ifndef SIM_HOOKS_H
#define SIM_HOOKS_H

#include "base/device.h"

struct worker; /* thread.h */

struct sim_hooks {
    /* A launch begins, whose blocks all run on the calling host thread; it has ended. */
    void (*launch_begin)(const struct sim_config *config);
    void (*launch_end)(const struct sim_config *config);

    /* A block begins: no thread of it has done anything. */
    void (*block_begin)(const struct worker *w);

    /* From now on, what is executed is thread `t` of the block. */
    void (*thread)(const struct worker *w, unsigned t);

    /* All threads of the block are at a barrier, or have left the kernel. */
    void (*barrier)(void);

    /* These lanes of the warp that begins with thread `first` have met at __syncwarp(). */
    void (*warp_barrier)(unsigned first, unsigned lanes);

    /* No lane of the warp that begins with thread `first` can go on by itself. */
    void (*warp_waits)(const struct worker *w, unsigned first);

    /* The runtime API has filled `bytes` bytes from the host, or copied them. */
    void (*filled)(const void *to, size_t bytes);
    void (*copied)(const void *to, const void *from, size_t bytes);
};

/* NULL: a plain program. Set by trace/ before main(). */
extern const struct sim_hooks *sim_hooks;

#endif
