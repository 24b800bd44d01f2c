#include "profile/merged_accesses.h"

#include "profile/unrolled_loops.h"

#include "sim/marks.h"

#include <stdlib.h>
#include <string.h>

#define MOST_OPEN 256 /* accesses that wait for their neighbours */
#define BUCKETS 64    /* of open accesses, by their address; a power of two */
#define LOOK_BACK 32  /* tags; an access comes just after its own */
#define WIDEST 16
#define WIDTH_MASK (UINT64_C(0xff) << EVENT_WIDTH_SHIFT)
#define REMOVED (EVENT_STORE >> 1) /* an event that a merged one contains */

bool access_tags_add(struct access_tags *tags, const struct access_tag *tag) {
    if (tags->count == tags->capacity) {
        size_t larger = tags->capacity ? tags->capacity * 2 : 256;
        struct access_tag *all = realloc(tags->all, larger * sizeof *all);
        if (all == NULL) {
            return false;
        }
        tags->all = all;
        tags->capacity = larger;
    }
    tags->all[tags->count++] = *tag;
    return true;
}

/* An access whose neighbours may still come. */
struct open_access {
    size_t event, access; /* its indices among the codes and addresses */
    uint64_t address, info;
    unsigned width;
    int before; /* the one before it in its bucket; -1: none */
    bool done;  /* it was looked at, with its neighbours */
};

struct merging {
    struct lane_stream *stream;
    struct open_access open[MOST_OPEN];
    unsigned count;
    unsigned kinds;      /* bit i: there may be open accesses of kind i */
    uint64_t window;     /* the highest of theirs */
    int bucket[BUCKETS]; /* the last open access of each, while there are any */
};

#define OF(kind) (1u << (kind))

/* Accesses of the same 16 bytes are in one bucket. */
static unsigned bucket_of(uint64_t address) {
    return address / WIDEST & (BUCKETS - 1);
}

static void open_access(struct merging *m, struct open_access access) {
    if (m->count == 0) {
        memset(m->bucket, -1, sizeof m->bucket);
        m->kinds = 0;
        m->window = 0;
    }
    m->kinds |= OF(SIM_TAG_KIND(access.info));
    if (SIM_TAG_WINDOW(access.info) > m->window) {
        m->window = SIM_TAG_WINDOW(access.info);
    }
    int *last = &m->bucket[bucket_of(access.address)];
    access.before = *last;
    *last = (int)m->count;
    m->open[m->count++] = access;
}

/* Which parts of an aligned piece of memory are accessed. */
struct piece {
    unsigned count, width;                  /* of the parts */
    const struct open_access *part[WIDEST]; /* the lane's first access; NULL: there is none */
};

/* Turns the accesses of `count` parts from `begin` on into one, in the place of the first. */
static void make_one(struct merging *m, const struct piece *p, unsigned begin, unsigned count) {
    const struct open_access *one = NULL;
    for (unsigned i = begin; i < begin + count; i++) {
        if (p->part[i] != NULL && (one == NULL || p->part[i]->event < one->event)) {
            one = p->part[i];
        }
    }
    const uint64_t width = (uint64_t)count * p->width;
    const uint64_t start = one->address & ~(width - 1);
    for (int i = m->bucket[bucket_of(start)]; i >= 0; i = m->open[i].before) {
        const struct open_access *a = &m->open[i];
        if (a->info == one->info && a->width == p->width && a->address - start < width) {
            m->stream->codes[a->event] |= REMOVED;
        }
    }
    uint64_t *code = &m->stream->codes[one->event];
    *code = (*code & ~(WIDTH_MASK | REMOVED)) | width << EVENT_WIDTH_SHIFT;
    m->stream->addresses[one->access] = start;
}

static unsigned accessed(const struct piece *p, unsigned begin, unsigned count) {
    unsigned found = 0;
    for (unsigned i = begin; i < begin + count; i++) {
        found += p->part[i] != NULL;
    }
    return found;
}

/* Loads of words of 4 or 8 bytes. */
static void merge_words(struct merging *m, const struct piece *p, bool shared) {
    if (p->count == 4 && accessed(p, 0, 4) >= 3 && (shared || p->part[0] != NULL)) {
        make_one(m, p, 0, 4);
        return;
    }
    for (unsigned i = 0; i + 1 < p->count; i += 2) {
        if (accessed(p, i, 2) == 2) {
            make_one(m, p, i, 2);
        }
    }
}

/* Loads of fields of 1 or 2 bytes. */
static void merge_fields(struct merging *m, const struct piece *p, unsigned begin, unsigned count) {
    if (count < 2) {
        return;
    }
    if (p->part[begin] == NULL) {
        merge_fields(m, p, begin, count / 2);
        merge_fields(m, p, begin + count / 2, count / 2);
        return;
    }
    unsigned last = count - 1, size = 1;
    while (p->part[begin + last] == NULL) {
        last--;
    }
    while (size <= last) {
        size *= 2;
    }
    if (size > 1) {
        make_one(m, p, begin, size);
    }
}

static void merge_stores(struct merging *m, const struct piece *p, unsigned begin, unsigned count) {
    if (count < 2) {
        return;
    }
    if (accessed(p, begin, count) == count) {
        make_one(m, p, begin, count);
        return;
    }
    merge_stores(m, p, begin, count / 2);
    merge_stores(m, p, begin + count / 2, count / 2);
}

/* Merges an open access and its neighbours. */
static void merge_around(struct merging *m, const struct open_access *first) {
    const uint64_t size = SIM_TAG_ALIGNED(first->info);
    const uint64_t start = first->address & ~(size - 1);
    struct piece piece = {.count = (unsigned)size / first->width, .width = first->width};
    for (int i = m->bucket[bucket_of(start)]; i >= 0; i = m->open[i].before) {
        struct open_access *a = &m->open[i];
        if (a->info == first->info && a->width == first->width && a->address - start < size) {
            piece.part[(a->address - start) / first->width] = a; /* in the end the first one */
            a->done = true;
        }
    }
    const unsigned kind = SIM_TAG_KIND(first->info);
    const bool shared = kind == SIM_TAG_SHARED || kind == SIM_TAG_SHARED_STORE;
    if (shared && piece.width < 4) {
        return;
    }
    if (kind == SIM_TAG_SHARED_STORE || kind == SIM_TAG_GLOBAL_STORE) {
        merge_stores(m, &piece, 0, piece.count);
    } else if (piece.width >= 4) {
        merge_words(m, &piece, shared);
    } else {
        merge_fields(m, &piece, 0, piece.count);
    }
}

/* Which accesses have no more neighbours: those of windows above `window`, of the kinds of `kinds`
 * (bit i: kind i). */
struct ended {
    uint64_t window;
    unsigned kinds;
};

static const struct ended everything = {0, ~0u};

static bool has_ended(const struct open_access *a, struct ended ended) {
    return SIM_TAG_WINDOW(a->info) > ended.window && (ended.kinds >> SIM_TAG_KIND(a->info) & 1);
}

/* Merges the open accesses that have ended, and forgets them. */
static void end(struct merging *m, struct ended ended) {
    const unsigned count = m->count;
    if (count == 0 || !(m->kinds & ended.kinds) || m->window <= ended.window) {
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!m->open[i].done && has_ended(&m->open[i], ended)) {
            merge_around(m, &m->open[i]);
        }
    }
    m->count = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!has_ended(&m->open[i], ended)) {
            open_access(m, m->open[i]);
        }
    }
}

/* The tags before an event whose accesses have not come yet: the last ones. */
struct pending {
    const struct access_tag *tag[LOOK_BACK];
    unsigned count;
};

static void expect(struct pending *p, const struct access_tag *tag) {
    if (p->count == LOOK_BACK) {
        p->count--;
        memmove(p->tag, p->tag + 1, p->count * sizeof *p->tag);
    }
    p->tag[p->count++] = tag;
}

/* The tag of an access, which is used up; 0 if there is none. */
static uint64_t take_tag(struct pending *p, uint64_t address, bool store) {
    for (unsigned i = p->count; i > 0; i--) {
        const struct access_tag *tag = p->tag[i - 1];
        if (tag->address == address && store == (SIM_TAG_KIND(tag->info) >= SIM_TAG_SHARED_STORE)) {
            p->count--;
            memmove(p->tag + i - 1, p->tag + i, (p->count + 1 - i) * sizeof *p->tag);
            return tag->info;
        }
    }
    return 0;
}

/* An unrolled loop: its first rounds are copies in one block, four or two at a time. */
struct unrolled {
    uint32_t loop;
    size_t end; /* the first event after it; 0: there is no such loop */
    size_t round, whole;
};

/* A round of a loop begins at an event: does a basic block of nvcc's begin there? */
static bool begins_block(struct unrolled *u, const struct lane_stream *s, size_t at) {
    const uint64_t event = s->codes[at];
    const unsigned how = SIM_ARM_OF(event);
    const size_t copies = how & SIM_BY_TWO ? 2 : 4;
    if (!(how & SIM_UNROLLED) || !(how & SIM_REMAINDER_LAST)) {
        return true;
    }
    if (at < u->end && u->loop == SIM_NUMBER_OF(event)) {
        u->round++;
        return u->round >= u->whole || u->round % copies == 0;
    }
    size_t rounds, length = unrolled_rounds(s->codes + at, s->code_count - at, &rounds);
    *u = (struct unrolled){SIM_NUMBER_OF(event), at + length, 0, rounds - rounds % copies};
    return true;
}

static void pass_mark(struct merging *m, struct unrolled *u, size_t at) {
    const uint64_t event = m->stream->codes[at];
    switch (SIM_KIND_OF(event)) {
    case SIM_MARK_FUNCTION:
    case SIM_MARK_RETURN:
        end(m, everything);
        break;
    case SIM_MARK_LOOP:
        if (begins_block(u, m->stream, at)) {
            end(m, (struct ended){SIM_NUMBER_OF(event), ~0u});
        }
        break;
    default:
        break;
    }
}

/* What an access ends. */
static unsigned ended_by(bool store, bool shared, uint64_t info) {
    if (!store) {
        if (SIM_TAG_KIND(info) == SIM_TAG_READ_ONLY) {
            return 0;
        }
        return OF(shared ? SIM_TAG_SHARED_STORE : SIM_TAG_GLOBAL_STORE);
    }
    unsigned loads = OF(shared ? SIM_TAG_SHARED : SIM_TAG_GLOBAL);
    return info != 0 ? loads : loads | OF(shared ? SIM_TAG_SHARED_STORE : SIM_TAG_GLOBAL_STORE);
}

/* Removes from a stream what merged accesses contain. */
static void remove_merged(struct lane_stream *s) {
    size_t codes = 0, addresses = 0, access = 0;
    for (size_t i = 0; i < s->code_count; i++) {
        const uint64_t code = s->codes[i];
        const bool is_access = !SIM_IS_MARK(code);
        if (is_access && code & REMOVED) {
            access++;
            continue;
        }
        s->codes[codes++] = code;
        if (is_access) {
            s->addresses[addresses++] = s->addresses[access++];
        }
    }
    s->code_count = codes;
    s->address_count = addresses;
}

void merge_accesses(struct lane_stream *stream, struct access_tags *tags, uint64_t from,
                    uint64_t to) {
    struct merging m;
    m.stream = stream;
    m.count = 0;
    struct unrolled unrolled = {.end = 0};
    struct pending pending = {.count = 0};
    size_t access = 0, tag = 0;
    for (size_t i = 0; i < stream->code_count; i++) {
        const uint64_t code = stream->codes[i];
        for (; tag < tags->count && tags->all[tag].event <= i; tag++) {
            expect(&pending, &tags->all[tag]);
        }
        if (SIM_IS_MARK(code)) {
            pass_mark(&m, &unrolled, i);
            continue;
        }
        const uint64_t address = stream->addresses[access];
        const bool store = code & EVENT_STORE, shared = address >= from && address < to;
        const uint64_t info = take_tag(&pending, address, store);
        end(&m, (struct ended){0, ended_by(store, shared, info)});
        if (info != 0) {
            if (m.count == MOST_OPEN) {
                end(&m, everything);
            }
            open_access(&m, (struct open_access){.event = i,
                                                 .access = access,
                                                 .address = address,
                                                 .info = info,
                                                 .width = event_width(code)});
        }
        access++;
    }
    end(&m, everything);
    remove_merged(stream);
    tags->count = 0;
}
