#include "trace/steps.h"

#include "base/options.h"
#include "base/record.h"
#include "check/address.h"
#include "evidence/json.h"
#include "trace/step_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a recording, and of one of all blocks, which a question takes a second to read: the
 * frames of a graded run hold 4 MB. Instructions that no longer fit are only counted. */
#define MOST_TEXT (3000u << 10)
#define MOST_OF_ALL (1300u << 10)
enum { MOST_SAMPLED = 16 }; /* launches of which the costliest instructions are kept */
enum { MOST_OBJECTS = 64, MOST_CONSTRUCTS = 1024, MARKS_EACH = 4, CACHE_LINE = 128 };

bool steps_on;

static struct {
    unsigned launch;
    const struct sim_config *config; /* of the launch */
    FILE *file;                      /* what the launch has recorded, or NULL */
    char *text;
    size_t length, written; /* written: of the launches before */
    bool counted, in_block; /* the launch is; instructions of the running block are recorded */
    uint3 block;            /* the last that was named, if any */
    bool is_named;
    unsigned long long left_out;       /* instructions */
    const char *objects[MOST_OBJECTS]; /* where those begin that have been described */
    unsigned object_count;
    uint32_t marks[MOST_CONSTRUCTS][MARKS_EACH]; /* of constructs, that have been described */
    unsigned long long inputs[WARP_LANES];       /* of the warp function under way */
    struct {
        bool found;
        uint3 block;
        unsigned thread;
    } store;
} now;

static bool same_block(const uint3 *a, const uint3 *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* What follows is of this block. */
static void name_block(const uint3 *b) {
    const struct sim_config *c = now.config;
    if (now.is_named && same_block(b, &now.block)) {
        return;
    }
    now.is_named = true;
    now.block = *b;
    fprintf(now.file, "[\"block\",%u,", now.launch);
    json_write(now.file, c->kernel);
    fprintf(now.file, ",[%u,%u,%u],[%u,%u,%u],[%u,%u,%u]]\n", c->grid.x, c->grid.y, c->grid.z,
            c->block.x, c->block.y, c->block.z, b->x, b->y, b->z);
}

/* Nothing is recorded where nothing is counted. */
void steps_launch_begin(const struct sim_config *config) {
    sim_set_launch((int)now.launch);
    now.config = config;
    now.store.found = now.is_named = false;
    now.object_count = 0;
    now.counted = sim_checked && sim_options.profile != NULL;
}

static bool is_open(void) {
    if (now.file == NULL) {
        now.file = open_memstream(&now.text, &now.length);
    }
    return now.file != NULL;
}

static bool is_asked_for(const uint3 *block) {
    const struct sim_steps *s = &sim_options.steps;
    const uint3 wanted = {s->block[0], s->block[1], s->block[2]};
    return s->what == STEPS_ALL ||
           (s->what == STEPS_BLOCK && now.launch == s->launch && same_block(&wanted, block));
}

void steps_block(void) {
    const struct sim_steps *s = &sim_options.steps;
    now.in_block = now.counted && is_asked_for(&blockIdx) && is_open();
    steps_on = now.in_block || (now.counted && s->what == STEPS_STORE && s->bytes > 0);
    if (now.in_block) {
        name_block(&blockIdx);
    }
}

static bool with_values(void) {
    return now.in_block && sim_options.steps.what == STEPS_BLOCK;
}

void steps_mark(uint64_t mark, uint32_t pc) {
    const uint32_t number = SIM_NUMBER_OF(mark);
    unsigned i = 0;
    if (!with_values() || number >= MOST_CONSTRUCTS) {
        return;
    }
    while (i < MARKS_EACH && now.marks[number][i] != 0 && now.marks[number][i] != pc) {
        i++;
    }
    if (i < MARKS_EACH && now.marks[number][i] == 0) {
        now.marks[number][i] = pc;
        fprintf(now.file, "[\"construct\",%u,%u]\n", number, pc);
    }
}

void steps_access(unsigned lane, const void *address, unsigned width, bool store, uint32_t pc,
                  bool readable) {
    step_values_settle();
    if (with_values()) {
        step_values_note(lane, address, width, store, pc, readable);
    }
}

static const char *kind_name(enum memory_kind kind) {
    return kind == MEMORY_SHARED || kind == MEMORY_DYNAMIC ? "shared"
           : kind == MEMORY_CONSTANT                       ? "constant"
                                                           : "global";
}

/* The number of the object that an address belongs to, which is described when it is new. Sets
 * where it begins. */
static unsigned object_of(const struct worker *w, uint64_t address, const char **from) {
    const struct memory_object *p = address_object(w, (const char *)(uintptr_t)address);
    const bool is_known = p->kind != MEMORY_UNKNOWN && p->kind != MEMORY_OWN;
    *from = is_known ? p->from : NULL;
    unsigned i = 0;
    while (i < now.object_count && now.objects[i] != *from) {
        i++;
    }
    if (i == now.object_count && i < MOST_OBJECTS) {
        const bool is_shared = p->kind == MEMORY_SHARED || p->kind == MEMORY_DYNAMIC;
        now.objects[now.object_count++] = *from;
        fprintf(now.file, "[\"object\",%u,\"%s\",%llu,%llu,", i,
                is_known ? kind_name(p->kind) : "unknown",
                (unsigned long long)(is_known ? p->to - p->from : 0),
                (unsigned long long)(is_shared ? (uintptr_t)(*from - w->arena)
                                               : (uintptr_t)*from % 4096));
        json_write(now.file, is_known && p->name ? p->name : "");
        fprintf(now.file, ",");
        json_write(now.file, is_known && p->declared_at.file ? p->declared_at.file : "");
        fprintf(now.file, ",%d]\n", is_known ? p->declared_at.line : 0);
    }
    return i;
}

/* [offset,stride,lanes,...]: the offsets of the active lanes, in stretches of equal strides. */
static void write_offsets(const struct warp_access *a, const char *from) {
    uint64_t start = 0, stride = 0, count = 0;
    const char *comma = "";
    fprintf(now.file, "[");
    for (uint32_t left = a->active; left; left &= left - 1) {
        const uint64_t at = a->address[__builtin_ctz(left)] - (uintptr_t)from;
        if (count == 1) {
            stride = at - start;
        }
        if (count > 0 && at == start + count * stride) {
            count++;
            continue;
        }
        if (count > 0) {
            fprintf(now.file, "%s%lld,%lld,%llu", comma, (long long)start, (long long)stride,
                    (unsigned long long)count);
            comma = ",";
        }
        start = at;
        count = 1;
        stride = 0;
    }
    fprintf(now.file, "%s%lld,%lld,%llu]", comma, (long long)start, (long long)stride,
            (unsigned long long)count);
}

/* ,"VALUES": each lane's bytes in hexadecimal, as they lie in memory; those of one lane if all have
 * the same;
 * "" where they are not known. */
static void write_values(const struct warp_access *a, uint32_t pc) {
    unsigned char bytes[WARP_LANES][STEP_VALUE];
    const unsigned leader = (unsigned)__builtin_ctz(a->active);
    bool is_known = a->width <= STEP_VALUE, all_same = true;
    for (uint32_t left = a->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        is_known &= step_value_of(lane, pc, a->address[lane], a->width, bytes[lane]);
        all_same &= is_known && memcmp(bytes[lane], bytes[leader], a->width) == 0;
    }
    fprintf(now.file, ",\"");
    for (uint32_t left = is_known ? a->active : 0; left; left &= left - 1) {
        for (unsigned i = 0; i < a->width; i++) {
            fprintf(now.file, "%02x", bytes[__builtin_ctz(left)][i]);
        }
        left = all_same ? left & -left : left;
    }
    fprintf(now.file, "\"");
}

/* [construct,lanes,...]: why lanes take no part. -1: they have left the kernel or wait. */
static void write_reasons(const struct worker *w, unsigned first, uint32_t active) {
    const unsigned rest = w->block.count - first;
    uint32_t left = ~active & (rest < WARP_LANES ? (1u << rest) - 1 : UINT32_MAX);
    const char *comma = "";
    fprintf(now.file, ",[");
    while (left) {
        const unsigned leader = (unsigned)__builtin_ctz(active);
        const uint32_t reason = replay_apart((unsigned)__builtin_ctz(left), leader);
        uint32_t same = 0;
        for (uint32_t i = left; i; i &= i - 1) {
            same |= replay_apart((unsigned)__builtin_ctz(i), leader) == reason ? i & -i : 0;
        }
        fprintf(now.file, "%s%lld,%u", comma, reason == REPLAY_ENDED ? -1LL : (long long)reason,
                same);
        comma = ",";
        left &= ~same;
    }
    fprintf(now.file, "]");
}

/* ,[SECTORS,...] and the end of the line. */
static void write_costs(const struct profile_counts *c) {
    fprintf(now.file, ",[%llu,%llu,%llu,%llu,%llu,%llu]]\n", (unsigned long long)c->sectors,
            (unsigned long long)c->new_sectors, (unsigned long long)c->again,
            (unsigned long long)c->wavefronts, (unsigned long long)c->ideal,
            (unsigned long long)c->words);
}

/* The beginning of a line, up to the offsets of the lanes, which count from `from`. */
static void write_access(unsigned warp, uint64_t code, const char *space,
                         const struct warp_access *access, unsigned object, const char *from) {
    fprintf(now.file, "[\"access\",%u,%u,\"%s\",\"%s\",%u,%u,%u,", warp, (uint32_t)code,
            code & EVENT_ATOMIC      ? "atomic"
            : code & EVENT_UNCOUNTED ? "fault"
            : code & EVENT_STORE     ? "store"
                                     : "load",
            space ? space : "", access->width, access->active, object);
    write_offsets(access, from);
}

static void look_for_store(const struct worker *w, unsigned first, const struct warp_access *a) {
    for (uint32_t left = a->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const char *at = (const char *)(uintptr_t)a->address[lane];
        const struct memory_object *p = address_object(w, at);
        const uint64_t offset = (uint64_t)(at - p->from);
        if (p->kind == MEMORY_GLOBAL && (size_t)(p->to - p->from) == sim_options.steps.bytes &&
            offset <= sim_options.steps.offset && sim_options.steps.offset < offset + a->width) {
            now.store.found = true;
            now.store.block = blockIdx;
            now.store.thread = first + lane;
        }
    }
}

/* Is there room for another line? Counts what is left out. */
static bool has_room(void) {
    const size_t most = sim_options.steps.what == STEPS_ALL ? MOST_OF_ALL : MOST_TEXT;
    const bool fits = now.written + (size_t)ftell(now.file) < most;
    now.left_out += !fits;
    return fits;
}

void steps_instruction(const struct worker *w, unsigned first, uint64_t code,
                       const struct warp_access *access, const struct profile_counts *before,
                       const struct profile_counts *after) {
    if (!now.in_block) {
        if (code & EVENT_STORE && access->width > 0) {
            look_for_store(w, first, access);
        }
        return;
    }
    if ((before->space == NULL && !(code & EVENT_UNCOUNTED)) || !has_room()) {
        return;
    }
    const char *from;
    const unsigned object = object_of(w, access->address[__builtin_ctz(access->active)], &from);
    write_access(first / WARP_LANES, code, after->space, access, object, from);
    if (with_values()) {
        write_values(access, (uint32_t)code);
        write_reasons(w, first, access->active);
    } else {
        fprintf(now.file, ",\"\",[]");
    }
    write_costs(&(struct profile_counts){.sectors = after->sectors - before->sectors,
                                         .new_sectors = after->new_sectors - before->new_sectors,
                                         .again = after->again - before->again,
                                         .wavefronts = after->wavefronts - before->wavefronts,
                                         .ideal = after->ideal - before->ideal,
                                         .words = after->words - before->words});
}

/* The first byte of the cache line of the lowest address. */
static const char *cache_line(const struct warp_access *a) {
    uint64_t lowest = UINT64_MAX;
    for (uint32_t left = a->active; left; left &= left - 1) {
        const uint64_t at = a->address[__builtin_ctz(left)];
        lowest = at < lowest ? at : lowest;
    }
    return (const char *)(uintptr_t)(lowest - lowest % CACHE_LINE);
}

/* The costliest instruction of each site. What its addresses belong to is no longer known. */
static void write_costliest(void) {
    const struct worst_access *a;
    const char *space;
    uint64_t code;
    for (uint32_t site = 0; site < MOST_WORST_SITES; site++) {
        if ((a = profile_costliest(site, &code, &space)) == NULL) {
            continue;
        }
        const bool is_shared = strcmp(space, "shared") == 0;
        const bool is_constant = strcmp(space, "constant") == 0;
        name_block(&a->block);
        write_access(a->warp, code, space, &a->access, MOST_OBJECTS, cache_line(&a->access));
        fprintf(now.file, ",\"\",[]");
        write_costs(&(struct profile_counts){.sectors = is_shared || is_constant ? 0 : a->cost,
                                             .wavefronts = is_shared ? a->cost : 0,
                                             .words = is_constant ? a->cost : 0});
    }
}

void steps_launch_end(void) {
    static struct sim_record record = {EVIDENCE_STEPS, false};
    if (now.store.found && is_open()) {
        const uint3 *b = &now.store.block;
        fprintf(now.file, "[\"stored\",%u,[%u,%u,%u],%u]\n", now.launch, b->x, b->y, b->z,
                now.store.thread);
    }
    if (now.counted && sim_options.steps.costliest && now.launch < MOST_SAMPLED && is_open()) {
        write_costliest();
    }
    if (now.left_out > 0 && is_open()) {
        fprintf(now.file, "[\"left_out\",%llu]\n", now.left_out);
    }
    if (now.file != NULL && fclose(now.file) == 0 && now.length > 0) {
        sim_record(&record, sim_options.steps_file, now.text, now.length);
        now.written += now.length;
    }
    free(now.text);
    now.text = NULL;
    now.file = NULL;
    now.left_out = 0;
    steps_on = now.in_block = false;
    now.launch++;
}

static bool same_place(const struct sim_location *a, const struct sim_location *b) {
    return a->line == b->line && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

/* One line for each call of a barrier at which threads wait: usually all at the same. */
void steps_barrier(const struct worker *w) {
    bool told[SIM_MAX_THREADS] = {false};
    for (unsigned t = 0; t < w->block.count && with_values(); t++) {
        const struct sim_location *at = &w->thread[t].at;
        const bool waits = sim_state(w, t) != DONE;
        if (told[t] || !waits || at->file == NULL || !has_room()) {
            continue;
        }
        fprintf(now.file, "[\"barrier\",");
        json_write(now.file, at->file);
        fprintf(now.file, ",%d", at->line);
        for (unsigned first = 0; first < w->block.count; first += WARP_LANES) {
            uint32_t lanes = 0;
            for (unsigned i = first; i < first + WARP_LANES && i < w->block.count; i++) {
                const bool here = sim_state(w, i) != DONE && w->thread[i].at.file != NULL &&
                                  same_place(&w->thread[i].at, at);
                told[i] |= here;
                lanes |= (uint32_t)here << (i - first);
            }
            fprintf(now.file, "%s%u", first == 0 ? ",[" : ",", lanes);
        }
        fprintf(now.file, "]]\n");
    }
}

void steps_operation(const struct worker *w, unsigned first, unsigned lanes, bool done) {
    static const char *const names[] = {"__syncwarp", "vote", "shuffle", "match",    "match",
                                        "add",        "min",  "max",     "min",      "max",
                                        "and",        "or",   "xor",     "exchange", "active"};
    const struct thread *lane = &w->thread[first], *leader = lane + __builtin_ctz(lanes);
    if (!done) {
        for (unsigned i = 0; i < WARP_LANES; i++) {
            now.inputs[i] = lane[i].value;
        }
        return;
    }
    if (!with_values() || !has_room()) {
        return;
    }
    fprintf(now.file, "[\"warp\",%u,", first / WARP_LANES);
    json_write(now.file, leader->at.file);
    fprintf(now.file, ",%d,\"%s\",%u", leader->at.line, names[leader->operation], lanes);
    const bool has_values = leader->operation != SIM_WARP_BARRIER &&
                            leader->operation != SIM_WARP_COLLECT &&
                            leader->operation != SIM_WARP_ACTIVE;
    for (unsigned part = 0; part < 3; part++) { /* from which lane, what it passed, what it got */
        const bool shown = part == 0 ? leader->operation == SIM_WARP_SHUFFLE : has_values;
        fprintf(now.file, ",[");
        for (uint32_t left = shown ? lanes : 0; left; left &= left - 1) {
            const unsigned i = (unsigned)__builtin_ctz(left);
            const char *comma = left == lanes ? "" : ",";
            if (part == 0) {
                fprintf(now.file, "%s%u", comma, lane[i].from);
            } else {
                fprintf(now.file, "%s\"%llx\"", comma, part == 1 ? now.inputs[i] : lane[i].value);
            }
        }
        fprintf(now.file, "]");
    }
    fprintf(now.file, "]\n");
}
