/* OpenMP's runtime as gcc calls it, but one thread runs at a time: see race_detector.h.
 *
 * Here are regions, barriers, loops (all schedules), sections and single; tasks.c has the tasks,
 * and omp_calls.c the functions of omp.h. What a program may use of OpenMP is what these three
 * define: grader/compile/permitted/symbol_rules.toml.
 */
#include "evidence/our_fault.h"
#include "race_detector.h"
#include "tasks.h"
#include "team.h"

#include <pthread.h>
#include <stdlib.h>

static _Thread_local struct share alone; /* of a thread that is its whole team */

/* Who waits at a barrier runs the tasks that are queued, one at each turn. */
void GOMP_barrier(void) {
    if (!in_team())
        return;
    const unsigned before = team->barriers;
    while (team->barriers == before) {
        if (!run_any_task())
            team->state[self] = WAITS;
        others_run();
    }
    forget_tasks();
}

static void *member(void *number) {
    self = (int)(size_t)number;
    race_thread_begins(__builtin_frame_address(0));
    wait_for_turn();
    team->work(team->data);
    GOMP_barrier();
    team->state[self] = ENDED;
    hand_over((unsigned)self);
    return NULL;
}

/* ---------------------------------------------------------------- regions */

/* Runs `work` on `size` threads. `first`: the loop that the region starts with, or NULL. */
static void run_team(void (*work)(void *), void *data, unsigned size, const struct share *first) {
    pthread_t threads[MAX_THREADS];
    struct team *const new_team = calloc(1, sizeof *new_team);
    if (size > MAX_THREADS || !new_team)
        our_fault("the check for races: more than %d threads, or no memory for them", MAX_THREADS);
    new_team->size = size;
    new_team->work = work;
    new_team->data = data;
    for (unsigned i = 0; i < size; i++) {
        sem_init(&new_team->turn[i], 0, 0);
        if (first) {
            new_team->constructs[i] = 1;
            new_team->shares[1] = *first;
        }
    }
    team = new_team;
    race_switches_with(others_first);
    race_team_starts(size);
    race_thread_begins(__builtin_frame_address(0));
    race_synchronize();
    for (unsigned i = 1; i < size; i++)
        if (pthread_create(&threads[i], NULL, member, (void *)(size_t)i) != 0)
            our_fault("the check for races cannot start a thread");
    race_thread_runs(0);
    work(data);
    GOMP_barrier();
    team->state[0] = ENDED;
    hand_over(0);
    wait_for_turn();
    for (unsigned i = 1; i < size; i++)
        pthread_join(threads[i], NULL);
    race_thread_runs(-1);
    race_synchronize();
    team = NULL;
    free(new_team);
}

static void parallel(void (*work)(void *), void *data, unsigned size, const struct share *first) {
    const unsigned threads = size ? size : threads_to_start;
    if (!team && threads > 1) {
        run_team(work, data, threads, first);
        return;
    }
    if (first)
        alone = *first;
    if (!team) { /* one thread is no team: a region inside of this one starts it */
        work(data);
        return;
    }
    nested++;
    work(data);
    nested--;
}

void GOMP_parallel(void (*work)(void *), void *data, unsigned size, unsigned flags) {
    (void)flags;
    parallel(work, data, size, NULL);
}

/* ---------------------------------------------------------------- loops, sections, single */

static struct share *share_of_this(void) {
    if (!in_team())
        return &alone;
    return &team->shares[team->constructs[self] % SHARES];
}

/* The thread reaches a construct; the first thread to reach it sets its share to `new`. Returns
 * whether this thread was the first. */
static bool enter(struct share new) {
    const unsigned number = ++team->constructs[self];
    struct share *share = share_of_this();
    if (share->number == number)
        return false;
    new.number = number;
    *share = new;
    return true;
}

/* Takes the next chunk of the construct, after all other threads could take one. */
static bool take(long *from, long *to) {
    others_run();
    struct share *share = share_of_this();
    const bool left = share->step > 0 ? share->next < share->end : share->next > share->end;
    if (!left)
        return false;
    *from = share->next;
    *to = share->next + share->step * share->chunk;
    if (share->step > 0 ? *to > share->end : *to < share->end)
        *to = share->end;
    share->next = *to;
    return true;
}

static struct share loop(long from, long to, long step, long chunk) {
    return (struct share){1, from, to, step, chunk > 0 ? chunk : 1, from};
}

/* The thread comes to a loop or to sections, whose share is `new`. */
static void reach(struct share new) {
    if (!in_team())
        alone = new;
    else
        enter(new);
}

static bool start(struct share new, long *from, long *to) {
    reach(new);
    return take(from, to);
}

/* The chunk of an ordered loop that the thread works at. */
static _Thread_local struct {
    bool taken;
    long from, to;
} ordered;

static void wait_for_order(void) {
    while (ordered.taken && share_of_this()->ordered != ordered.from)
        others_run();
}

/* Takes the next chunk; in what is ordered, the chunk after the last one may go on. */
static bool take_ordered(long *from, long *to) {
    wait_for_order();
    if (ordered.taken)
        share_of_this()->ordered = ordered.to;
    ordered.taken = take(&ordered.from, &ordered.to);
    *from = ordered.from;
    *to = ordered.to;
    return ordered.taken;
}

static bool start_ordered(struct share new, long *from, long *to) {
    reach(new);
    return take_ordered(from, to);
}

/* An iteration's ordered part is as protected as a lock: the next one's comes after it. */
void GOMP_ordered_start(void) {
    wait_for_order();
    race_lock_count(1);
}

void GOMP_ordered_end(void) {
    race_lock_count(-1);
}

#define SCHEDULE(name)                                                                             \
    bool GOMP_loop_##name##_start(long from, long to, long step, long chunk, long *first,          \
                                  long *end) {                                                     \
        return start(loop(from, to, step, chunk), first, end);                                     \
    }                                                                                              \
    bool GOMP_loop_##name##_next(long *first, long *end) {                                         \
        return take(first, end);                                                                   \
    }                                                                                              \
    bool GOMP_loop_ull_##name##_start(bool up, unsigned long long from, unsigned long long to,     \
                                      unsigned long long step, unsigned long long chunk,           \
                                      unsigned long long *first, unsigned long long *end) {        \
        (void)up; /* a loop that counts down has a negative step, as the others do */              \
        return start(loop((long)from, (long)to, (long)step, (long)chunk), (long *)first,           \
                     (long *)end);                                                                 \
    }                                                                                              \
    bool GOMP_loop_ull_##name##_next(unsigned long long *first, unsigned long long *end) {         \
        return take((long *)first, (long *)end);                                                   \
    }                                                                                              \
    void GOMP_parallel_loop_##name(void (*work)(void *), void *data, unsigned size, long from,     \
                                   long to, long step, long chunk, unsigned flags) {               \
        const struct share first = loop(from, to, step, chunk);                                    \
        (void)flags;                                                                               \
        parallel(work, data, size, &first);                                                        \
    }
SCHEDULE(static)
SCHEDULE(dynamic)
SCHEDULE(guided)
SCHEDULE(nonmonotonic_dynamic)
SCHEDULE(nonmonotonic_guided)

#define ORDERED(name)                                                                              \
    bool GOMP_loop_ordered_##name##_start(long from, long to, long step, long chunk, long *first,  \
                                          long *end) {                                             \
        return start_ordered(loop(from, to, step, chunk), first, end);                             \
    }                                                                                              \
    bool GOMP_loop_ordered_##name##_next(long *first, long *end) {                                 \
        return take_ordered(first, end);                                                           \
    }                                                                                              \
    bool GOMP_loop_ull_ordered_##name##_start(                                                     \
        bool up, unsigned long long from, unsigned long long to, unsigned long long step,          \
        unsigned long long chunk, unsigned long long *first, unsigned long long *end) {            \
        (void)up;                                                                                  \
        return start_ordered(loop((long)from, (long)to, (long)step, (long)chunk), (long *)first,   \
                             (long *)end);                                                         \
    }                                                                                              \
    bool GOMP_loop_ull_ordered_##name##_next(unsigned long long *first, unsigned long long *end) { \
        return take_ordered((long *)first, (long *)end);                                           \
    }
ORDERED(static)
ORDERED(dynamic)
ORDERED(guided)

/* schedule(runtime): no chunk is passed. */
#define RUNTIME(name)                                                                              \
    bool GOMP_loop_##name##_start(long from, long to, long step, long *first, long *end) {         \
        return start(loop(from, to, step, 1), first, end);                                         \
    }                                                                                              \
    bool GOMP_loop_##name##_next(long *first, long *end) {                                         \
        return take(first, end);                                                                   \
    }                                                                                              \
    bool GOMP_loop_ull_##name##_start(bool up, unsigned long long from, unsigned long long to,     \
                                      unsigned long long step, unsigned long long *first,          \
                                      unsigned long long *end) {                                   \
        (void)up;                                                                                  \
        return start(loop((long)from, (long)to, (long)step, 1), (long *)first, (long *)end);       \
    }                                                                                              \
    bool GOMP_loop_ull_##name##_next(unsigned long long *first, unsigned long long *end) {         \
        return take((long *)first, (long *)end);                                                   \
    }                                                                                              \
    void GOMP_parallel_loop_##name(void (*work)(void *), void *data, unsigned size, long from,     \
                                   long to, long step, unsigned flags) {                           \
        const struct share first = loop(from, to, step, 1);                                        \
        (void)flags;                                                                               \
        parallel(work, data, size, &first);                                                        \
    }
RUNTIME(runtime)
RUNTIME(nonmonotonic_runtime)
RUNTIME(maybe_nonmonotonic_runtime)

bool GOMP_loop_ordered_runtime_start(long from, long to, long step, long *first, long *end) {
    return start_ordered(loop(from, to, step, 1), first, end);
}

bool GOMP_loop_ordered_runtime_next(long *first, long *end) {
    return take_ordered(first, end);
}

void GOMP_loop_end(void) {
    GOMP_barrier();
}

void GOMP_loop_end_nowait(void) {
}

unsigned GOMP_sections_next(void) {
    long from, to;
    return take(&from, &to) ? (unsigned)from : 0;
}

unsigned GOMP_sections_start(unsigned count) {
    long from, to;
    return start(loop(1, (long)count + 1, 1, 1), &from, &to) ? (unsigned)from : 0;
}

void GOMP_parallel_sections(void (*work)(void *), void *data, unsigned size, unsigned count,
                            unsigned flags) {
    const struct share first = loop(1, (long)count + 1, 1, 1);
    (void)flags;
    parallel(work, data, size, &first);
}

void GOMP_sections_end(void) {
    GOMP_barrier();
}

void GOMP_sections_end_nowait(void) {
}

bool GOMP_single_start(void) {
    return !in_team() || enter(loop(0, 1, 1, 1));
}

/* copyprivate: what the thread of the single has, the others get from GOMP_single_copy_start(). */
void *GOMP_single_copy_start(void) {
    if (GOMP_single_start())
        return NULL;
    GOMP_barrier();
    return team->copied;
}

void GOMP_single_copy_end(void *data) {
    if (!in_team())
        return;
    team->copied = data;
    GOMP_barrier();
}

/* ---------------------------------------------------------------- cancel */

/* Where the environment does not ask for it (OMP_CANCELLATION), nothing is cancelled. */
bool GOMP_cancel(int which, bool now) {
    (void)which, (void)now;
    return false;
}

bool GOMP_cancellation_point(int which) {
    (void)which;
    return false;
}

bool GOMP_barrier_cancel(void) {
    GOMP_barrier();
    return false;
}

bool GOMP_loop_end_cancel(void) {
    return GOMP_barrier_cancel();
}

bool GOMP_sections_end_cancel(void) {
    return GOMP_barrier_cancel();
}
