#include "queue/overlap.h"

static const char *row(const struct sim_range *r, size_t i) {
    return (const char *)r->from + i * r->pitch;
}

static const char *end(const struct sim_range *r) {
    return row(r, r->rows - 1) + r->bytes;
}

/* A byte of from..to in the rows of `r`. */
static const void *in_rows(const struct sim_range *r, const char *from, const char *to) {
    size_t i = 0;
    if (r->rows > 1 && r->pitch > 0 && from > (const char *)r->from) {
        i = (size_t)(from - (const char *)r->from) / r->pitch; /* earlier rows end before `from` */
    }
    for (; i < r->rows && row(r, i) < to; i++) {
        if (row(r, i) + r->bytes > from) {
            return row(r, i) > from ? row(r, i) : from;
        }
    }
    return NULL;
}

const void *ranges_meet(const struct sim_range *a, const struct sim_range *b) {
    if ((!a->written && !b->written) || a->rows == 0 || b->rows == 0 ||
        (const char *)a->from >= end(b) || (const char *)b->from >= end(a)) {
        return NULL;
    }
    const void *found = NULL;
    for (size_t i = 0; !found && i < a->rows; i++) {
        found = in_rows(b, row(a, i), row(a, i) + a->bytes);
    }
    return found;
}

const void *range_meets_footprint(const struct sim_range *range, const struct footprint *f) {
    const void *found = NULL;
    for (size_t i = 0; f->count > 0 && !found && i < range->rows; i++) {
        found = footprint_in_range(f, row(range, i), range->bytes, range->written);
    }
    return found;
}
