/* From one case of the runner to one call of the student's function. */
#include "evidence/our_fault.h"
#include "lab_cuda.h"
#include "runner/device_case.h"
#include "runner/fence.h"
#include "runner/float_state.h"
#include "runner/instructions.h"
#include "runner/openmp_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One case, as it came from the runner: pointers of the host. */
struct job {
    const uint8_t *rgb;
    size_t pixels;
    int width, height, chunks;
    struct weights weights;
    uint8_t *grey;
};

typedef void on_cpu(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey);

/* What a function of the CPU is called with. */
struct call {
    const char *part, *name;
    on_cpu *function;
    size_t alignment; /* of both images */
};

static const struct call calls[] = {
    {"A", "grey_openmp", grey_openmp, 1},
    {"B", "grey_rows", grey_rows, 1},
    {"C", "grey_sse", grey_sse, 1},
    {"D", "grey_avx2", grey_avx2, 32},
    {"baseline", "baseline_grey", baseline_grey, 1},
};

static bool has_instructions(const char *part) {
#if defined(__x86_64__)
    return strcmp(part, "D") == 0   ? __builtin_cpu_supports("avx2")
           : strcmp(part, "C") == 0 ? __builtin_cpu_supports("ssse3")
                                    : 1;
#else
    return strcmp(part, "C") != 0 && strcmp(part, "D") != 0;
#endif
}

/* The weights of a call that is only watched: those of each call and two others take turns. */
static struct weights watched_weights(unsigned turn, struct weights given) {
    static const struct weights other = WEIGHTS_601;
    return turn % 3 == 0   ? given
           : turn % 3 == 1 ? other
                           : (struct weights){given.b, given.r, given.g};
}

/* Calls a function of the CPU; its instructions are watched where the runner is asked to, in
 * further calls, too. The last call is the one whose result counts. */
static void call_watched(struct runner *r, const struct call *call, const struct job *job,
                         const uint8_t *rgb, uint8_t *grey) {
    const struct float_state before = float_state_now();
    const void *function = NULL;
    memcpy(&function, &call->function, sizeof function);
    runner_calls_student();
    instructions_begin(rgb, 3 * job->pixels);
    call->function(rgb, job->width, job->height, job->weights, grey);
    unsigned turn = 0;
    while (instructions_again(function)) {
        const struct weights weights = watched_weights(++turn, job->weights);
        call->function(rgb, job->width, job->height, weights, grey);
    }
    if (turn > 0) {
        call->function(rgb, job->width, job->height, job->weights, grey);
    }
    const char *const broke = float_state_restore(before);
    if (broke) {
        runner_fail(r, RUNNER_REJECTED, "%s() %s", call->name, broke);
    }
}

/* Parts A to D. With `given`, in the runner's memory, which is fenced in a step of a sequence; else
 * the image has a fence here. With `fenced`, the result goes to memory with a fence of its own,
 * unaligned where the part allows that, and is then copied to the runner's, which has guard zones
 * instead. */
static void run_on_cpu(struct runner *r, const struct call *call, const struct job *job,
                       const char *output) {
    if (strcmp(output, "given") == 0) {
        call_watched(r, call, job, job->rgb, job->grey);
        return;
    }
    struct fence rgb = fence_make(3 * job->pixels, call->alignment, true);

    memcpy(rgb.data, job->rgb, 3 * job->pixels);
    if (strcmp(output, "fenced") == 0) {
        struct fence grey = fence_make(job->pixels, call->alignment, true);
        memcpy(grey.data, job->grey, job->pixels); /* the runner's poison */
        call_watched(r, call, job, rgb.data, grey.data);
        memcpy(job->grey, grey.data, job->pixels);
        fence_remove(&grey);
    } else {
        call_watched(r, call, job, rgb.data, job->grey);
    }
    fence_remove(&rgb);
}

/* Were all launches made in the one stream that there was? Only the simulator can say, here and
 * below. */
static bool launched_in_first_stream(void) {
#ifdef CONVLABS_SIM
    const struct sim_queued *queued;
    const unsigned count = sim_queued(&queued);
    for (unsigned i = 0; i < count; i++) {
        if (queued[i].work == SIM_LAUNCH && queued[i].stream != 1) {
            return false;
        }
    }
#endif
    return true;
}

#define WRONG_STREAMS                                                                              \
    "queued its work in the wrong streams or in the wrong order: copy section i to the device, "   \
    "convert it and copy it back in stream i mod STREAMS"
#define WAITED                                                                                     \
    "waited for each section before it queued the next one, or let that wait for an event, so "    \
    "nothing overlaps in time: queue all sections, then wait for the streams"
#define FREED_EARLY                                                                                \
    "freed memory while sections were still under way: call cudaStreamSynchronize() for every "    \
    "stream first, and return its error; cudaFree() waits, too, but does not tell you what failed"

/* Why the sections do not take turns, or NULL. Every copy and launch must go to a stream that the
 * student created, to several streams where there are several sections, and in each stream first a
 * copy to the device, then a launch, then a copy back. A section must not wait for the end of those
 * before it, but may where it takes the place of one: half of them are enough. */
static const char *no_turns(const struct job *job) {
#ifdef CONVLABS_SIM
    enum { KNOWN = 8 }; /* streams; STREAMS are enough */
    int copied[KNOWN] = {0}, launches[KNOWN] = {0}, back[KNOWN] = {0};
    int used = 0, sections = 0, overlapping = 0;
    const struct sim_queued *queued;
    const unsigned count = sim_queued(&queued);
    for (unsigned i = 0; i < count; i++) {
        const unsigned s = queued[i].stream;
        const bool begins = queued[i].work == SIM_COPY_THERE;
        sections += begins;
        overlapping += begins && queued[i].overlaps;
        if (s == 0) {
            return WRONG_STREAMS;
        }
        if (s >= KNOWN) {
            continue;
        }
        used += begins && copied[s] == 0;
        copied[s] += begins;
        launches[s] += queued[i].work == SIM_LAUNCH;
        back[s] += queued[i].work == SIM_COPY_BACK;
        if ((queued[i].work == SIM_LAUNCH && copied[s] == 0) ||
            (queued[i].work == SIM_COPY_BACK && launches[s] == 0)) {
            return WRONG_STREAMS;
        }
    }
    for (int s = 0; s < KNOWN; s++) {
        if (back[s] < copied[s]) {
            return WRONG_STREAMS;
        }
    }
    if (used < STREAMS && job->chunks >= STREAMS && job->pixels > 4) {
        return WRONG_STREAMS;
    }
    return sections > 2 && 2 * overlapping < sections - 1 ? WAITED : NULL;
#else
    (void)job;
    return NULL;
#endif
}

/* How often the student's function has waited for the device; only the simulator can say. */
static unsigned waits(void) {
#ifdef CONVLABS_SIM
    return sim_waits();
#else
    return 0;
#endif
}

/* Was memory freed before the work of the device had ended, and nothing waited since? */
static bool freed_early(void) {
#ifdef CONVLABS_SIM
    return sim_freed_early();
#else
    return false;
#endif
}

/* Part E, the kernel alone, in a stream. */
static void run_on_device(struct runner *r, const struct job *job) {
    struct device_case c = {.runner = r};
    const uint8_t *d_rgb = device_case_input(&c, "d_rgb", job->rgb, 3 * job->pixels);
    uint8_t *d_grey = device_case_output(&c, "d_grey", job->pixels);
    cudaStream_t stream = NULL;

    if (!runner_failed(r) && cudaStreamCreate(&stream) != cudaSuccess) {
        our_fault("cudaStreamCreate() failed");
    }
    if (!runner_failed(r)) {
        device_case_students_turn(&c);
        const unsigned before = waits();
        if (device_case_called(&c, "grey_device",
                               grey_device(d_rgb, job->pixels, job->weights, d_grey, stream)) &&
            waits() > before) {
            runner_fail(r, RUNNER_REJECTED,
                        "grey_device() waited for its kernel; it must return after the launch, so "
                        "that work in several streams can overlap");
        }
    }
    device_case_end(&c, d_grey, job->grey, job->pixels);
    if (stream) {
        cudaStreamDestroy(stream);
    }
    if (!launched_in_first_stream()) {
        runner_fail(r, RUNNER_REJECTED,
                    "grey_device() did not launch its kernel in its argument "
                    "`stream`: the stream is the fourth value of <<<...>>>");
    }
}

/* Is this host memory still pinned? Then it is unpinned here. */
static bool was_pinned(const void *memory) {
    struct cudaPointerAttributes found;
    if (cudaPointerGetAttributes(&found, memory) != cudaSuccess ||
        found.type != cudaMemoryTypeHost) {
        return false;
    }
    cudaHostUnregister((void *)(uintptr_t)memory);
    return true;
}

/* Has the student left memory pinned? Asked after a success; what is left after an error, the
 * simulator reports as a leak. */
static bool left_pinned(const struct job *job) {
    const bool rgb = was_pinned(job->rgb), grey = was_pinned(job->grey);
    return rgb || grey;
}

/* Is there a stream that was not destroyed? Only the simulator can say. */
static bool left_stream(void) {
#ifdef CONVLABS_SIM
    struct sim_held now;
    return sim_held(&now) && now.streams > 0;
#else
    return false;
#endif
}

/* Were both images copied from and to memory that was pinned? After a call that was made to fail,
 * what the function returns is judged, not how it went on. */
static bool copied_pinned(const struct job *job) {
#ifdef CONVLABS_SIM
    return sim_failed_call(NULL) != NULL || (sim_copied_page_locked(0) >= 3 * job->pixels &&
                                             sim_copied_page_locked(1) >= job->pixels);
#else
    (void)job;
    return true;
#endif
}

/* Says what copied_pinned() misses: how much was copied, or else what to do. */
static void say_not_pinned(struct runner *r, const struct job *job, const char *name) {
#ifdef CONVLABS_SIM
    const size_t to = sim_copied_page_locked(0), back = sim_copied_page_locked(1);
    if (to || back) {
        runner_fail(r, RUNNER_REJECTED,
                    "%s() copied %zu of the %zu bytes of h_rgb from pinned memory, and %zu of the "
                    "%zu bytes of h_grey back to pinned memory",
                    name, to, 3 * job->pixels, back, job->pixels);
        return;
    }
#else
    (void)job;
#endif
    runner_fail(r, RUNNER_REJECTED,
                "%s() did not copy both images from and to pinned memory: pin h_rgb and h_grey "
                "with cudaHostRegister(), and copy from and to them before you unpin them",
                name);
}

/* Part E, with the copies. What a function leaves behind is worse than an error that it returns: it
 * is what the report is to name. */
static void run_with_transfer(struct runner *r, const struct job *job, const char *transfer,
                              bool one_pixel_first) {
    struct device_case c = {.runner = r};
    const char *name = "grey_plain";
    cudaError_t error = cudaSuccess;

    runner_calls_student();
    if (one_pixel_first &&
        !device_case_called(&c, name, grey_plain(job->rgb, 1, 1, job->weights, job->grey))) {
        return;
    }
    device_case_students_turn(&c);
    if (strcmp(transfer, "plain") == 0) {
        error = grey_plain(job->rgb, job->width, job->height, job->weights, job->grey);
    } else if (strcmp(transfer, "pinned") == 0) {
        name = "grey_pinned";
        error = grey_pinned(job->rgb, job->width, job->height, job->weights, job->grey);
    } else if (strcmp(transfer, "streamed") == 0) {
        name = "grey_streamed";
        error =
            grey_streamed(job->rgb, job->width, job->height, job->weights, job->chunks, job->grey);
        const char *why = error == cudaSuccess ? no_turns(job) : NULL;
        if (error == cudaSuccess && !why && freed_early()) {
            why = FREED_EARLY;
        }
        if (why && copied_pinned(job)) { /* a copy of pageable memory waits: pinning comes first */
            runner_fail(r, RUNNER_REJECTED, "grey_streamed() %s", why);
        }
    } else {
        our_fault("there is no transfer '%s'", transfer);
    }
    if (error == cudaSuccess && strcmp(transfer, "plain") != 0 && !copied_pinned(job)) {
        say_not_pinned(r, job, name);
    }
    device_case_drivers_turn(&c);
#ifdef CONVLABS_SIM
    runner_note_not_copied(r, sim_not_copied(job->rgb, 3 * job->pixels));
#endif
    if (left_stream()) {
        runner_fail(r, RUNNER_REJECTED,
                    "%s() did not destroy a stream: each cudaStreamCreate() needs a "
                    "cudaStreamDestroy()",
                    name);
    }
    if (device_case_called(&c, name, error) && left_pinned(job)) {
        runner_fail(r, RUNNER_REJECTED,
                    "%s() left host memory pinned: each cudaHostRegister() needs a "
                    "cudaHostUnregister()",
                    name);
    }
}

/* "709", "601", or three numbers: "16384,16384,0". */
static struct weights weights_of(const char *name) {
    static const struct weights bt709 = WEIGHTS_709, bt601 = WEIGHTS_601;
    struct weights w;

    if (sscanf(name, "%d,%d,%d", &w.r, &w.g, &w.b) == 3) {
        return w;
    }
    if (strcmp(name, "709") != 0 && strcmp(name, "601") != 0) {
        our_fault("there are no weights '%s'", name);
    }
    return strcmp(name, "709") == 0 ? bt709 : bt601;
}

/* Settings: weights = 709 | 601 | R,G,B; threads = how many OpenMP may use (A to D); output =
 * guarded | fenced | given (A to D); transfer = none | plain | pinned | streamed, chunks = a
 * number, and first = one pixel: a call of grey_plain() before the one that counts (E); size =
 * WIDTHxHEIGHT: what the call gets in place of the size of the image. */
void lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "|u1");
    const char *part = runner_part(r), *transfer = runner_setting(r, "transfer", "none");
    if (image->ndim != 3 || image->shape[2] != 3) {
        our_fault("the image must be height x width x 3");
    }
    struct job job = {
        .rgb = image->data,
        .pixels = image->bytes / 3,
        .width = image->shape[1],
        .height = image->shape[0],
        .chunks = atoi(runner_setting(r, "chunks", "4")),
        .weights = weights_of(runner_setting(r, "weights", "709")),
        .grey = runner_output(r, "out", image->bytes / 3),
    };

    sscanf(runner_setting(r, "size", ""), "%dx%d", &job.width, &job.height);

    if (strcmp(part, "E") == 0 && strcmp(transfer, "none") == 0) {
        run_on_device(r, &job);
        return;
    }
    if (strcmp(part, "E") == 0) {
        const char *first = runner_setting(r, "first", "");
        run_with_transfer(r, &job, transfer, strcmp(first, "one pixel") == 0);
        return;
    }
    if (!has_instructions(part)) {
        our_fault("this processor does not have the instructions of part %s", part);
    }
    openmp_threads(r);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (strcmp(calls[i].part, part) == 0) {
            run_on_cpu(r, &calls[i], &job, runner_setting(r, "output", "guarded"));
            return;
        }
    }
    runner_no_such_part(r);
}
