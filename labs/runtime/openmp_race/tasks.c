/* OpenMP's tasks: queued in the order in which they are created, and taken by whichever thread has
 * its turn while it waits at a barrier, for its tasks or for those of a group.
 *
 * They are created, copied and called as gcc expects of its own runtime. Of a task, what it may not
 * run before is what its dependences name and, for the check of races, what comes before it: all
 * that its creator did before (order.h).
 */
#include "tasks.h"

#include "evidence/our_fault.h"
#include "order.h"
#include "race_detector.h"
#include "real_functions.h"
#include "team.h"

#include <stdint.h>
#include <stdlib.h>

enum { FINAL = 1 << 1, DEPEND = 1 << 3, GRAINSIZE = 1 << 9, IF = 1 << 10, NO_GROUP = 1 << 11 };
enum { MOST_LIVE = 1024 }; /* tasks; whoever creates more runs some of them first */

struct group {
    struct group *outer;
    unsigned live; /* tasks that have not ended */
    struct clock ends;
};

/* Where tasks of the same parent depend on each other. */
struct place {
    struct place *next;
    const void *address;
    struct clock reads, writes; /* the ends of those that read it, and of those that write it */
};
struct dependence {
    const void *address;
    bool writes;
};
struct task {
    struct task *next, *parent;
    struct group *group;
    struct strand *strand;
    void (*work)(void *);
    void *data;
    unsigned live; /* of its own tasks, those that have not ended */
    bool started, ended, final;
    struct clock ends; /* of its own tasks */
    struct place *places;
    size_t count;
    struct dependence depends[];
};

static struct task *oldest; /* of all that have not ended, in the order of their creation */
static unsigned live;
static _Thread_local struct task own; /* what the thread does outside of tasks */
static _Thread_local struct task *current;

static struct task *this_task(void) {
    return current ? current : &own;
}

bool in_final_task(void) {
    return this_task()->final;
}

static void forget_places(struct task *task) {
    for (struct place *place = task->places, *next; place; place = next) {
        next = place->next;
        free(place->reads.last);
        free(place->writes.last);
        free(place);
    }
    task->places = NULL;
    free(task->ends.last);
    task->ends = (struct clock){0};
}

void forget_tasks(void) {
    forget_places(&own);
}

/* ---------------------------------------------------------------- dependences */

/* gcc's list: how many there are and how many of these write, or 0 and the numbers of those that
 * write, exclude each other, read, or are objects that name one. What excludes each other here
 * comes one after the other. */
static size_t read_dependences(void **list, struct dependence *depends) {
    const bool is_short = list[0] != NULL;
    const size_t count = (size_t)(is_short ? list[0] : list[1]);
    const size_t writes = (size_t)(is_short ? list[1] : list[2]) + (is_short ? 0 : (size_t)list[3]);
    const size_t plain = is_short ? count : writes + (size_t)list[4];
    void **const addresses = list + (is_short ? 2 : 5);
    for (size_t i = 0; depends && i < count; i++)
        depends[i] = i < plain ? (struct dependence){addresses[i], i < writes}
                               : (struct dependence){*(void **)addresses[i], true};
    return count;
}

static bool depends_on(const struct task *task, const struct task *other) {
    for (size_t i = 0; i < task->count; i++)
        for (size_t k = 0; k < other->count; k++)
            if (task->depends[i].address == other->depends[k].address &&
                (task->depends[i].writes || other->depends[k].writes))
                return true;
    return false;
}

static bool is_blocked(const struct task *task) {
    for (const struct task *earlier = oldest; task->count && earlier != task;
         earlier = earlier->next)
        if (earlier->parent == task->parent && depends_on(task, earlier))
            return true;
    return false;
}

static struct place *place_of(struct task *parent, const void *address) {
    struct place *place = parent->places;
    while (place && place->address != address)
        place = place->next;
    if (place)
        return place;
    place = calloc(1, sizeof *place);
    if (!place)
        our_fault("the check for races has no memory for a task");
    *place = (struct place){.next = parent->places, .address = address};
    return parent->places = place;
}

static void learn_dependences(const struct task *task) {
    for (size_t i = 0; i < task->count; i++) {
        const struct place *place = place_of(task->parent, task->depends[i].address);
        order_learn(team_thread(), &place->writes);
        if (task->depends[i].writes)
            order_learn(team_thread(), &place->reads);
    }
}

/* ---------------------------------------------------------------- running */

static void release(struct task *task) {
    if (!task->ended || task->live)
        return;
    forget_places(task);
    free(task->strand->before.last);
    free(task->strand);
    free(task);
}

static void end(struct task *task) {
    struct task **link = &oldest;
    while (*link != task)
        link = &(*link)->next;
    *link = task->next;
    live--;
    task->ended = true;
    for (size_t i = 0; i < task->count; i++) {
        struct place *place = place_of(task->parent, task->depends[i].address);
        order_include(task->depends[i].writes ? &place->writes : &place->reads, task->strand);
    }
    order_include(&task->parent->ends, task->strand);
    if (task->group) {
        order_include(&task->group->ends, task->strand);
        task->group->live--;
    }
    task->parent->live--;
    if (task->parent->ended)
        release(task->parent);
    release(task);
}

/* Runs a task on the caller's stack, of which what lies below was of others until now. */
static void run(struct task *task) {
    struct task *const last = current;
    race_stack_is_new();
    struct strand *const strand = order_switch(team_thread(), task->strand);
    learn_dependences(task);
    current = task;
    task->work(task->data);
    current = last;
    order_switch(team_thread(), strand);
    race_stack_is_new();
    end(task);
}

/* Runs the oldest task that may run: of a parent, of a group, or of any (NULL), but not of the
 * tasks of `except`. */
static bool run_one(const struct task *parent, const struct group *group,
                    const struct task *except) {
    for (struct task *task = oldest; task; task = task->next) {
        if (task->started || (parent && task->parent != parent) || task->parent == except ||
            (group && task->group != group) || is_blocked(task))
            continue;
        task->started = true;
        run(task);
        return true;
    }
    return false;
}

/* A thread leaves its own tasks to the other threads first: what it does itself is in no race with
 * a task that it runs. */
bool run_any_task(void) {
    if (run_one(NULL, NULL, &own))
        return true;
    if (own.live)
        others_run();
    return run_one(NULL, NULL, NULL);
}

static void wait_for_own(void) {
    while (this_task()->live) {
        others_run();
        run_one(this_task(), NULL, NULL);
    }
}

void GOMP_taskwait(void) {
    if (!in_team())
        return;
    wait_for_own();
    order_learn(team_thread(), &this_task()->ends);
}

void GOMP_taskwait_depend(void **depend) {
    (void)depend;
    GOMP_taskwait();
}

void GOMP_taskyield(void) {
    race_before_lock();
}

void GOMP_taskgroup_start(void) {
    struct group *group = in_team() ? calloc(1, sizeof *group) : NULL;
    if (!group)
        return;
    group->outer = this_task()->group;
    this_task()->group = group;
}

void GOMP_taskgroup_end(void) {
    struct group *const group = in_team() ? this_task()->group : NULL;
    if (!group)
        return;
    while (group->live) {
        others_run();
        run_one(NULL, group, NULL);
    }
    order_learn(team_thread(), &group->ends);
    this_task()->group = group->outer;
    free(group->ends.last);
    free(group);
}

/* ---------------------------------------------------------------- creating */

/* The task's data as gcc's caller has it: `copy`, or else the bytes themselves. */
static void *copied(void *to, void *data, void (*copy)(void *, void *), long bytes) {
    if (copy)
        copy(to, data);
    else
        __real_memcpy(to, data, (size_t)bytes);
    return to;
}

static void *aligned(void *at, long alignment) {
    const uintptr_t mask = (uintptr_t)(alignment > 0 ? alignment : 1) - 1;
    return (void *)(((uintptr_t)at + mask) & ~mask);
}

/* Of gcc's arguments, those that a task and the tasks of a loop have in common. */
struct body {
    void (*work)(void *);
    void *data;
    void (*copy)(void *, void *);
    long bytes, alignment;
    unsigned flags;
    void **depend;
};

/* A task with a copy of its data, not yet queued. bounds: of a loop, which come first there. */
static struct task *create(const struct body *body, const long *bounds) {
    const size_t count = body->depend ? read_dependences(body->depend, NULL) : 0;
    struct task *task = calloc(1, sizeof *task + count * sizeof *task->depends +
                                      (size_t)(body->bytes + body->alignment));
    if (!task)
        our_fault("the check for races has no memory for a task");
    task->work = body->work;
    task->data = copied(aligned(task->depends + count, body->alignment), body->data, body->copy,
                        body->bytes);
    if (bounds)
        __real_memcpy(task->data, bounds, 2 * sizeof *bounds);
    task->count = count;
    task->final = (body->flags & FINAL) || this_task()->final;
    if (count)
        read_dependences(body->depend, task->depends);
    return task;
}

static void run_at_once(const struct body *body, const long *bounds) {
    if (body->depend)
        GOMP_taskwait();
    struct task *task = create(body, bounds);
    const bool final = this_task()->final;
    this_task()->final = task->final;
    task->work(task->data);
    this_task()->final = final;
    free(task);
}

static void queue(struct task *task) {
    task->parent = this_task();
    task->group = this_task()->group;
    task->parent->live++;
    if (task->group)
        task->group->live++;
    struct task **link = &oldest;
    while (*link)
        link = &(*link)->next;
    *link = task;
    live++;
    wake_waiting();
    if (live >= team_size()) /* enough for every thread to take one */
        race_before_lock();
}

static void new_task(const struct body *body, const long *bounds, bool deferred) {
    while (in_team() && live >= MOST_LIVE && this_task()->live &&
           run_one(this_task(), NULL, NULL)) {
    }
    struct task *task = NULL;
    if (in_team() && deferred && !this_task()->final) {
        task = create(body, bounds);
        task->strand = order_fork(team_thread());
    }
    if (task && task->strand) {
        queue(task);
    } else {
        free(task);
        run_at_once(body, bounds);
    }
}

void GOMP_task(void (*work)(void *), void *data, void (*copy)(void *, void *), long bytes,
               long alignment, bool deferred, unsigned flags, void **depend, int priority,
               void *detach) {
    const struct body body = {
        work, data, copy, bytes, alignment, flags, flags & DEPEND ? depend : NULL};
    (void)priority, (void)detach;
    new_task(&body, NULL, deferred);
}

/* Divides the rounds of a loop among `tasks` tasks, or into tasks of so many rounds. */
void GOMP_taskloop(void (*work)(void *), void *data, void (*copy)(void *, void *), long bytes,
                   long alignment, unsigned flags, unsigned long tasks, int priority, long from,
                   long to, long step) {
    const struct body body = {work, data, copy, bytes, alignment, flags, NULL};
    (void)priority;
    const long rounds = step > 0 ? (to - from + step - 1) / step : (from - to - step - 1) / -step;
    if (step > 0 ? from >= to : from <= to)
        return;
    long count = tasks ? (long)tasks : (long)team_size();
    if (flags & GRAINSIZE)
        count = rounds / count > 0 ? rounds / count : 1;
    count = count < rounds ? count : rounds;
    if (!(flags & NO_GROUP))
        GOMP_taskgroup_start();
    for (long i = 0; i < count; i++) {
        const long bounds[] = {from + rounds * i / count * step,
                               from + rounds * (i + 1) / count * step};
        new_task(&body, bounds, flags & IF);
    }
    if (!(flags & NO_GROUP))
        GOMP_taskgroup_end();
}

void GOMP_taskloop_ull(void (*work)(void *), void *data, void (*copy)(void *, void *), long bytes,
                       long alignment, unsigned flags, unsigned long tasks, int priority,
                       unsigned long long from, unsigned long long to, unsigned long long step) {
    GOMP_taskloop(work, data, copy, bytes, alignment, flags, tasks, priority, (long)from, (long)to,
                  (long)step);
}
