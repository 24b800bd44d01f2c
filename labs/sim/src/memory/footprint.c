#include "memory/footprint.h"

#include <stdint.h>
#include <stdlib.h>

#define PAGE_SHIFT 12
#define PAGE_BYTES ((size_t)1 << PAGE_SHIFT)
#define WORDS (PAGE_BYTES / 64)

struct footprint_page {
    uintptr_t number;        /* address >> PAGE_SHIFT */
    uint64_t bits[3][WORDS]; /* by enum footprint_access; a bit for each byte */
};

struct footprint *sim_footprint;
struct sim_overlap sim_overlap;
void (*sim_host_access)(const void *address, size_t bytes, bool written, bool synchronises,
                        const void *pc);
void (*sim_host_frees)(const void *memory, size_t bytes, const char *file, int line);

static size_t slot(const struct footprint *f, uintptr_t number) {
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (f->size - 1);
    while (f->pages[at] && f->pages[at]->number != number) {
        at = (at + 1) & (f->size - 1);
    }
    return at;
}

static bool grow(struct footprint *f) {
    struct footprint old = *f;
    f->size = old.size ? 2 * old.size : 16;
    f->pages = calloc(f->size, sizeof *f->pages);
    if (!f->pages) {
        *f = old;
        return false;
    }
    for (size_t i = 0; i < old.size; i++) {
        if (old.pages[i]) {
            f->pages[slot(f, old.pages[i]->number)] = old.pages[i];
        }
    }
    free(old.pages);
    return true;
}

static struct footprint_page *page_of(struct footprint *f, uintptr_t number) {
    if (f->last && f->last->number == number) {
        return f->last;
    }
    if (2 * f->count >= f->size && !grow(f)) {
        return NULL;
    }
    size_t at = slot(f, number);
    if (!f->pages[at] && (f->pages[at] = calloc(1, sizeof **f->pages))) {
        f->pages[at]->number = number;
        f->count++;
    }
    return f->last = f->pages[at];
}

static const struct footprint_page *known_page(const struct footprint *f, uintptr_t number) {
    return f->size ? f->pages[slot(f, number)] : NULL;
}

/* The bits from..to (exclusive) of one word; from < to <= 64. */
static uint64_t mask(size_t from, size_t to) {
    uint64_t upper = to == 64 ? ~UINT64_C(0) : (UINT64_C(1) << to) - 1;
    return upper & ~((UINT64_C(1) << from) - 1);
}

void footprint_add(struct footprint *f, const void *from, size_t bytes, enum footprint_access how) {
    uintptr_t at = (uintptr_t)from, end = at + bytes;
    while (at < end) {
        struct footprint_page *page = page_of(f, at >> PAGE_SHIFT);
        if (!page) {
            return;
        }
        size_t first = at % PAGE_BYTES;
        size_t last = end - at < PAGE_BYTES - first ? first + (end - at) : PAGE_BYTES;
        for (size_t bit = first; bit < last;) {
            size_t stop = bit / 64 * 64 + 64 < last ? bit / 64 * 64 + 64 : last;
            page->bits[how][bit / 64] |= mask(bit % 64, stop - bit / 64 * 64);
            bit = stop;
        }
        at += last - first;
    }
}

void footprint_clear(struct footprint *f) {
    for (size_t i = 0; i < f->size; i++) {
        free(f->pages[i]);
    }
    free(f->pages);
    *f = (struct footprint){NULL, 0, 0, NULL};
}

static const void *address_of(const struct footprint_page *page, size_t word, uint64_t bits) {
    uintptr_t at = (page->number << PAGE_SHIFT) + 64 * word + (unsigned)__builtin_ctzll(bits);
    return (const void *)at;
}

/* The first byte of the range that `f` accessed in one of the wanted ways. */
static const void *find(const struct footprint *f, const void *from, size_t bytes,
                        const bool wanted[3]) {
    uintptr_t at = (uintptr_t)from, end = at + bytes;
    while (f->count > 0 && at < end) {
        size_t first = at % PAGE_BYTES;
        size_t last = end - at < PAGE_BYTES - first ? first + (end - at) : PAGE_BYTES;
        const struct footprint_page *page = known_page(f, at >> PAGE_SHIFT);
        for (size_t bit = first; page && bit < last;) {
            size_t word = bit / 64, stop = word * 64 + 64 < last ? word * 64 + 64 : last;
            uint64_t found = 0;
            for (int how = 0; how < 3; how++) {
                found |= wanted[how] ? page->bits[how][word] : 0;
            }
            found &= mask(bit % 64, stop - word * 64);
            if (found) {
                return address_of(page, word, found);
            }
            bit = stop;
        }
        at += last - first;
    }
    return NULL;
}

const void *footprint_in_range(const struct footprint *f, const void *from, size_t bytes,
                               bool written) {
    const bool wanted[3] = {written, true, true};
    return find(f, from, bytes, wanted);
}

bool footprint_writes(const struct footprint *f, const void *from, size_t bytes) {
    const bool wanted[3] = {false, true, true};
    return find(f, from, bytes, wanted) != NULL;
}

const void *footprint_conflict(const struct footprint *f, const struct footprint *other) {
    if (f->count > other->count) {
        return footprint_conflict(other, f);
    }
    for (size_t i = 0; i < f->size; i++) {
        const struct footprint_page *a = f->pages[i];
        const struct footprint_page *b = a ? known_page(other, a->number) : NULL;
        for (size_t word = 0; b && word < WORDS; word++) {
            uint64_t read[2] = {a->bits[FOOTPRINT_READ][word], b->bits[FOOTPRINT_READ][word]};
            uint64_t write[2] = {a->bits[FOOTPRINT_WRITE][word], b->bits[FOOTPRINT_WRITE][word]};
            uint64_t atomic[2] = {a->bits[FOOTPRINT_ATOMIC][word], b->bits[FOOTPRINT_ATOMIC][word]};
            uint64_t found = (write[0] & (read[1] | write[1] | atomic[1])) |
                             (write[1] & (read[0] | atomic[0])) | (atomic[0] & read[1]) |
                             (atomic[1] & read[0]);
            if (found) {
                return address_of(a, word, found);
            }
        }
    }
    return NULL;
}
