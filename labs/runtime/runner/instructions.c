#include "instructions.h"

#include "evidence/evidence.h"

#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#if defined(__x86_64__)
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <x86intrin.h>

/* ---------------------------------------------------------------- single steps */

enum { TRAP_FLAG = 0x100, MOST_PLACES = 1 << 16 /* a power of 2, more than all samples are */ };
enum { FIRST = 4000, BURST = 400, GUARDS = 8, FEWEST_PAGES = 4 * GUARDS, PAGE = 4096 };

struct place {
    uintptr_t pc; /* 0: free */
    long executed;
};

extern const char __executable_start[], etext[];

/* The code that is watched, and by how much its addresses differ from those in its file. */
static const char *from = __executable_start, *to = etext;
static uintptr_t loaded_at;

static bool is_asked_for;
static long most = INSTRUCTIONS_MOST, most_elsewhere = INSTRUCTIONS_MOST_ELSEWHERE;
static long sampled; /* `stepped` before the sample */
static _Thread_local volatile sig_atomic_t watching;
static struct place places[MOST_PLACES];
static int known;               /* places in use */
static long stepped, elsewhere; /* in the program, in the libraries */

/* The pages of an array of which a few are guarded: an access faults, and begins a burst. */
static struct {
    char *from; /* NULL: there is none */
    size_t pages, guarded[GUARDS];
    volatile sig_atomic_t is_over;
    bool has_begun; /* a burst */
    struct sigaction before;
} array;

static void count(uintptr_t pc) {
    size_t i = pc * 2654435761U % MOST_PLACES;
    while (places[i].pc && places[i].pc != pc)
        i = (i + 1) % MOST_PLACES;
    if (!places[i].pc && known == MOST_PLACES / 2)
        return; /* a student's file is not that long */
    known += !places[i].pc;
    places[i].pc = pc;
    places[i].executed++;
}

/* A signal that a step raises while it is blocked ends the program, and the C library blocks all of
 * them while it starts a thread. So where the next instruction is that system call, SIGTRAP is
 * taken from the set. */
static void leave_unblocked(greg_t *registers, const unsigned char *code) {
    static uint64_t signals;
    const bool is_call = code[0] == 0x0f && code[1] == 0x05; /* syscall */

    if (is_call && registers[REG_RAX] == SYS_rt_sigprocmask && registers[REG_RSI] &&
        registers[REG_RDI] != SIG_UNBLOCK) {
        signals = *(const uint64_t *)registers[REG_RSI] & ~((uint64_t)1 << (SIGTRAP - 1));
        registers[REG_RSI] = (greg_t)&signals;
    }
}

/* The signal handler: the thread is about to execute the instruction at its program counter. */
static void step(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    greg_t *const registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const char *const pc = (const char *)registers[REG_RIP];

    if (!watching || array.is_over || stepped >= most ||
        elsewhere >= most_elsewhere) { /* a new thread inherits it */
        registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
        return;
    }
    leave_unblocked(registers, (const unsigned char *)pc);
    if (pc < from || pc >= to) {
        elsewhere++;
        return;
    }
    stepped++;
    count((uintptr_t)pc);
}

/* Returns whether steps are handled. An alarm waits for the handler's end: begin_here() would set
 * the trap flag of the handler, which blocks SIGTRAP. */
static bool handle_steps(void) {
    struct sigaction trap = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    sigaddset(&trap.sa_mask, SIGALRM);
    return sigaction(SIGTRAP, &trap, NULL) == 0;
}

/* The environment is wiped before main(): evidence/evidence.h. */
void instructions_read_option(void) {
    is_asked_for = getenv("CONVLABS_INSTRUCTIONS") != NULL;
}

__attribute__((constructor(102))) static void read_first(void) {
    instructions_read_option();
}

/* ---------------------------------------------------------------- bursts */

static void guard(size_t slot) {
    const size_t page = (size_t)(__rdtsc() * 2654435761U >> 12) % array.pages;
    array.guarded[slot] = page;
    mprotect(array.from + page * PAGE, PAGE, PROT_NONE);
}

/* The signal handler of a fault: a thread has come to a guarded page. Another fault ends the run.
 */
static void touch(int number, siginfo_t *info, void *context) {
    const size_t page = (size_t)((char *)info->si_addr - array.from) / PAGE;
    if (array.is_over || (char *)info->si_addr < array.from || page >= array.pages) {
        sigaction(number, &array.before, NULL);
        return;
    }
    mprotect(array.from + page * PAGE, PAGE, PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < GUARDS; i++) {
        if (array.guarded[i] == page)
            guard(i);
    }
    array.has_begun = true;
    if (stepped < INSTRUCTIONS_MOST) {
        most = stepped + BURST;
        most_elsewhere = elsewhere + 4 * BURST;
        watching = 1;
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    }
}

static void guard_pages(const void *read, size_t bytes) {
    const uintptr_t first = ((uintptr_t)read + PAGE - 1) / PAGE * PAGE;
    array.is_over = 0;
    array.has_begun = false;
    array.pages = read ? ((uintptr_t)read + bytes - first) / PAGE : 0;
    array.from = NULL;
    if (array.pages < FEWEST_PAGES)
        return;
    struct sigaction action = {.sa_sigaction = touch, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaction(SIGSEGV, &action, &array.before) != 0)
        return;
    array.from = (char *)first;
    most = FIRST;
    for (size_t i = 0; i < GUARDS; i++)
        guard(i);
}

static void open_pages(void) {
    array.is_over = 1;
    if (array.from) {
        mprotect(array.from, array.pages * PAGE, PROT_READ | PROT_WRITE);
        sigaction(SIGSEGV, &array.before, NULL);
    }
}

void instructions_begin(const void *read, size_t bytes) {
    if (!is_asked_for || !handle_steps())
        return;
    guard_pages(read, bytes);
    watching = 1;
    __writeeflags(__readeflags() | TRAP_FLAG);
}

static void report(FILE *file) {
    const char *comma = "";
    fprintf(file, "{\"stepped\":%ld,\"gave_up\":%s,\"sites\":[", stepped,
            elsewhere >= INSTRUCTIONS_MOST_ELSEWHERE && !array.has_begun ? "true" : "false");
    for (size_t i = 0; i < MOST_PLACES; i++) {
        if (places[i].pc) {
            fprintf(file, "%s{\"pc\":%ju,\"executed\":%ld}", comma,
                    (uintmax_t)(places[i].pc - loaded_at), places[i].executed);
            comma = ",";
        }
    }
    fprintf(file, "]}\n");
}

static void stop(void) {
    watching = 0; /* first: what follows is not the function's */
    __writeeflags(__readeflags() & ~(unsigned long long)TRAP_FLAG);
}

static void end_first(void) {
    stop();
    open_pages();
    loaded_at = _r_debug.r_map ? _r_debug.r_map->l_addr : 0;
}

void instructions_end(void) {
    if (!watching)
        return;
    end_first();
    instructions_report();
}

void instructions_report(void) {
    char *text = NULL;
    size_t length = 0;
    FILE *const file = open_memstream(&text, &length);
    if (!file)
        return;
    report(file);
    if (fclose(file) == 0)
        evidence_write(EVIDENCE_INSTRUCTIONS, text, length);
    free(text);
}

/* ---------------------------------------------------------------- samples */

/* Of dl_iterate_phdr(): takes the object that has the function at `data`. */
static int take_object(struct dl_phdr_info *object, size_t size, void *data) {
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW( Phdr) *const part = &object->dlpi_phdr[i];
        const char *const start = (const char *)(object->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_LOAD && (const char *)data >= start &&
            (const char *)data < start + part->p_memsz) {
            loaded_at = object->dlpi_addr;
            from = start;
            to = start + part->p_memsz;
            return 1;
        }
    }
    return 0;
}

/* The signal handler of the timer: steps begin with the interrupted instruction. */
static volatile sig_atomic_t no_sample;

static void begin_here(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    if (no_sample)
        return;
    watching = 1;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void start_timer(long microseconds) {
    const struct itimerval once = {.it_value = {microseconds / 1000000, microseconds % 1000000}};
    setitimer(ITIMER_REAL, &once, NULL);
}

void instructions_sample(const void *function, long after) {
    struct sigaction alarm = {.sa_sigaction = begin_here, .sa_flags = SA_SIGINFO | SA_RESTART};
    void *address = NULL;
    memcpy(&address, &function, sizeof address);
    no_sample = 0;
    sampled = stepped;
    most = stepped + INSTRUCTIONS_SAMPLED;
    most_elsewhere = elsewhere + 4 * INSTRUCTIONS_SAMPLED;
    if (dl_iterate_phdr(take_object, address) && handle_steps() &&
        sigaction(SIGALRM, &alarm, NULL) == 0)
        start_timer(after > 0 ? after : 1);
}

bool instructions_sampled(void) {
    start_timer(0);
    stop();
    return stepped > sampled;
}

/* ---------------------------------------------------------------- further calls */

enum { TIMED_CALLS = 4, CALLS = TIMED_CALLS + 96, LONG_CALL = 10000 /* microseconds */ };

static long now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Leaves the alarm of a sample to another thread, if there is one, or no longer. */
static void leave_to_others(bool leave) {
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(leave ? SIG_BLOCK : SIG_UNBLOCK, &alarm, NULL);
}

/* The first call was watched by instructions_begin(), the next ones tell how long one takes. In
 * every second sample another thread is watched. */
bool instructions_again(const void *function) {
    static int calls;
    static long begun, took;

    if (calls == 0 && !watching)
        return false;
    const long now = now_us();
    if (calls == 0)
        end_first();
    else if (calls < TIMED_CALLS)
        took = calls == 1 || now - begun < took ? now - begun : took;
    else
        instructions_sampled();
    no_sample = 1;
    leave_to_others(false);
    if (++calls > CALLS || (calls > TIMED_CALLS && took > LONG_CALL)) {
        calls = 0;
        instructions_report();
        return false;
    }
    array.is_over = 0;
    if (calls >= TIMED_CALLS) {
        leave_to_others(calls % 2 == 0);
        instructions_sample(function, (long)(__rdtsc() >> 4) % (took + 1));
    }
    begun = now_us();
    return true;
}

#else

void instructions_read_option(void) {
}

void instructions_begin(const void *read, size_t bytes) {
    (void)read, (void)bytes;
}

void instructions_end(void) {
}

bool instructions_again(const void *function) {
    (void)function;
    return false;
}

void instructions_sample(const void *function, long after) {
    (void)function, (void)after;
}

bool instructions_sampled(void) {
    return true;
}

void instructions_report(void) {
}

#endif
