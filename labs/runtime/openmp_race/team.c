/* The threads of a team, of which one runs at a time. */
#include "team.h"

#include "race_detector.h"

#include <stdlib.h>

enum { ALL_SWITCHES = 4096, SOME_SWITCHES = 64 };

struct team *team;
unsigned threads_to_start = DEFAULT_THREADS;
_Thread_local int self, nested;

bool in_team(void) {
    return team && !nested;
}

bool in_region(void) {
    return team != NULL;
}

int team_thread(void) {
    return in_team() ? self : 0;
}

unsigned team_size(void) {
    return in_team() ? team->size : 1;
}

int region_depth(void) {
    return team ? nested + 1 : 0;
}

void wake_waiting(void) {
    for (unsigned i = 0; i < team->size; i++)
        if (team->state[i] == WAITS)
            team->state[i] = RUNS;
}

void hand_over(unsigned from) {
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
        team->barriers++;
        wake_waiting();
    }
    sem_post(&team->turn[0]); /* all have ended: the first goes on after the region */
}

void wait_for_turn(void) {
    while (sem_wait(&team->turn[self]) != 0) {
    }
}

void others_run(void) {
    if (!in_team())
        return;
    hand_over((unsigned)self);
    wait_for_turn();
}

/* Before an atomic access or a lock: the other threads could come first, and a counter from which
 * threads take their work must not give all of it to one of them. To pass the turn costs some
 * microseconds, so a program with very many atomic accesses does not do so at each of them. */
void others_first(void) {
    if (!in_team())
        return;
    const unsigned count = ++team->switches;
    if (count <= ALL_SWITCHES || count % SOME_SWITCHES == 0)
        others_run();
}
