/* Accesses to neighbouring addresses that nvcc makes one access of 2 to 16 bytes.
 *
 * nvcc merges accesses of one basic block if it can prove that their common address is aligned. The
 * source says so and the addresses do not: labs/sim/translate/loads/merged_accesses.py finds what
 * may be merged, and what is known of its address. A traced program notes this as a tag, just
 * before the access. What merges was measured on the machine code of nvcc 13.0:
 *
 *   loads, shared memory   only words of 4 and 8 bytes: three or four words of an aligned 16 bytes,
 *                          and the two halves of an aligned pair
 *   loads, global memory   fields of an element whose type is aligned: three or four words of 16
 *                          bytes if the first one is among them, and the two halves of an aligned
 *                          pair; of fields of 1 or 2 bytes the first one and those after it, with
 *                          gaps
 *   stores                 all halves, quarters and so on of what is aligned, without gaps
 *
 * A window is a basic block of the source. A store to the same space ends it for loads, unless they
 * are of const __restrict__; for stores, a load or another store does. */
#pragma once

#include "profile/warp_replay.h"

/* An access that may be merged; `info`: SIM_TAG() of sim/marks.h. */
struct access_tag {
    uint64_t address;
    uint64_t info;
    size_t event; /* the access is this one of the lane's events, or a later one */
};

/* The tags of one lane since the last merge. */
struct access_tags {
    struct access_tag *all;
    size_t count, capacity;
};

/* Appends a tag; false when out of memory. */
bool access_tags_add(struct access_tags *tags, const struct access_tag *tag);

/* Merges accesses of a lane's stream and empties its tags. [from, to): the shared memory of its
 * block. */
void merge_accesses(struct lane_stream *stream, struct access_tags *tags, uint64_t from,
                    uint64_t to);
