/* Which launches store what the caller of a graded function gets: its output, and what one pass
 * leaves there for the next (sim_expect_result()). A launch whose bytes a later one has stored
 * again does not count as one that computes them: it may have filled the output with zeros. */
#pragma once

#include "profile/access_cost.h"

#include <stdio.h>

#define MOST_LAUNCHES 4096 /* that are counted */

/* A launch begins, with its number. */
void results_begin(unsigned launch);

/* A warp instruction stores to global memory; it stands for `weight` of its kind. Returns false
 * when out of memory. */
bool results_store(const struct warp_access *access, uint64_t weight);

/* Writes members of JSON: the bytes that the launch has stored there (each store counts, times
 * 1/divisor), those that it was the last to store, and how many of these it took from which earlier
 * launch. */
void results_write(FILE *file, uint64_t divisor);
