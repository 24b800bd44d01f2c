/* From one case of the runner to one call of the student's function. */
#include "lab_cuda.h"
#include "runner/runner.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    NO_SUCH_PART = -1,
    NO_SUCH_SETTING = -2,
    WRONG_SHAPE = -3,
    NO_SUCH_INSTRUCTIONS = -4,
    LEFT_PINNED = -5,
    NO_MEMORY = -6,
    LEFT_STREAM = -7,
    OTHER_STREAM = -8,
    NO_TURNS = -9,
};
enum { PAGE = 4096 };

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
    const char *part;
    on_cpu *function;
    size_t alignment; /* of both images */
};

static const struct call calls[] = {
    {"A", grey_openmp, 1},          {"B", grey_rows, 1}, {"C", grey_sse, 1}, {"D", grey_avx2, 32},
    {"baseline", baseline_grey, 1},
};

static int has_instructions(const char *part) {
#if defined(__x86_64__)
    return strcmp(part, "D") == 0   ? __builtin_cpu_supports("avx2")
           : strcmp(part, "C") == 0 ? __builtin_cpu_supports("ssse3")
                                    : 1;
#else
    return strcmp(part, "C") != 0 && strcmp(part, "D") != 0;
#endif
}

/* Memory of that many bytes that ends where a page begins that may not be touched, but for fewer
 * than `alignment` bytes: what reads on after the end of an image faults. */
struct fence {
    uint8_t *mapping, *bytes;
    size_t mapped;
};

static int fence_make(struct fence *fence, size_t bytes, size_t alignment) {
    const size_t used = (bytes + alignment - 1) / alignment * alignment;
    const size_t open = (used + PAGE - 1) / PAGE * PAGE;

    fence->mapped = open + PAGE;
    fence->mapping =
        mmap(NULL, fence->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fence->mapping == MAP_FAILED) {
        return 0;
    }
    if (mprotect(fence->mapping + open, PAGE, PROT_NONE) != 0) {
        munmap(fence->mapping, fence->mapped);
        return 0;
    }
    fence->bytes = fence->mapping + open - used;
    return 1;
}

/* Parts A to D. With `fenced`, the result goes to memory with a fence of its own, unaligned where
 * the part allows that, and is then copied to the runner's, which has guard zones instead. */
static int run_on_cpu(const struct call *call, const struct job *job, int fenced) {
    struct fence rgb, grey;
    int result = NO_MEMORY;

    if (!fence_make(&rgb, 3 * job->pixels, call->alignment)) {
        return NO_MEMORY;
    }
    memcpy(rgb.bytes, job->rgb, 3 * job->pixels);
    if (!fenced) {
        call->function(rgb.bytes, job->width, job->height, job->weights, job->grey);
        result = 0;
    } else if (fence_make(&grey, job->pixels, call->alignment)) {
        memcpy(grey.bytes, job->grey, job->pixels); /* the runner's poison */
        call->function(rgb.bytes, job->width, job->height, job->weights, grey.bytes);
        memcpy(job->grey, grey.bytes, job->pixels);
        munmap(grey.mapping, grey.mapped);
        result = 0;
    }
    munmap(rgb.mapping, rgb.mapped);
    return result;
}

/* From here on the calls are the student's: a failure that the grader asked for starts counting. */
static void students_turn(void) {
#ifdef CONVLABS_SIM
    sim_inject_arm();
#endif
}

/* Were all launches made in the one stream that there was? Only the simulator can say, here and
 * below. */
static int launched_in_first_stream(void) {
#ifdef CONVLABS_SIM
    const struct sim_queued *queued;
    const unsigned count = sim_queued(&queued);
    for (unsigned i = 0; i < count; i++) {
        if (queued[i].work == SIM_LAUNCH && queued[i].stream != 1) {
            return 0;
        }
    }
#endif
    return 1;
}

/* Was everything queued in streams of the student's, in several where there are several sections,
 * and in each of them no launch before its pixels were on their way, and no way back before it? */
static int took_turns(const struct job *job) {
#ifdef CONVLABS_SIM
    enum { KNOWN = 8 }; /* streams; nobody needs more than STREAMS */
    int there[KNOWN] = {0}, launches[KNOWN] = {0}, used = 0;
    const struct sim_queued *queued;
    const unsigned count = sim_queued(&queued);
    for (unsigned i = 0; i < count; i++) {
        const unsigned s = queued[i].stream;
        if (s == 0) {
            return 0;
        }
        if (s >= KNOWN) {
            continue;
        }
        used += queued[i].work == SIM_COPY_THERE && there[s] == 0;
        there[s] += queued[i].work == SIM_COPY_THERE;
        launches[s] += queued[i].work == SIM_LAUNCH;
        if ((queued[i].work == SIM_LAUNCH && there[s] == 0) ||
            (queued[i].work == SIM_COPY_BACK && launches[s] == 0)) {
            return 0;
        }
    }
    return used >= STREAMS || job->chunks < STREAMS || job->pixels <= 4;
#else
    (void)job;
    return 1;
#endif
}

/* Part E, the kernel alone, in a stream: device memory and copies are ours, d_grey starts as 0xff.
 * Returns a cudaError_t, or what lab_error() explains. */
static int run_on_device(const struct job *job) {
    uint8_t *d_rgb = NULL, *d_grey = NULL;
    cudaStream_t stream = NULL;
    cudaError_t error = cudaMalloc((void **)&d_rgb, 3 * job->pixels);

    if (error == cudaSuccess) {
        error = cudaStreamCreate(&stream);
    }
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&d_grey, job->pixels);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(d_rgb, job->rgb, 3 * job->pixels, cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) {
        error = cudaMemset(d_grey, 0xff, job->pixels);
    }
    if (error == cudaSuccess) {
        students_turn();
        error = grey_device(d_rgb, job->pixels, job->weights, d_grey, stream);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceSynchronize();
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(job->grey, d_grey, job->pixels, cudaMemcpyDeviceToHost);
    }
    if (stream) {
        cudaStreamDestroy(stream);
    }
    cudaFree(d_rgb);
    cudaFree(d_grey);
    return error == cudaSuccess && !launched_in_first_stream() ? OTHER_STREAM : (int)error;
}

/* Does the runtime still hold this host memory? Then it lets go of it. */
static int was_pinned(const void *memory) {
    struct cudaPointerAttributes found;
    if (cudaPointerGetAttributes(&found, memory) != cudaSuccess ||
        found.type != cudaMemoryTypeHost) {
        return 0;
    }
    cudaHostUnregister((void *)(uintptr_t)memory);
    return 1;
}

/* Has the student left memory pinned? Asked after a success; what is left after an error, the
 * simulator reports as a leak. */
static int left_pinned(const struct job *job) {
    const int rgb = was_pinned(job->rgb), grey = was_pinned(job->grey);
    return rgb || grey;
}

/* Is there a stream that nobody has destroyed? Only the simulator can say. */
static int left_stream(void) {
#ifdef CONVLABS_SIM
    return sim_streams() > 0;
#else
    return 0;
#endif
}

static int run_with_transfer(const struct job *job, const char *transfer, int one_pixel_first) {
    cudaError_t error;

    if (strcmp(transfer, "none") == 0) {
        return run_on_device(job);
    }
    if (one_pixel_first) {
        error = grey_plain(job->rgb, 1, 1, job->weights, job->grey);
        if (error != cudaSuccess) {
            return (int)error;
        }
    }
    students_turn();
    if (strcmp(transfer, "plain") == 0) {
        error = grey_plain(job->rgb, job->width, job->height, job->weights, job->grey);
    } else if (strcmp(transfer, "pinned") == 0) {
        error = grey_pinned(job->rgb, job->width, job->height, job->weights, job->grey);
    } else if (strcmp(transfer, "streamed") == 0) {
        error =
            grey_streamed(job->rgb, job->width, job->height, job->weights, job->chunks, job->grey);
        if (error == cudaSuccess && !took_turns(job)) {
            return NO_TURNS;
        }
    } else {
        return NO_SUCH_SETTING;
    }
    if (left_stream()) {
        return LEFT_STREAM;
    }
    return error == cudaSuccess && left_pinned(job) ? LEFT_PINNED : (int)error;
}

static int read_weights(const char *name, struct weights *w) {
    static const struct weights bt709 = WEIGHTS_709, bt601 = WEIGHTS_601;

    *w = strcmp(name, "709") == 0 ? bt709 : bt601;
    return strcmp(name, "709") == 0 || strcmp(name, "601") == 0;
}

/* Settings: weights = 709 | 601; threads = how many OpenMP may use (A to D); output = guarded |
 * fenced (A to D); transfer = none | plain | pinned | streamed, chunks = a number, and
 * first = one pixel: a call of grey_plain() before the one that counts (E). */
int lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "|u1");
    const char *part = runner_part(r);
    struct job job = {.rgb = image->data, .chunks = atoi(runner_setting(r, "chunks", "4"))};

    if (image->ndim != 3 || image->shape[2] != 3) {
        return WRONG_SHAPE;
    }
    job.height = image->shape[0];
    job.width = image->shape[1];
    job.pixels = (size_t)job.width * (size_t)job.height;
    job.grey = runner_output(r, "out", job.pixels);
    if (!read_weights(runner_setting(r, "weights", "709"), &job.weights)) {
        return NO_SUCH_SETTING;
    }
    if (strcmp(part, "E") == 0) {
        return run_with_transfer(&job, runner_setting(r, "transfer", "none"),
                                 strcmp(runner_setting(r, "first", ""), "one pixel") == 0);
    }
    if (!has_instructions(part)) {
        return NO_SUCH_INSTRUCTIONS;
    }
#ifdef _OPENMP
    const int threads = atoi(runner_setting(r, "threads", "0"));
    if (threads > 0) {
        omp_set_num_threads(threads);
    }
#endif
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (strcmp(calls[i].part, part) == 0) {
            const char *output = runner_setting(r, "output", "guarded");
            return run_on_cpu(&calls[i], &job, strcmp(output, "fenced") == 0);
        }
    }
    return NO_SUCH_PART;
}

const char *lab_error(int returned) {
    switch (returned) {
    case NO_SUCH_PART:
        return "no such part";
    case NO_SUCH_SETTING:
        return "no such setting";
    case WRONG_SHAPE:
        return "an image that is not height x width x 3";
    case NO_SUCH_INSTRUCTIONS:
        return "nothing: this processor does not have the part's instructions";
    case LEFT_PINNED:
        return "with host memory still pinned: cudaHostUnregister() was not called for it";
    case LEFT_STREAM:
        return "with a stream left: each cudaStreamCreate() wants a cudaStreamDestroy()";
    case OTHER_STREAM:
        return "after a launch in another stream than the one that it was given: the fourth value "
               "of <<<...>>>";
    case NO_TURNS:
        return "after sections that did not take turns in the streams: section i goes there, is "
               "converted and comes back in stream i mod STREAMS";
    case NO_MEMORY:
        return "nothing: not enough memory for the image";
    default:
        return cudaGetErrorName((cudaError_t)returned);
    }
}
