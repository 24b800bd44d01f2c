#include "exec/park.h"

#include "exec/hooks.h"
#include "exec/lock_step.h"
#include "exec/shared.h"

#include <stdlib.h>
#include <string.h>

/* The threads that have begun and have not left, in the order of their numbers, each with its
 * stack. */
struct parked_thread {
    struct thread thread;
    struct polls polls;
    unsigned number;
    struct fiber_image image;
};

struct parked_content {
    struct warp warps[SIM_MAX_WARPS];
    const struct thread *leader;
    bool differs, faulted;
    cudaError_t fault;
    size_t arena_bytes, dynamic_bytes;
    char *arena, *dynamic;
    unsigned count;
    struct parked_thread threads[];
};

static bool has_stack(const struct worker *w, unsigned t) {
    const struct warp *warp = &w->warps[t / SIM_WARP_SIZE];
    return !((warp->in[DONE] | warp->fresh) >> t % SIM_WARP_SIZE & 1u);
}

static void free_content(struct parked_content *content) {
    for (unsigned i = 0; i < content->count; i++) {
        fiber_forget_image(&content->threads[i].image);
        free(content->threads[i].thread.lock_step);
    }
    free(content->arena);
    free(content->dynamic);
    free(content);
}

static char *copy_of(const char *from, size_t bytes) {
    char *copy = malloc(bytes + 1);
    return copy ? memcpy(copy, from, bytes) : NULL;
}

/* Copies the running block; NULL when out of memory. Its stacks are then free for others. */
static struct parked_content *save(struct worker *w) {
    unsigned alive = 0;
    for (unsigned t = 0; t < w->block.count; t++) {
        alive += has_stack(w, t);
    }
    struct parked_content *content = calloc(1, sizeof *content + alive * sizeof *content->threads);
    if (!content) {
        return NULL;
    }
    memcpy(content->warps, w->warps, w->block.warp_count * sizeof *w->warps);
    content->leader = w->block.leader;
    content->differs = w->block.differs;
    content->faulted = w->block.faulted;
    content->fault = w->block.fault;
    content->arena_bytes = sim_shared_laid_out();
    content->dynamic_bytes = (size_t)(w->dynamic_end - w->block.dynamic);
    content->arena = copy_of(w->arena, content->arena_bytes);
    content->dynamic = copy_of(w->block.dynamic, content->dynamic_bytes);
    bool saved = content->arena && content->dynamic;
    for (unsigned t = 0; t < w->block.count && saved; t++) {
        if (has_stack(w, t)) {
            struct parked_thread *it = &content->threads[content->count++];
            it->thread = w->thread[t];
            it->polls = w->polls[t];
            w->thread[t].lock_step = NULL; /* it is the parked thread's */
            it->number = t;
            saved = fiber_save(w->thread[t].fiber, &it->image);
        }
    }
    if (!saved) {
        free_content(content);
        return NULL;
    }
    for (unsigned i = 0; i < content->count; i++) {
        if (fiber_restart(content->threads[i].thread.fiber)) { /* or it is not used again */
            w->idle[w->idle_count++] = content->threads[i].thread.fiber;
        }
    }
    return content;
}

bool sim_park(struct worker *w) {
    struct parked_block *parked = calloc(1, sizeof *parked);
    if (!parked || !(parked->content = save(w))) {
        free(parked);
        return false;
    }
    parked->index = w->block.index;
    parked->state = sim_any(w, AT_PRIMARY)                            ? AT_PRIMARY
                    : sim_any(w, SPINNING) || sim_any(w, AT_VOLATILE) ? SPINNING
                    : sim_any(w, AT_BARRIER)                          ? AT_BARRIER
                                                                      : AT_GRID;
    if (sim_hooks) {
        parked->observed = sim_hooks->block_parks(w);
    }
    sim_park_again(w, parked);
    return true;
}

void sim_park_again(struct worker *w, struct parked_block *parked) {
    parked->next = NULL;
    w->launch.parked_count++;
    *w->launch.last_parked = parked;
    w->launch.last_parked = &parked->next;
}

/* Takes the stacks of these threads from the idle ones. */
static void take_stacks(struct worker *w, const struct parked_content *content) {
    bool taken[SIM_MAX_THREADS] = {false};
    for (unsigned i = 0; i < content->count; i++) {
        taken[content->threads[i].thread.fiber - w->fiber] = true;
    }
    w->idle_count = 0;
    for (unsigned i = 0; i < w->fibers; i++) {
        if (!taken[i]) {
            w->idle[w->idle_count++] = &w->fiber[i];
        }
    }
}

void sim_unpark(struct worker *w, struct parked_block *parked) {
    struct parked_content *content = parked->content;
    take_stacks(w, content);
    memcpy(w->warps, content->warps, w->block.warp_count * sizeof *w->warps);
    w->block.leader = content->leader;
    w->block.differs = content->differs;
    w->block.faulted = content->faulted;
    w->block.fault = content->fault;
    sim_shared_reset(w, w->block.config->shared);
    memcpy(w->arena, content->arena, content->arena_bytes);
    memcpy(w->block.dynamic, content->dynamic, content->dynamic_bytes);
    for (unsigned i = 0; i < content->count; i++) {
        struct parked_thread *it = &content->threads[i];
        free(w->thread[it->number].lock_step);
        w->thread[it->number] = it->thread;
        w->polls[it->number] = it->polls;
        it->thread.lock_step = NULL;
        fiber_load(it->thread.fiber, &it->image);
    }
    w->ordered++;
    if (sim_hooks) {
        sim_hooks->block_resumes(w, parked->observed);
    }
    free_content(content);
    free(parked);
}

void sim_forget_parked(struct parked_block *list) {
    while (list) {
        struct parked_block *next = list->next;
        free_content(list->content);
        free(list->observed);
        free(list);
        list = next;
    }
}

bool sim_open_grid(struct worker *w, const struct sim_config *config) {
    uint64_t there = 0;
    for (const struct parked_block *p = w->launch.parked; p; p = p->next) {
        there++;
    }
    if (there != (uint64_t)config->grid.x * config->grid.y * config->grid.z) {
        return false;
    }
    for (struct parked_block *p = w->launch.parked; p; p = p->next) {
        p->open = true;
    }
    if (sim_hooks) {
        sim_hooks->grid_barrier();
    }
    return true;
}

void sim_report_parked(const struct worker *w, const struct sim_config *config) {
    const struct parked_block *first = w->launch.parked;
    for (const struct parked_block *p = first; p; p = p->next) {
        first = p->state == AT_GRID && first->state != AT_GRID ? p : first;
    }
    const struct parked_thread *it = first->content->threads;
    while (first->state == SPINNING && it->thread.at.file != NULL) {
        it++;
    }
    const dim3 *grid = &config->grid;
    uint64_t row = first->index / grid->x, blocks = (uint64_t)grid->x * grid->y * grid->z;
    uint3 block = {(unsigned)(first->index % grid->x), (unsigned)(row % grid->y),
                   (unsigned)(row / grid->y)};
    const uint3 *thread = &w->index[it->number];
    struct sim_finding finding = {.found = FOUND_PART_OF_GRID,
                                  .kernel = config->kernel,
                                  .location = it->thread.at,
                                  .block = &block,
                                  .thread = thread};
    if (first->state == AT_GRID) {
        uint64_t there = 0;
        for (const struct parked_block *p = w->launch.parked; p; p = p->next) {
            there += p->state == AT_GRID;
        }
        finding.value = (long long)there;
        finding.limit = (long long)blocks;
        sim_report(&finding);
        return;
    }
    finding.found = FOUND_ENDLESS_WAIT;
    finding.pc = it->thread.pc;
    sim_report(&finding);
}
