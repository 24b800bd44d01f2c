/* Which blocks of a launch are counted.
 *
 * A large grid repeats itself: its blocks differ near the edges of the grid and are alike between
 * them. So along each axis the first and the last few blocks are counted, each for itself, and a
 * few in the middle, for all the others. A block is counted if each of its three indices is, and
 * its weight is the product of the three weights. If the blocks in the middle all do the same, the
 * sums are exact. Where one block is asked for, the one in the middle stands for all. */
#pragma once

#include "base/device.h"

/* Chooses about `target` blocks of a grid; 0: all of them. */
void sample_begin(const dim3 *grid, uint64_t target);

/* Called after the first block of a grid along one axis, when that has done much: now the first,
 * the middle and the last one stand for all. Blocks that stride through an image do the same. */
void sample_fewer(void);

/* How many blocks this one stands for, times sample_divisor(); 0: it is not counted. */
uint64_t sample_weight(const uint3 *block);
uint64_t sample_divisor(void);

/* How many blocks are counted. */
uint64_t sample_size(void);
