#include "texture/texture.h"

#include "base/errors.h"

#include <stdlib.h>

/* Objects lie in blocks that never move: a kernel reads the table without a lock. A handle is the
 * number of the object's place, and above it a count of the objects that had this place. The place
 * of a destroyed object is used again once there are many. */
enum { BLOCK = 256, BLOCKS = 4096, PLACE_BITS = 20, QUARANTINE = 4096 };

static struct sim_texture *blocks[BLOCKS];
static unsigned places;
static unsigned destroyed[QUARANTINE]; /* places, the oldest at `first` */
static unsigned first, waiting;

static struct sim_texture *at_place(unsigned place) {
    return &blocks[place / BLOCK][place % BLOCK];
}

struct sim_texture *sim_texture_of(unsigned long long handle) {
    unsigned place = (unsigned)(handle & ((1u << PLACE_BITS) - 1)) - 1; /* 0 is no object */
    if (place >= places) {
        return NULL;
    }
    struct sim_texture *t = at_place(place);
    return t->number == handle ? t : NULL;
}

struct sim_texture *sim_texture_add(int role, struct sim_location location) {
    unsigned place = places;
    unsigned long long number = place + 1;
    if (waiting == QUARANTINE) {
        place = destroyed[first];
        first = (first + 1) % QUARANTINE;
        waiting--;
        number = at_place(place)->number + (1ull << PLACE_BITS);
    } else if (place / BLOCK >= BLOCKS - 1) {
        return NULL;
    } else if (!blocks[place / BLOCK]) {
        struct sim_texture *block = calloc(BLOCK, sizeof *block);
        if (!block) {
            return NULL;
        }
        blocks[place / BLOCK] = block;
    }
    *at_place(place) = (struct sim_texture){.role = role, .location = location, .number = number};
    places += place == places;
    return at_place(place);
}

void sim_texture_destroy(struct sim_texture *t, struct sim_location location) {
    t->destroyed = true;
    t->destroyed_at = location;
    if (waiting < QUARANTINE) {
        destroyed[(first + waiting++) % QUARANTINE] =
            (unsigned)(t->number & ((1u << PLACE_BITS) - 1)) - 1;
    }
}

void sim_textures_forget(void) {
    for (unsigned place = 0; place < places; place++) {
        at_place(place)->destroyed = true;
    }
}

void sim_report_textures(void) {
    for (unsigned place = 0; place < places; place++) {
        const struct sim_texture *t = at_place(place);
        if (t->destroyed || t->is_reference) {
            continue;
        }
        sim_report_leak(t->role == TEXTURE_SURFACE ? FOUND_LEAK_OF_SURFACE : FOUND_LEAK_OF_TEXTURE,
                        t->location);
    }
}
