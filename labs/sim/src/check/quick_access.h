/* The accesses that a correct program makes most, judged inline: inside the object that the same
 * instruction accessed before, aligned, written before it is read, and of a word that no thread
 * has accessed in a conflicting way since the launch, or the last barrier, began. For any other
 * access memcheck.c decides. */
#pragma once

#include "check/race_time.h"

#define CHECK_SITES 512 /* a power of two */

/* The object that an instruction accessed last. Instructions whose program counters are equal
 * modulo CHECK_SITES share one. */
struct check_site {
    const char *from;      /* of the object */
    size_t size;           /* its bytes; 0: nothing is known */
    struct shadow *shadow; /* NULL: nothing is remembered of it */
    /* Where the running thread repeats the instruction, as a rule the cells that it accesses have
     * the same history: at this moment it makes cells that are as `before` as `after`. */
    uint64_t moment;
    const void *pc; /* the instruction's */
    struct shadow_packed before, after;
    uint64_t seen;  /* the moment of its last access */
    bool one_block; /* only one block can access it */
};
extern struct check_site check_sites[CHECK_SITES] SIM_HIDDEN;

/* A store whose outcome is still to be looked at: check_access() must be called for the next
 * access. */
extern bool check_pending SIM_HIDDEN;

static inline struct check_site *check_site_of(const void *pc) {
    return &check_sites[((uintptr_t)pc ^ (uintptr_t)pc >> 9) % CHECK_SITES];
}

/* A cell's log of `bytes` bytes as check_quick() knows it in the common case. */
#define CHECK_SHIFT(bytes) ((bytes) >= 4 ? 2u : 0u)

static inline bool check_same(struct shadow_packed a, struct shadow_packed b) {
    return a.latest == b.latest && a.form == b.form;
}

/* Bytes from `first` on are stored, or loaded: false if one of these was never stored. */
static inline __attribute__((always_inline)) bool
check_written(const struct shadow *shadow, size_t first, unsigned bytes, bool store) {
    if (!shadow->written) {
        return true;
    }
    uint64_t *word = &shadow->written[first / 64];
    const uint64_t mask = ((UINT64_C(1) << bytes) - 1) << first % 64;
    if (store) {
        *word |= mask;
        return true;
    }
    return (*word & mask) == mask;
}

/* An access as for check_quick() by which the running thread repeats an instruction: false unless
 * the last time tells its outcome. */
static inline __attribute__((always_inline)) bool check_again(const char *at, unsigned bytes,
                                                              bool store, const void *pc) {
    const struct check_site *site = check_site_of(pc);
    const size_t offset = (size_t)(at - site->from);
    if (site->moment != race_time.moment || site->pc != pc || offset >= site->size ||
        site->size - offset < bytes || ((uintptr_t)at & (bytes - 1)) != 0) {
        return false;
    }
    const struct shadow *shadow = site->shadow;
    const size_t first = (size_t)(at - shadow->base);
    const unsigned shift = CHECK_SHIFT(bytes), count = bytes >> shift;
    struct shadow_packed *cell = &shadow->packed[first >> shift];
    for (unsigned i = 0; i < count; i++) {
        if (!check_same(cell[i], site->before)) {
            return false;
        }
    }
    if (!check_written(shadow, first, bytes, store)) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        cell[i] = site->after;
    }
    return true;
}

/* check_quick() has passed an access of this cell, which was as `before`. Only what is repeated is
 * kept. */
static inline void check_keep(struct check_site *site, const void *pc, struct shadow_packed before,
                              const struct shadow_packed *cell) {
    if (site->seen == race_time.moment) {
        site->moment = race_time.moment;
        site->pc = pc;
        site->before = before;
        site->after = *cell;
    }
    site->seen = race_time.moment;
}

/* Checks an access of `bytes` bytes (1, 2, 4, 8 or 16, a constant) by the running thread of a
 * kernel, outside of its stack. `pc`: the return address of the callback; `position`: the offset
 * of the call in the program. `common`: only accesses of whole packed cells that were seen
 * before are decided. False: nothing is decided yet, and check_access() must be called. */
static inline __attribute__((always_inline)) bool check_quick(const char *at, unsigned bytes,
                                                              bool store, const void *pc,
                                                              uint32_t position, bool common) {
    struct check_site *site = check_site_of(pc);
    const size_t offset = (size_t)(at - site->from);
    if (check_pending || offset >= site->size || site->size - offset < bytes ||
        ((uintptr_t)at & (bytes - 1)) != 0) {
        return false;
    }
    struct shadow *shadow = site->shadow;
    if (shadow == NULL) {
        return true;
    }
    const size_t first = (size_t)(at - shadow->base);
    const unsigned shift = common ? CHECK_SHIFT(bytes) : shadow->shift;
    if ((first & (bytes - 1)) != 0 || bytes >> shift == 0 ||
        (common && (shadow->shift != shift || shadow->packed == NULL))) {
        return false;
    }
    if (!check_written(shadow, first, bytes, store)) {
        return false;
    }
    const uint32_t settled = site->one_block ? race_time.barrier_first : race_time.launch_first;
    const unsigned count = bytes >> shift;
    if (common || shadow->packed) {
        struct shadow_packed before = {0, 0};
        if (common) {
            before = shadow->packed[first >> shift];
        }
        for (unsigned i = 0; i < count; i++) {
            /* The last of the packed cells' forms may have been one too many. */
            if ((!common && shadow->packed == NULL) ||
                !race_quick_packed(shadow, (first >> shift) + i, store, settled, position,
                                   common)) {
                return false;
            }
        }
        if (common) {
            check_keep(site, pc, before, &shadow->packed[first >> shift]);
        }
        return true;
    }
    struct shadow_cell *cell = &shadow->cells[first >> shift];
    for (unsigned i = count; i > 0; i--, cell++) {
        if (store ? !race_quick_store(cell, settled, position)
                  : !race_quick_load(cell, settled, position)) {
            return false;
        }
    }
    return true;
}
