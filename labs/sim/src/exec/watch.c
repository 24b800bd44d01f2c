#include "exec/watch.h"

#include "base/code.h"
#include "base/options.h"
#include "exec/fault.h"
#include "exec/hooks.h"
#include "exec/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* SIGURG is ignored where nobody handles it, and few programs use it. */
#define INTERRUPT SIGURG
#define PERIOD 1         /* milliseconds between two looks */
#define STILL 20         /* looks at the same turn, whose thread then does not only wait */
#define SAME 2           /* looks at a thread with the same registers, after which it spins */
#define LONG 500         /* looks at a thread after which others get a turn in any case */
#define MANY_TRIES 1000  /* of an atomic function that changed nothing, */
#define RECENT 4096      /* the last one at most so many turns of threads ago */
#define PATIENCE 2000    /* milliseconds for a thread to say where it is, on a busy machine */
#define LIMIT_STATUS 124 /* as of timeout(1) */

static pid_t owner;            /* threads do not survive a fork */
static volatile int stopped;   /* the signal that ends the program; -1: its time limit */
static volatile bool asked;    /* a note is to say where a kernel is, which then goes on */
static bool reporting;         /* a thread has begun to say where it is, */
static volatile bool reported; /* and has said it */

/* The registers without those that hold flags, and how many. */
static const void *registers(const void *context, size_t *bytes) {
    const ucontext_t *c = context;
#if defined(__x86_64__)
    *bytes = REG_RIP * sizeof *c->uc_mcontext.gregs;
    return c->uc_mcontext.gregs;
#elif defined(__aarch64__)
    *bytes = sizeof c->uc_mcontext.regs;
    return c->uc_mcontext.regs;
#else
    (void)c;
    *bytes = 0;
    return c;
#endif
}

static uint64_t hash(const void *from, size_t bytes) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++) {
        h = (h ^ ((const unsigned char *)from)[i]) * 1099511628211u;
    }
    return h;
}

/* What ends the program, or is about to. */
static const char *cause(void) {
    return stopped == SIGINT    ? "interrupt"
           : stopped == SIGXCPU ? "processor-time"
           : stopped == -1      ? "own-limit"
           : stopped == 0       ? "near-limit"
           : sim_options.timed  ? "time-limit"
                                : "terminated";
}

/* Does an atomic function change nothing again and again? The threads may wait for a lock. */
static bool asks_in_vain(const struct worker *w) {
    return w->vain.times >= MANY_TRIES && w->turns - w->vain.turn < RECENT;
}

/* Says where the running thread is. */
static void report_position(const struct worker *w, const void *pc) {
    if (__atomic_exchange_n(&reporting, true, __ATOMIC_RELAXED)) {
        return;
    }
    struct sim_finding finding = {.severity = "note",
                                  .found = FOUND_STOPPED,
                                  .kernel = w->block.config->kernel,
                                  .location = {w->block.config->file, w->block.config->line},
                                  .block = &blockIdx,
                                  .thread = &threadIdx,
                                  .pc = pc,
                                  .cause = cause()};
    const struct thread *me = &w->thread[w->lane.thread];
    const void *seen = sim_hooks ? sim_hooks->position() : NULL;
    if (me->at.file && (w->lane.busy || w->watch.still < STILL)) {
        finding.location = me->at; /* a barrier or a warp function */
        finding.pc = NULL;
    } else if (seen) {
        finding.pc = seen;
    } else if (w->lane.busy || !sim_is_code(pc)) {
        finding.pc = sim_is_code(me->pc) ? me->pc : NULL;
    }
    if (asks_in_vain(w)) {
        finding.pc = w->vain.pc;
        finding.number = (long long)w->vain.times;
    } else if (!finding.pc && finding.location.file == w->block.config->file &&
               finding.location.line == w->block.config->line) {
        finding.place = finding.location; /* of the launch: nothing more exact is known */
    }
    if (finding.pc) {
        finding.location = (struct sim_location){NULL, 0};
    }
    sim_report(&finding);
    __atomic_store_n(&reported, true, __ATOMIC_RELEASE);
}

/* Does the interrupted thread of a kernel spin? */
static bool spins(struct worker *w, const void *context) {
    size_t bytes;
    const void *from = registers(context, &bytes);
    uint64_t now = hash(from, bytes);
    w->watch.same_looks = bytes > 0 && now == w->watch.registers ? w->watch.same_looks + 1 : 0;
    w->watch.registers = now;
    w->watch.looks++;
    return w->watch.same_looks >= SAME || w->watch.looks >= LONG;
}

/* The signal handler of a host thread: on the stack of the thread that it interrupts. */
static void interrupted(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)info;
    struct worker *w = sim_worker;
    if (!w || !w->block.config) {
        return;
    }
    const char *pc = sim_program_counter(context);
    if (stopped || asked) {
        asked = false;
        report_position(w, pc);
        return;
    }
    char here;
    const struct fiber *fiber = w->lane.fiber;
    /* Before the first thread runs, no fiber does. */
    bool in_kernel = fiber && !w->lane.busy && !sim_hooks && sim_is_code(pc) &&
                     &here >= fiber->stack && &here < fiber->stack + fiber->bytes;
    if (!in_kernel || w->turns != w->watch.turns || !spins(w, context)) {
        return;
    }
    int saved = errno;
    w->watch.looks = w->watch.same_looks = 0;
    w->block.preempted = true;
    sim_give_way(pc);
    errno = saved;
}

/* Looks at one worker. */
static void look_at(struct worker *w) {
    uint64_t turns = __atomic_load_n(&w->turns, __ATOMIC_RELAXED);
    w->watch.still = turns == w->watch.turns ? w->watch.still + 1 : 0;
    if (__atomic_load_n(&w->block.config, __ATOMIC_RELAXED) == NULL || turns != w->watch.turns) {
        w->watch.turns = turns;
        w->watch.looks = w->watch.same_looks = 0;
    } else if (!sim_hooks) {
        pthread_kill(w->host_thread, INTERRUPT);
    }
}

static void pause_for(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Asks the host threads for the positions of their kernels. */
static void ask_all(pid_t process) {
    for (struct worker *w = sim_workers(); w; w = w->older) {
        if (w->process == process && __atomic_load_n(&w->block.config, __ATOMIC_RELAXED)) {
            pthread_kill(w->host_thread, INTERRUPT);
        }
    }
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *watch(void *argument) {
    pid_t me = (pid_t)(intptr_t)argument;
    double end = sim_options.limit > 0 ? seconds(CLOCK_MONOTONIC) + sim_options.limit : 0;
    bool noted = sim_options.position <= 0;
    for (;;) {
        pause_for(PERIOD);
        for (struct worker *w = sim_workers(); w; w = w->older) {
            if (w->process == me) {
                look_at(w);
            }
        }
        if (!noted && seconds(CLOCK_PROCESS_CPUTIME_ID) >= sim_options.position) {
            noted = asked = true;
            ask_all(me);
        }
        if (end > 0 && seconds(CLOCK_MONOTONIC) >= end) {
            stopped = -1;
            ask_all(me);
            for (int i = 0; i < PATIENCE && !reported; i++) {
                pause_for(PERIOD);
            }
            _exit(LIMIT_STATUS);
        }
    }
    return NULL;
}

/* A signal ends the program. */
static void stop(int number, siginfo_t *info, void *context) {
    (void)info;
    struct worker *w = sim_worker;
    stopped = number;
    signal(number, SIG_DFL);
    if (w && w->block.config) {
        report_position(w, sim_program_counter(context));
    } else {
        bool any = false;
        for (struct worker *it = sim_workers(); it; it = it->older) {
            any |= it->process == getpid() && it->block.config != NULL;
        }
        ask_all(getpid());
        for (int i = 0; i < PATIENCE && any && !reported; i++) {
            pause_for(PERIOD);
        }
    }
    raise(number);
}

/* Handles a signal, unless the program does so. */
static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags) {
    struct sigaction old, action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_RESTART | flags;
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
        sigaction(number, &action, NULL);
    }
}

void sim_watch_begin(void) {
    pid_t me = getpid();
    if (sim_worker) {
        sim_worker->process = me;
    }
    if (owner == me) {
        return;
    }
    owner = me;
    handle(INTERRUPT, interrupted, SA_NODEFER); /* it may switch to another thread */
    handle(SIGTERM, stop, SA_ONSTACK);
    handle(SIGINT, stop, SA_ONSTACK);
    handle(SIGXCPU, stop, SA_ONSTACK);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the watch takes no signals of the program */
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, watch, (void *)(intptr_t)me);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
