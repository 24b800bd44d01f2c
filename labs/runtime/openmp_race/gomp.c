/* OpenMP's runtime as gcc calls it, but one thread runs at a time: see race_detector.h.
 *
 * It has loops (all schedules), sections, single, barriers, critical, atomic, locks and their
 * functions of omp.h. A program that uses more of OpenMP does not link with it, and is not checked.
 */
#include "race_detector.h"

#include "our_fault.h"

#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_THREADS = 256, SHARES = 64, DEFAULT_THREADS = 4 };
enum { ALL_SWITCHES = 4096, SOME_SWITCHES = 64 };
enum state { RUNS, WAITS, ENDED }; /* WAITS: at a barrier */

/* Work that the threads share: the chunks of a loop, the sections, or the one turn of a single. */
struct share {
    unsigned number; /* of the construct, counted from 1; 0: no construct yet */
    long next, end, step, chunk;
};

struct team {
    unsigned size;
    void (*work)(void *);
    void *data;
    enum state state[MAX_THREADS];
    sem_t turn[MAX_THREADS];
    unsigned constructs[MAX_THREADS]; /* how many each thread has reached */
    struct share shares[SHARES];
    unsigned switches; /* how often a thread could have passed the turn at an atomic access */
};

static struct team *team; /* NULL: outside every parallel region */
static unsigned threads_to_start = DEFAULT_THREADS;
static _Thread_local int self;           /* the thread's number in its team */
static _Thread_local int nested;         /* depth of regions inside regions: each has one thread */
static _Thread_local struct share alone; /* of a thread that is its whole team */

/* ---------------------------------------------------------------- turns */

/* Passes the turn from thread `from` to the next thread that can run. When no thread can, all that
 * are left wait at a barrier, and pass it. */
static void hand_over(unsigned from) {
    for (unsigned barrier = 0; barrier < 2; barrier++) {
        for (unsigned i = 1; i <= team->size; i++) {
            const unsigned next = (from + i) % team->size;
            if (team->state[next] == RUNS) {
                race_thread_runs((int)next);
                sem_post(&team->turn[next]);
                return;
            }
        }
        race_synchronize();
        for (unsigned i = 0; i < team->size; i++)
            if (team->state[i] == WAITS)
                team->state[i] = RUNS;
    }
    sem_post(&team->turn[0]); /* all have ended: the first goes on after the region */
}

static void wait_for_turn(void) {
    while (sem_wait(&team->turn[self]) != 0) {
    }
}

/* The other threads run before this one goes on. */
static void yield(void) {
    if (!team || nested)
        return;
    hand_over((unsigned)self);
    wait_for_turn();
}

/* Before an atomic access or a lock: the other threads could come first, and a counter from which
 * threads take their work must not give all of it to one of them. To pass the turn costs some
 * microseconds, so a program with very many atomic accesses does not do so at each of them. */
static void others_first(void) {
    if (!team || nested)
        return;
    const unsigned count = ++team->switches;
    if (count <= ALL_SWITCHES || count % SOME_SWITCHES == 0)
        yield();
}

void GOMP_barrier(void) {
    if (team && !nested) {
        team->state[self] = WAITS;
        yield();
    }
}

static void *member(void *number) {
    self = (int)(size_t)number;
    race_thread_begins(__builtin_frame_address(0));
    wait_for_turn();
    team->work(team->data);
    team->state[self] = ENDED;
    hand_over((unsigned)self);
    return NULL;
}

/* ---------------------------------------------------------------- teams */

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
    if (!team || nested)
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
    yield();
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
    return (struct share){1, from, to, step, chunk > 0 ? chunk : 1};
}

static bool start(struct share new, long *from, long *to) {
    if (!team || nested)
        alone = new;
    else
        enter(new);
    return take(from, to);
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

/* schedule(runtime): no chunk is passed. */
#define RUNTIME(name)                                                                              \
    bool GOMP_loop_##name##_start(long from, long to, long step, long *first, long *end) {         \
        return start(loop(from, to, step, 1), first, end);                                         \
    }                                                                                              \
    bool GOMP_loop_##name##_next(long *first, long *end) {                                         \
        return take(first, end);                                                                   \
    }                                                                                              \
    void GOMP_parallel_loop_##name(void (*work)(void *), void *data, unsigned size, long from,     \
                                   long to, long step, unsigned flags) {                           \
        const struct share first = loop(from, to, step, 1);                                        \
        (void)flags;                                                                               \
        parallel(work, data, size, &first);                                                        \
    }
RUNTIME(runtime)
RUNTIME(maybe_nonmonotonic_runtime)

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
    return !team || nested || enter(loop(0, 1, 1, 1));
}

/* ---------------------------------------------------------------- critical, atomic, locks */

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
PROTECTED(GOMP_ordered_start(void), GOMP_ordered_end(void))
PROTECTED(omp_set_lock(omp_lock_t *lock __attribute__((unused))),
          omp_unset_lock(omp_lock_t *lock __attribute__((unused))))

void omp_init_lock(omp_lock_t *lock) {
    (void)lock;
}

void omp_destroy_lock(omp_lock_t *lock) {
    (void)lock;
}

/* ---------------------------------------------------------------- omp.h */

int omp_get_thread_num(void) {
    return team && !nested ? self : 0;
}

int omp_get_num_threads(void) {
    return team && !nested ? (int)team->size : 1;
}

int omp_get_max_threads(void) {
    return (int)threads_to_start;
}

int omp_get_num_procs(void) {
    return DEFAULT_THREADS;
}

int omp_in_parallel(void) {
    return team != NULL;
}

int omp_get_thread_limit(void) {
    return MAX_THREADS;
}

void omp_set_num_threads(int count) {
    threads_to_start = count > 0 && count <= MAX_THREADS ? (unsigned)count : 1;
}

void omp_set_dynamic(int dynamic) {
    (void)dynamic;
}

void omp_set_schedule(omp_sched_t kind, int chunk) {
    (void)kind, (void)chunk;
}

double omp_get_wtime(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
