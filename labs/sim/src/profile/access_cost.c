#include "profile/access_cost.h"

#define BANKS 32
#define SECTOR_SHIFT 5
#define WORD_SHIFT 2
#define LINE_SHIFT 7

static unsigned lowest_lane(const struct warp_access *a) {
    return (unsigned)__builtin_ctz(a->active);
}

static bool is_at_stride(const struct warp_access *a, uint64_t stride) {
    const unsigned first = lowest_lane(a);
    const uint64_t start = a->address[first];
    if (a->active == UINT32_MAX) { /* without an early exit, so that compilers vectorize the loop */
        if (a->address[1] - start != stride) {
            return false;
        }
        uint64_t different = 0;
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            different |= a->address[lane] ^ (start + lane * stride);
        }
        return different == 0;
    }
    for (uint32_t left = a->active & (a->active - 1); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (a->address[lane] != start + (lane - first) * stride) {
            return false;
        }
    }
    return true;
}

/* Do all 32 lanes access address[0] + lane * stride? */
static bool all_at_stride(const struct warp_access *a, uint64_t stride) {
    return a->active == UINT32_MAX && is_at_stride(a, stride);
}

/* The number of distinct values of address >> shift over the active lanes. */
static unsigned distinct_blocks(const struct warp_access *a, unsigned shift) {
    uint64_t blocks[WARP_LANES * 5]; /* 16 bytes at an odd address touch 5 words */
    uint64_t lowest = UINT64_MAX, highest = 0;
    unsigned count = 0;
    for (uint32_t left = a->active; left; left &= left - 1) {
        uint64_t address = a->address[__builtin_ctz(left)];
        uint64_t last = (address + a->width - 1) >> shift;
        for (uint64_t block = address >> shift; block <= last; block++) {
            unsigned i = count;
            if (block >= lowest && block <= highest) { /* usually the last one */
                while (i > 0 && blocks[i - 1] != block) {
                    i--;
                }
            } else {
                i = 0;
            }
            if (i == 0) {
                lowest = block < lowest ? block : lowest;
                highest = block > highest ? block : highest;
                blocks[count++] = block;
            }
        }
    }
    return count;
}

bool sector_range(const struct warp_access *a, struct sector_range *range) {
    const unsigned lowest = lowest_lane(a), highest = 31 - (unsigned)__builtin_clz(a->active);
    const uint32_t above = a->active >> lowest;
    const uint64_t first = a->address[lowest], last = a->address[highest] + a->width - 1;
    const bool has_no_gap = (above & (above + 1)) == 0;
    if (!(has_no_gap && is_at_stride(a, a->width)) &&
        !(a->address[highest] == first && is_at_stride(a, 0))) {
        return false;
    }
    range->first = first >> SECTOR_SHIFT;
    range->count = (unsigned)((last >> SECTOR_SHIFT) - range->first + 1);
    return true;
}

unsigned cost_sectors(const struct warp_access *a) {
    struct sector_range range;
    return sector_range(a, &range) ? range.count : cost_scattered_sectors(a);
}

unsigned cost_scattered_sectors(const struct warp_access *a) {
    return distinct_blocks(a, SECTOR_SHIFT);
}

unsigned cost_l1_wavefronts(const struct warp_access *a, unsigned sectors) {
    const unsigned lines = distinct_blocks(a, LINE_SHIFT);
    const unsigned least = sectors / 4 > lines - 1 ? sectors / 4 : lines - 1;
    return least > 1 ? least : 1;
}

unsigned cost_same_address(const struct warp_access *a) {
    unsigned most = 0;
    for (uint32_t left = a->active; left; left &= left - 1) {
        const uint64_t address = a->address[__builtin_ctz(left)];
        unsigned count = 0;
        for (uint32_t others = left; others; others &= others - 1) {
            count += a->address[__builtin_ctz(others)] == address;
        }
        most = count > most ? count : most;
    }
    return most;
}

unsigned cost_constant_words(const struct warp_access *a) {
    if ((a->address[lowest_lane(a)] & 3) == 0 && all_at_stride(a, 0)) {
        return 1;
    }
    const unsigned words_per_lane = a->width < 4 ? 1 : a->width / 4; /* that one lane reads */
    return (distinct_blocks(a, WORD_SHIFT) + words_per_lane - 1) / words_per_lane;
}

/* Does every active lane have the address of lane ^ distance, where that one is active? */
static bool pairs_agree(const struct warp_access *a, unsigned distance) {
    for (uint32_t left = a->active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        unsigned other = lane ^ distance;
        if ((a->active >> other & 1u) && a->address[lane] != a->address[other]) {
            return false;
        }
    }
    return true;
}

static unsigned phase_count(const struct warp_access *a, bool load) {
    if (a->width <= 4) {
        return 1;
    }
    unsigned phases = a->width / 4;
    if (load && (pairs_agree(a, 1) || pairs_agree(a, 2))) {
        phases /= 2;
    }
    return phases;
}

/* The largest number of distinct words in one bank over the lanes of `lanes`. */
static unsigned deepest_bank(const struct warp_access *a, uint32_t lanes) {
    uint64_t words[BANKS][WARP_LANES];
    uint64_t highest[BANKS]; /* of the bank's words */
    uint8_t depth[BANKS] = {0};
    unsigned deepest = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t address = a->address[__builtin_ctz(left)];
        uint64_t last = (address + a->width - 1) >> WORD_SHIFT;
        for (uint64_t word = address >> WORD_SHIFT; word <= last; word++) {
            unsigned bank = (unsigned)(word % BANKS);
            unsigned i = depth[bank];
            if (i > 0 && word > highest[bank]) {
                i = 0;
            }
            while (i > 0 && words[bank][i - 1] != word) {
                i--;
            }
            if (i == 0) {
                highest[bank] = depth[bank] && highest[bank] > word ? highest[bank] : word;
                words[bank][depth[bank]++] = word;
                deepest = depth[bank] > deepest ? depth[bank] : deepest;
            }
        }
    }
    return deepest;
}

static uint32_t phase_lanes(const struct warp_access *a, unsigned phase, unsigned phases) {
    unsigned lanes = WARP_LANES / phases;
    uint32_t mask = lanes == WARP_LANES ? UINT32_MAX : ((1u << lanes) - 1) << (phase * lanes);
    return a->active & mask;
}

unsigned cost_wavefronts(const struct warp_access *a, bool load) {
    if ((a->address[lowest_lane(a)] & (a->width - 1)) == 0) { /* the width is a power of two */
        if (all_at_stride(a, a->width)) {
            return a->width <= 4 ? 1 : a->width / 4;
        }
        if (a->width <= 4 && all_at_stride(a, 0)) {
            return 1;
        }
    }
    unsigned phases = phase_count(a, load);
    unsigned sum = 0;
    for (unsigned phase = 0; phase < phases; phase++) {
        sum += deepest_bank(a, phase_lanes(a, phase, phases));
    }
    return sum;
}

unsigned cost_ideal_wavefronts(const struct warp_access *a, bool load) {
    unsigned phases = phase_count(a, load);
    unsigned used = phases == 1;
    for (unsigned phase = 0; phases > 1 && phase < phases; phase++) {
        used += phase_lanes(a, phase, phases) != 0;
    }
    return used;
}
