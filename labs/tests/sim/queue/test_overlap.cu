// Programmatic dependent launch: a kernel that may overlap the one before it in its stream.
#include "../test_sim.h"

#include <thread>

enum { BLOCK = 64, BLOCKS = 300, N = BLOCK * BLOCKS }; // more blocks than begin early and wait

__device__ int index() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void produce(int *d, int value) {
    cudaTriggerProgrammaticLaunchCompletion(); // and goes on writing
    d[index()] = value;
}

__global__ void copy(const int *d_from, int *d_to) {
    d_to[index()] = d_from[index()];
}

__global__ void copy_then_wait(const int *d_from, int *d_to) {
    d_to[index()] = d_from[index()];
    cudaGridDependencySynchronize();
}

// Shared memory of both kinds, and local variables, before and behind the wait.
__global__ void wait_then_add(const int *d_from, const int *d_other, int *d_to) {
    __shared__ int s_other[BLOCK];
    extern __shared__ int s_twice[];
    const int t = threadIdx.x;
    s_other[t] = d_other[index()];
    __syncthreads();
    s_twice[t] = 2 * s_other[BLOCK - 1 - t];
    cudaGridDependencySynchronize();
    __syncthreads();
    d_to[index()] = d_from[index()] + s_twice[BLOCK - 1 - t] + s_other[t];
}

// One thread waits for its block.
__global__ void one_waits(const int *d_from, int *d_to) {
    if (threadIdx.x == 0) {
        cudaGridDependencySynchronize();
    }
    __syncthreads();
    d_to[index()] = d_from[index()] + 1;
}

template <class... P, class... A>
static cudaError_t overlap(cudaStream_t stream, void (*kernel)(P...), A... arguments) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(BLOCKS);
    config.blockDim = dim3(BLOCK);
    config.dynamicSmemBytes = BLOCK * sizeof(int);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, P(arguments)...);
}

static int *zeros() {
    return device_zeros<int>(N * sizeof(int));
}

#define ck_all(d, value)                                                                           \
    do {                                                                                           \
        static int h[N];                                                                           \
        ck_success(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));                            \
        for (int i = 0; i < N; i++) {                                                              \
            ck_assert_int_eq(h[i], value);                                                         \
        }                                                                                          \
    } while (0)

TEST(a_kernel_that_does_not_wait_sees_old_values) {
    int *d = zeros(), *d_copy = zeros(), *d_early = zeros();
    cudaStream_t stream = new_stream();
    produce<<<BLOCKS, BLOCK, 0, stream>>>(d, 7);
    ck_success(overlap(stream, copy, d, d_copy));
    ck_success(cudaStreamSynchronize(stream));
    ck_all(d_copy, 0);
    produce<<<BLOCKS, BLOCK>>>(d, 9);
    ck_success(overlap(0, copy_then_wait, d, d_early));
    ck_success(cudaDeviceSynchronize());
    ck_all(d, 9);
    static int h[N];
    ck_success(cudaMemcpy(h, d_early, sizeof h, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(h[0], 7);
    ck_assert_int_eq(h[N - 1], 9); // so many blocks do not begin at once
}

TEST(a_kernel_that_waits_sees_new_values) {
    int *d = zeros(), *d_other = zeros(), *d_sum = zeros();
    produce<<<BLOCKS, BLOCK>>>(d_other, 10);
    ck_success(cudaDeviceSynchronize());
    for (int value = 1; value < 4; value++) {
        produce<<<BLOCKS, BLOCK>>>(d, value);
        ck_success(overlap(0, wait_then_add, d, d_other, d_sum));
        ck_all(d_sum, value + 30);
        produce<<<BLOCKS, BLOCK>>>(d, -value);
        ck_success(overlap(0, one_waits, d, d_sum));
        ck_all(d_sum, 1 - value);
    }
}

TEST(waits_are_transitive_across_kernels) {
    int *d[4] = {zeros(), zeros(), zeros(), zeros()};
    cudaStream_t stream = new_stream();
    produce<<<BLOCKS, BLOCK, 0, stream>>>(d[0], 1);
    for (int i = 1; i < 4; i++) {
        ck_success(overlap(stream, one_waits, d[i - 1], d[i]));
    }
    ck_success(cudaStreamSynchronize(stream));
    ck_all(d[3], 4);
    produce<<<BLOCKS, BLOCK, 0, stream>>>(d[0], 5);
    ck_success(overlap(stream, produce, d[1], 6)); // touches nothing of that kernel's
    copy<<<BLOCKS, BLOCK, 0, stream>>>(d[0], d[2]);
    copy<<<BLOCKS, BLOCK, 0, stream>>>(d[1], d[3]);
    ck_success(cudaStreamSynchronize(stream));
    ck_all(d[2], 5);
    ck_all(d[3], 6);
}

// Only the kernel just before it is overlapped: not a copy, an event, or a kernel of another
// stream.
TEST(dependent_work_does_not_overlap) {
    int *d = zeros(), *d_copy = zeros();
    cudaStream_t stream = new_stream(), other = new_stream();
    cudaEvent_t event = new_event();
    produce<<<BLOCKS, BLOCK, 0, stream>>>(d, 1);
    ck_success(cudaEventRecord(event, stream));
    ck_success(overlap(stream, copy, d, d_copy));
    ck_all(d_copy, 1);
    produce<<<BLOCKS, BLOCK, 0, other>>>(d, 2);
    ck_success(overlap(0, copy, d, d_copy)); // the legacy default stream
    ck_all(d_copy, 2);
    ck_success(cudaMemsetAsync(d, 0, N * sizeof(int), stream));
    ck_success(overlap(stream, copy, d, d_copy));
    ck_all(d_copy, 0);
    one_waits<<<BLOCKS, BLOCK>>>(d, d_copy); // without the attribute the wait is over at once
    ck_all(d_copy, 1);
}

TEST(a_graph_keeps_the_order) {
    int *d = zeros(), *d_copy = zeros();
    cudaStream_t stream = new_stream();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    ck_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    produce<<<BLOCKS, BLOCK, 0, stream>>>(d, 3);
    ck_success(overlap(stream, one_waits, d, d_copy));
    ck_success(cudaStreamEndCapture(stream, &graph));
    ck_success(cudaGraphInstantiate(&exec, graph, 0));
    ck_success(cudaGraphLaunch(exec, stream));
    ck_success(cudaStreamSynchronize(stream));
    ck_all(d_copy, 4);
    ck_success(cudaGraphExecDestroy(exec));
    ck_success(cudaGraphDestroy(graph));
}

// The primary sets a flag, for which the other one waits instead: it waits forever only on a
// device that runs it first and alone.
__global__ void raise_flag(volatile int *d_flag) {
    cudaTriggerProgrammaticLaunchCompletion();
    *d_flag = 1;
}

__global__ void await_flag(volatile int *d_flag, int *d_to) {
    while (*d_flag == 0) {
    }
    d_to[index()] = 5;
}

TEST(a_flag_of_the_kernel_before_is_seen) {
    int *d_flag = zeros(), *d = zeros();
    raise_flag<<<1, 1>>>(d_flag);
    ck_success(overlap(0, await_flag, d_flag, d));
    ck_all(d, 5);
}

static void from_two_threads(int value) {
    cudaStream_t stream;
    int *d, *d_copy;
    ck_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ck_success(cudaMalloc(&d, N * sizeof(int)));
    ck_success(cudaMalloc(&d_copy, N * sizeof(int)));
    for (int i = 0; i < 20; i++) {
        int last;
        produce<<<BLOCKS, BLOCK, 0, stream>>>(d, value + i);
        ck_success(overlap(stream, one_waits, d, d_copy));
        ck_success(overlap(stream, one_waits, d_copy, d));
        ck_success(cudaMemcpyAsync(&last, d + N - 1, 4, cudaMemcpyDeviceToHost, stream));
        ck_success(cudaStreamSynchronize(stream));
        ck_assert_int_eq(last, value + i + 2);
    }
    ck_success(cudaFree(d));
    ck_success(cudaFree(d_copy));
    ck_success(cudaStreamDestroy(stream));
}

TEST(two_host_threads) {
    std::thread other(from_two_threads, 100);
    from_two_threads(1000);
    other.join();
}

__global__ void trap_first(int *d) {
    d[index()] = 1;
    if (index() == 1) {
        __trap();
    }
    cudaGridDependencySynchronize();
}

static void early_trap() {
    int *d = zeros();
    produce<<<BLOCKS, BLOCK>>>(d, 1);
    overlap(0, trap_first, d);
    ck_error(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

static void trap_of_the_primary() {
    int *d = zeros(), *d_copy = zeros();
    trap_first<<<BLOCKS, BLOCK>>>(d);
    overlap(0, one_waits, d, d_copy);
    ck_error(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

TEST(kernels_that_fail) {
    ck_finds_and_exits(early_trap, "trap", "");
    ck_finds_and_exits(trap_of_the_primary, "trap", "");
}

static void programmatic_event() {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticEvent;
    attribute.val.programmaticEvent.triggerAtBlockStart = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    config.attrs = &attribute;
    config.numAttrs = 1;
    int *d = zeros();
    ck_error(cudaLaunchKernelEx(&config, produce, d, 1), cudaErrorNotSupported);
    release_all();
}

TEST(an_event_of_a_launch_is_refused) {
    ck_finds_and_exits(programmatic_event, "invalid-launch", "case:event-attribute");
}

SUITE("sim: overlap")
