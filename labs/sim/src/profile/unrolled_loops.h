/* Loops that nvcc unrolls although their length is known only when they begin.
 *
 * labs/sim/translate/loops/unrolled_loops.py finds them and says how nvcc unrolls them. Such a loop
 * becomes several loops, one after the other: of copies of 16, 8 or 4 rounds, and one for the
 * rounds that are left over. Two lanes whose numbers of rounds differ may be in different copies,
 * and then their accesses are not one instruction of the warp. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Writes into the marks of unrolled loops in a lane's events, of which some are marks, where each
 * of the loops begins. The events must contain all rounds of these loops. */
void number_unrolled(uint64_t *events, size_t count);

/* How many rounds the unrolled loop has whose first event is `events[0]`. Returns the index of the
 * first event after it. */
size_t unrolled_rounds(const uint64_t *events, size_t count, size_t *rounds);
