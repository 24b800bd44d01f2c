/* Data races: two accesses to the same bytes, at least one of them a write, that nothing orders.
 *
 * Threads run one after the other here, so a race does not show in the results; it shows in what
 * happens between the two accesses. Within a block a barrier orders them. Within a warp
 * __syncwarp() orders the lanes of its mask; shuffles and votes order nothing. Otherwise only a
 * release orders: a fence, and then an atomic function on an address. It hands over what its thread
 * did before the fence, what that thread had acquired, and what the block did before its last
 * barrier, if a fence follows it or every thread made one before it. Who uses an atomic function on
 * the same address later acquires that; the others of its block do at the next barrier. What
 * follows the fence is not handed over. What a thread was given by its block, it hands on to others
 * behind its own fence. A lock that is taken by atomicCAS() needs a fence behind that, too, or a
 * barrier: else what its holder does may come before it. A fence or an atomic function of the block
 * orders nothing for another block, and two blocks race if one of their atomic functions has that
 * scope.
 *
 * PTX defines an access to a volatile variable as an atomic one (relaxed, of the whole system). So
 * it counts here in global memory, for flags: one thread sets it, after a fence if it hands over
 * data, and others poll it. But nothing makes a volatile load and a later volatile store one
 * update, so two threads that store different values race (as do a store and an atomic function, if
 * no fence says that the word is a flag), unless the flag itself was handed over:
 * the second has read it after a fence and the store of the first. In shared memory a volatile
 * access is a plain one: compute-sanitizer, too, wants a barrier there.
 *
 * A thread may guess a value with a plain read and verify it with atomicCAS(), as programs do that
 * build an atomic function of their own. Such a read does not race with atomic functions.
 * (RACE_COMPARE is an atomicCAS(), RACE_ATOMIC any other.)
 *
 * What is found here is told by memcheck.c, for a store only after it has happened: where it has
 * changed nothing, the race is a note. */
#pragma once

#include "base/device.h"
#include "memory/shadow.h"

enum race_access { RACE_LOAD, RACE_STORE, RACE_ATOMIC, RACE_COMPARE };

/* Two accesses that nothing orders. */
struct race {
    struct shadow_event other; /* the earlier access; its segment is 0 if there is no race */
    bool other_stored;
    bool same_value; /* both wrote, and the second may have written the value that was there: known
                        only after the access, see race_changed() */
    bool lock_without_fence; /* both hold a lock, but no fence keeps one of them behind it */
};

/* To be called as the blocks run. */
void race_launch(void);
void race_block(void);
/* The block waits while other blocks run: returns its number, with which it resumes. */
uint32_t race_block_waits(void);
void race_block_resumes(uint32_t number);
void race_thread(unsigned t);
void race_barrier(void);
void race_warp_barrier(unsigned first, uint32_t lanes);
void race_fence(bool of_block);

/* Records an access of the running thread to `count` cells. `pc` has SHADOW_ATOMIC and
 * SHADOW_VOLATILE set if a load or store counts as atomic, and SHADOW_BLOCK for an atomic function
 * of the block. `one_block`: only one block can
 * access the memory. Returns the race that the access is part of. */
struct race race_access(struct shadow_cell *cells, size_t count, enum race_access how, uint32_t pc,
                        bool one_block);

/* Does it matter to later accesses whether the last recorded store changes the value? If it did,
 * say so. */
bool race_may_change(const struct shadow_cell *cells, size_t count);
void race_changed(struct shadow_cell *cells, size_t count);

/* A launch of kernels begins, after race_launch(): the forms of cells are new. */
void race_forget_forms(void);

/* The running thread used an atomic function on `address`, or accessed it as volatile. `of_block`:
 * the function has that scope. */
void race_atomic(const void *address, enum race_access how, bool of_block);

/* Has the running thread acquired at `address` what this event, a store there, is part of? */
bool race_is_handed_over(const void *address, struct shadow_event event);

/* The thread of an event, and *block: the number of its block in the order in which they ran. False
 * if that is another block than the running one. */
bool race_thread_of(struct shadow_event event, unsigned *thread, uint64_t *block);
