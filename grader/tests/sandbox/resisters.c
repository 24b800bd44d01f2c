/* Programs that resist being ended. `resisters NAME` never ends by itself. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void nap(void) {
    const struct timespec time = {.tv_nsec = 1000000};
    nanosleep(&time, NULL);
}

static void sleeps(void) {
    for (;;)
        pause();
}

static void spins(void) {
    for (volatile unsigned i = 0;; i++)
        ;
}

static void ignores_signals(void) {
    for (int number = 1; number < 65; number++)
        signal(number, SIG_IGN);
    sleeps();
}

static void catches_signals(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    sleeps();
}

static void stops_itself(void) {
    for (;;)
        raise(SIGSTOP);
}

/* A daemon as books make it: the child of a child that has left the session. */
static void start_daemon(void) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            ignores_signals();
        _exit(0);
    }
    wait(NULL);
}

static void becomes_daemon(void) {
    start_daemon();
    sleeps();
}

/* The program ends at once; its daemon keeps its pipes. */
static void leaves_daemon(void) {
    start_daemon();
    exit(0);
}

static void new_session(void) {
    if (fork() == 0) {
        setsid();
        spins();
    }
    sleeps();
}

static void children_of_children(void) {
    for (int depth = 0; depth < 20; depth++)
        if (fork() > 0)
            break;
    setsid();
    ignores_signals();
}

/* As many processes as it gets; then they wait. */
static void fork_bomb(void) {
    while (fork() >= 0)
        ;
    sleeps();
}

/* Never stops trying, each in a session of its own: a killed one makes room for the next. */
static void endless_fork_bomb(void) {
    for (;;)
        if (fork() == 0)
            setsid();
}

/* Each process starts the next and ends, so that its id is never the one that was just seen. */
static void runs_away(void) {
    for (;;) {
        if (fork() > 0)
            _exit(0);
        setsid();
        nap();
    }
}

static void *thread(void *unused) {
    (void)unused;
    sleeps();
    return NULL;
}

static void thread_bomb(void) {
    pthread_attr_t small;
    pthread_t id;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    while (pthread_create(&id, &small, thread, NULL) == 0)
        ;
    sleeps();
}

/* Erases what the environment in /proc says of it. */
static void forgets_its_mark(void) {
    for (char **variable = environ; *variable; variable++)
        memset(*variable, 0, strlen(*variable));
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            ignores_signals();
        _exit(0);
    }
    sleeps();
}

/* A stopped child, traced where the sandbox allows that. */
static void traced(void) {
    const pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        sleeps();
    }
    waitpid(child, NULL, WUNTRACED);
    sleeps();
}

static void waits_for_itself(void) {
    int ends[2];
    char byte;
    if (pipe(ends) == 0)
        while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
            ;
    sleeps();
}

static const struct {
    const char *name;
    void (*resist)(void);
} resisters[] = {
    {"sleeps", sleeps},
    {"spins", spins},
    {"ignores-signals", ignores_signals},
    {"blocks-signals", catches_signals},
    {"stops-itself", stops_itself},
    {"becomes-daemon", becomes_daemon},
    {"leaves-daemon", leaves_daemon},
    {"new-session", new_session},
    {"children-of-children", children_of_children},
    {"fork-bomb", fork_bomb},
    {"endless-fork-bomb", endless_fork_bomb},
    {"runs-away", runs_away},
    {"thread-bomb", thread_bomb},
    {"forgets-its-mark", forgets_its_mark},
    {"traced", traced},
    {"waits-for-itself", waits_for_itself},
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof resisters / sizeof *resisters; i++)
        if (strcmp(argv[1], resisters[i].name) == 0)
            resisters[i].resist();
    return 99;
}
