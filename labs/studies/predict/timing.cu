/* Times calls of the labs' functions on a GPU: timing LIST [once] > times.csv
 *
 * Each line of LIST is `library function a b c d` (calls/call.h). A *cold* time is of one call
 * between two events, after a kernel has read 256 MB and so emptied the L2 cache; a *warm* time is
 * of several calls in a row, divided by their number. Both are medians, in microseconds.
 *
 * With `once`, for a profiler, no kernel runs but those of one call each; each call's line is printed
 * before it.
 */
#include "calls/call.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

enum { COLD = 15, LEAST_COLD = 5, WARM = 5, MOST_WARM = 40, BLOCK = 256, LINE = 512 };
static const double BUDGET_US = 50e3; /* of the cold runs and of the warm ones, for each line */
static const size_t EMPTIED = (size_t)256 << 20;

static cudaEvent_t started, ended;
static float *d_flush;

static void must(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "timing: %s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

static __global__ void read_all(const float *d_from, size_t count, float *d_sum) {
    float sum = 0.0f;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < count;
         i += (size_t)gridDim.x * BLOCK) {
        sum += d_from[i];
    }
    if (sum == -1.0f) { /* never, but the compiler cannot know */
        *d_sum = sum;
    }
}

static __device__ unsigned mix(unsigned i) {
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return i ^ (i >> 16);
}

/* Bytes of any value, or floats or doubles in 0..1. */
static __global__ void fill(void *d_to, size_t bytes, int words) {
    const size_t step = (size_t)gridDim.x * BLOCK, first = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const size_t count = words == DOUBLES ? bytes / 8 : bytes / 4;
    for (size_t i = first; i < count; i += step) {
        const unsigned noise = mix((unsigned)i);
        if (words == DOUBLES) {
            ((double *)d_to)[i] = noise * 0x1p-32;
        } else if (words == FLOATS) {
            ((float *)d_to)[i] = (float)(noise >> 8) * 0x1p-24f;
        } else {
            ((unsigned *)d_to)[i] = noise;
        }
    }
}

static double elapsed_us(void) {
    float ms;
    must(cudaEventRecord(ended, 0), "event");
    must(cudaEventSynchronize(ended), "kernel");
    must(cudaEventElapsedTime(&ms, started, ended), "event");
    return ms * 1e3;
}

static void launch(const struct function *function, const struct call *call) {
    must(function->launch(call), function->name);
}

static double cold_us(const struct function *function, const struct call *call) {
    read_all<<<1056, BLOCK>>>(d_flush, EMPTIED / sizeof(float), d_flush);
    must(cudaEventRecord(started, 0), "event");
    launch(function, call);
    return elapsed_us();
}

static double warm_us(const struct function *function, const struct call *call, int calls) {
    must(cudaEventRecord(started, 0), "event");
    for (int i = 0; i < calls; i++) {
        launch(function, call);
    }
    return elapsed_us() / calls;
}

static int within(int low, double value, int high) {
    return value < low ? low : value > high ? high : (int)value;
}

/* Prints the quartiles of the cold times and the median of the warm ones. */
static void measure(const struct function *function, const struct call *call) {
    double cold[COLD], warm[WARM];
    cold_us(function, call);
    const double guess = cold_us(function, call);
    const int runs = within(LEAST_COLD, BUDGET_US / guess, COLD);
    for (int i = 0; i < runs; i++) {
        cold[i] = cold_us(function, call);
    }
    const int calls = within(1, BUDGET_US / WARM / guess, MOST_WARM);
    for (int i = 0; i < WARM; i++) {
        warm[i] = warm_us(function, call, calls);
    }
    std::sort(cold, cold + runs);
    std::sort(warm, warm + WARM);
    printf(",%d,%.3f,%.3f,%.3f,%.3f", runs, cold[runs / 2], cold[runs / 4], cold[runs * 3 / 4],
           warm[WARM / 2]);
}

/* The function of that name, of a library that stays open. */
static const struct function *find(const char *library, const char *name) {
    char path[LINE];
    snprintf(path, sizeof path, "./%s.so", library);
    void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        fprintf(stderr, "timing: %s\n", dlerror());
        exit(1);
    }
    const struct function *f = (const struct function *)dlsym(handle, "call_functions");
    while (f->name != NULL && strcmp(f->name, name) != 0) {
        f++;
    }
    if (f->name == NULL) {
        fprintf(stderr, "timing: no %s in %s\n", name, library);
        exit(1);
    }
    return f;
}

/* With `once`, all bytes are equal, and numbers are small and positive. */
static void *allocate(size_t bytes, int words, bool once) {
    void *d_memory;
    must(cudaMalloc(&d_memory, bytes + 16), "cudaMalloc");
    if (once) {
        must(cudaMemset(d_memory, 0x3c, bytes + 16), "cudaMemset");
    } else {
        fill<<<1056, BLOCK>>>(d_memory, bytes, words);
    }
    must(cudaGetLastError(), "fill");
    return d_memory;
}

/* What begins a line of the output. */
static void print_call(const char *library, const char *name, const struct call *call) {
    printf("%s,%s,%d,%d,%d,%d", library, name, call->a, call->b, call->c, call->d);
}

/* A program may refuse a call, such as one of a symbol that it does not have: that is skipped. */
static void run(const char *library, const char *name, struct call call, bool once) {
    const struct function *const function = find(library, name);
    const struct need need = function->need(&call);
    float *const h_mask = (float *)malloc(need.mask + sizeof(float));
    for (size_t i = 0; i < need.mask / sizeof(float); i++) {
        h_mask[i] = 0.01f;
    }
    void *const d_in = allocate(need.in, need.words, once);
    void *const d_mask = allocate(need.mask, need.words, once);
    call.d_in = d_in;
    call.d_mask = d_mask;
    call.d_out = allocate(need.out, need.words, once);
    call.d_between = allocate(need.between, need.words, once);
    const cudaError_t refused =
        function->prepare == NULL ? cudaSuccess : function->prepare(&call, h_mask);
    must(cudaDeviceSynchronize(), "fill");
    if (refused != cudaSuccess) {
        fprintf(stderr, "timing: %s of %s: %s\n", name, library, cudaGetErrorString(refused));
        cudaGetLastError(); /* clears it */
    } else if (once) {
        print_call(library, name, &call);
        printf("\n");
        fflush(stdout);
        launch(function, &call);
        must(cudaDeviceSynchronize(), name);
    } else {
        print_call(library, name, &call);
        measure(function, &call);
        printf("\n");
        fflush(stdout);
    }
    cudaFree(d_in), cudaFree(d_mask), cudaFree(call.d_out), cudaFree(call.d_between);
    free(h_mask);
}

int main(int count, char **arguments) {
    FILE *const list = count > 1 ? fopen(arguments[1], "r") : NULL;
    const bool once = count > 2;
    if (list == NULL) {
        fprintf(stderr, "timing LIST [once]\n");
        return 1;
    }
    must(cudaEventCreate(&started), "event");
    must(cudaEventCreate(&ended), "event");
    must(cudaMalloc(&d_flush, EMPTIED), "cudaMalloc");
    must(cudaMemset(d_flush, 0, EMPTIED), "cudaMemset");
    if (!once) {
        printf("library,function,a,b,c,d,runs,cold_us,cold_q1,cold_q3,warm_us\n");
    }
    char line[LINE], library[LINE], name[LINE];
    struct call call = {};
    while (fgets(line, sizeof line, list) != NULL) {
        if (sscanf(line, "%s %s %d %d %d %d", library, name, &call.a, &call.b, &call.c, &call.d) ==
            6) {
            run(library, name, call, once);
        }
    }
    return 0;
}
