#include "memory/shadow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define WORD_SHIFT 2
#define EVENTS (sizeof(struct shadow_cell) / sizeof(struct shadow_event))

static size_t cell_count(const struct shadow *s, unsigned shift) {
    return (s->bytes >> shift) + 1;
}

/* ---- forms: a set, by open addressing */

struct shadow_cell *shadow_forms;

static struct {
    uint32_t count, room; /* of shadow_forms, of which the first is that of no access */
    uint32_t *slots;      /* 2 * room numbers of forms; 0: free */
    unsigned launch;
} forms = {.count = 1};

void shadow_forget_forms(void) {
    if (forms.count > 1) {
        memset(forms.slots, 0, 2 * (size_t)forms.room * sizeof *forms.slots);
        forms.count = 1;
    }
    forms.launch++;
}

/* The slot of a form: its own, or the free one where it belongs. */
static uint32_t *slot_of(const struct shadow_cell *form) {
    uint64_t words[EVENTS], hash = 0;
    memcpy(words, form, sizeof words);
    for (size_t i = 0; i < EVENTS; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    const uint32_t last = 2 * forms.room - 1;
    uint32_t at = (uint32_t)hash & last;
    while (forms.slots[at] != 0 &&
           memcmp(&shadow_forms[forms.slots[at]], form, sizeof *form) != 0) {
        at = (at + 1) & last;
    }
    return &forms.slots[at];
}

static bool make_room(void) {
    const uint32_t room = forms.room ? 2 * forms.room : 512;
    struct shadow_cell *larger = realloc(shadow_forms, room * sizeof *larger);
    uint32_t *slots = calloc(2 * (size_t)room, sizeof *slots);
    shadow_forms = larger ? larger : shadow_forms;
    if (larger == NULL || slots == NULL) {
        free(slots);
        return false;
    }
    free(forms.slots);
    shadow_forms[0] = (struct shadow_cell){0};
    forms.slots = slots;
    forms.room = room;
    for (uint32_t i = 1; i < forms.count; i++) {
        *slot_of(&shadow_forms[i]) = i;
    }
    return true;
}

#define FEW_FORMS 4096

/* Returns 0 when out of memory, or if the cells of `s` have too many forms. */
static uint32_t number_of(struct shadow *s, const struct shadow_cell *form) {
    if (s->last != 0 && s->launch == forms.launch &&
        memcmp(&shadow_forms[s->last], form, sizeof *form) == 0) {
        return s->last;
    }
    if (forms.count >= forms.room && !make_room()) {
        return 0;
    }
    uint32_t *slot = slot_of(form);
    if (*slot == 0) {
        s->forms = s->launch == forms.launch ? s->forms : 0;
        s->launch = forms.launch;
        if (s->forms >= FEW_FORMS + cell_count(s, s->shift) / 256) {
            return 0;
        }
        s->forms++;
        shadow_forms[forms.count] = *form;
        *slot = forms.count++;
    }
    if (s->launch == forms.launch) {
        s->last = *slot;
    }
    return *slot;
}

/* ---- cells */

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
    s->packed = map(cell_count(s, s->shift) * sizeof *s->packed);
    s->written = written ? NULL : map(written_map_bytes(bytes));
    if (s->packed == NULL || (!written && s->written == NULL)) {
        shadow_release(s);
        return NULL;
    }
    return s;
}

void shadow_release(struct shadow *s) {
    if (s == NULL) {
        return;
    }
    if (s->packed) {
        munmap(s->packed, cell_count(s, s->shift) * sizeof *s->packed);
    }
    if (s->cells) {
        munmap(s->cells, cell_count(s, s->shift) * sizeof *s->cells);
    }
    if (s->written) {
        munmap(s->written, written_map_bytes(s->bytes));
    }
    free(s);
}

/* From one array of cells to another. */
struct change {
    const struct shadow *from;
    struct shadow *to;
    uint32_t oldest;
};

/* Calls `copy` for the elements of an array, but for those in pages that were never touched: of a
 * huge array, most. */
static void each_touched(const void *array, size_t count, size_t size,
                         void (*copy)(const struct change *c, size_t first, size_t last),
                         const struct change *c) {
    enum { PAGE = 4096, PAGES = 65536 };
    static unsigned char resident[PAGES];
    const size_t pages = (count * size + PAGE - 1) / PAGE;
    size_t next = 0; /* an element may begin in the page before */
    for (size_t at = 0; at < pages; at += PAGES) {
        const size_t some = pages - at < PAGES ? pages - at : PAGES;
        if (mincore((char *)(uintptr_t)array + at * PAGE, some * PAGE, resident) != 0) {
            memset(resident, 1, sizeof resident);
        }
        for (size_t page = at; page < at + some; page++) {
            const size_t first = page * PAGE / size, last = ((page + 1) * PAGE - 1) / size + 1;
            if (resident[page - at] & 1) {
                copy(c, first > next ? first : next, last < count ? last : count);
                next = last;
            }
        }
    }
}

/* Gives the cells first..last of words to their bytes. */
static void refine_words(const struct change *c, size_t first, size_t last) {
    const struct shadow *from = c->from;
    struct shadow *to = c->to;
    for (size_t word = first; word < last; word++) {
        const size_t begin = word << WORD_SHIFT, end = (word + 1) << WORD_SHIFT;
        for (size_t byte = begin; byte < end && byte < to->bytes; byte++) {
            if (from->packed && from->packed[word].form != 0) {
                to->packed[byte] = from->packed[word];
            } else if (from->cells) {
                to->cells[byte] = from->cells[word];
            }
        }
    }
}

/* Replaces cells of a word by cells of a byte. */
static bool refine(struct shadow *s) {
    const struct shadow old = *s;
    void *array = old.packed ? (void *)old.packed : (void *)old.cells;
    const size_t size = old.packed ? sizeof *old.packed : sizeof *old.cells;
    void *fine = map(cell_count(s, 0) * size);
    if (fine == NULL) {
        return false;
    }
    s->packed = old.packed ? fine : NULL;
    s->cells = old.packed ? NULL : fine;
    s->shift = 0;
    each_touched(array, cell_count(s, WORD_SHIFT), size, refine_words,
                 &(struct change){&old, s, 0});
    munmap(array, cell_count(s, WORD_SHIFT) * size);
    return true;
}

bool shadow_cells(struct shadow *s, const void *from, size_t bytes, size_t *first, size_t *count) {
    size_t offset = (size_t)((const char *)from - s->base);
    bool words = ((offset | bytes) & 3) == 0;
    if (s->shift == WORD_SHIFT && !words && !refine(s)) {
        return false;
    }
    *first = offset >> s->shift;
    *count = bytes >> s->shift;
    return true;
}

struct shadow_cell *shadow_cell(const struct shadow *s, size_t i, uint32_t oldest,
                                struct shadow_cell *copy) {
    if (s->packed == NULL) {
        return &s->cells[i];
    }
    const struct shadow_packed packed = s->packed[i];
    if (packed.form == 0 || packed.latest < oldest) {
        *copy = (struct shadow_cell){0};
        return copy;
    }
    struct shadow_event events[EVENTS];
    memcpy(events, &shadow_forms[packed.form], sizeof events);
    for (size_t k = 0; k < EVENTS; k++) {
        const uint32_t before = events[k].segment;
        events[k].segment = before ? packed.latest - (before - 1) : 0;
    }
    memcpy(copy, events, sizeof *copy);
    return copy;
}

/* The cells of words or bytes first..last, unpacked. */
static void unpack(const struct change *c, size_t first, size_t last) {
    for (size_t i = first; i < last; i++) {
        if (c->from->packed[i].form != 0) {
            shadow_cell(c->from, i, c->oldest, &c->to->cells[i]);
        }
    }
}

/* From now on the cells themselves are kept. */
static bool keep_cells(struct shadow *s, uint32_t oldest) {
    const size_t count = cell_count(s, s->shift);
    const struct shadow old = *s;
    struct shadow_cell *cells = map(count * sizeof *cells);
    if (cells == NULL) {
        return false;
    }
    s->packed = NULL;
    s->cells = cells;
    each_touched(old.packed, count, sizeof *old.packed, unpack, &(struct change){&old, s, oldest});
    munmap(old.packed, count * sizeof *old.packed);
    return true;
}

void shadow_set_cell(struct shadow *s, size_t i, uint32_t oldest, const struct shadow_cell *cell) {
    if (s->packed) {
        struct shadow_event events[EVENTS];
        uint32_t latest = 0;
        memcpy(events, cell, sizeof events);
        for (size_t k = 0; k < EVENTS; k++) {
            latest = events[k].segment > latest ? events[k].segment : latest;
        }
        for (size_t k = 0; k < EVENTS; k++) {
            const uint32_t segment = events[k].segment;
            events[k] = segment ? (struct shadow_event){latest - segment + 1, events[k].pc}
                                : (struct shadow_event){0, 0};
        }
        struct shadow_cell form;
        memcpy(&form, events, sizeof form);
        const uint32_t number = latest ? number_of(s, &form) : 0;
        s->packed[i] = (struct shadow_packed){latest, number};
        if (latest == 0 || number != 0 || !keep_cells(s, oldest)) {
            return;
        }
    }
    if (cell != &s->cells[i]) {
        s->cells[i] = *cell;
    }
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
