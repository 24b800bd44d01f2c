/* Which 32-byte sectors of memory a launch has touched: a bitmap per page, so that the memory that
 * this takes is a few per cent of the data touched. */
#ifndef SIM_SECTORS_H
#define SIM_SECTORS_H

#include "profile/access_cost.h"

/* A hash table of pages. All zero: empty. */
struct sector_set {
    struct sector_page *pages;
    uint64_t capacity, count; /* of pages; the capacity is 0 or a power of two */
};

/* Adds the sectors that a warp instruction touches; *new_sectors is how many of them were not in
 * the set before. Returns false when out of memory. */
bool sectors_add(struct sector_set *set, const struct warp_access *a, unsigned *new_sectors);

/* Empties the set and frees what it owns. */
void sectors_release(struct sector_set *set);

#endif
