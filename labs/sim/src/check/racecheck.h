/* Races: two accesses to the same bytes, one of them a write, that nothing orders.
 *
 * Threads run one after the other here, so a race does not show in the results; it shows in what
 * lies between the accesses. Within a block a barrier orders; within a warp __syncwarp() orders the
 * lanes of its mask, and shuffles and votes order nothing. Between blocks only a fence followed by
 * an atomic function orders, for the block that then gets at the same address with an atomic
 * function of its own.
 *
 * A thread that guesses what is there by a plain read and then leaves it to atomicCAS() whether
 * that was right, as every atomic function of one's own does, races with no other atomic function.
 * (RACE_COMPARE is an atomicCAS(), RACE_ATOMIC any other.)
 */
#ifndef SIM_CHECK_RACE_H
#define SIM_CHECK_RACE_H

#include "base/device.h"
#include "memory/shadow.h"

enum race_access { RACE_LOAD, RACE_STORE, RACE_ATOMIC, RACE_COMPARE };

/* Two accesses that nothing orders. */
struct race {
    struct shadow_event other; /* the earlier one; segment 0: there is no race */
    bool other_stored;
    bool same_value; /* both wrote, and the second wrote what was there: not known before the end
                      * of the access, see race_changed() */
};

/* What happens, as the blocks run. */
void race_launch(void);
void race_block(void);
void race_thread(unsigned t);
void race_barrier(void);
void race_warp_barrier(unsigned first, uint32_t lanes);
void race_fence(void);

/* Notes an access of the running thread to the cells of a granule range. `one_block`: the memory is
 * the block's own. Returns the race that it is part of. */
struct race race_access(struct shadow_cell *cells, size_t count, enum race_access how, uint32_t pc,
                        bool one_block);

/* The store that was noted last has changed what was there. */
void race_changed(struct shadow_cell *cells, size_t count);

/* The running thread got at `address` with an atomic function. */
void race_atomic(const void *address);

/* The thread (of the running block) that an event is of; *block: the number of its block in the
 * order in which they ran. False when that is another block, whose threads are not kept. */
bool race_thread_of(struct shadow_event event, unsigned *thread, uint64_t *block);

#endif
