#include "memory/shadow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define WORD_SHIFT 2

static size_t cell_count(const struct shadow *s, unsigned shift) {
    return (s->bytes >> shift) + 1;
}

static void *map(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static size_t written_map_bytes(size_t bytes) {
    return (bytes / 64 + 1) * sizeof(uint64_t);
}

struct shadow *shadow_create(const void *base, size_t bytes, bool written) {
    struct shadow *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    *s = (struct shadow){.base = base, .bytes = bytes, .shift = WORD_SHIFT};
    s->cells = map(cell_count(s, s->shift) * sizeof *s->cells);
    s->written = written ? NULL : map(written_map_bytes(bytes));
    if (s->cells == NULL || (!written && s->written == NULL)) {
        shadow_release(s);
        return NULL;
    }
    return s;
}

void shadow_release(struct shadow *s) {
    if (s == NULL) {
        return;
    }
    if (s->cells) {
        munmap(s->cells, cell_count(s, s->shift) * sizeof *s->cells);
    }
    if (s->written) {
        munmap(s->written, written_map_bytes(s->bytes));
    }
    free(s);
}

/* Copies the cells of the words first..last to cells of their bytes. */
static void refine_words(const struct shadow *s, struct shadow_cell *fine, size_t first,
                         size_t last) {
    for (size_t word = first; word < last; word++) {
        const struct shadow_cell *cell = &s->cells[word];
        if (cell->write.segment == 0 && cell->reads[0].segment == 0) {
            continue;
        }
        for (size_t byte = word << WORD_SHIFT; byte < (word + 1) << WORD_SHIFT && byte < s->bytes;
             byte++) {
            fine[byte] = *cell;
        }
    }
}

/* Replaces cells of a word by cells of a byte. Of a huge array, most cells were never touched: only
 * pages that are in memory hold any. */
static bool refine(struct shadow *s) {
    enum { PAGE = 4096, PAGES = 65536 };
    static unsigned char resident[PAGES];
    size_t words = cell_count(s, WORD_SHIFT), bytes = words * sizeof *s->cells;
    struct shadow_cell *fine = map(cell_count(s, 0) * sizeof *fine);
    if (fine == NULL) {
        return false;
    }
    for (size_t from = 0; from < bytes; from += (size_t)PAGE * PAGES) {
        size_t count =
            (bytes - from + PAGE - 1) / PAGE < PAGES ? (bytes - from + PAGE - 1) / PAGE : PAGES;
        if (mincore((char *)s->cells + from, count * PAGE, resident) != 0) {
            memset(resident, 1, sizeof resident);
        }
        for (size_t page = 0; page < count; page++) {
            size_t at = from + page * PAGE; /* a cell may begin in the page before */
            size_t last = (at + PAGE) / sizeof *fine + 1;
            if (resident[page] & 1) {
                refine_words(s, fine, at / sizeof *fine, last < words ? last : words);
            }
        }
    }
    munmap(s->cells, bytes);
    s->cells = fine;
    s->shift = 0;
    return true;
}

struct shadow_cell *shadow_cells(struct shadow *s, const void *from, size_t bytes, size_t *count) {
    size_t offset = (size_t)((const char *)from - s->base);
    bool words = ((offset | bytes) & 3) == 0;
    if (s->shift == WORD_SHIFT && !words && !refine(s)) {
        return NULL;
    }
    *count = bytes >> s->shift;
    return &s->cells[offset >> s->shift];
}

/* `count` ones, from bit `first` of a word on. */
static uint64_t bits(size_t first, size_t count) {
    return (count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1) << first;
}

size_t shadow_written(const struct shadow *s, const void *from, size_t bytes) {
    if (s->written == NULL) {
        return bytes;
    }
    size_t sum = 0;
    for (size_t at = (size_t)((const char *)from - s->base), end = at + bytes; at < end;) {
        size_t first = at % 64, count = 64 - first < end - at ? 64 - first : end - at;
        sum += (size_t)__builtin_popcountll(s->written[at / 64] & bits(first, count));
        at += count;
    }
    return sum;
}

void shadow_set_written(struct shadow *s, const void *from, size_t bytes, bool written) {
    if (s->written == NULL) {
        return;
    }
    for (size_t at = (size_t)((const char *)from - s->base), end = at + bytes; at < end;) {
        size_t first = at % 64, count = 64 - first < end - at ? 64 - first : end - at;
        uint64_t mask = bits(first, count);
        s->written[at / 64] = written ? s->written[at / 64] | mask : s->written[at / 64] & ~mask;
        at += count;
    }
}

/* The `count` (at most 64) bits from `at` on of the map of written bytes. */
static uint64_t take(const struct shadow *s, size_t at, size_t count) {
    uint64_t word = s->written[at / 64] >> at % 64;
    if (at % 64 + count > 64) {
        word |= s->written[at / 64 + 1] << (64 - at % 64);
    }
    return word & bits(0, count);
}

void shadow_copy_written(struct shadow *to, const void *at, const struct shadow *from,
                         const void *source, size_t bytes) {
    if (to->written == NULL || from->written == NULL) {
        shadow_set_written(to, at, bytes, true);
        return;
    }
    size_t target = (size_t)((const char *)at - to->base);
    size_t first = (size_t)((const char *)source - from->base);
    for (size_t done = 0, count; done < bytes; done += count) { /* to the end of a word of `to` */
        count = 64 - (target + done) % 64;
        count = count < bytes - done ? count : bytes - done;
        uint64_t *word = &to->written[(target + done) / 64];
        size_t shift = (target + done) % 64;
        *word = (*word & ~bits(shift, count)) | take(from, first + done, count) << shift;
    }
}
