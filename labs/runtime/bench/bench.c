#include "bench.h"

#include "calibrate.h"
#include "evidence/evidence.h"
#include "evidence/our_fault.h"
#include "io/file.h"
#include "io/npy.h"
#include "runner/instructions.h"
#include "timed_inputs.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

enum { STUDENT, BASELINE, REFERENCE, AGAIN, SIDES };
enum { MAX_ROUNDS = 20000, WARM_UP_NS = 500000000 };
enum { WATCHES = 16, MOST_TRIES = 64 }; /* in so many parts of the time; rounds with one, at most */
enum round_kind { TIMED, WARM_UP, WATCHED };

struct bench {
    struct bench_job job;
    struct bench_side side[SIDES];
    bool there[SIDES];
    int baseline_every; /* the baseline is slow: it takes part in every n-th round; odd, so that
                           every side is called first equally often */
    double seconds, enough_seconds;
    int rounds, enough;
    bool watch;
    uint32_t seed;
    FILE *row_samples; /* NULL: none are kept */
    int verifier;      /* a socket; 0: there is none */
    void *rows_read;   /* room for BENCH_SAMPLE_ROWS rows */
    uint32_t *sums;    /* one for each row of the output */
    const char *path;  /* of the status file; NULL: there is none */
};

/* Nanoseconds; 0: the side took no part. The last is of calls that are watched. */
static double times[MAX_ROUNDS + 1][SIDES];
static struct calibration slowest[MAX_ROUNDS]; /* of the round's calibrations */

/* ---------------------------------------------------------------- arguments */

const char *bench_option(const struct bench_job *job, const char *name, const char *otherwise) {
    for (int i = 1; i + 1 < job->argc; i += 2)
        if (strcmp(job->argv[i], name) == 0)
            return job->argv[i + 1];
    return otherwise;
}

static const char *needed(const struct bench_job *job, const char *name) {
    const char *value = bench_option(job, name, NULL);
    if (!value)
        our_fault("the option %s is missing", name);
    return value;
}

static int number(const struct bench_job *job, const char *name, int otherwise) {
    const char *text = bench_option(job, name, NULL);
    char *end = NULL;
    const long value = text ? strtol(text, &end, 10) : otherwise;
    if ((text && (end == text || *end)) || value < 0 || value > INT32_MAX)
        our_fault("%s needs a number, but its value is '%s'", name, text);
    return (int)value;
}

/* A .npy file; it stays in memory to the end. */
static struct npy array(const char *path) {
    struct npy a;
    char error[512];
    if (npy_read(path, &a, error, sizeof error) != 0)
        our_fault("%s", error);
    return a;
}

static void read_sizes(struct bench_job *job) {
    static const char *const kinds[] = {"u1", "f4", "f8"}; /* in the order of enum noise_kind */
    static const size_t sizes[] = {1, sizeof(float), sizeof(double)};
    const char *image = needed(job, "--image"), *output = needed(job, "--output");
    char kind[3];
    size_t row = 0;
    int end = 0, k = 0;
    if (sscanf(image, "%2[a-z0-9]:%dx%zu%n", kind, &job->image_rows, &row, &end) != 3 || image[end])
        our_fault("--image needs TYPE:ROWSxELEMENTS, but its value is '%s'", image);
    while (k < 3 && strcmp(kind, kinds[k]) != 0)
        k++;
    if (k == 3 || job->image_rows < 1 || row < 1)
        our_fault("--image needs a known type and numbers above 0, but its value is '%s'", image);
    job->kind = (enum noise_kind)k;
    job->image_count = (size_t)job->image_rows * row;
    job->image_bytes = job->image_count * sizes[k];
    if (sscanf(output, "%dx%dx%dx%zu%n", &job->planes, &job->height, &job->width, &job->element,
               &end) != 4 ||
        output[end] || job->planes < 1 || job->height < 1 || job->width < 1 || job->element < 1)
        our_fault("--output needs four numbers above 0, but its value is '%s'", output);
    if (job->image_count > UINT32_MAX || job->image_bytes % 4 != 0 ||
        (size_t)job->width * job->element % 4 != 0)
        our_fault(
            "an image has 2^32 elements or more, or image and rows of the output are not whole "
            "32-bit words");
    job->out_bytes = (size_t)job->planes * (size_t)job->height * (size_t)job->width * job->element;
}

static void read_mask(struct bench_job *job) {
    const char *path = bench_option(job, "--mask", NULL);
    if (!path)
        return;
    const struct npy mask = array(path);
    job->mask = mask.data;
    job->mask_bytes = mask.bytes;
    job->radius = mask.shape[mask.ndim - 1] / 2;
    job->bank = mask.ndim == 3;
}

static void read_job(struct bench_job *job) {
    job->part = needed(job, "--part");
    job->threads = number(job, "--threads", 1);
    job->border =
        strcmp(bench_option(job, "--border", "zero"), "zero") == 0 ? BORDER_ZERO : BORDER_REPLICATE;
    read_mask(job);
    read_sizes(job);
    if (job->threads < 1)
        our_fault("--threads must be 1 or more");
}

static void read_arguments(struct bench *b) {
    const struct bench_job *job = &b->job;
    b->path = bench_option(job, "--status", NULL);
    b->rounds = number(job, "--rounds", MAX_ROUNDS);
    b->enough = number(job, "--enough", MAX_ROUNDS);
    b->seconds = strtod(bench_option(job, "--seconds", "1e9"), NULL);
    b->enough_seconds = strtod(bench_option(job, "--enough-seconds", "1e9"), NULL);
    b->seed = (uint32_t)number(job, "--seed", 0);
    b->watch = number(job, "--watch", 0) && job->threads == 1;
    b->verifier = number(job, "--verifier", 0); /* 0 is the standard input: none */
    b->baseline_every = number(job, "--baseline-every", 1);
    if (b->baseline_every < 1 || b->rounds < 1 || b->rounds > MAX_ROUNDS)
        our_fault("--baseline-every and --rounds must be 1 or more, --rounds at most %d",
                  MAX_ROUNDS);
    b->rows_read = malloc(BENCH_SAMPLE_ROWS * (size_t)job->width * job->element);
    b->sums = malloc((size_t)job->planes * (size_t)job->height * sizeof *b->sums);
    if (!b->rows_read || !b->sums)
        our_fault("not enough memory");
    const char *samples = bench_option(job, "--row-samples", NULL);
    b->row_samples = samples ? fopen(samples, "wbe") : NULL;
    if (samples && !b->row_samples)
        our_fault("%s cannot be written", samples);
}

/* ---------------------------------------------------------------- the three libraries */

/* The function of that name; in a reference that was compiled in advance, with BENCH_PREFIX. */
static bench_function *find(void *library, bool reference, const char *name, const char *path) {
    bench_function *function = NULL;
    char prefixed[128];
    snprintf(prefixed, sizeof prefixed, BENCH_PREFIX "%s", name);
    void *symbol = dlsym(library, name);
    if (!symbol && reference)
        symbol = dlsym(library, prefixed);
    if (!symbol)
        our_fault("%s does not define %s()", path, name);
    memcpy(&function, &symbol, sizeof function); /* ISO C has no cast for this, POSIX has it */
    return function;
}

/* The names of a side's functions; the first is NULL where the side has none for the job. */
static const char *const *names_of(const struct bench_job *job, bool baseline) {
    const struct bench_part *part = lab_parts;
    while (part->part &&
           (strcmp(part->part, job->part) != 0 || (part->element && part->element != job->element)))
        part++;
    return part->names[baseline];
}

/* Opens the library at `path` as a side; NULL: that side takes no part. */
static void add_side(struct bench *b, int which, const char *path) {
    struct bench_side *side = &b->side[which];
    if (!path)
        return;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        our_fault("%s", dlerror());
    side->names = names_of(&b->job, side->baseline);
    if (!side->names[0])
        our_fault("part %s has nothing to time", b->job.part);
    for (int i = 0; i < BENCH_FUNCTIONS && side->names[i]; i++)
        side->function[i] = find(library, which >= REFERENCE, side->names[i], path);
    b->there[which] = true;
}

static void open_sides(struct bench *b) {
    const char *only = bench_option(&b->job, "--only", "");
    const char *student = bench_option(&b->job, "--student", NULL);
    const char *baseline = bench_option(&b->job, "--baseline", NULL);
    const char *reference = bench_option(&b->job, "--reference", NULL);
    b->side[BASELINE].baseline = true;
    b->side[AGAIN].baseline = !reference;
    add_side(b, REFERENCE, strcmp(only, "student") == 0 ? NULL : reference);
    if (!*only) {
        add_side(b, BASELINE, baseline);
        add_side(b, AGAIN, reference ? reference : baseline);
    }
    if (strcmp(only, "reference") != 0) {
        evidence_write(EVIDENCE_CALL, "", 0);
        add_side(b, STUDENT, student);
    }
}

/* ---------------------------------------------------------------- the status */

/* Writes the first `rounds` of `times`, or the error that ended the process: `function`, of the
 * side that was called, or NULL for a call of the platform's, and what it returned. */
static void write_status(const struct bench *b, int rounds, double copy_ns, double mac_rate,
                         const char *function, int returned) {
    char *text = NULL, error[512];
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        our_fault("not enough memory for the status");
    fprintf(file, "{\"completed\":true,\"returned\":%d,\"error\":\"", returned);
    if (returned != 0 && function)
        fprintf(file, "%s() returned %s", function, platform_error(returned));
    else if (returned != 0)
        fprintf(file, "the timing program failed: %s", platform_error(returned));
    fputs("\",\"rounds\":[", file);
    for (int i = 0; i < rounds; i++)
        fprintf(file, "%s[%.0f,%.0f,%.0f,%.0f]", i > 0 ? "," : "", times[i][STUDENT],
                times[i][BASELINE], times[i][REFERENCE], times[i][AGAIN]);
    fputs("],\"quiet\":[", file);
    for (int i = 0; b->job.threads > 1 && i < rounds; i++)
        fprintf(file, "%s[%llu,%llu]", i > 0 ? "," : "", (unsigned long long)slowest[i].wall_ns,
                (unsigned long long)slowest[i].busy_ns);
    fprintf(file, "],\"copy_ns\":%.0f,\"mac_rate\":%.6g}\n", copy_ns, mac_rate);
    if (fclose(file) != 0)
        our_fault("not enough memory for the status");
    evidence_write(EVIDENCE_STATUS, text, bytes);
    if (b->path && file_write(b->path, NULL, 0, text, bytes, error, sizeof error) != 0)
        disk_fault("%s", error);
    free(text);
}

/* Ends the process when `returned` is an error: no time of this run counts. `function`: as above.
 */
static void check_call(const struct bench *b, const char *function, int returned) {
    if (returned == 0)
        return;
    write_status(b, 0, 0, 0, function, returned);
    evidence_end();
    exit(0);
}

/* The same for a call of the platform's. */
static void check_platform(const struct bench *b, int returned) {
    check_call(b, NULL, returned);
}

/* A random number below `count`. */
static int below(int count) {
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        our_fault("getrandom() gave no random number");
    return (int)(random % (uint32_t)count);
}

static int rows_of_sample(const struct bench_job *job) {
    return job->height < BENCH_SAMPLE_ROWS ? job->height : BENCH_SAMPLE_ROWS;
}

/* Copies rows of a plane, `first` and those after it, to b->rows_read. Returns their bytes. */
static size_t fetch_rows(const struct bench *b, int slot, int plane, int first) {
    const struct bench_job *job = &b->job;
    const size_t row = (size_t)job->width * job->element;
    const size_t start = (size_t)plane * (size_t)job->height + (size_t)first;
    const size_t bytes = (size_t)rows_of_sample(job) * row;
    check_platform(b, platform_fetch(slot, start * row, bytes, b->rows_read));
    return bytes;
}

/* Keeps some rows of the student's output for the grader. They are chosen after the call, so that
 * the function cannot know which rows are checked. */
static void keep_row_sample(const struct bench *b, int slot, int32_t round) {
    const struct bench_job *job = &b->job;
    const int32_t plane = below(job->planes);
    const int32_t head[3] = {round, plane, below(job->height - rows_of_sample(job) + 1)};
    const size_t bytes = fetch_rows(b, slot, plane, head[2]);
    if (fwrite(head, sizeof head, 1, b->row_samples) != 1 ||
        fwrite(b->rows_read, bytes, 1, b->row_samples) != 1)
        disk_fault("the row samples cannot be written");
}

/* ---------------------------------------------------------------- the verifier outside */

static void send_all(const struct bench *b, const void *data, size_t bytes) {
    const char *at = data;
    while (bytes > 0) {
        const ssize_t sent = send(b->verifier, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            our_fault("cannot write to the verifier: %s", strerror(errno));
        if (sent > 0)
            at += sent, bytes -= (size_t)sent;
    }
}

static void receive_all(const struct bench *b, void *to, size_t bytes) {
    ssize_t got = 0;
    do
        got = recv(b->verifier, to, bytes, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)bytes)
        our_fault("cannot read from the verifier: it has closed the connection");
}

/* Sends the verifier the sums of all rows, and then the rows that it asks for. Even code that has
 * taken over this process cannot know which rows it may leave out. */
static void commit(const struct bench *b, int slot) {
    const struct bench_job *job = &b->job;
    int32_t asked[2];
    check_platform(b, platform_sums(slot, job, b->sums));
    send_all(b, b->sums, (size_t)job->planes * (size_t)job->height * sizeof *b->sums);
    receive_all(b, asked, sizeof asked);
    if (asked[0] < 0 || asked[0] >= job->planes || asked[1] < 0 ||
        asked[1] > job->height - rows_of_sample(job))
        our_fault("the verifier asked for rows that the output does not have");
    send_all(b, b->rows_read, fetch_rows(b, slot, asked[0], asked[1]));
}

/* ---------------------------------------------------------------- rounds */

/* With several threads: does each have a core to itself? This also wakes OpenMP's threads, so that
 * the call that follows finds them awake, whichever side ran before. */
static void calibrate(const struct bench *b, int round) {
    if (b->job.threads == 1)
        return;
    const struct calibration now = calibrate_threads(b->job.threads);
    if (now.wall_ns > slowest[round].wall_ns)
        slowest[round] = now;
}

/* The key of a round's input. The verifier sends it when the round begins, and not before. */
static uint32_t key_of(const struct bench *b, int round, enum round_kind kind) {
    uint32_t key = 0;
    if (!b->verifier || kind != TIMED)
        return noise_mix((uint32_t)round + (kind != TIMED ? (uint32_t)MAX_ROUNDS : 0), b->seed);
    receive_all(b, &key, sizeof key);
    return key;
}

/* Begins to watch the student's call within twice the time that one of the round before took: of
 * the watches within that time, most saw only the first 32 of 384 rows of lab 8. */
static void begin_watch(const struct bench *b, int round) {
    const void *function = NULL;
    memcpy(&function, &b->side[STUDENT].function[0], sizeof function);
    instructions_sample(function, below(1 + (int)(times[round - 1][STUDENT] * 2e-3)));
}

/* One call of each side that takes part; its time goes to times[round]. Unless they are timed,
 * nothing else is kept. */
static void one_round(const struct bench *b, int round, enum round_kind kind) {
    const int slots = platform_slots();
    const uint32_t key = key_of(b, round, kind);

    for (int slot = 0; slots > 1 && slot < slots; slot++)
        check_platform(b, platform_fill(slot, &b->job, key));
    int sides[SIDES], count = 0;
    for (int i = 0; i < SIDES; i++) {
        times[round][i] = 0;
        if (b->there[i] && (i != BASELINE || round % b->baseline_every == 0))
            sides[count++] = i;
    }
    for (int turn = 0; turn < count; turn++) {
        const int i = sides[(turn + round) % count]; /* each is first equally often */
        const int slot = turn % slots;
        if (slots == 1)
            check_platform(b, platform_fill(slot, &b->job, key));
        calibrate(b, round);
        if (kind == WATCHED && i == STUDENT)
            begin_watch(b, round);
        check_call(b, b->side[i].names[0],
                   platform_time(slot, &b->side[i], &b->job, &times[round][i]));
        if (b->verifier && kind == TIMED)
            commit(b, slot);
        if (b->row_samples && i == STUDENT && kind == TIMED)
            keep_row_sample(b, slot, round);
    }
}

/* A further round, in which the student's call is watched. Returns whether anything was seen: it
 * may have been faster than the call before. */
static bool watched(const struct bench *b, int round) {
    one_round(b, round, WATCHED);
    return instructions_sampled();
}

static int all_rounds(const struct bench *b) {
    const uint64_t begin = platform_clock_ns(&b->job);
    for (int i = 0; i < platform_warm_up(); i++) {
        one_round(b, i, WARM_UP);
        if (platform_clock_ns(&b->job) - begin >
            WARM_UP_NS) /* rounds that slow have warmed up enough */
            break;
    }
    memset(slowest, 0, sizeof slowest);
    const uint64_t start = platform_clock_ns(&b->job);
    const double part = (b->seconds < b->enough_seconds ? b->seconds : b->enough_seconds) / WATCHES;
    double seconds, next = part * below(1000) / 1000;
    int round = 0, watches = b->watch ? 0 : WATCHES;
    do {
        one_round(b, round, TIMED);
        calibrate(b, round++);
        seconds = (double)(platform_clock_ns(&b->job) - start) * 1e-9;
        if (watches < WATCHES && seconds >= next && watched(b, round))
            next = part * (++watches + below(1000) / 1000.0);
    } while (round < b->rounds && seconds < b->seconds &&
             (round < b->enough || seconds < b->enough_seconds));
    for (int i = 0; watches == 0 && i < MOST_TRIES; i++)
        watches = watched(b, round);
    if (b->watch)
        instructions_report();
    return round;
}

__attribute__((weak)) int lab_prepare(const struct bench_side *side, const struct bench_job *job) {
    (void)side, (void)job;
    return 0;
}

static void prepare(const struct bench *b, const struct bench_side *side) {
    const char *function = side->names[0];
    for (int i = 0; i < BENCH_FUNCTIONS && side->names[i]; i++)
        function = side->names[i];
    check_call(b, function, lab_prepare(side, &b->job));
}

int main(int argc, char **argv) {
    static struct bench b;
    double copy_ns = 0, mac_rate = 0;

    b.job.argc = argc;
    b.job.argv = argv;
    read_job(&b.job);
    read_arguments(&b);
    open_sides(&b);
    const int opened = platform_open(&b.job);
    if (opened != 0)
        our_fault("%s", platform_error(opened));
    for (int i = 0; i < SIDES; i++)
        if (b.there[i])
            prepare(&b, &b.side[i]);
    const int rounds = all_rounds(&b);
    if (b.row_samples && fclose(b.row_samples) != 0)
        disk_fault("the row samples cannot be written");
    if (!*bench_option(&b.job, "--only", ""))
        check_platform(&b, platform_limits(&b.job, &copy_ns, &mac_rate));
    write_status(&b, rounds, copy_ns, mac_rate, NULL, 0);
    evidence_end();
    return 0;
}
