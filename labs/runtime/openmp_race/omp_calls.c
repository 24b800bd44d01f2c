/* The functions of omp.h, and what protects: critical sections, atomic blocks and locks. */
#include "race_detector.h"
#include "tasks.h"
#include "team.h"

#include <omp.h>
#include <stdlib.h>
#include <time.h>

/* ---------------------------------------------------------------- locks */

/* Nothing to wait for: a thread that holds a lock passes the turn only at barriers and chunks,
 * which are not allowed inside of these. */
#define PROTECTED(begin, end)                                                                      \
    void begin {                                                                                   \
        race_before_lock();                                                                        \
        race_lock_count(1);                                                                        \
    }                                                                                              \
    void end {                                                                                     \
        race_lock_count(-1);                                                                       \
    }
PROTECTED(GOMP_critical_start(void), GOMP_critical_end(void))
PROTECTED(GOMP_critical_name_start(void **name __attribute__((unused))),
          GOMP_critical_name_end(void **name __attribute__((unused))))
PROTECTED(GOMP_atomic_start(void), GOMP_atomic_end(void))
PROTECTED(omp_set_lock(omp_lock_t *lock __attribute__((unused))),
          omp_unset_lock(omp_lock_t *lock __attribute__((unused))))

#define UNUSED(type, name)                                                                         \
    void name(type *lock) {                                                                        \
        (void)lock;                                                                                \
    }
UNUSED(omp_lock_t, omp_init_lock)
UNUSED(omp_lock_t, omp_destroy_lock)
UNUSED(omp_nest_lock_t, omp_destroy_nest_lock)

int omp_test_lock(omp_lock_t *lock) {
    omp_set_lock(lock);
    return 1;
}

/* Of a lock that nests, the number that it counts is kept in its own first word. */
void omp_init_nest_lock(omp_nest_lock_t *lock) {
    *(int *)lock = 0;
}

int omp_test_nest_lock(omp_nest_lock_t *lock) {
    race_before_lock();
    race_lock_count(1);
    return ++*(int *)lock;
}

void omp_set_nest_lock(omp_nest_lock_t *lock) {
    omp_test_nest_lock(lock);
}

void omp_unset_nest_lock(omp_nest_lock_t *lock) {
    --*(int *)lock;
    race_lock_count(-1);
}

/* ---------------------------------------------------------------- threads and regions */

int omp_get_thread_num(void) {
    return team_thread();
}

int omp_get_num_threads(void) {
    return (int)team_size();
}

int omp_get_max_threads(void) {
    return (int)threads_to_start;
}

void omp_set_num_threads(int count) {
    threads_to_start = count > 0 && count <= MAX_THREADS ? (unsigned)count : 1;
}

int omp_in_parallel(void) {
    return in_region();
}

int omp_get_level(void) {
    return region_depth();
}

int omp_get_active_level(void) {
    return in_region();
}

int omp_get_ancestor_thread_num(int level) {
    return level == 0 ? 0 : level == region_depth() ? team_thread() : -1;
}

int omp_get_team_size(int level) {
    return level == 0 ? 1 : level == region_depth() ? (int)team_size() : -1;
}

int omp_in_final(void) {
    return in_final_task();
}

/* ---------------------------------------------------------------- what is the same always */

#define ALWAYS(name, value)                                                                        \
    int name(void) {                                                                               \
        return value;                                                                              \
    }
ALWAYS(omp_get_num_procs, DEFAULT_THREADS)
ALWAYS(omp_get_thread_limit, MAX_THREADS)
ALWAYS(omp_get_dynamic, 0)
ALWAYS(omp_get_nested, 0)
ALWAYS(omp_get_max_active_levels, 1)
ALWAYS(omp_get_supported_active_levels, 1)
ALWAYS(omp_get_cancellation, 0)
ALWAYS(omp_get_max_task_priority, 0)
ALWAYS(omp_get_num_devices, 0)
ALWAYS(omp_get_default_device, 0)
ALWAYS(omp_get_initial_device, 0)
ALWAYS(omp_is_initial_device, 1)
ALWAYS(omp_get_num_teams, 1)
ALWAYS(omp_get_team_num, 0)

#define IGNORED(name)                                                                              \
    void name(int value) {                                                                         \
        (void)value;                                                                               \
    }
IGNORED(omp_set_dynamic)
IGNORED(omp_set_nested)
IGNORED(omp_set_max_active_levels)

void omp_set_schedule(omp_sched_t kind, int chunk) {
    (void)kind, (void)chunk;
}

void omp_get_schedule(omp_sched_t *kind, int *chunk) {
    *kind = omp_sched_dynamic;
    *chunk = 1;
}

omp_proc_bind_t omp_get_proc_bind(void) {
    return omp_proc_bind_false;
}

/* ---------------------------------------------------------------- time and memory */

double omp_get_wtime(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double omp_get_wtick(void) {
    return 1e-9;
}

void *omp_alloc(size_t bytes, omp_allocator_handle_t allocator) {
    (void)allocator;
    return malloc(bytes);
}

void *omp_calloc(size_t count, size_t bytes, omp_allocator_handle_t allocator) {
    (void)allocator;
    return calloc(count, bytes);
}

void *omp_aligned_alloc(size_t alignment, size_t bytes, omp_allocator_handle_t allocator) {
    (void)allocator;
    return aligned_alloc(alignment, bytes);
}

void omp_free(void *at, omp_allocator_handle_t allocator) {
    (void)allocator;
    free(at);
}
