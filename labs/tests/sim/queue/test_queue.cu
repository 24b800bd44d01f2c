// Queued work: when it runs, in which order, and what each call waits for.
#include "../test_sim.h"

#include <condition_variable>
#include <mutex>
#include <thread>

__global__ void set(int *d_at, int value) {
    *d_at = value;
}

__global__ void add(int *d_at, int value) {
    *d_at += value;
}

__global__ void copy(const int *d_from, int *d_to) {
    *d_to = *d_from;
}

// Memory of the host and the device: it shows what has run.
struct shared_ints {
    int *at;
    explicit shared_ints(int count) {
        ck_success(cudaMallocHost((void **)&at, count * sizeof(int)));
        memset(at, 0, count * sizeof(int));
    }
    ~shared_ints() {
        ck_success(cudaFreeHost(at));
    }
    int operator[](int i) const {
        return ((volatile int *)at)[i];
    }
};

TEST(nothing_runs_before_something_waits) {
    shared_ints seen(2);
    cudaStream_t stream = new_stream();
    set<<<1, 1, 0, stream>>>(seen.at, 1);
    set<<<1, 1>>>(seen.at + 1, 2);
    ck_success(cudaGetLastError());
    ck_assert_int_eq(seen[0] + seen[1], 0);
    ck_success(cudaStreamSynchronize(stream));
    ck_assert_int_eq(seen[0], 1);
    ck_assert_int_eq(seen[1], 0); // nothing waits for it: it was queued later
    ck_success(cudaDeviceSynchronize());
    ck_assert_int_eq(seen[1], 2);
}

TEST(arguments_are_those_of_the_launch) {
    shared_ints seen(1);
    int value = 1;
    add<<<1, 1>>>(seen.at, value);
    value = 10;
    add<<<1, 1>>>(seen.at, value);
    value = 100;
    ck_success(cudaDeviceSynchronize());
    ck_assert_int_eq(seen[0], 11);
}

// Without an order, the newest of what can run runs first: a consumer before its producer.
TEST(unordered_work_runs_in_the_harmful_order) {
    shared_ints seen(2);
    cudaEvent_t ready = new_event();
    cudaStream_t producer = new_stream(), consumer = new_stream();
    for (int ordered = 0; ordered < 2; ordered++) {
        seen.at[0] = seen.at[1] = 0;
        set<<<1, 1, 0, producer>>>(seen.at, 7);
        ck_success(cudaEventRecord(ready, producer));
        if (ordered) {
            ck_success(cudaStreamWaitEvent(consumer, ready, 0));
        }
        copy<<<1, 1, 0, consumer>>>(seen.at, seen.at + 1);
        ck_success(cudaDeviceSynchronize());
        ck_assert_int_eq(seen[0], 7);
        ck_assert_int_eq(seen[1], ordered ? 7 : 0);
    }
}

// a, b: two streams. Is the work of `first` done when `second`'s is waited for?
static bool waits_for(cudaStream_t first, cudaStream_t second) {
    shared_ints seen(2);
    set<<<1, 1, 0, first>>>(seen.at, 1);
    set<<<1, 1, 0, second>>>(seen.at + 1, 1);
    ck_success(cudaStreamSynchronize(second));
    bool done = seen[0] == 1;
    ck_assert_int_eq(seen[1], 1);
    ck_success(cudaDeviceSynchronize());
    return done;
}

TEST(rules_of_the_legacy_default_stream) {
    cudaStream_t blocking, other, both[2];
    ck_success(cudaStreamCreate(&blocking));
    ck_success(cudaStreamCreate(&other));
    cudaStream_t free_one = new_stream(cudaStreamNonBlocking);
    cudaStream_t legacy = 0, thread = cudaStreamPerThread;
    ck_assert(waits_for(legacy, blocking));
    ck_assert(waits_for(blocking, legacy));
    ck_assert(waits_for(cudaStreamLegacy, thread));
    ck_assert(waits_for(thread, legacy));
    ck_assert(!waits_for(blocking, other));
    ck_assert(!waits_for(thread, blocking));
    ck_assert(!waits_for(legacy, free_one));
    ck_assert(!waits_for(free_one, legacy));
    both[0] = blocking;
    ck_success(cudaStreamDestroy(other));
    shared_ints seen(1); // a destroyed stream still orders itself
    set<<<1, 1, 0, both[0]>>>(seen.at, 1);
    ck_success(cudaStreamDestroy(both[0]));
    set<<<1, 1>>>(seen.at, 2);
    ck_success(cudaStreamSynchronize(legacy));
    ck_assert_int_eq(seen[0], 2);
}

static bool has_run(const shared_ints &seen) {
    bool done = seen[0] == 1;
    ck_success(cudaDeviceSynchronize());
    seen.at[0] = 0;
    return done;
}

TEST(blocking_calls_wait) {
    shared_ints seen(1), pinned(64);
    int pageable[64] = {0}, *d_gone, *d = device_array<int>(sizeof pageable);
    int *d_more = device_array<int>(sizeof pageable);
    ck_success(cudaMalloc(&d_gone, 4));
    auto after_launch = [&](auto call) {
        set<<<1, 1>>>(seen.at, 1);
        ck_success(call());
        return has_run(seen);
    };
#define AFTER_LAUNCH(...) after_launch([&] { return __VA_ARGS__; })
    ck_assert(AFTER_LAUNCH(cudaMemcpy(d, pageable, sizeof pageable, cudaMemcpyHostToDevice)));
    ck_assert(AFTER_LAUNCH(cudaMemcpy(pageable, d, sizeof pageable, cudaMemcpyDeviceToHost)));
    ck_assert(AFTER_LAUNCH(cudaMemcpy(d, pinned.at, sizeof pageable, cudaMemcpyHostToDevice)));
    ck_assert(AFTER_LAUNCH(cudaMemcpy(pinned.at, d, sizeof pageable, cudaMemcpyDeviceToHost)));
    ck_assert(!AFTER_LAUNCH(cudaMemcpy(d_more, d, sizeof pageable, cudaMemcpyDeviceToDevice)));
    ck_assert(!AFTER_LAUNCH(cudaMemcpyAsync(d, pageable, sizeof pageable, cudaMemcpyHostToDevice)));
    ck_assert(AFTER_LAUNCH(cudaMemcpyAsync(pageable, d, sizeof pageable, cudaMemcpyDeviceToHost)));
    ck_assert(!AFTER_LAUNCH(cudaMemcpyAsync(d, pinned.at, sizeof pageable, cudaMemcpyDefault)));
    ck_assert(!AFTER_LAUNCH(cudaMemcpyAsync(pinned.at, d, sizeof pageable, cudaMemcpyDefault)));
    ck_assert(AFTER_LAUNCH(cudaMemcpyAsync(pinned.at, pageable, 64, cudaMemcpyHostToHost)));
    ck_assert(!AFTER_LAUNCH(cudaMemset(d, 0, sizeof pageable)));
    ck_assert(AFTER_LAUNCH(cudaFree(d_gone)));
    ck_assert(!AFTER_LAUNCH(cudaMalloc(&d_gone, 4)));
    ck_success(cudaFree(d_gone));
}

TEST(a_pageable_source_is_copied_at_once) {
    int h[2] = {3, 4}, back[2], *d = device_array<int>(sizeof h);
    ck_success(cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyHostToDevice));
    h[0] = h[1] = 9;
    ck_success(cudaMemcpy2DAsync(d + 1, 8, h, 8, 4, 1, cudaMemcpyHostToDevice));
    h[0] = 0;
    ck_success(cudaMemcpy(back, d, sizeof h, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(back[0], 3);
    ck_assert_int_eq(back[1], 9);
}

TEST(a_loop_of_queries_ends) {
    shared_ints seen(1);
    cudaStream_t stream = new_stream();
    cudaEvent_t middle = new_event(), end = new_event(), never = new_event();
    ck_success(cudaEventQuery(never));
    ck_success(cudaStreamQuery(stream));
    for (int i = 0; i < 10; i++) {
        add<<<1, 1, 0, stream>>>(seen.at, 1);
        if (i == 4) {
            ck_success(cudaEventRecord(middle, stream));
        }
    }
    ck_success(cudaEventRecord(end, stream));
    float ms = -1;
    ck_error(cudaEventElapsedTime(&ms, middle, end), cudaErrorNotReady);
    ck_error(cudaGetLastError(), cudaErrorNotReady);
    int asked = 0;
    while (cudaEventQuery(middle) == cudaErrorNotReady) {
        asked++;
    }
    ck_assert(asked > 0 && asked <= 10);
    ck_assert_int_eq(seen[0], 5);
    ck_error(cudaEventQuery(end), cudaErrorNotReady);
    ck_success(cudaGetLastError());
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    }
    ck_assert_int_eq(seen[0], 10);
    ck_success(cudaEventQuery(end));
    ck_success(cudaEventElapsedTime(&ms, middle, end));
    ck_assert(ms > 0);
}

TEST(a_record_counts_when_it_is_waited_for) {
    shared_ints seen(2);
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t event = new_event();
    set<<<1, 1, 0, a>>>(seen.at, 1);
    ck_success(cudaEventRecord(event, a));
    ck_success(cudaStreamWaitEvent(b, event, 0)); // for the record above,
    set<<<1, 1, 0, a>>>(seen.at, 2);
    ck_success(cudaEventRecord(event, a)); // not for this one
    copy<<<1, 1, 0, b>>>(seen.at, seen.at + 1);
    ck_success(cudaStreamSynchronize(b));
    ck_assert_int_eq(seen[1], 1);
    ck_success(cudaEventSynchronize(event));
    ck_assert_int_eq(seen[0], 2);
}

TEST(more_than_a_queue_holds) {
    shared_ints seen(1);
    for (int i = 0; i < 5000; i++) {
        add<<<1, 1>>>(seen.at, 1);
    }
    ck_assert(seen[0] >= 3000 && seen[0] < 5000);
    ck_success(cudaDeviceSynchronize());
    ck_assert_int_eq(seen[0], 5000);
}

__global__ void touch(volatile int *at) {
    *at = 1;
}

__global__ void stop() {
    __trap();
}

static void fail_later() {
    shared_ints *seen = new shared_ints(1);
    stop<<<1, 1>>>();
    ck_success(cudaGetLastError()); // the launch was good
    set<<<1, 1>>>(seen->at, 1);
    ck_error(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    ck_error(cudaGetLastError(), cudaErrorLaunchFailure);
    ck_error(cudaStreamSynchronize(0), cudaErrorLaunchFailure); // for good
    ck_assert_int_eq((*seen)[0], 0);                            // the device is lost
    _exit(0);
}

TEST(an_error_of_a_kernel_shows_at_the_next_wait) {
    struct outcome outcome = run_program(fail_later, NULL);
    ck_assert_int_eq(outcome.status, 0);
}

static void end_at_once() {
    static int answer;
    int *pinned = &answer;
    ck_success(cudaHostRegister(pinned, 4, 0));
    set<<<1, 1>>>(pinned, 1);
    _exit(answer); // what nothing waits for has not run
}

TEST(unawaited_work_need_not_run) {
    struct outcome outcome = run_program(end_at_once, NULL);
    ck_assert_int_eq(outcome.status, 0);
}

static std::mutex door;
static std::condition_variable knock;
static bool knocked;

static void knock_at_the_door(void *) {
    std::lock_guard<std::mutex> guard(door);
    knocked = true;
    knock.notify_all();
}

// The host can wait by means of its own for what a stream does.
TEST(a_host_function_wakes_a_thread) {
    shared_ints seen(1);
    set<<<1, 1>>>(seen.at, 5);
    ck_success(cudaLaunchHostFunc(0, knock_at_the_door, NULL));
    std::unique_lock<std::mutex> guard(door);
    knock.wait(guard, [] { return knocked; });
    ck_assert_int_eq(seen[0], 5);
    touch<<<1, 1>>>(seen.at);
    while (seen[0] == 5) { // and by looking
    }
    ck_assert_int_eq(seen[0], 1);
    ck_success(cudaDeviceSynchronize());
}

static cudaError_t answers[3];

static void call_the_api(void *seen) {
    answers[0] = cudaMalloc((void **)&seen, 4);
    answers[1] = cudaStreamSynchronize(0);
    set<<<1, 1>>>((int *)seen, 1);
    answers[2] = cudaGetLastError();
}

TEST(a_host_function_may_not_call_the_api) {
    ck_success(cudaLaunchHostFunc(0, call_the_api, NULL));
    ck_success(cudaDeviceSynchronize());
    for (cudaError_t answer : answers) {
        ck_error(answer, cudaErrorNotPermitted);
    }
    ck_success(cudaDeviceSynchronize());
}

// Thousands of host functions, each of which needs a lock that the host holds while it queues them.
static void count_under_lock(void *count) {
    std::lock_guard<std::mutex> guard(door);
    ++*(int *)count;
}

TEST(a_host_function_never_runs_inside_a_call_that_queues) {
    int count = 0;
    cudaError_t asked = cudaSuccess;
    {
        std::lock_guard<std::mutex> guard(door);
        for (int i = 0; i < 3000; i++) {
            ck_success(cudaLaunchHostFunc(0, count_under_lock, &count));
        }
        asked = cudaStreamQuery(0);
    }
    ck_error(asked, cudaErrorNotReady);
    ck_success(cudaDeviceSynchronize());
    ck_assert_int_eq(count, 3000);
}

static void work_in_a_thread(int *wrong) {
    cudaStream_t stream;
    int *d, h = 0;
    *wrong = cudaStreamCreate(&stream) != cudaSuccess || cudaMalloc(&d, 4) != cudaSuccess;
    for (int i = 0; i < 200; i++) {
        set<<<1, 1, 0, stream>>>(d, i);
        add<<<1, 1, 0, i % 3 ? stream : cudaStreamPerThread>>>(d + 0, 0);
        *wrong += cudaStreamSynchronize(i % 3 ? stream : cudaStreamPerThread) != cudaSuccess;
        *wrong += cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost, stream) != cudaSuccess || h != i;
    }
    *wrong += cudaFree(d) != cudaSuccess || cudaStreamDestroy(stream) != cudaSuccess;
}

TEST(host_threads_do_not_disturb_each_other) {
    int wrong[4];
    std::thread *threads[4];
    for (int i = 0; i < 4; i++) {
        threads[i] = new std::thread(work_in_a_thread, &wrong[i]);
    }
    for (int i = 0; i < 4; i++) {
        threads[i]->join();
        delete threads[i];
        ck_assert_int_eq(wrong[i], 0);
    }
}

// With a seed the order is a random one of those that are allowed, and always the same.
static void shuffled() {
    shared_ints seen(64);
    cudaStream_t streams[8];
    for (auto &s : streams) {
        ck_success(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    }
    set<<<1, 1, 0, streams[0]>>>(seen.at, 0);
    ck_success(cudaDeviceSynchronize());
    for (int i = 0; i < 16; i++) { // each appends to a sequence: 10 * what is there + its stream
        add<<<1, 1, 0, streams[i % 8]>>>(seen.at, 0);
        copy<<<1, 1, 0, streams[i % 8]>>>(seen.at, seen.at + i + 1);
        add<<<1, 1, 0, streams[i % 8]>>>(seen.at, i + 1);
    }
    ck_success(cudaDeviceSynchronize());
    unsigned order = 0;
    for (int i = 0; i < 17; i++) {
        order = order * 31 + (unsigned)seen[i];
    }
    ck_assert_int_eq(seen[0], 136);
    for (auto &s : streams) {
        ck_success(cudaStreamDestroy(s));
    }
    printf("%u\n", order);
    _exit((int)(order % 251));
}

static int order_with(const char *seed) {
    setenv("CONVLABS_SIM_SEED", seed, 1);
    struct outcome outcome = run_program(shuffled, NULL);
    unsetenv("CONVLABS_SIM_SEED");
    return WEXITSTATUS(outcome.status);
}

TEST(a_seed_chooses_the_order) {
    int one = order_with("1"), different = 0;
    ck_assert_int_eq(one, order_with("1"));
    for (const char *seed : {"2", "3", "4", "5"}) {
        different += order_with(seed) != one;
    }
    ck_assert(different >= 2);
}

static void leave_handles() {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event, 0); // C++ has flags here
}

static void reset_handles() {
    leave_handles();
    cudaDeviceReset();
}

TEST(handles_that_leak) {
    struct outcome outcome = run_program(leave_handles, NULL);
    ck_found(outcome, "leak", "case:stream");
    ck_found(outcome, "leak", "case:event");
    outcome = run_program(reset_handles, NULL);
    ck_nothing_found(outcome);
}

__global__ void run_until(volatile int *told) {
    while (*told == 0) {
    }
}

// As on a GPU, the child cannot use the device: it must not wait for it either.
TEST(a_child_forked_while_a_kernel_runs) {
    shared_ints told(1);
    run_until<<<1, 1>>>(told.at);
    std::thread runs([] { ck_success(cudaDeviceSynchronize()); });
    usleep(100000);
    pid_t child = fork();
    if (child == 0) {
        int *d;
        alarm(5);
        bool is_refused = cudaMalloc(&d, 4) == cudaErrorInitializationError;
        _exit(is_refused && cudaDeviceSynchronize() == cudaErrorInitializationError ? 0 : 1);
    }
    *(volatile int *)told.at = 1;
    runs.join();
    int status;
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
}

SUITE("sim: queue")
