/* Loads of shared memory that nvcc does not repeat.
 *
 * In straight code, such as the rounds of a loop that is unrolled completely, a word that was
 * loaded is still in a register: outputs that need it, too, load nothing. A store to shared memory,
 * a barrier and a round of any other loop end that. Only a prediction leaves these loads out; the
 * counters of a check are those of the source. */
#pragma once

#include "profile/warp_replay.h"

/* Removes from a lane's stream, which ends at a barrier, the loads that repeat an earlier one.
 * [from, to): the shared memory of its block. */
void remove_repeated_loads(struct lane_stream *stream, uint64_t from, uint64_t to);
