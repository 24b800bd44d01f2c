// Which launches the device accepts; each thread runs exactly once; how arguments are passed.
#include "../test_sim.h"

__global__ void count_threads(int *d_runs, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int height = gridDim.y * blockDim.y;
    atomicAdd(&d_runs[(z * height + y) * width + x], 1);
}

__global__ void nothing() {
}

static void expect_each_thread_once(dim3 grid, dim3 block) {
    int width = (int)(grid.x * block.x);
    int count = (int)(width * grid.y * block.y * grid.z * block.z);
    int *d_runs, *h_runs = (int *)malloc(count * sizeof(int));
    ck_success(cudaMalloc(&d_runs, count * sizeof(int)));
    ck_success(cudaMemset(d_runs, 0, count * sizeof(int)));
    count_threads<<<grid, block>>>(d_runs, width);
    ck_success(cudaGetLastError());
    ck_success(cudaMemcpy(h_runs, d_runs, count * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = 0; /* an assertion that holds costs a system call */
    for (int i = 0; i < count; i++) {
        wrong += h_runs[i] != 1;
    }
    ck_assert_int_eq(wrong, 0);
    ck_success(cudaFree(d_runs));
    free(h_runs);
}

TEST(every_thread_runs_once) {
    expect_each_thread_once(dim3(1), dim3(1));
    expect_each_thread_once(dim3(7), dim3(33));
    expect_each_thread_once(dim3(3, 5), dim3(17, 3));
    expect_each_thread_once(dim3(2, 3, 4), dim3(5, 2, 3));
    expect_each_thread_once(dim3(301, 11), dim3(32, 32));
}

TEST(oversized_launches_are_refused) {
    struct {
        dim3 grid, block;
    } wrong[] = {
        {dim3(1), dim3(33, 33)},    {dim3(1), dim3(1025)},      {dim3(1), dim3(1, 1, 65)},
        {dim3(1), dim3(0)},         {dim3(1), dim3(16, 0)},     {dim3(0), dim3(1)},
        {dim3(1, 65536), dim3(1)},  {dim3(1, 1, 65536), dim3(1)}, {dim3(0x80000000u), dim3(1)},
        {dim3(1), dim3(65536, 65536)}, {dim3(1), dim3(-1)},
    };
    for (auto &w : wrong) {
        nothing<<<w.grid, w.block>>>();
        ck_error(cudaDeviceSynchronize(), cudaSuccess); // synchronizing does not tell
        ck_error(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
        ck_error(cudaGetLastError(), cudaErrorInvalidConfiguration);
        ck_error(cudaGetLastError(), cudaSuccess);
    }
    nothing<<<dim3(1), dim3(1, 1, 64)>>>();
    nothing<<<1, 1024>>>();
    ck_success(cudaGetLastError());
}

enum { ASKED = __LINE__ + 2, WENT_ON = ASKED + 5, LAST = WENT_ON + 5 };
static void launch_too_many_and_ask() {
    nothing<<<1, dim3(33, 33)>>>();
    cudaGetLastError();
}

static void launch_too_many_and_go_on() {
    nothing<<<1, dim3(33, 33)>>>();
    nothing<<<1, 1>>>();
}

static void launch_too_many_last() {
    nothing<<<1, dim3(33, 33)>>>();
    cudaDeviceSynchronize();
}

static void launch_too_many_go_on_and_ask() {
    nothing<<<1, dim3(33, 33)>>>();
    nothing<<<1, 1>>>(); // a launch that works does not clear the error of the one before
    ck_error(cudaGetLastError(), cudaErrorInvalidConfiguration);
}

static const char *at_line(int line) {
    static char text[64];
    snprintf(text, sizeof text, "line:%d", line);
    return text;
}

TEST(a_refused_launch_is_explained) {
    struct outcome asked = run_program(launch_too_many_and_ask, NULL);
    ck_found(asked, "invalid-launch", "case:threads threads:[33,33,1] limit:1024");
    ck_found(asked, "invalid-launch", at_line(ASKED));
    ck_assert(!found(&asked, "unchecked-error", ""));
    struct outcome ignored = run_program(launch_too_many_and_go_on, NULL);
    ck_found(ignored, "invalid-launch", at_line(WENT_ON));
    ck_found(ignored, "invalid-launch", "unchecked:true");
    struct outcome late = run_program(launch_too_many_go_on_and_ask, NULL);
    ck_found(late, "invalid-launch", "limit:1024");
    ck_assert(!found(&late, "invalid-launch", "unchecked:true"));
    struct outcome last = run_program(launch_too_many_last, NULL);
    ck_found(last, "invalid-launch", at_line(LAST));
    ck_found(last, "invalid-launch", "unchecked:true");
}

__global__ void add(float *d_out, float a, const int *d_b, size_t n) {
    n--; // a thread's own copy
    d_out[threadIdx.x] = a + (d_b ? 1000 : 0) + (float)n;
}

namespace conv {
template <class T, int FACTOR> __global__ void scale(T *d_out, T by) {
    d_out[threadIdx.x] = by * FACTOR;
}
__global__ void set(float *d_out, float to) {
    d_out[threadIdx.x] = to;
}
} // namespace conv

template <class T> __global__ void deduced(T *d_out, T to) {
    d_out[threadIdx.x] = to;
}
__global__ void overloaded(float *d_out, float to) {
    d_out[threadIdx.x] = to;
}
__global__ void overloaded(float *d_out, const float *) {
    d_out[threadIdx.x] = -1;
}

#define CHECKED(call) ((call), cudaGetLastError())

static float first(const float *d_out) {
    float value;
    ck_success(cudaMemcpy(&value, d_out, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static int evaluations;
static float evaluated(float value) {
    evaluations++;
    return value;
}

TEST(arguments_and_names) {
    float *d_out = device_array<float>(64 * sizeof(float));
    add<<<2, 32>>>(d_out, evaluated(3), NULL, 8);
    ck_assert_float_eq(first(d_out), 10);
    ck_assert_int_eq(evaluations, 1); // once, not once a thread
    add<<<1,
          32 /* a comment, with ) and >>> in it */,
          0>>>(d_out, // another ("one")
               4, 0,
               1);
    ck_assert_float_eq(first(d_out), 4);
    conv::scale<float, 3><<<1, 1>>>(d_out, 2);
    ck_assert_float_eq(first(d_out), 6);
    ::conv::set<<<1, 1>>>(d_out, 8);
    ck_assert_float_eq(first(d_out), 8);
    deduced<<<1, 1>>>(d_out, 9.0f);
    ck_assert_float_eq(first(d_out), 9);
    overloaded<<<1, 1>>>(d_out, 5.0f);
    ck_assert_float_eq(first(d_out), 5);
    overloaded<<<1, 1>>>(d_out, d_out);
    ck_assert_float_eq(first(d_out), -1);
    struct {
        const char *name;
        void (*kernel)(float *, float);
    } table[] = {{"set", conv::set}, {"scale", conv::scale<float, 7>}};
    for (int i = 0; i < 2; i++) {
        table[i].kernel<<<1, 1>>>(d_out, 3);
        ck_assert_float_eq(first(d_out), i == 0 ? 3 : 21);
    }
    ck_error(CHECKED((conv::set<<<1, 2000>>>(d_out, 1))), cudaErrorInvalidConfiguration);
    float to = 6;
    void *arguments[] = {&d_out, &to};
    cudaLaunchConfig_t how = {};
    how.gridDim = how.blockDim = 1;
    ck_success(cudaLaunchKernelExC(&how, (const void *)table[0].kernel, arguments));
    ck_assert_float_eq(first(d_out), 6);
    auto kernel = conv::scale<float, 7>;
    ck_success(cudaLaunchKernelExC(&how, (void *)kernel, arguments));
    ck_assert_float_eq(first(d_out), 42);
    ck_error(cudaLaunchKernelExC(&how, nullptr, arguments), cudaErrorInvalidDeviceFunction);
    ck_error(cudaLaunchKernelExC(&how, (const void *)d_out, arguments),
             cudaErrorInvalidResourceHandle);
    ck_error(cudaLaunchKernelExC(&how, (const void *)first, arguments),
             cudaErrorInvalidResourceHandle);
    ck_error(cudaLaunchKernel((void *)&evaluated, 1, 1, arguments, 0, 0),
             cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

static void injected_calls() {
    float *d_a = NULL, *d_b = NULL;
    ck_success(cudaMalloc(&d_a, 4)); // before it is armed: not counted
    sim_inject_arm();
    ck_success(cudaMalloc(&d_b, 4));
    ck_success(cudaFree(d_b));
    ck_error(cudaMalloc(&d_b, 4), cudaErrorMemoryAllocation);
    ck_success(cudaMalloc(&d_b, 4));
    cudaFree(d_a);
    cudaFree(d_b);
}

static void injected_forms() {
    float *d_a = NULL, *d_b = NULL, *h_c = NULL;
    sim_inject_arm();
    ck_success(cudaMalloc(&d_a, 4));
    ck_success(cudaMallocHost(&h_c, 4)); // not for the same purpose
    ck_error(cudaMallocAsync(&d_b, 4, 0), cudaErrorMemoryAllocation);
    ck_success(cudaMallocAsync(&d_b, 4, 0));
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFreeHost(h_c);
}

static void injected_launch() {
    sim_inject_arm();
    nothing<<<1, 1>>>();
    ck_error(cudaGetLastError(), cudaErrorLaunchOutOfResources);
    nothing<<<1, 1>>>();
    ck_success(cudaGetLastError());
}

TEST(injection) {
    struct outcome calls = run_program(injected_calls, "cudaMalloc:2");
    ck_assert_int_eq(calls.status, 0);
    ck_found(calls, "injected", "call:cudaMalloc value:2");
    struct outcome forms = run_program(injected_forms, "cudaMalloc:2");
    ck_assert_int_eq(forms.status, 0);
    ck_found(forms, "injected", "call:cudaMallocAsync value:2");
    struct outcome launch = run_program(injected_launch, "launch:1");
    ck_assert_int_eq(launch.status, 0);
    ck_found(launch, "injected", "severity:note");
    ck_assert(!found(&launch, "unchecked-error", ""));
}

#define BOUNDED __launch_bounds__(96)
#define N_BOUNDED 32
/* Kernels of one text may have one address. */
namespace bounds {
__global__ void __launch_bounds__(32 * 2, 4) declared(int *p, float f = 1);
static __global__ __launch_bounds__(
    64) void two_lines(int *p) {
    *p = 2;
}
template <class T, int N> __global__ void __launch_bounds__(N, 2) instance(T *p) {
    *p = 3;
}
template <class T> __global__ void __launch_bounds__(N_BOUNDED) by_value(T *p, int n = 1);
template <class T> __global__ void __launch_bounds__(32) by_value(T *p, int n) {
    *p = n;
}
template <class T> __global__ void __launch_bounds__(64) has_other(T *p) {
    *p = 3;
}
template <> __global__ void __launch_bounds__(128) has_other(int *p) {
    *p = 4;
}
} // namespace bounds
extern "C" {
__global__ void BOUNDED in_c(int *p) {
    *p = 4;
}
}
__global__ void __launch_bounds__(128) overloaded(int *p) {
    *p = 5;
}
__global__ void __launch_bounds__(32) overloaded(float *p) {
    *p = 6;
}
__global__ void bounds::declared(int *p, float f) {
    *p = (int)f;
}

TEST(launch_bounds) {
    struct {
        int threads;
        cudaError_t answer;
    } cases[] = {{1, cudaSuccess},
                 {64, cudaSuccess},
                 {65, cudaErrorInvalidValue},
                 {1025, cudaErrorInvalidConfiguration}};
    int *p = device_array<int>(4);
    for (auto &c : cases) {
        bounds::declared<<<1, c.threads>>>(p);
        ck_assert_int_eq(cudaGetLastError(), c.answer);
        bounds::two_lines<<<1, dim3(1, c.threads)>>>(p);
        ck_assert_int_eq(cudaGetLastError(), c.answer);
    }
    in_c<<<1, 96>>>(p);
    overloaded<<<1, 128>>>(p);
    overloaded<<<1, 32>>>((float *)p);
    ck_success(cudaGetLastError());
    in_c<<<1, 97>>>(p);
    ck_error(cudaGetLastError(), cudaErrorInvalidValue);
    overloaded<<<1, 129>>>(p);
    ck_error(cudaGetLastError(), cudaErrorInvalidValue);
    overloaded<<<1, 33>>>((float *)p);
    ck_error(cudaGetLastError(), cudaErrorInvalidValue);
    bounds::instance<int, 64><<<1, 65>>>(p);
    ck_error(cudaGetLastError(), cudaErrorInvalidValue);
    bounds::instance<int, 65><<<1, 65>>>(p);
    ck_success(cudaGetLastError());
    bounds::by_value<<<1, 33>>>(p);
    ck_error(cudaGetLastError(), cudaErrorInvalidValue);
    bounds::by_value<<<1, 32>>>(p, 2);
    bounds::has_other<float><<<1, 65>>>((float *)p); /* its bound is not known */
    bounds::has_other<int><<<1, 65>>>(p);
    ck_success(cudaGetLastError());
    cudaFuncAttributes attributes;
    ck_success(cudaFuncGetAttributes(&attributes, bounds::declared));
    ck_assert_int_eq(attributes.maxThreadsPerBlock, 64);
}

SUITE("sim: launch")
