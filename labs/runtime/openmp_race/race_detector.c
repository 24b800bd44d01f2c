#include "race_detector.h"

#include "evidence/evidence.h"
#include "evidence/finding.h"
#include "order.h"
#include "real_functions.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 512, BUCKETS = 4096, MAX_THREADS = 1024, MAX_REPORTED = 20 };
enum { READ, WRITE };

/* What is known of the reads, or of the writes, of a byte in an epoch, which is the time between
 * two synchronizations of the team. Of those that are in no order with each other two are kept: an
 * access by any thread has no order with one of them at least. */
struct access {
    unsigned epoch;   /* counted from 1; 0: there was no access */
    unsigned part[2]; /* of the first and the last access: order.h; the same if there is one */
    bool locked[2];   /* each in this part was atomic or under a lock */
    const void *pc;   /* of the first access */
};
struct page {
    uintptr_t number;
    struct page *next;
    struct access accesses[PAGE][2]; /* [byte][READ or WRITE] */
};

static struct page *pages[BUCKETS];
static unsigned epoch = 1;
static int running = -1;       /* the thread that runs */
static int locks[MAX_THREADS]; /* how many each thread holds */
static void (*switch_threads)(void);
static struct {
    const void *pc, *other;
} reported[MAX_REPORTED];
static int reported_count;
static unsigned largest_team = 1;
static unsigned long long teams;                       /* of several threads, that were started */
static unsigned long long bytes_written[MAX_THREADS];  /* bytes, by each thread of all teams */
static unsigned long long bytes_read[MAX_THREADS][2];  /* likewise; [under a lock] */
static unsigned long long bytes_in_epoch[MAX_THREADS]; /* written, by each thread */
static unsigned long long bytes_one_by_one; /* the most of any thread, of all epochs together */
static unsigned long long bytes_alone;      /* written outside of teams */
static unsigned team_threads;               /* of the team that runs */
static _Thread_local uintptr_t stack_begin; /* its lower addresses are the thread's own */
static _Thread_local uintptr_t stack_used;  /* the lowest of them that was accessed */

/* The last accesses since the running thread had the turn, a lock or a barrier. */
enum { LAST = 8 };
static struct {
    uintptr_t from, bytes;
    int kind;
} last[LAST];
static unsigned last_count;

static void forget_last(void) {
    __real_memset(last, 0, sizeof last);
}

void race_team_starts(unsigned size) {
    team_threads = size;
    largest_team = size > largest_team ? size : largest_team;
    teams += size > 1;
}

void race_thread_begins(const void *frame) {
    stack_begin = stack_used = (uintptr_t)frame;
}

void race_thread_runs(int thread) {
    forget_last();
    running = thread < MAX_THREADS ? thread : -1;
}

static void end_epoch(void) {
    unsigned long long most = 0;
    for (unsigned i = 0; i < MAX_THREADS; i++) {
        most = bytes_in_epoch[i] > most ? bytes_in_epoch[i] : most;
        bytes_in_epoch[i] = 0;
    }
    bytes_one_by_one += most;
}

void race_synchronize(void) {
    forget_last();
    end_epoch();
    epoch++;
    order_restart(team_threads);
}

void race_switches_with(void (*others_first)(void)) {
    switch_threads = others_first;
}

void race_before_lock(void) {
    if (running >= 0 && locks[running] == 0 && switch_threads)
        switch_threads();
}

void race_lock_count(int change) {
    forget_last();
    if (running >= 0)
        locks[running] += change;
}

void *__real_calloc(size_t count, size_t size);

/* Both kinds of accesses of a byte; NULL when there is no memory for them: it is not checked then.
 */
static struct access *accesses_of(uintptr_t byte) {
    const uintptr_t number = byte / PAGE;
    struct page **bucket = &pages[number % BUCKETS];
    struct page *page = *bucket;
    while (page && page->number != number)
        page = page->next;
    if (!page) {
        page = __real_calloc(1, sizeof *page);
        if (!page)
            return NULL;
        page->number = number;
        page->next = *bucket;
        *bucket = page;
    }
    return page->accesses[byte % PAGE];
}

/* ---------------------------------------------------------------- the report */

/* The address, in the program's file, of the call that returns to `pc`. */
static unsigned long long in_program(const void *pc) {
    return finding_address((const char *)pc - 1);
}

/* The thread of the two accesses that is not the running one. */
static int other_thread(const struct access *access) {
    const int thread = order_thread_of(access->part[0]);
    return thread == running ? order_thread_of(access->part[1]) : thread;
}

static const char *const verb[] = {[READ] = "read", [WRITE] = "write"};

/* Reports a finding, as grader/model/finding.py reads it; each pair of source locations once.
 * `earlier`, of `earlier_kind`, is the access that `pc` races with.
 */
static void report(const void *pc, int kind, const struct access *earlier, int earlier_kind) {
    for (int i = 0; i < reported_count; i++)
        if ((reported[i].pc == pc && reported[i].other == earlier->pc) ||
            (reported[i].pc == earlier->pc && reported[i].other == pc))
            return;
    if (reported_count == MAX_REPORTED)
        return;
    reported[reported_count].pc = pc;
    reported[reported_count++].other = earlier->pc;
    char line[512];
    const int length =
        snprintf(line, sizeof line,
                 "{\"kind\":\"%s\",\"pc\":%llu,\"other_pc\":%llu,\"thread\":[%d,0,0],"
                 "\"other_thread\":[%d,0,0],\"verb\":\"%s\",\"other_verb\":\"%s\"}\n",
                 finding_words[FOUND_THREAD_RACE].kind, in_program(pc), in_program(earlier->pc),
                 running, other_thread(earlier), verb[kind], verb[earlier_kind]);
    evidence_write(EVIDENCE_FINDING, line, (size_t)length);
}

/* Says at the end what the threads wrote: nothing, where one did most of its work under a lock, for
 * which the others waited. A few reads there, as of a counter of rows, are none. */
static void report_team(void) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return;
    fprintf(file, "{\"largest\":%u,\"teams\":%llu,\"written\":[", largest_team, teams);
    for (unsigned i = 0; i < largest_team && i < MAX_THREADS; i++)
        fprintf(file, "%s%llu", i ? "," : "",
                bytes_read[i][1] > bytes_read[i][0] + bytes_written[i] ? 0 : bytes_written[i]);
    unsigned long long read = 0;
    for (unsigned i = 0; i < MAX_THREADS; i++)
        read += bytes_read[i][0] + bytes_read[i][1];
    end_epoch();
    fprintf(file, "],\"alone\":%llu,\"read\":%llu,\"one_by_one\":%llu}\n", bytes_alone, read,
            bytes_one_by_one);
    if (fclose(file) == 0)
        evidence_write(EVIDENCE_TEAM, text, length);
    free(text);
}

__attribute__((constructor(103))) static void reports_team(void) {
    evidence_at_end(report_team);
}

/* ---------------------------------------------------------------- the trace */

enum { MOST_TRACED = 3 << 20, TRACED_LINE = 160 }; /* bytes of text; nothing is traced after them */

/* Every access of the student's code, where CONVLABS_ACCESSES is set: for questions about it. Not
 * allocated: the student's own memory stays where it would be without a trace. */
static struct {
    bool on;
    size_t length;
    char text[MOST_TRACED + TRACED_LINE];
} trace;

static void trace_access(const volatile void *at, size_t bytes, int kind, const void *pc) {
    if (trace.length > MOST_TRACED)
        return;
    const int length =
        snprintf(trace.text + trace.length, TRACED_LINE,
                 "{\"pc\":%llu,\"thread\":%d,\"store\":%s,\"width\":%zu,\"at\":%llu}\n",
                 in_program(pc), running > 0 ? running : 0, kind == WRITE ? "true" : "false", bytes,
                 (unsigned long long)(uintptr_t)at);
    trace.length += length > 0 && length < TRACED_LINE ? (size_t)length : 0;
}

static void report_trace(void) {
    evidence_write(EVIDENCE_ACCESS, trace.text, trace.length);
}

__attribute__((constructor(102))) static void begins_trace(void) {
    trace.on = getenv("CONVLABS_ACCESSES") != NULL;
    if (trace.on)
        evidence_at_end(report_trace);
}

/* ---------------------------------------------------------------- accesses */

/* Counts what the running thread accesses of memory that is not its own stack. Outside of teams the
 * first thread runs, whose stack lies above all else. */
static void count(const volatile void *at, size_t bytes, int kind) {
    const uintptr_t top = (uintptr_t)__builtin_frame_address(0);
    if (running < 0) {
        bytes_alone += kind == WRITE && (uintptr_t)at < top ? bytes : 0;
    } else if ((uintptr_t)at < top || (uintptr_t)at >= stack_begin) {
        bytes_written[running] += kind == WRITE ? bytes : 0;
        bytes_in_epoch[running] += kind == WRITE ? bytes : 0;
        bytes_read[running][locks[running] > 0] += kind == READ ? bytes : 0;
    }
}

/* Was one of these accesses made in this epoch by another thread and before nothing that the
 * running thread does now, and not both under a lock? */
static bool conflicts(const struct access *earlier, bool locked) {
    for (int i = 0; earlier->epoch == epoch && i < 2; i++)
        if (!(locked && earlier->locked[i]) && !order_before(earlier->part[i], running))
            return true;
    return false;
}

/* Keeps the access: with the others of its part, or instead of one that comes before it. */
static void note(struct access *access, bool locked, const void *pc) {
    const unsigned part = order_now(running);
    const bool first_before = access->epoch != epoch || order_before(access->part[0], running);
    if (access->epoch != epoch ||
        (access->part[0] == access->part[1] && access->part[0] != part && first_before)) {
        *access = (struct access){epoch, {part, part}, {locked, locked}, pc};
        return;
    }
    const bool single = access->part[0] == access->part[1];
    const int which = access->part[0] == part || (first_before && access->part[1] != part) ? 0 : 1;
    const bool replaced = access->part[which] != part && order_before(access->part[which], running);
    access->locked[which] = locked && (replaced || access->locked[which]);
    access->pc = which == 0 && replaced ? pc : access->pc;
    access->part[which] = part;
    if (single && which == 0)
        access->locked[1] = access->locked[0];
}

static void check_access(const volatile void *at, size_t bytes, int kind, bool atomic,
                         const void *pc) {
    count(at, bytes, kind);
    if (running < 0)
        return;
    if ((uintptr_t)at < stack_used && (uintptr_t)at >= (uintptr_t)__builtin_frame_address(0))
        stack_used = (uintptr_t)at;
    const bool locked = atomic || locks[running] > 0;
    for (size_t i = 0; i < bytes; i++) {
        struct access *accesses = accesses_of((uintptr_t)at + i);
        if (!accesses)
            return;
        if (conflicts(&accesses[WRITE], locked))
            report(pc, kind, &accesses[WRITE], WRITE);
        else if (kind == WRITE && conflicts(&accesses[READ], locked))
            report(pc, kind, &accesses[READ], READ);
        note(&accesses[kind], locked, pc);
    }
}

static void callback(const volatile void *at, size_t bytes, int kind, const void *pc) {
    if (trace.on)
        trace_access(at, bytes, kind, pc);
    last[last_count % LAST].from = (uintptr_t)at;
    last[last_count % LAST].bytes = bytes;
    last[last_count++ % LAST].kind = kind;
    check_access(at, bytes, kind, false, pc);
}

/* Memory that was just allocated: what is known is of its use before it was freed. */
static void forget(const void *at, size_t bytes) {
    for (size_t i = 0; running >= 0 && i < bytes; i++) {
        struct access *accesses = accesses_of((uintptr_t)at + i);
        if (accesses)
            accesses[READ].epoch = accesses[WRITE].epoch = 0;
    }
}

/* All that lies below the caller's frame. */
void race_stack_is_new(void) {
    forget_last();
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    if (stack_used < frame)
        forget((const void *)stack_used, frame - stack_used);
    stack_used = frame < stack_begin ? frame : stack_begin;
}

#define PC __builtin_return_address(0)

#define WIDTH(n)                                                                                   \
    void __tsan_read##n(void *at) {                                                                \
        callback(at, n, READ, PC);                                                                 \
    }                                                                                              \
    void __tsan_write##n(void *at) {                                                               \
        callback(at, n, WRITE, PC);                                                                \
    }                                                                                              \
    void __tsan_unaligned_read##n(void *at) {                                                      \
        callback(at, n, READ, PC);                                                                 \
    }                                                                                              \
    void __tsan_unaligned_write##n(void *at) {                                                     \
        callback(at, n, WRITE, PC);                                                                \
    }                                                                                              \
    void __tsan_volatile_read##n(void *at) {                                                       \
        callback(at, n, READ, PC);                                                                 \
    }                                                                                              \
    void __tsan_volatile_write##n(void *at) {                                                      \
        callback(at, n, WRITE, PC);                                                                \
    }
WIDTH(1)
WIDTH(2)
WIDTH(4)
WIDTH(8)
WIDTH(16)

void __tsan_read_range(void *at, size_t bytes) {
    callback(at, bytes, READ, PC);
}

void __tsan_write_range(void *at, size_t bytes) {
    callback(at, bytes, WRITE, PC);
}

void __tsan_init(void) {
}

/* ---------------------------------------------------------------- what gcc does not report */

#if defined(__x86_64__)
/* labs/sim/src/trace/access_calls.S calls these for accesses that were found in the machine code.
 * No stack is left alone, and most accesses are ones that gcc has just reported. */
_Thread_local struct {
    const char *from;
    size_t bytes;
} sim_lane_stack;

__attribute__((target("general-regs-only"))) bool sim_is_known_access(uintptr_t address,
                                                                      uintptr_t what) {
    for (unsigned i = 0; i < LAST; i++)
        if (address - last[i].from < last[i].bytes &&
            what / 2 <= last[i].bytes - (address - last[i].from) &&
            (last[i].kind == WRITE || !(what & 1)))
            return true;
    return false;
}

void sim_look_at_access(uintptr_t address, uintptr_t what, const void *pc) {
    const uintptr_t is_atomic = 1 << 30; /* labs/sim/translate/machine_accesses.py */
    const bool atomic = what & is_atomic;
    if (atomic)
        race_before_lock();
    check_access((const void *)address, (what & ~is_atomic) / 2, what & 1 ? WRITE : READ, atomic,
                 pc);
}
#endif

/* ---------------------------------------------------------------- atomic accesses */

static void note_atomic(const volatile void *at, size_t bytes, int kind, const void *pc) {
    race_before_lock();
    if (trace.on)
        trace_access(at, bytes, kind, pc);
    check_access(at, bytes, kind, true, pc);
}

#define NOTE_ATOMIC(at, bytes, kind)                                                               \
    note_atomic(at, bytes, (kind) == ATOMIC_LOAD ? READ : WRITE, PC)
#include "base/tsan_atomics.h"

void __tsan_atomic_thread_fence(int order) {
    (void)order;
}

/* ---------------------------------------------------------------- the C library, by ld --wrap */

void *__real_malloc(size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **to, size_t alignment, size_t bytes);
void *__real_memmove(void *to, const void *from, size_t bytes);

static void *allocated(void *at) {
    if (at)
        forget(at, malloc_usable_size(at));
    return at;
}

void *__wrap_malloc(size_t bytes) {
    return allocated(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t size) {
    return allocated(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t bytes) {
    return allocated(__real_realloc(old, bytes));
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    return allocated(__real_aligned_alloc(alignment, bytes));
}

int __wrap_posix_memalign(void **to, size_t alignment, size_t bytes) {
    const int error = __real_posix_memalign(to, alignment, bytes);
    if (error == 0)
        allocated(*to);
    return error;
}

void *__wrap_memcpy(void *to, const void *from, size_t bytes) {
    callback(from, bytes, READ, PC);
    callback(to, bytes, WRITE, PC);
    return __real_memcpy(to, from, bytes);
}

void *__wrap_memmove(void *to, const void *from, size_t bytes) {
    callback(from, bytes, READ, PC);
    callback(to, bytes, WRITE, PC);
    return __real_memmove(to, from, bytes);
}

void *__wrap_memset(void *to, int byte, size_t bytes) {
    callback(to, bytes, WRITE, PC);
    return __real_memset(to, byte, bytes);
}
