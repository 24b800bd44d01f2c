/* How often the warps of a launch passed each place in the program that reports to trace/: marks,
 * accesses, barriers of a warp. A place is the return address of its call. Lanes that pass it
 * together are one; so for each warp and epoch the lane with the most passes counts, which is less
 * than the truth only where lanes in different arms of a branch pass the same place. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Forgets all passes. Call it at the start of a launch. */
void passes_begin(void);

/* The running lane passes `place`; false when out of memory. */
bool passes_add(uint32_t place);

/* Another lane runs from now on. */
void passes_next_lane(void);

/* Adds the passes of the warp, whose lanes have all run, `weight` times; returns them. */
uint64_t passes_end_warp(uint64_t weight);

/* Writes [[place,passes],...], each number of passes divided by `divisor`. */
void passes_write(FILE *file, uint64_t divisor);
