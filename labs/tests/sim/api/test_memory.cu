// Memory of the device and of the host, and who may access what. labs/studies/truth/errors_truth.cu
// compares what wrong calls return with what a GPU returns.
#include "../test_sim.h"

TEST(getting_and_giving_back) {
    float *d_a = NULL, *h_pinned = NULL;
    ck_success(cudaMalloc(&d_a, 0));
    ck_assert_ptr_null(d_a);
    ck_success(cudaMalloc(&d_a, 1000));
    float *d_b = device_array<float>(1);
    ck_assert_uint_eq((size_t)d_a % 256, 0);
    ck_assert_uint_eq((size_t)d_b % 256, 0);
    ck_success(cudaFree(NULL));
    ck_success(cudaFree(d_a));
    ck_success(cudaMallocHost(&h_pinned, 64, 0)); // C++ has flags here
    ck_error(cudaFree(h_pinned), cudaErrorInvalidValue);
    ck_success(cudaFreeHost(h_pinned));
    ck_success(cudaFreeHost(NULL));
}

TEST(pitches) {
    const size_t widths[][2] = {{1, 512}, {512, 512}, {513, 1024}, {8000, 8192}};
    for (auto &w : widths) {
        char *d_rows;
        size_t pitch;
        ck_success(cudaMallocPitch(&d_rows, &pitch, w[0], 3));
        ck_assert_uint_eq(pitch, w[1]);
        ck_success(cudaFree(d_rows));
    }
}

TEST(copies_go_where_they_say) {
    int h_a[4] = {1, 2, 3, 4}, h_b[4] = {0}, *d_a = device_copy(h_a);
    int *d_b = device_array<int>(sizeof h_a);
    ck_success(cudaMemcpy(d_b, d_a, sizeof h_a, cudaMemcpyDeviceToDevice));
    ck_success(cudaMemcpyAsync(h_b, d_b, sizeof h_a, cudaMemcpyDeviceToHost, 0));
    ck_assert_mem_eq(h_a, h_b, sizeof h_a);
    ck_success(cudaMemset(d_a, 0x11, 8));
    ck_success(cudaMemcpy(h_b, d_a, sizeof h_a, cudaMemcpyDefault));
    ck_assert_int_eq(h_b[1], 0x11111111);
    ck_assert_int_eq(h_b[2], 3);
    ck_error(cudaMemcpy(d_a, h_a, 4, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    ck_error(cudaMemcpy(d_a, h_a, 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    ck_error(cudaMemcpy(d_a + 3, h_a, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    ck_success(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    ck_error(cudaMemset(d_a, 0, 17), cudaErrorInvalidValue);
    ck_success(cudaMemset(NULL, 0, 0));
}

TEST(rows) {
    unsigned char *d_rows, h_in[3][5], h_out[3][7];
    size_t pitch;
    for (int i = 0; i < 15; i++) {
        h_in[i / 5][i % 5] = (unsigned char)i;
    }
    memset(h_out, 99, sizeof h_out);
    ck_success(cudaMallocPitch(&d_rows, &pitch, 5, 3));
    ck_success(cudaMemcpy2D(d_rows, pitch, h_in, 5, 5, 3, cudaMemcpyHostToDevice));
    ck_success(cudaMemset2D(d_rows, pitch, 7, 2, 3));
    ck_success(cudaMemcpy2D(h_out, 7, d_rows, pitch, 4, 3, cudaMemcpyDeviceToHost));
    const unsigned char expected[3][7] = {
        {7, 7, 2, 3, 99, 99, 99}, {7, 7, 7, 8, 99, 99, 99}, {7, 7, 12, 13, 99, 99, 99}};
    ck_assert_mem_eq(h_out, expected, sizeof expected);
    ck_error(cudaMemcpy2D(d_rows, pitch, h_in, 5, 5, 4, cudaMemcpyHostToDevice),
             cudaErrorInvalidValue);
    ck_success(cudaFree(d_rows));
}

TEST(page_locked_memory) {
    void *h_mapped, *d_view;
    static char own[8192];
    struct cudaPointerAttributes attributes;
    ck_error(cudaHostAlloc(&h_mapped, 64, 0x40), cudaErrorInvalidValue);
    ck_success(cudaHostAlloc(&h_mapped, 64, cudaHostAllocMapped | cudaHostAllocWriteCombined));
    ck_success(cudaHostGetDevicePointer(&d_view, h_mapped, 0));
    ck_assert_ptr_eq(d_view, h_mapped);
    ck_success(cudaPointerGetAttributes(&attributes, h_mapped));
    ck_assert_int_eq(attributes.type, cudaMemoryTypeHost);
    ck_success(cudaFreeHost(h_mapped));
    ck_error(cudaHostGetDevicePointer(&d_view, own, 0), cudaErrorInvalidValue);
    ck_success(cudaPointerGetAttributes(&attributes, own));
    ck_assert_int_eq(attributes.type, cudaMemoryTypeUnregistered);
    ck_assert_int_eq(attributes.device, -2);
    ck_success(cudaHostRegister(own, sizeof own, cudaHostRegisterDefault));
    ck_error(cudaHostRegister(own, sizeof own, 0), cudaErrorHostMemoryAlreadyRegistered);
    ck_success(cudaHostUnregister(own));
    ck_error(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
    ck_error(cudaHostRegister(NULL, 8, 0), cudaErrorInvalidValue);
}

__global__ void poison(const unsigned *d_in, unsigned *d_out, int n) {
    unsigned all = ~0u;
    for (int i = 0; i < n; i++) {
        all &= d_in[i];
    }
    *d_out = all;
}

TEST(new_memory_is_poisoned) {
    unsigned h_out = 0, *d_in = device_array<unsigned>(4000), *d_out = device_array<unsigned>(4);
    poison<<<1, 1>>>(d_in, d_out, 1000);
    ck_success(cudaMemcpy(&h_out, d_out, 4, cudaMemcpyDeviceToHost));
    ck_assert_uint_eq(h_out, ~0u);
}

enum { LEAK = __LINE__ + 3 };
static void leak() {
    float *d_kept, *d_freed, *h_kept;
    cudaMalloc(&d_kept, 1234);
    cudaMalloc(&d_freed, 10);
    cudaMallocHost(&h_kept, 77);
    cudaFree(d_freed);
}

TEST(leaks_are_found_at_the_end) {
    struct outcome outcome = run_program(leak, NULL);
    char text[160];
    snprintf(text, sizeof text, "line:%d space:device bytes:1234", LEAK);
    ck_found(outcome, "leak", text);
    ck_found(outcome, "leak", "space:page-locked bytes:77");
    ck_assert(!found(&outcome, "leak", "bytes:10"));
}

__global__ void touch(char *d_bytes, long at) {
    if (threadIdx.x == 5 && blockIdx.x == 2) {
        d_bytes[at] = 1;
    }
}

static void touch_at(long at) {
    char *d_bytes = device_array<char>(1000);
    touch<<<4, 32>>>(d_bytes, at);
    cudaFree(d_bytes);
}
static void past_the_end() {
    touch_at(1024);
}
static void just_past_the_end() {
    touch_at(1003);
}
static void before_the_start() {
    touch_at(-4096);
}
static void just_before_the_start() {
    touch_at(-1);
}
static void inside() {
    touch_at(999);
}
static void after_free() {
    char *d_bytes = device_array<char>(1000);
    cudaFree(d_bytes);
    touch<<<4, 32>>>(d_bytes, 0);
    cudaDeviceSynchronize();
}

static void expect_death(void (*program)(void), const char *kind, const char *members) {
    struct outcome outcome = run_program(program, NULL);
    ck_assert(WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGSEGV);
    ck_found(outcome, kind, members);
    ck_assert(strstr(outcome.findings, "\"pc\":") != NULL);
}

#if defined(__x86_64__) || defined(__aarch64__)
__global__ void copy_four(const float *d_from, float *d_to) {
    *(float4 *)d_to = *(const float4 *)d_from;
}
__global__ void copy_pairs(const float2 *__restrict__ d_from, float *d_to) {
    const float2 pair = d_from[threadIdx.x];
    d_to[threadIdx.x] = pair.x - pair.y;
}
__global__ void copy_bytes(const unsigned char *d_from, float *d_to) {
    *d_to = (float)*reinterpret_cast<const unsigned *>(d_from + threadIdx.x);
}
__global__ void copy_cached(const float *d_from, float *d_to) {
    *d_to = __ldg((const float4 *)d_from + threadIdx.x).y;
}
__global__ void copy_shared(const float *d_from, float *d_to) {
    __shared__ float s_all[36];
    s_all[threadIdx.x] = d_from[threadIdx.x];
    auto four = reinterpret_cast<float4 *>(s_all + 1) + threadIdx.x % 8;
    __syncthreads();
    const float4 v = *four;
    d_to[threadIdx.x] = v.x + v.w;
}
struct rows {
    const float4 *all;
    __device__ float4 operator[](int i) const {
        return all[i];
    }
};
__global__ void copy_rows(rows given, float *d_to) {
    *(float4 *)d_to = given[threadIdx.x];
}

template <class... P, class... A> static void misaligned(void (*kernel)(P...), A... given) {
    kernel<<<1, 32>>>(given...);
    ck_error(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
}

TEST(misaligned_vectors) {
    ck_finds_and_exits(
        [] { misaligned(copy_four, device_array<float>(64) + 1, device_array<float>(64)); },
        "misaligned", "limit:16 value:4 space:device bytes:64");
    ck_finds_and_exits(
        [] { misaligned(copy_four, device_array<float>(64), device_array<float>(64) + 2); },
        "misaligned", "value:8");
    ck_finds_and_exits(
        [] {
            misaligned(copy_pairs, (float2 *)(device_array<float>(512) + 1),
                       device_array<float>(512));
        },
        "misaligned", "bytes:8");
    ck_finds_and_exits(
        [] { misaligned(copy_bytes, device_array<unsigned char>(64), device_array<float>(64)); },
        "misaligned", "thread:[1,0,0]");
    ck_finds_and_exits(
        [] { misaligned(copy_cached, device_array<float>(1024) + 3, device_array<float>(64)); },
        "misaligned", "value:12");
    ck_finds_and_exits(
        [] {
            misaligned(copy_rows, rows{(float4 *)(device_array<float>(1024) + 1)},
                       device_array<float>(64));
        },
        "misaligned", "case:vector");
    struct outcome outcome = run_program(
        [] { misaligned(copy_shared, device_array<float>(512), device_array<float>(512)); }, NULL);
    ck_assert_int_eq(outcome.status, 0);
    ck_found(outcome, "misaligned", "case:vector");
    ck_assert(strstr(outcome.findings, "\"object\":") == NULL); // no allocation
    ck_assert(strstr(outcome.findings, "\"pc\":") != NULL);
}

struct parts {
    int n;
    float of[4];
};
struct point {
    float x, y, z;
};
/* Members, addresses, what is tested before, and arrays of the thread: a device reads all of it. */
__global__ void odd_addresses(const float *d_from, float *d_to, parts given) {
    const float4 *moved = (const float4 *)(d_from + 1), *next = &moved[1];
    float own[9] = {0};
    *(float2 *)&own[1] = make_float2(moved[0].x, (*moved).y);
    *(float4 *)(own + 3) = *(float4 *)given.of;
    const point *points = (const point *)(d_from + 1), third = points[2];
    const float4 *both[2] = {(const float4 *)d_from, moved};
    volatile int place = 0; /* marks stand around the loads of such a function */
    const float4 marked = both[0][place];
    float4 whole = make_float4(marked.y - 1, marked.z - 2, 0, 0);
    for (const float4 *four : both) {
        if ((size_t)four % 16 == 0) {
            whole = *four;
        }
    }
    *d_to = own[1] + 10 * own[2] + 100 * own[4] + 1000 * third.z +
            (float)((const float *)next - d_from) + whole.w;
}

TEST(vectors_that_a_device_reads) {
    if (address_sanitizer) { /* UBSan refuses the members, too */
        return;
    }
    const float h[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    float *d_from = device_array<float>(sizeof h), *d_to = device_array<float>(64), sum;
    ck_success(cudaMemcpy(d_from, h, sizeof h, cudaMemcpyHostToDevice));
    odd_addresses<<<1, 1>>>(d_from, d_to, {0, {0, 3, 0, 0}});
    ck_success(cudaMemcpy(&sum, d_to, sizeof sum, cudaMemcpyDeviceToHost));
    ck_assert_double_eq(sum, 1 + 10 * 2 + 100 * 3 + 1000 * 9 + 5 + 3);
}
#endif

TEST(out_of_bounds) {
    expect_death(past_the_end, "out-of-bounds", "case:fault-past-end offset:1024 bytes:1000");
    expect_death(past_the_end, "out-of-bounds", "block:[2,0,0] thread:[5,0,0]");
    expect_death(before_the_start, "out-of-bounds", "case:fault-before offset:-4096 bytes:1000");
    expect_death(after_free, "use-after-free", "case:fault bytes:1000");
    ck_finds(just_past_the_end, "out-of-bounds", "case:wrote-past-end offset:1003");
    ck_finds(just_before_the_start, "out-of-bounds", "case:wrote-before offset:-1");
    struct outcome outcome = run_program(inside, NULL);
    ck_nothing_found(outcome);
}

static void host_reads_device() {
    int *d_value = device_array<int>(4);
    *(volatile int *)d_value = 3;
}

static void device_gets_host_pointer() {
    static char host[64];
    touch<<<4, 32>>>(host, 0);
    ck_error(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

static void copies_of_the_wrong_kind() {
    int *d_value, h_value = 0;
    cudaMalloc(&d_value, 4);
    cudaMemcpy(&h_value, d_value, 4, cudaMemcpyHostToDevice);
    cudaMemcpy(d_value, &h_value, 12, cudaMemcpyHostToDevice);
    cudaFree(d_value);
    cudaFree(d_value);
    cudaFree(&h_value);
    int *const d_unset = (int *)(uintptr_t)0xfefefefefefefefe; // as a local variable is filled
    cudaMemcpy(d_unset, &h_value, 4, cudaMemcpyHostToDevice);
    cudaFree(d_unset);
}

// What kernels open stays open from one to the next, but not for the host.
static int *d_opened;

static void queue_kernels(int count) {
    if (!d_opened) {
        cudaMalloc(&d_opened, 32 * sizeof(int));
    }
    for (int i = 0; i < count; i++) {
        touch<<<4, 32>>>((char *)d_opened, 0);
    }
}

static void read_opened(void *) {
    fprintf(stderr, "%d\n", *(volatile int *)d_opened);
}

static void host_reads_after_kernels() {
    queue_kernels(3);
    cudaDeviceSynchronize();
    read_opened(NULL);
}

static void host_reads_after_a_full_queue() {
    queue_kernels(1100);
    read_opened(NULL);
}

static void host_reads_after_a_query() {
    queue_kernels(1);
    while (cudaStreamQuery(0) == cudaErrorNotReady) {
    }
    read_opened(NULL);
}

static void host_function_reads_between() {
    queue_kernels(2);
    cudaLaunchHostFunc(0, read_opened, NULL);
    queue_kernels(2);
    cudaDeviceSynchronize();
}

static void freed_between_kernels() {
    queue_kernels(2);
    char *d_short;
    cudaMallocAsync((void **)&d_short, 32 * sizeof(int), 0);
    touch<<<4, 32>>>(d_short, 0);
    cudaFreeAsync(d_short, 0);
    queue_kernels(1);
    touch<<<4, 32>>>(d_short, 0);
    cudaDeviceSynchronize();
}

// More than the quarantine keeps.
static void many_freed_between_kernels() {
    for (int i = 0; i < 5000; i++) {
        char *d_short;
        ck_success(cudaMallocAsync((void **)&d_short, 4, 0));
        touch<<<4, 32>>>(d_short, 0);
        ck_success(cudaFreeAsync(d_short, 0));
    }
    ck_success(cudaDeviceSynchronize());
}

static void kernels_and_copies_share_memory() {
    queue_kernels(2);
    int h_values[32];
    ck_success(cudaMemcpy(h_values, d_opened, sizeof h_values, cudaMemcpyDeviceToHost));
    queue_kernels(2);
    ck_success(cudaMemcpyAsync(h_values, d_opened, sizeof h_values, cudaMemcpyDeviceToHost));
    queue_kernels(1);
    ck_success(cudaMemsetAsync(d_opened, 0, 8));
    ck_success(cudaDeviceSynchronize());
    ck_success(cudaFree(d_opened));
}

TEST(device_and_host_are_apart) {
    expect_death(host_reads_device, "wrong-space", "case:fault");
    expect_death(host_reads_after_kernels, "wrong-space", "case:fault");
    expect_death(host_reads_after_a_full_queue, "wrong-space", "case:fault");
    expect_death(host_reads_after_a_query, "wrong-space", "case:fault");
    expect_death(host_function_reads_between, "wrong-space", "case:fault");
    expect_death(freed_between_kernels, "use-after-free", "case:fault");
    ck_nothing_found(run_program(many_freed_between_kernels, NULL));
    ck_nothing_found(run_program(kernels_and_copies_share_memory, NULL));
    ck_finds_and_exits(device_gets_host_pointer, "wrong-space",
                       "case:argument-host value:1 kernel:touch");
    struct outcome outcome = run_program(copies_of_the_wrong_kind, NULL);
    ck_found(outcome, "wrong-space", "case:not-device");
    ck_found(outcome, "wrong-space", "case:copy-never-set");
    ck_found(outcome, "wrong-space", "case:free-never-set call:cudaFree");
    ck_found(outcome, "out-of-bounds", "case:copy side:destination bytes:12 limit:4");
    ck_found(outcome, "use-after-free", "case:free call:cudaFree");
    ck_found(outcome, "wrong-space", "case:free-unknown call:cudaFree");
}

TEST(many_allocations_come_and_go) {
    for (int i = 0; i < 6000; i++) { // more than the quarantine keeps
        void *d_bytes;
        ck_success(cudaMalloc(&d_bytes, 100));
        ck_success(cudaFree(d_bytes));
    }
    size_t available, total;
    ck_success(cudaMemGetInfo(&available, &total));
    ck_assert_uint_eq(available, total);
}

TEST(queued_work_is_recorded) {
    const struct sim_queued want[] = {
        {SIM_COPY_THERE, 2, 0}, {SIM_LAUNCH, 0, 0}, {SIM_LAUNCH, 2, 0}, {SIM_COPY_BACK, 1, 0}};
    const struct sim_queued *seen;
    cudaStream_t gone;
    float h[8] = {0}, *d = device_array<float>(sizeof h);
    cudaStream_t first = new_stream(), second = new_stream();
    ck_success(cudaStreamCreate(&gone));
    ck_success(cudaStreamDestroy(gone));
    ck_success(cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyDefault, second));
    copy_four<<<1, 1>>>(d, d + 4);
    copy_four<<<1, 1, 0, second>>>(d, d + 4);
    copy_four<<<1, 1, 0, gone>>>(d, d + 4); // refused
    ck_error(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    ck_success(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, first));
    ck_success(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)); // in no stream
    ck_assert_uint_eq(sim_queued(&seen), 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(seen[i].work, want[i].work);
        ck_assert_uint_eq(seen[i].stream, want[i].stream);
    }
}

TEST(a_copy_overlaps_the_one_before_until_that_has_ended) {
    const struct sim_queued *seen;
    float *h, *d = device_array<float>(8 * sizeof *d);
    cudaStream_t first = new_stream(), second = new_stream();
    ck_success(cudaHostAlloc(&h, sizeof *h, cudaHostAllocDefault));
    *h = 1;
    ck_success(cudaMemcpyAsync(d, h, sizeof *h, cudaMemcpyHostToDevice, first));
    ck_success(cudaMemcpyAsync(d, h, sizeof *h, cudaMemcpyHostToDevice, second));
    copy_four<<<1, 1, 0, first>>>(d, d); // a launch that is pending is no copy
    ck_success(cudaStreamSynchronize(second));
    ck_success(cudaMemcpyAsync(h, d, sizeof *h, cudaMemcpyDeviceToHost, second));
    ck_assert_uint_eq(sim_queued(&seen), 4);
    ck_assert(!seen[0].overlaps && seen[1].overlaps && !seen[3].overlaps);
    cudaEvent_t event;
    ck_success(cudaEventCreate(&event));
    for (int waits = 0; waits < 3; waits++) { // for nothing, an event, the legacy default stream
        ck_success(cudaMemcpyAsync(d, h, sizeof *h, cudaMemcpyHostToDevice, first));
        copy_four<<<1, 1, 0, first>>>(d, d);
        ck_success(cudaEventRecord(event, waits == 1 ? first : waits == 2 ? NULL : second));
        ck_success(cudaStreamWaitEvent(second, event, 0));
        ck_success(cudaMemcpyAsync(d + 4, h, sizeof *h, cudaMemcpyHostToDevice, second));
        ck_assert_int_eq(seen[sim_queued(&seen) - 1].overlaps, waits == 0);
        ck_success(cudaDeviceSynchronize());
    }
    ck_success(cudaEventDestroy(event));
    ck_success(cudaDeviceSynchronize());
    ck_success(cudaFreeHost(h));
}

TEST(memory_is_freed_early_where_nothing_waits_for_the_work) {
    cudaStream_t first = new_stream(), second = new_stream();
    for (int waits = 0; waits < 2; waits++) {
        char *d_a, *d_b;
        ck_success(cudaMalloc(&d_a, 4));
        ck_success(cudaMalloc(&d_b, 4));
        ck_success(cudaMemsetAsync(d_a, 1, 4, first));
        ck_success(cudaMemsetAsync(d_b, 1, 4, second));
        ck_success(cudaStreamSynchronize(first));
        ck_success(cudaFree(d_a));
        if (waits) {
            ck_success(cudaStreamSynchronize(second));
        }
        ck_success(cudaFree(d_b));
        ck_assert_int_eq(sim_freed_early(), !waits);
    }
}

TEST(reads_of_copies_are_recorded) {
    const struct sim_copied *seen;
    float h[8] = {0}, *h_pinned, *h_combined, *d = device_array<float>(sizeof h);
    ck_success(cudaHostAlloc(&h_pinned, sizeof h, cudaHostAllocPortable));
    ck_success(cudaHostAlloc(&h_combined, sizeof h, cudaHostAllocWriteCombined));
    for (int i = 0; i < 8; i++) {
        h_pinned[i] = h_combined[i] = 0;
    }
    sim_forget_copied();
    ck_success(cudaMemcpy(d, h + 1, 4, cudaMemcpyHostToDevice));
    ck_success(cudaMemcpy(d, h_pinned + 1, 8, cudaMemcpyDefault));
    ck_success(cudaMemcpy2DAsync(d, 8, h_combined, 8, 4, 3, cudaMemcpyHostToDevice, 0));
    ck_success(cudaHostRegister(h, sizeof h, cudaHostRegisterDefault));
    ck_success(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    ck_success(cudaHostUnregister(h));
    ck_success(cudaHostRegister(h, 8, cudaHostRegisterDefault)); // the copy reads more than that
    ck_success(cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice));
    ck_success(cudaMemcpy2D(d, 4, h, 16, 4, 2, cudaMemcpyHostToDevice));
    ck_success(cudaHostUnregister(h));
    ck_success(cudaMemcpy(d, d + 4, 16, cudaMemcpyDeviceToDevice));
    ck_success(cudaMemcpy(h_pinned, d, 16, cudaMemcpyDeviceToHost));
    ck_error(cudaMemcpy(d, h, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    const struct sim_copied want[] = {{h + 1, 4, SIM_PAGEABLE},
                                      {h_pinned + 1, 8, SIM_PAGE_LOCKED},
                                      {h_combined, 12, SIM_WRITE_COMBINED},
                                      {h, sizeof h, SIM_PAGE_LOCKED},
                                      {h, 24, SIM_PAGEABLE}};
    ck_assert_uint_eq(sim_copied(&seen), 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_ptr_eq(seen[i].from, want[i].from);
        ck_assert_uint_eq(seen[i].bytes, want[i].bytes);
        ck_assert_int_eq(seen[i].memory, want[i].memory);
    }
    ck_assert_uint_eq(sim_copied_page_locked(0), 8 + 12 + sizeof h);
    ck_assert_uint_eq(sim_copied_page_locked(1), 16);
    sim_forget_copied();
    ck_assert_uint_eq(sim_copied_page_locked(0) + sim_copied_page_locked(1), 0);
    for (int row = 0; row < 100; row++) { /* a buffer for each row, and one buffer's rows */
        ck_success(cudaMemcpy(d, h_pinned, 4, cudaMemcpyHostToDevice));
        ck_success(cudaMemcpy(d, h + row % 8, 4, cudaMemcpyHostToDevice));
    }
    ck_assert_uint_eq(sim_copied(&seen), 2);
    ck_assert_uint_eq(seen[0].bytes, 400);
    ck_assert_uint_eq(seen[1].bytes, 400);
    sim_forget_copied();
    ck_assert_uint_eq(sim_copied(&seen), 0);
    ck_success(cudaFreeHost(h_pinned));
    ck_success(cudaFreeHost(h_combined));
}

TEST(an_input_that_was_changed_on_the_host_is_not_copied) {
    unsigned char input[60], other[60];
    for (int i = 0; i < 60; i++) {
        input[i] = (unsigned char)i;
        other[59 - i] = (unsigned char)(i < 50 ? i : 100 + i);
    }
    unsigned char *d = device_array<unsigned char>(sizeof input);
    sim_forget_copied();
    ck_assert_uint_eq(sim_not_copied(input, sizeof input), 60);
    ck_success(cudaMemcpy(d, other, sizeof other, cudaMemcpyHostToDevice)); // in another order
    ck_assert_uint_eq(sim_not_copied(input, sizeof input), 10);
    ck_success(cudaMemcpy2D(d, 6, input + 50, 5, 4, 2, cudaMemcpyHostToDevice));
    ck_assert_uint_eq(sim_not_copied(input, sizeof input), 2); // two rows of four of five
    ck_success(cudaMemcpy(other, d, sizeof other, cudaMemcpyDeviceToHost));
    ck_assert_uint_eq(sim_not_copied(input, sizeof input), 2);
    sim_forget_copied();
    ck_assert_uint_eq(sim_not_copied(input, sizeof input), 60);
}

SUITE("sim: memory")
