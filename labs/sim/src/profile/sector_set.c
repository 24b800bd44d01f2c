#include "profile/sector_set.h"

#include <stdlib.h>
#include <string.h>

#define SECTOR_SHIFT 5
#define PAGE_SHIFT 12 /* 128 sectors */
#define SECTORS_OF_PAGE (1u << (PAGE_SHIFT - SECTOR_SHIFT))

struct sector_page {
    uint64_t number; /* address >> PAGE_SHIFT, plus 1; 0: free */
    uint64_t touched[SECTORS_OF_PAGE / 64];
};

/* The page of this number, or the free slot where it belongs, in a table that has a free slot. */
static struct sector_page *place_of(struct sector_page *pages, uint64_t capacity, uint64_t number) {
    uint64_t slot = number * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    for (;; slot++) {
        struct sector_page *page = &pages[slot & (capacity - 1)];
        if (page->number == number || page->number == 0) {
            return page;
        }
    }
}

/* Keeps the table at most half full. */
static bool make_room(struct sector_set *set) {
    if (set->count * 2 < set->capacity) {
        return true;
    }
    uint64_t capacity = set->capacity ? set->capacity * 2 : 256;
    struct sector_page *pages = calloc(capacity, sizeof *pages);
    if (pages == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < set->capacity; i++) {
        if (set->pages[i].number != 0) {
            *place_of(pages, capacity, set->pages[i].number) = set->pages[i];
        }
    }
    free(set->pages);
    set->pages = pages;
    set->capacity = capacity;
    return true;
}

static struct sector_page *page_of(struct sector_set *set, uint64_t number) {
    struct sector_page **recent = &set->recent[number % SECTORS_RECENT];
    if (*recent != NULL && (*recent)->number == number) {
        return *recent;
    }
    struct sector_page *old = set->pages;
    if (!make_room(set)) {
        return NULL;
    }
    if (set->pages != old) {
        memset(set->recent, 0, sizeof set->recent);
    }
    struct sector_page *page = place_of(set->pages, set->capacity, number);
    if (page->number == 0) {
        page->number = number;
        set->count++;
    }
    *recent = page;
    return page;
}

bool sectors_add_range(struct sector_set *set, struct sector_range range, unsigned *new_sectors) {
    *new_sectors = 0;
    while (range.count > 0) {
        struct sector_page *page = page_of(set, (range.first >> (PAGE_SHIFT - SECTOR_SHIFT)) + 1);
        if (page == NULL) {
            return false;
        }
        unsigned from = range.first % 64;
        unsigned count = range.count < 64 - from ? range.count : 64 - from;
        uint64_t bits = (count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1) << from;
        uint64_t *word = &page->touched[range.first % SECTORS_OF_PAGE / 64];
        if (bits & ~*word) {
            *new_sectors += (unsigned)__builtin_popcountll(bits & ~*word);
            *word |= bits;
        }
        range.first += count;
        range.count -= count;
    }
    return true;
}

bool sectors_add(struct sector_set *set, const struct warp_access *a, unsigned *new_sectors) {
    struct sector_page *page = NULL; /* of the sector before */
    uint64_t before = UINT64_MAX;
    *new_sectors = 0;
    for (uint32_t left = a->active; left; left &= left - 1) {
        uint64_t address = a->address[__builtin_ctz(left)];
        uint64_t last = (address + a->width - 1) >> SECTOR_SHIFT;
        for (uint64_t sector = address >> SECTOR_SHIFT; sector <= last; sector++) {
            if (sector == before) { /* usual: neighbouring lanes share a sector */
                continue;
            }
            before = sector;
            uint64_t number = (sector >> (PAGE_SHIFT - SECTOR_SHIFT)) + 1;
            if ((page == NULL || page->number != number) && (page = page_of(set, number)) == NULL) {
                return false;
            }
            uint64_t *word = &page->touched[sector % SECTORS_OF_PAGE / 64];
            uint64_t bit = UINT64_C(1) << sector % 64;
            *new_sectors += (*word & bit) == 0;
            *word |= bit;
        }
    }
    return true;
}

void sectors_release(struct sector_set *set) {
    free(set->pages);
    memset(set, 0, sizeof *set);
}
