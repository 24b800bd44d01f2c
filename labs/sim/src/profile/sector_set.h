/* The 32-byte sectors of memory that a launch has accessed: a bitmap for each page, which takes a
 * few percent of the memory accessed. */
#pragma once

#include "profile/access_cost.h"

#define SECTORS_RECENT 64 /* a power of two */

/* A hash table of pages. All zero: empty. */
struct sector_set {
    struct sector_page *pages;
    uint64_t capacity, count;                   /* of pages; the capacity is 0 or a power of two */
    struct sector_page *recent[SECTORS_RECENT]; /* by the page's number */
};

/* Adds the sectors that a warp instruction accesses; *new_sectors is how many of them were not in
 * the set. Returns false when out of memory. */
bool sectors_add(struct sector_set *set, const struct warp_access *a, unsigned *new_sectors);
bool sectors_add_range(struct sector_set *set, struct sector_range range, unsigned *new_sectors);

/* Empties the set and frees what it owns. */
void sectors_release(struct sector_set *set);
