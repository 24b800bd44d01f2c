#include "profile/profile.h"

#include "base/options.h"
#include "base/record.h"
#include "evidence/json.h"
#include "exec/address_space.h"
#include "exec/shared.h"
#include "memory/allocations.h"
#include "profile/block_sample.h"
#include "profile/passes.h"
#include "profile/result_owners.h"
#include "profile/sector_set.h"
#include "profile/warp_replay.h"
#include "profile/worst_access.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Accesses of a block's warps, so many that 16 such blocks take more than a second. */
#define MUCH_FOR_A_BLOCK 100000

static const char *const space_names[] = {"global", "shared", "constant", "texture", "unknown"};

/* The counters of one site. handouts/simulator.md defines them and gives the names in Nsight
 * Compute. Each sum is weighted by the number of blocks that a counted block stands for, times
 * sample_divisor(). */
struct site {
    uint64_t code;
    enum profile_space space;
    uint64_t requests, lanes, sectors, new_sectors, wavefronts, words;
    uint64_t ideal;         /* wavefronts of shared memory; of global memory: places() */
    uint64_t again;         /* bytes that the launch had stored before */
    uint64_t l1_wavefronts; /* this and the next three are only for a prediction */
    uint64_t block_sectors; /* that the block had not accessed before */
    uint64_t from, to;      /* the addresses between which it is */
};

/* The sites of the launch in the order of their first access, and a hash table of them. */
static struct {
    struct site *sites;
    uint32_t *slots; /* 1 + an index into `sites`; 0: free */
    uint32_t count, capacity;
    uint32_t slot_count; /* a power of two, four times `capacity` */
} table;

static struct sector_set touched;
static struct sector_set touched_by_block; /* by its loads */
static struct sector_set stored;           /* by the launch, with bytes in place of sectors */
static struct {
    double weights, sum, squares, most; /* how many, their passes, and these squared */
} of_blocks;
static uint64_t weight;         /* of the running block */
static uint64_t block_accesses; /* of its warps */
static unsigned blocks_begun;   /* of those that are counted */
static unsigned launch;
static bool is_counted; /* the launch that runs */

static struct profile_block running; /* block */
static unsigned warp;                /* of it: the one that is counted */

/* Blocks and threads of the launch, weighted as the sums of a site. An idle block has stored
 * nothing to global memory. */
static struct {
    uint64_t idle_blocks, storing_threads;
    uint64_t received;  /* values from the block's memory or its lanes, at most MANY a thread */
    uint64_t exchanges; /* values that lanes got from others */
    unsigned covers[3]; /* the grid without the idle blocks at its ends */
    uint32_t accessed[SIM_MAX_THREADS / WARP_LANES]; /* memory, in one block at least */
    bool shares_memory; /* it accesses memory that the host can access, too */
} work;

/* The spaces that were looked up last in the launch. */
enum { KEPT_SPACES = 4 };
static struct {
    struct address_space space[KEPT_SPACES];
    unsigned turn;
} looked_up;

/* Is the launch one too many? Of a loop that launches kernels forever, or a million times, the
 * first ones are enough: nobody could read, or keep, the counters of all. A graded run needs the
 * rest of its evidence for what it finds and for its end; a check of counters looks for this
 * finding. */
static bool is_beyond(const struct sim_config *config) {
    const bool has_room = launch < MOST_LAUNCHES && evidence_left() > EVIDENCE_MOST / 4;
    if (has_room || sim_options.profile == NULL) {
        return false;
    }
    sim_report_once(&(struct sim_finding){.found = FOUND_NOT_COUNTED,
                                          .severity = "note",
                                          .kernel = config->kernel,
                                          .location = {config->file, config->line},
                                          .value = launch});
    sim_options.profile = NULL;
    return true;
}

bool profile_begin(const struct sim_config *config) {
    if (table.slots) {
        memset(table.slots, 0, table.slot_count * sizeof *table.slots);
    }
    table.count = 0;
    memset(&work, 0, sizeof work);
    memset(&looked_up, 0, sizeof looked_up);
    results_begin(launch);
    worst_access_begin();
    sectors_release(&touched);
    sectors_release(&touched_by_block);
    sectors_release(&stored);
    passes_begin();
    memset(&of_blocks, 0, sizeof of_blocks);
    blocks_begun = 0;
    sample_begin(&config->grid, sim_options.sample);
    /* The steps before a case are there to be run, not to be counted. */
    is_counted = sim_step() < 0 && !is_beyond(config) && sim_options.profile != NULL;
    return is_counted;
}

bool profile_begin_block(const uint3 *index) {
    weight = sample_weight(index);
    memset(&running, 0, sizeof running);
    blocks_begun += weight != 0;
    block_accesses = 0;
    return weight != 0;
}

bool profile_counts_block(const uint3 *block) {
    return sample_weight(block) != 0;
}

void profile_end_warp(void) {
    running.passes += passes_end_warp(weight);
}

struct profile_block profile_block_parks(void) {
    return running;
}

void profile_block_resumes(const uint3 *index, const struct profile_block *kept) {
    weight = sample_weight(index);
    running = *kept;
}

void profile_stores(unsigned thread) {
    running.stored[thread / WARP_LANES] |= 1u << thread % WARP_LANES;
    running.accessed[thread / WARP_LANES] |= 1u << thread % WARP_LANES;
}

void profile_begin_warp(unsigned first) {
    warp = first / WARP_LANES;
}

/* How many threads access no memory in any block, and which is the first of them. */
static unsigned idle_threads(const struct sim_config *c, unsigned *first) {
    const unsigned threads = c->block.x * c->block.y * c->block.z;
    unsigned idle = 0;
    for (unsigned i = threads; i-- > 0;) {
        if (!(work.accessed[i / WARP_LANES] >> i % WARP_LANES & 1)) {
            *first = i;
            idle++;
        }
    }
    return idle;
}

/* A thread that computes gets more values than one that only copies results from shared memory,
 * which counts as a part of one: so do many threads that share the sum of one result. */
enum { MANY = 16 };

/* The lanes of the warp that begins with thread `first` each get a value. */
static void receive(unsigned first, uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) {
        uint8_t *received = &running.received[first + (unsigned)__builtin_ctz(lanes)];
        if (*received < MANY) {
            (*received)++;
        }
    }
}

void profile_exchange(unsigned first, uint32_t lanes) {
    work.exchanges += weight * (unsigned)__builtin_popcount(lanes);
    receive(first, lanes);
}

static void count_work(const uint3 *index) {
    const unsigned at[3] = {index->x, index->y, index->z};
    for (unsigned i = 0; i < SIM_MAX_THREADS; i++) {
        work.received += weight * running.received[i];
    }
    unsigned storing = 0;
    for (unsigned i = 0; i < SIM_MAX_THREADS / WARP_LANES; i++) {
        storing += (unsigned)__builtin_popcount(running.stored[i]);
        work.accessed[i] |= running.accessed[i];
    }
    if (storing == 0) {
        work.idle_blocks += weight;
        return;
    }
    work.storing_threads += weight * storing;
    for (unsigned i = 0; i < 3; i++) {
        work.covers[i] = at[i] >= work.covers[i] ? at[i] + 1 : work.covers[i];
    }
}

void profile_end_block(const uint3 *index) {
    count_work(index);
    if (!sim_options.predict) {
        return;
    }
    const double passes = (double)running.passes;
    of_blocks.weights += (double)weight;
    of_blocks.sum += (double)weight * passes;
    of_blocks.squares += (double)weight * passes * passes;
    of_blocks.most = fmax(of_blocks.most, passes);
    sectors_release(&touched_by_block);
    if (blocks_begun == 1 && block_accesses > MUCH_FOR_A_BLOCK) {
        sample_fewer();
    }
}

static inline bool is_in(const struct address_space *s, uint64_t address) {
    return address - (uintptr_t)s->from < (uintptr_t)s->to - (uintptr_t)s->from;
}

static __attribute__((noinline)) const struct address_space *look_up(const struct worker *w,
                                                                     uint64_t address) {
    struct address_space *s = looked_up.space;
    unsigned i = 0;
    while (i < KEPT_SPACES && !is_in(&s[i], address)) {
        i++;
    }
    if (i == KEPT_SPACES) {
        i = looked_up.turn++ % KEPT_SPACES;
        s[i] = sim_space_of(w, (const char *)(uintptr_t)address);
        work.shares_memory |= s[i].is_shared_with_host;
    }
    return &s[i];
}

/* Are the addresses of all active lanes in it? */
static inline __attribute__((always_inline)) bool holds_all(const struct address_space *s,
                                                            const struct warp_access *a) {
    const uint64_t from = (uintptr_t)s->from, last = (uintptr_t)s->to - 1;
    uint64_t outside = 0;          /* its highest bit: a difference is below 0 */
    if (a->active == UINT32_MAX) { /* without an early exit, so that compilers vectorize the loop */
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            outside |= (a->address[lane] - from) | (last - a->address[lane]);
        }
        return outside >> 63 == 0;
    }
    for (uint32_t left = a->active; left; left &= left - 1) {
        const uint64_t at = a->address[__builtin_ctz(left)];
        outside |= (at - from) | (last - at);
    }
    return outside >> 63 == 0;
}

static enum profile_space space_of(const struct worker *w, uint64_t address) {
    switch (look_up(w, address)->memory) {
    case SIM_MEMORY_SHARED:
        return PROFILE_SHARED;
    case SIM_MEMORY_CONSTANT:
        return PROFILE_CONSTANT;
    case SIM_MEMORY_GLOBAL:
        return PROFILE_GLOBAL;
    case SIM_MEMORY_LOCAL:
        return PROFILE_LOCAL;
    default:
        return PROFILE_UNKNOWN;
    }
}

/* Where the lanes' addresses are in several objects. */
static __attribute__((noinline)) struct profile_request
mixed_request(const struct worker *w, const struct warp_access *access, uint32_t lanes) {
    uint32_t of[PROFILE_SPACES] = {0};
    for (uint32_t left = access->active; left; left &= left - 1) {
        of[space_of(w, access->address[__builtin_ctz(left)])] |= left & -left;
    }
    if ((of[PROFILE_CONSTANT] | of[PROFILE_LOCAL]) != access->active) {
        of[PROFILE_GLOBAL] |= of[PROFILE_CONSTANT];
        of[PROFILE_CONSTANT] = 0;
    }
    enum profile_space space = PROFILE_GLOBAL;
    while (!(of[space] & lanes & -lanes)) {
        space++;
    }
    return (struct profile_request){space, of[space] & lanes};
}

struct profile_request profile_request(const struct worker *w, uint64_t code,
                                       const struct warp_access *access, uint32_t lanes) {
    static const struct address_space *last = looked_up.space;
    if (code & EVENT_TEXTURE) {
        return (struct profile_request){PROFILE_TEXTURE, lanes};
    }
    const uint64_t first = access->address[__builtin_ctz(lanes)];
    last = is_in(last, first) ? last : look_up(w, first);
    if (lanes == access->active && holds_all(last, access)) {
        return (struct profile_request){space_of(w, first), lanes};
    }
    return mixed_request(w, access, lanes);
}

/* The slot of a site in the table, or the free slot where it belongs. */
static uint32_t *slot_of(uint64_t code, enum profile_space space) {
    uint64_t slot = (code * UINT64_C(0x9e3779b97f4a7c15) >> 40) + (uint64_t)space;
    for (;; slot++) {
        uint32_t *entry = &table.slots[slot & (table.slot_count - 1)];
        if (*entry == 0 ||
            (table.sites[*entry - 1].code == code && table.sites[*entry - 1].space == space)) {
            return entry;
        }
    }
}

static bool grow(void) {
    uint32_t capacity = table.capacity ? table.capacity * 2 : 128;
    struct site *sites = realloc(table.sites, capacity * sizeof *sites);
    table.sites = sites ? sites : table.sites;
    uint32_t *slots = calloc((size_t)capacity * 4, sizeof *slots);
    if (sites == NULL || slots == NULL) {
        free(slots);
        return false;
    }
    free(table.slots);
    table.slots = slots;
    table.capacity = capacity;
    table.slot_count = capacity * 4;
    for (uint32_t i = 0; i < table.count; i++) {
        *slot_of(sites[i].code, sites[i].space) = i + 1;
    }
    return true;
}

/* The site of an instruction and a memory space (a generic pointer may reach several), created if
 * it is new; NULL when out of memory. */
static inline __attribute__((always_inline)) struct site *find(uint64_t code,
                                                               enum profile_space space) {
    if (table.count == table.capacity && !grow()) {
        return NULL;
    }
    uint32_t *slot = slot_of(code, space);
    if (*slot == 0) {
        table.sites[table.count++] =
            (struct site){.code = code, .space = space, .from = UINT64_MAX};
        *slot = table.count;
    }
    return &table.sites[*slot - 1];
}

/* Counts the bytes of a store that the launch has stored before. */
static bool count_stored(struct site *site, const struct warp_access *access) {
    if (!results_store(access, weight)) {
        return false;
    }
    struct sector_range bytes = {0, 0}; /* neighbouring lanes mostly store neighbouring bytes */
    for (uint32_t left = access->active; left; left &= left - 1) {
        const uint64_t at = access->address[__builtin_ctz(left)];
        const bool follows = bytes.count > 0 && at == bytes.first + bytes.count;
        bytes.count += follows ? access->width : 0;
        if (!follows) {
            unsigned fresh;
            if (!sectors_add_range(&stored, bytes, &fresh)) {
                return false;
            }
            site->again += weight * (bytes.count - fresh);
            bytes = (struct sector_range){at, access->width};
        }
    }
    unsigned fresh;
    const bool added = sectors_add_range(&stored, bytes, &fresh);
    site->again += added ? weight * (bytes.count - fresh) : 0;
    return added;
}

/* What a prediction needs of an access of global memory. A store does not stay in the L1 cache. */
static bool count_for_prediction(struct site *site, const struct warp_access *access,
                                 unsigned cost) {
    unsigned fresh = cost;
    site->l1_wavefronts += weight * cost_l1_wavefronts(access, cost);
    if (sim_options.sample == 1) { /* the other blocks are somewhere in the same memory */
        const struct sim_allocation *owner =
            sim_owner((const char *)(uintptr_t)access->address[__builtin_ctz(access->active)]);
        if (owner) {
            site->from = (uint64_t)(uintptr_t)owner->base;
            site->to = site->from + owner->bytes;
        }
    }
    for (uint32_t left = access->active; left; left &= left - 1) {
        uint64_t at = access->address[__builtin_ctz(left)];
        site->from = at < site->from ? at : site->from;
        site->to = at + access->width > site->to ? at + access->width : site->to;
    }
    if (!(site->code & EVENT_STORE) && !sectors_add(&touched_by_block, access, &fresh)) {
        return false;
    }
    site->block_sectors += weight * fresh;
    return true;
}

/* The lanes of an access, but no more than its sectors have room for: other lanes read the same. */
static unsigned places(const struct warp_access *access, unsigned sectors) {
    const unsigned lanes = (unsigned)__builtin_popcount(access->active);
    const unsigned room = sectors * 32 / access->width;
    return lanes < room ? lanes : room;
}

/* As much as so many lanes can cost: a request, a sector and a wavefront each. */
static bool count_unknown(struct site *site, const struct warp_access *access) {
    const uint64_t lanes = weight * (unsigned)__builtin_popcount(access->active);
    site->requests += lanes;
    site->lanes += lanes;
    site->sectors += lanes;
    site->wavefronts += lanes;
    site->words += lanes;
    return true;
}

bool profile_count(uint64_t code, enum profile_space space, const struct warp_access *access) {
    if (space == PROFILE_LOCAL) {
        return true;
    }
    struct site *site = find(code, space);
    if (site == NULL) {
        return false;
    }
    block_accesses++;
    running.accessed[warp] |= access->active;
    bool load = !(code & EVENT_STORE);
    running.stored[warp] |= space != PROFILE_SHARED && !load ? access->active : 0;
    if (space == PROFILE_UNKNOWN) {
        return count_unknown(site, access);
    }
    if (space == PROFILE_SHARED && (load || code & EVENT_ATOMIC)) {
        receive(warp * WARP_LANES, access->active);
    }
    if (code & EVENT_ATOMIC) {
        site->words += weight * cost_same_address(access);
    }
    unsigned cost;
    site->requests += weight;
    site->lanes += weight * (unsigned)__builtin_popcount(access->active);
    if (code & EVENT_ATOMIC && !sim_options.predict) {
        site->sectors += space == PROFILE_GLOBAL ? weight * cost_sectors(access) : 0;
        return space != PROFILE_GLOBAL || results_store(access, weight);
    }
    if (space == PROFILE_GLOBAL || space == PROFILE_TEXTURE) {
        unsigned new_sectors;
        struct sector_range range;
        bool is_range = sector_range(access, &range);
        cost = is_range ? range.count : cost_scattered_sectors(access);
        site->sectors += weight * cost;
        site->ideal += weight * places(access, cost);
        if (!(is_range ? sectors_add_range(&touched, range, &new_sectors)
                       : sectors_add(&touched, access, &new_sectors))) {
            return false;
        }
        site->new_sectors += new_sectors;
        if (sim_options.predict ? !count_for_prediction(site, access, cost)
                                : !load && !count_stored(site, access)) {
            return false;
        }
    } else if (space == PROFILE_SHARED) {
        cost = cost_wavefronts(access, load);
        site->wavefronts += weight * cost;
        site->ideal += weight * cost_ideal_wavefronts(access, load);
    } else {
        cost = cost_constant_words(access);
        site->words += weight * cost;
    }
    if (worst_access_on) {
        worst_access_note((uint32_t)(site - table.sites), cost, warp, access);
    }
    return true;
}

struct profile_counts profile_counts(uint64_t code, enum profile_space space) {
    const struct site *s = space == PROFILE_LOCAL ? NULL : find(code, space);
    if (s == NULL) {
        return (struct profile_counts){.space = NULL};
    }
    return (struct profile_counts){.space = space_names[space],
                                   .sectors = s->sectors,
                                   .new_sectors = s->new_sectors,
                                   .again = s->again,
                                   .wavefronts = s->wavefronts,
                                   .ideal = s->ideal,
                                   .words = s->words};
}

const struct worst_access *profile_costliest(uint32_t site, uint64_t *code, const char **space) {
    const struct worst_access *kept = site < table.count ? worst_access(site) : NULL;
    if (kept != NULL) {
        *code = table.sites[site].code;
        *space = space_names[table.sites[site].space];
    }
    return kept;
}

/* A counter for all blocks, from the weighted sum over the counted ones. */
static unsigned long long scaled(uint64_t counter) {
    uint64_t divisor = sample_divisor();
    return (counter + divisor / 2) / divisor;
}

/* How far blocks differ in what they do: the standard deviation over the mean, and the longest. */
static void write_unevenness(FILE *file) {
    const double mean = of_blocks.sum / fmax(of_blocks.weights, 1);
    const double variance = of_blocks.squares / fmax(of_blocks.weights, 1) - mean * mean;
    const double one = fmax(mean, 1e-9);
    fprintf(file, ",\"unevenness\":%.4f,\"longest\":%.4f", sqrt(fmax(variance, 0)) / one,
            fmax(of_blocks.most / one, 1));
}

static void write_site(FILE *file, const struct site *s, bool first) {
    fprintf(file,
            "%s{\"pc\":%llu,\"space\":\"%s\",\"store\":%s,\"width\":%u,\"requests\":%llu,"
            "\"lanes\":%llu,\"sectors\":%llu,\"fresh\":%llu,\"wavefronts\":%llu,\"ideal\":%llu,"
            "\"words\":%llu,\"again\":%llu%s",
            first ? "" : ",", (unsigned long long)(s->code & UINT32_MAX), space_names[s->space],
            s->code & EVENT_STORE ? "true" : "false", event_width(s->code), scaled(s->requests),
            scaled(s->lanes), scaled(s->sectors), (unsigned long long)s->new_sectors,
            scaled(s->wavefronts), scaled(s->ideal), scaled(s->words), scaled(s->again),
            s->code & EVENT_ATOMIC ? ",\"atomic\":true" : "");
    if (sim_options.predict) {
        fprintf(file,
                ",\"l1_wavefronts\":%llu,\"block_sectors\":%llu,"
                "\"from\":%llu,\"to\":%llu",
                scaled(s->l1_wavefronts), scaled(s->block_sectors),
                (unsigned long long)(s->to ? s->from : 0), (unsigned long long)s->to);
    }
    fprintf(file, "}");
}

extern const char __ehdr_start[];

/* The kernel's address in the program, and its arguments in hexadecimal, if the closure is made of
 * these two. */
static void write_call(FILE *file, const struct sim_config *c, const unsigned char *closure) {
    const size_t head = sizeof c->function;
    if (c->function && c->closure_bytes >= head && memcmp(closure, &c->function, head) == 0) {
        fprintf(file, ",\"function\":%td,\"arguments\":\"",
                (const char *)c->function - __ehdr_start);
        for (size_t i = head; i < c->closure_bytes; i++) {
            fprintf(file, "%02x", closure[i]);
        }
        fprintf(file, "\"");
    }
}

void profile_write(const struct sim_config *c, const void *closure, bool complete) {
    static struct sim_record record = {EVIDENCE_PROFILE, false};
    char *text = NULL;
    size_t length = 0;
    FILE *file = is_counted ? open_memstream(&text, &length) : NULL;
    if (file == NULL) {
        return;
    }
    uint64_t blocks = (uint64_t)c->grid.x * c->grid.y * c->grid.z;
    unsigned first_idle = 0;
    const unsigned idle = idle_threads(c, &first_idle);
    fprintf(file, "{\"launch\":%u,\"name\":", launch);
    json_write(file, c->kernel);
    fprintf(file, ",\"file\":");
    json_write(file, c->file);
    fprintf(file,
            ",\"line\":%d,\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared\":%zu,"
            "\"blocks\":%llu,\"counted\":%llu,\"idle_blocks\":%llu,"
            "\"storing_threads\":%llu,\"covers\":[%u,%u,%u],"
            "\"idle_threads\":%u,\"first_idle\":%u,"
            "\"receiving_threads\":%llu,\"exchanges\":%llu,"
            "\"complete\":%s,\"sites\":[",
            c->line, c->grid.x, c->grid.y, c->grid.z, c->block.x, c->block.y, c->block.z,
            c->shared + sim_shared_used(), (unsigned long long)blocks,
            (unsigned long long)sample_size(), scaled(work.idle_blocks),
            scaled(work.storing_threads), work.covers[0], work.covers[1], work.covers[2], idle,
            first_idle, scaled(work.received / MANY), scaled(work.exchanges),
            complete ? "true" : "false");
    for (uint32_t i = 0; i < table.count; i++) {
        write_site(file, &table.sites[i], i == 0);
    }
    fprintf(file, "]");
    results_write(file, sample_divisor());
    if (sim_options.predict) {
        write_unevenness(file);
        write_call(file, c, closure);
        fprintf(file, ",\"shares_memory\":%s,\"passes\":", work.shares_memory ? "true" : "false");
        passes_write(file, sample_divisor());
    }
    fprintf(file, "}\n");
    const bool is_whole = fclose(file) == 0;
    const bool written = is_whole && sim_record(&record, sim_options.profile, text, length);
    free(text);
    if (!written) {
        sim_options.profile = NULL; /* what follows would look complete */
        return;
    }
    launch++;
}
