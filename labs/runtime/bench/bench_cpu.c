/* Timing on the CPU. */
#include "bench.h"

#include "calibrate.h"
#include "clock.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NO_MEMORY = -1, COARSE_CLOCK = -2, COARSE_NS = 100000 };

static char *input, *output;

/* OpenMP as at the start of a program: a function may leave settings, and the next one that is
 * timed is another's. */
static void set_openmp(int threads) {
#ifdef _OPENMP
    omp_set_num_threads(threads);
    omp_set_dynamic(0);
    omp_set_max_active_levels(1);
    omp_set_schedule(omp_sched_dynamic, 1);
#else
    (void)threads;
#endif
}

/* Under a limit on processor time (ulimit -t), Linux advances that clock only every 4 ms. */
static bool clock_is_coarse(void) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        const uint64_t start = clock_process_ns();
        uint64_t now = start;
        while (now == start)
            now = clock_process_ns();
        least = now - start < least ? now - start : least;
    }
    return least > COARSE_NS;
}

/* Memory between two pages that nothing may access: no call that is timed gains by that, whatever
 * those did that were checked. The images of the labs' checks fill whole pages. */
static char *between_pages(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (bytes + page - 1) / page * page;
    char *const all = mmap(NULL, used + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, used, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    return all + page;
}

int platform_open(struct bench_job *job) {
    input = between_pages(job->image_bytes);
    output = between_pages(job->out_bytes);
    if (!input || !output)
        return NO_MEMORY;
    if (clock_is_coarse())
        return COARSE_CLOCK;
    job->d_mask = job->mask;
    return 0;
}

/* One: every call finds the image at the same address, just written and in the cache. */
int platform_slots(void) {
    return 1;
}

int platform_warm_up(void) {
    return 2;
}

int platform_fill(int slot, const struct bench_job *job, uint32_t key) {
    (void)slot;
    noise_fill(job->kind, key, job->image_count, input);
    memset(output, 0xff, job->out_bytes);
    return 0;
}

/* One thread is timed by the processor time of the whole process: it leaves out the time in which
 * other programs use the core, and includes the work of a second thread, even a spinning one.
 * Processor time cannot show what several threads gain, so those are timed by the wall clock,
 * between two calibrations. */
uint64_t platform_clock_ns(const struct bench_job *job) {
    return job->threads > 1 ? clock_ns() : clock_process_ns();
}

int platform_time(int slot, const struct bench_side *side, const struct bench_job *job,
                  double *ns) {
    (void)slot;
    set_openmp(job->threads);
    const uint64_t start = platform_clock_ns(job);
    const int returned = lab_call(side, job, input, output);
    *ns = (double)(platform_clock_ns(job) - start);
    return returned;
}

int platform_fetch(int slot, size_t first_byte, size_t bytes, void *to) {
    (void)slot;
    memcpy(to, output + first_byte, bytes);
    return 0;
}

int platform_sums(int slot, const struct bench_job *job, uint32_t *sums) {
    (void)slot;
    const size_t rows = (size_t)job->planes * (size_t)job->height;
    noise_row_sums(output, rows, job->out_bytes / rows / 4, sums);
    return 0;
}

int platform_limits(const struct bench_job *job, double *copy_ns, double *mac_rate) {
    const uint64_t ns = calibrate_copy_ns(output, job->out_bytes, input, job->image_bytes);
    *copy_ns = (double)ns / job->threads;
    *mac_rate = calibrate_mac_rate() * job->threads;
    return 0;
}

const char *platform_error(int returned) {
    if (returned == COARSE_CLOCK)
        return "the processor-time clock advances in steps that are too large; if you set a limit "
               "with ulimit -t, remove it";
    return returned == NO_MEMORY ? "not enough memory for the images" : "an unknown error";
}
