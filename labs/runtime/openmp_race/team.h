/* The threads of a team, of which one runs at a time. */
#pragma once

#include <semaphore.h>
#include <stdbool.h>

enum { MAX_THREADS = 256, DEFAULT_THREADS = 4, SHARES = 64 };
enum thread_state { RUNS, WAITS, ENDED }; /* WAITS: at a barrier */

/* Work that the threads share: the chunks of a loop, the sections, or the one turn of a single. */
struct share {
    unsigned number; /* of the construct, counted from 1; 0: no construct yet */
    long next, end, step, chunk;
    long ordered; /* in an ordered loop: the first round of the chunk whose turn it is */
};

struct team {
    unsigned size;
    void (*work)(void *);
    void *data;
    enum thread_state state[MAX_THREADS];
    sem_t turn[MAX_THREADS];
    unsigned constructs[MAX_THREADS]; /* how many each thread has reached */
    unsigned barriers;                /* how many all threads have passed */
    void *copied;                     /* by a single, for the other threads */
    struct share shares[SHARES];
    unsigned switches; /* how often a thread could have passed the turn at an atomic access */
};

extern struct team *team;         /* NULL: outside every parallel region */
extern unsigned threads_to_start; /* of a region that does not say how many */
extern _Thread_local int self;    /* the thread's number in its team */
extern _Thread_local int nested;  /* depth of regions inside regions: each has one thread */

/* Is the caller one of several threads of a team? In a region inside a region it is alone. */
bool in_team(void);

/* The caller's number in its team, and the number of its threads. */
int team_thread(void);
unsigned team_size(void);

/* Does a region of several threads run, and in how many regions is the caller? */
bool in_region(void);
int region_depth(void);

/* Passes the turn from thread `from` to the next thread that can run. When no thread can, all that
 * are left wait at a barrier, and pass it. */
void hand_over(unsigned from);
void wait_for_turn(void);

/* The other threads run before this one goes on. */
void others_run(void);

/* The same before an atomic access or a lock, but not at each of very many. */
void others_first(void);

/* A task was created: threads that wait at a barrier look for it. */
void wake_waiting(void);
