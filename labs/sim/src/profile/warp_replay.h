/* From the separate runs of 32 lanes to the memory instructions of their warp.
 *
 * Each lane leaves a stream of events: the marks of the source that it passed and the accesses that
 * it made. Where the streams agree, the k-th accesses are one instruction of the warp. Where they
 * diverge, the lanes are replayed in lockstep in the order of lane_position.h: the earliest
 * position goes first, and lanes at the same position go together. Between two marks there is no
 * loop, so there an access that no other lane of the position is still to make goes first. */
#pragma once

#include "exec/lane_position.h"
#include "profile/access_cost.h"
#include "sim/marks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event is a code: SIM_MARK() of sim/marks.h, or an access with its program counter in the low
 * 32 bits. */
#define EVENT_STORE (UINT64_C(1) << 62)
#define EVENT_ATOMIC (UINT64_C(1) << 61)    /* counted only for a prediction */
#define EVENT_TEXTURE (UINT64_C(1) << 60)   /* through a texture or a surface */
#define EVENT_UNCOUNTED (UINT64_C(1) << 59) /* only for a recording: trace/steps.h */
#define EVENT_WIDTH_SHIFT 32                /* 8 bits: bytes, 1 to 16 */
#define EVENT_PIECE_SHIFT 40                /* 8 bits: which piece of a larger copy */

static inline uint64_t event_access(uint32_t pc, unsigned width, bool store, unsigned piece) {
    return pc | (uint64_t)width << EVENT_WIDTH_SHIFT | (uint64_t)piece << EVENT_PIECE_SHIFT |
           (store ? EVENT_STORE : 0);
}

static inline unsigned event_width(uint64_t code) {
    return code >> EVENT_WIDTH_SHIFT & 0xff;
}

/* What one lane did since the last replay: codes, and an address for each code that is an access.
 * Both arrays have room for `capacity` elements, until the process ends. */
struct lane_stream {
    uint64_t *codes, *addresses;
    size_t code_count, address_count, capacity;
};

/* Makes room for more and appends a mark, or an access; false when out of memory. */
bool lane_stream_mark_after_growth(struct lane_stream *s, uint64_t mark);
bool lane_stream_access_after_growth(struct lane_stream *s, uint64_t code, uint64_t address);

/* Appends an event; false when out of memory. Inline, because recording spends most of its time
 * here. */
static inline bool lane_stream_mark(struct lane_stream *s, uint64_t mark) {
    if (s->code_count + 1 >= s->capacity) {
        return lane_stream_mark_after_growth(s, mark);
    }
    s->codes[s->code_count++] = mark;
    return true;
}

static inline bool lane_stream_access(struct lane_stream *s, uint64_t code, uint64_t address) {
    if (s->code_count + 1 >= s->capacity) {
        return lane_stream_access_after_growth(s, code, address);
    }
    s->codes[s->code_count++] = code;
    s->addresses[s->address_count++] = address;
    return true;
}

/* Called for every warp instruction, in the order of the replay. */
typedef void replay_emit(void *context, uint64_t code, const struct warp_access *access);

/* Replays the lanes of `lanes` (bit i: streams[i], positions[i]), advances their positions and
 * empties their streams. */
void replay_warp(struct lane_stream streams[WARP_LANES], struct lane_position positions[WARP_LANES],
                 uint32_t lanes, replay_emit *emit, void *context);

/* While `emit` runs: the construct of the source (the number of its marks) that keeps a lane from
 * the instruction, because it took another arm or another round. 0: not known; REPLAY_ENDED: the
 * lane has done all that its stream holds. */
#define REPLAY_ENDED UINT32_MAX
uint32_t replay_apart(unsigned lane, unsigned active);
