// Calls that a runner makes fail, what a program holds, and another device's shared memory.
#include "../test_sim.h"

static __global__ void set(int *p) {
    *p = 3;
}

static struct sim_held held() {
    struct sim_held all;
    sim_held(&all);
    return all;
}

TEST(every_call_can_fail_once) {
    int device;
    sim_fail_call(2, cudaErrorECCUncorrectable);
    device_array<int>(4);
    ck_assert_ptr_null(sim_failed_call(NULL));
    ck_error(cudaGetDevice(&device), cudaErrorECCUncorrectable);
    int line;
    ck_assert_str_eq(sim_failed_call(&line), "cudaGetDevice");
    ck_assert_int_eq(line, __LINE__ - 3);
    ck_error(cudaGetLastError(), cudaErrorECCUncorrectable);
    ck_success(cudaGetDevice(&device));
    sim_fail_call(0, cudaSuccess);
    ck_assert_ptr_null(sim_failed_call(NULL));
}

TEST(the_first_call_that_fails_is_known) {
    const char *file;
    int line;
    void *d_much;
    sim_inject_arm();
    ck_error(cudaMalloc(&d_much, SIZE_MAX / 2), cudaErrorMemoryAllocation);
    ck_error(cudaMemcpy(NULL, NULL, 4, (enum cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    ck_assert_str_eq(sim_first_failed(cudaErrorMemoryAllocation, &file, &line), "cudaMalloc");
    ck_assert_int_eq(line, __LINE__ - 3);
    ck_assert_ptr_null(sim_first_failed(cudaErrorInvalidMemcpyDirection, &file, &line));
    sim_inject_arm();
    set<<<0, 1>>>(NULL); /* is no call */
    ck_error(cudaGetLastError(), cudaErrorInvalidConfiguration);
    ck_assert_ptr_null(sim_first_failed(cudaErrorInvalidConfiguration, &file, &line));
}

/* Asking for the last error is no call that can fail. */
TEST(a_launch_fails_when_the_program_asks) {
    int h = 0, *d = device_zeros<int>(4);
    sim_fail_call(1, cudaErrorLaunchFailure);
    ck_success(cudaGetLastError());
    set<<<1, 1>>>(d);
    ck_assert_str_eq(sim_failed_call(NULL), "launch");
    ck_error(cudaGetLastError(), cudaErrorLaunchFailure);
    sim_fail_call(0, cudaSuccess);
    ck_success(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(h, 0);
}

/* A program cannot undo it a second time: it is done, and then it fails. */
TEST(failing_free_still_releases) {
    int *d, *pinned;
    cudaStream_t stream;
    cudaEvent_t event;
    const struct sim_held before = held();
    ck_success(cudaMalloc(&d, 4));
    ck_success(cudaMallocHost(&pinned, 4));
    ck_success(cudaStreamCreate(&stream));
    ck_success(cudaEventCreate(&event));
    const struct sim_held all = held();
    ck_assert(all.device == before.device + 1 && all.pinned == before.pinned + 1);
    ck_assert(all.streams == before.streams + 1 && all.events == before.events + 1);
    sim_fail_call(1, cudaErrorUnknown);
    ck_error(cudaFree(d), cudaErrorUnknown);
    ck_success(cudaMallocAsync((void **)&d, 4, 0));
    sim_fail_call(1, cudaErrorUnknown);
    ck_error(cudaFreeAsync(d, 0), cudaErrorUnknown);
    ck_success(cudaStreamSynchronize(0));
    ck_assert_uint_eq(held().device, before.device);
    sim_fail_call(1, cudaErrorUnknown);
    ck_error(cudaFreeHost(pinned), cudaErrorUnknown);
    sim_fail_call(1, cudaErrorUnknown);
    ck_error(cudaStreamDestroy(stream), cudaErrorUnknown);
    sim_fail_call(1, cudaErrorUnknown);
    ck_error(cudaEventDestroy(event), cudaErrorUnknown);
    sim_fail_call(0, cudaSuccess);
    ck_success(cudaMallocAsync(&d, 4, 0));
    sim_fail_call(1, cudaErrorUnknown);
    ck_error(cudaFreeAsync(d, 0), cudaErrorUnknown);
    sim_fail_call(0, cudaSuccess);
    ck_success(cudaDeviceSynchronize());
    const struct sim_held after = held();
    ck_assert_mem_eq(&after, &before, sizeof after);
}

/* All that a wait for nothing could report has been reported. */
TEST(a_wait_for_nothing_cannot_fail) {
    int device, *d = device_array<int>(4);
    cudaEvent_t event = new_event();
    cudaStream_t stream = new_stream();
    set<<<1, 1, 0, stream>>>(d);
    ck_success(cudaEventRecord(event, stream));
    ck_success(cudaStreamSynchronize(stream));
    const unsigned waits = sim_waits();
    sim_fail_call(1, cudaErrorUnknown);
    ck_success(cudaStreamSynchronize(stream));
    ck_success(cudaStreamSynchronize(0));
    ck_success(cudaDeviceSynchronize());
    ck_success(cudaEventSynchronize(event));
    ck_assert_ptr_null(sim_failed_call(NULL));
    ck_assert_uint_eq(sim_waits(), waits);
    ck_error(cudaGetDevice(&device), cudaErrorUnknown);
    sim_fail_call(0, cudaSuccess);
}

/* The calls that wait for a kernel in `stream`, whose end `event` is. */
static cudaError_t wait_for(int how, cudaStream_t stream, cudaEvent_t event) {
    return how == 0   ? cudaDeviceSynchronize()
           : how == 1 ? cudaStreamSynchronize(stream)
           : how == 2 ? cudaStreamSynchronize(0)
                      : cudaEventSynchronize(event);
}

TEST(a_wait_for_a_kernel_can_fail) {
    int *d = device_array<int>(4);
    cudaEvent_t event = new_event();
    cudaStream_t stream = new_stream();
    for (int how = 0; how < 4; how++) {
        set<<<1, 1, 0, stream>>>(d);
        ck_success(cudaEventRecord(event, stream));
        const unsigned waits = sim_waits();
        sim_fail_call(1, cudaErrorUnknown);
        ck_error(wait_for(how, stream, event), cudaErrorUnknown);
        sim_fail_call(0, cudaSuccess);
        ck_success(wait_for(how, stream, event)); /* for nothing: the kernel has ended */
        ck_assert_uint_eq(sim_waits(), waits + 1);
    }
}

TEST(memory_of_the_host_is_held_while_it_is_registered) {
    static int h[1024];
    const struct sim_held before = held();
    ck_success(cudaHostRegister(h, sizeof h, 0));
    ck_assert_uint_eq(held().pinned, before.pinned + 1);
    ck_success(cudaHostUnregister(h));
    ck_assert_uint_eq(held().pinned, before.pinned);
}

extern __shared__ char s_bytes[];
static __global__ void uses_shared() {
    s_bytes[0] = 1;
}

TEST(another_device_has_less_shared_memory) {
    int most = 0;
    sim_limit_shared(100 * 1024);
    ck_success(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    ck_assert_int_eq(most, 100 * 1024);
    struct cudaDeviceProp properties;
    ck_success(cudaGetDeviceProperties(&properties, 0));
    ck_assert_uint_eq(properties.sharedMemPerBlockOptin, 100 * 1024);
    const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
    ck_error(cudaFuncSetAttribute(uses_shared, attribute, most + 1), cudaErrorInvalidValue);
    cudaGetLastError();
    ck_success(cudaFuncSetAttribute(uses_shared, attribute, most));
    uses_shared<<<1, 1, 100 * 1024>>>();
    ck_success(cudaGetLastError());
    sim_limit_shared(0);
    ck_success(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    ck_assert_int_eq(most, 227 * 1024);
}

static void leaves_an_error_in_step_5() {
    sim_set_step(5);
    int *d = device_array<int>(4);
    cudaFree(d);
    cudaFree(d);
    sim_set_step(-1);
}

static void ignores_a_call_that_is_made_to_fail() {
    int *d = device_array<int>(4);
    sim_fail_call(1, cudaErrorUnknown);
    cudaFree(d);
}

/* Its caller judges that, not the simulator. */
TEST(injected_failure_is_not_a_finding) {
    struct outcome outcome = run_program(ignores_a_call_that_is_made_to_fail, NULL);
    ck_assert_str_eq(outcome.findings, "");
}

TEST(findings_bear_their_step) {
    struct outcome outcome = run_program(leaves_an_error_in_step_5, NULL);
    ck_assert_msg(strstr(outcome.findings, "\"step\":5") != NULL, "%s", outcome.findings);
}

SUITE("sim: calls that fail")
