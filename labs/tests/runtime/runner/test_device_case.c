/* Check suite of labs/runtime/runner/device_case.c on the simulator: what a driver is given, which
 * failures it reports and how, and that it frees everything whatever fails. */
#include "runner/device_case.c"
#include "test_suite.h"

#include "../../../sim/src/base/errors.h"
#include "../../../sim/src/base/options.h"
#include "io/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- a runner that only listens */

struct runner {
    int returned;
    char error[256];
    bool holds;
    int failing_call, failing_with;
    const char *failed_call, *changed;
    int failed_line;
    size_t seen;
    char left[128];
    bool drops_output;
    const struct repeated *repeated; /* of every input */
};

static struct runner runner;

/* Makes one call of the runtime API fail, as CONVLABS_SIM_INJECT does. */
static void inject(const char *call) {
    setenv("CONVLABS_SIM_INJECT", call, 1);
    sim_read_options();
}

void runner_calls_student(void) {
}

void runner_note_calls(struct runner *r, int calls) {
    (void)r, (void)calls;
}

void runner_note_site(struct runner *r, const char *name, int line, int first, int last) {
    (void)r, (void)name, (void)line, (void)first, (void)last;
}

void runner_fail(struct runner *r, int returned, const char *format, ...) {
    if (r->returned != 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error, sizeof r->error, format, arguments);
    va_end(arguments);
    r->returned = returned;
}

void runner_fill_unwritten(const struct runner *r, void *memory, size_t bytes) {
    (void)r;
    memset(memory, 0x5a, bytes);
}

bool runner_keeps_output(const struct runner *r) {
    return !r->drops_output;
}

const struct repeated *runner_repeated(const struct runner *r, const void *data) {
    (void)data;
    return r->repeated;
}

bool runner_failed(const struct runner *r) {
    return r->returned != 0;
}

bool runner_holds(const struct runner *r) {
    return r->holds;
}

int runner_failing_call(const struct runner *r, int *error) {
    *error = r->failing_with;
    return r->failing_call;
}

void runner_note_failed_call(struct runner *r, const char *name, int line) {
    r->failed_call = name;
    r->failed_line = line;
}

void runner_note_changed(struct runner *r, const char *input) {
    r->changed = input;
}

void runner_note_seen(struct runner *r, size_t bytes) {
    r->seen = bytes;
}

void runner_note_left(struct runner *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->left, sizeof r->left, format, arguments);
    va_end(arguments);
}

/* ---------------------------------------------------------------- a driver */

enum { COUNT = 5, BYTES = COUNT * sizeof(float) };

static const float image[COUNT] = {1, 2, 3, 4, 5};
static float result[COUNT];
static int calls; /* of the function below */

/* A student's function without a kernel: doubles on the host, and copies the result there. */
static cudaError_t doubles(const float *d_image, float *d_out) {
    float values[COUNT];
    calls++;
    cudaError_t error = cudaMemcpy(values, d_image, BYTES, cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++)
        values[i] *= 2.0f;
    return error == cudaSuccess ? cudaMemcpy(d_out, values, BYTES, cudaMemcpyHostToDevice) : error;
}

/* As the labs' drivers. `armed_first`: a call that is to fail may be one of the driver's own. */
static void drive(cudaError_t (*function)(const float *, float *), bool armed_first) {
    struct device_case c = {.runner = &runner};
    if (armed_first)
        device_case_students_turn(&c);
    const float *d_image = device_case_input(&c, "d_image", image, BYTES);
    float *d_out = device_case_output(&c, "d_out", BYTES);
    if (!runner_failed(&runner)) {
        if (!armed_first)
            device_case_students_turn(&c);
        device_case_called(&c, "doubles", function(d_image, d_out));
    }
    device_case_end(&c, d_out, result, BYTES);
}

/* ---------------------------------------------------------------- tests */

static size_t free_bytes(void) {
    size_t available = 0, total = 0;
    ck_assert_int_eq(cudaMemGetInfo(&available, &total), cudaSuccess);
    return available;
}

TEST(inputs_are_copied_and_the_result_comes_back) {
    const size_t before = free_bytes();
    drive(doubles, false);
    ck_assert_int_eq(runner.returned, 0);
    for (int i = 0; i < COUNT; i++)
        ck_assert_float_eq(result[i], 2.0f * image[i]);
    ck_assert_uint_eq(free_bytes(), before);
}

TEST(memory_that_is_not_freed_shows_in_these_tests) {
    const size_t before = free_bytes();
    struct device_case c = {.runner = &runner};
    ck_assert_ptr_nonnull(device_case_output(&c, "d_out", BYTES));
    ck_assert_uint_lt(free_bytes(), before);
    device_case_end(&c, NULL, NULL, 0);
    ck_assert_uint_eq(free_bytes(), before);
}

/* The simulator knows memory that was never written: a cudaMemset() would hide a read of it. */
TEST(an_output_stays_unwritten_on_the_simulator) {
    unsigned char bytes[BYTES];
    inject("cudaMemset:1");
    drive(doubles, true);
    ck_assert_int_eq(runner.returned, 0); /* there was no cudaMemset() to fail */

    struct device_case c = {.runner = &runner};
    const void *d_out = device_case_output(&c, "d_out", BYTES);
    device_case_end(&c, d_out, bytes, BYTES);
    for (int i = 0; i < BYTES; i++)
        ck_assert_uint_eq(bytes[i], 0x5a); /* what the runner's output holds, as on a GPU */

    const void *d_between = device_case_between(&c, "d_between", BYTES);
    device_case_end(&c, d_between, bytes, BYTES);
    for (int i = 0; i < BYTES; i++)
        ck_assert_uint_eq(bytes[i], 0xff); /* floats that are NaN */
}

/* Each call of a driver and of the student's function fails once. */
static const struct {
    const char *inject;
    bool of_driver; /* in preparation: the student's function is not called */
    cudaError_t returned;
    const char *error;
} failures[] = {
    {"cudaMalloc:1", true, cudaErrorMemoryAllocation,
     "before your function was called, cudaMalloc() for its arguments returned "
     "cudaErrorMemoryAllocation"},
    {"cudaMalloc:2", true, cudaErrorMemoryAllocation,
     "before your function was called, cudaMalloc() for its arguments returned "
     "cudaErrorMemoryAllocation"},
    {"cudaMemcpy:1", true, cudaErrorInvalidValue,
     "before your function was called, cudaMemcpy() for its arguments returned "
     "cudaErrorInvalidValue"},
    {"cudaMemcpy:1", false, cudaErrorInvalidValue, "doubles() returned cudaErrorInvalidValue"},
    {"cudaMemcpy:2", false, cudaErrorInvalidValue, "doubles() returned cudaErrorInvalidValue"},
    {"cudaMemcpy:3", false, cudaErrorInvalidValue,
     "doubles() returned cudaSuccess, but its result cannot be copied to the host: "
     "cudaErrorInvalidValue"},
    {"cudaStreamSynchronize:1", false, cudaErrorLaunchFailure,
     "doubles() returned cudaSuccess, but its kernel failed: cudaErrorLaunchFailure"},
};
enum { FAILURES = sizeof failures / sizeof failures[0] };

LOOP_TEST(a_failure_is_reported_and_frees_everything, 0, FAILURES) {
    const size_t before = free_bytes();
    inject(failures[_i].inject);
    drive(doubles, failures[_i].of_driver);
    ck_assert_int_eq(runner.returned, (int)failures[_i].returned);
    ck_assert_str_eq(runner.error, failures[_i].error);
    ck_assert_int_eq(calls, failures[_i].of_driver ? 0 : 1);
    ck_assert_uint_eq(free_bytes(), before);
}

/* The driver's own calls come before: the first cudaMemcpy() that counts is the student's. */
TEST(only_calls_of_the_students_turn_count) {
    inject("cudaMalloc:1");
    drive(doubles, false);
    ck_assert_int_eq(runner.returned, 0);
}

static cudaError_t unsolved(const float *d_image, float *d_out) {
    (void)d_image, (void)d_out;
    return cudaErrorNotSupported;
}

TEST(an_error_names_the_function) {
    drive(unsolved, false);
    ck_assert_int_eq(runner.returned, 801); /* grader/checks/correct.py knows it by this number */
    ck_assert_str_eq(runner.error, "doubles() returned cudaErrorNotSupported");
}

TEST(invalid_calls_must_be_refused) {
    struct device_case c = {.runner = &runner};
    device_case_must_refuse(&c, "set_mask", cudaErrorInvalidValue, "radius", 9, "which is large");
    ck_assert_int_eq(runner.returned, 0);
    device_case_must_refuse(&c, "set_mask", cudaSuccess, "radius", 9, "which is large");
    ck_assert_int_eq(runner.returned, RUNNER_REJECTED);
    ck_assert_str_eq(runner.error,
                     "set_mask() returned cudaSuccess for radius = 9, which is large; "
                     "it must return cudaErrorInvalidValue");
    device_case_end(&c, NULL, NULL, 0);
}

TEST(a_refused_call_leaves_no_error_behind) {
    struct device_case c = {.runner = &runner};
    const cudaError_t error = cudaMemcpy(result, NULL, BYTES, (enum cudaMemcpyKind)77);
    ck_assert_int_ne(error, cudaSuccess);
    ck_assert_int_eq(cudaPeekAtLastError(), error);
    device_case_must_refuse(&c, "f", cudaErrorInvalidValue, "radius", 9, "which is large");
    ck_assert_int_eq(cudaPeekAtLastError(), cudaSuccess);
}

static cudaError_t changes_its_input(const float *d_image, float *d_out) {
    cudaMemset((void *)(uintptr_t)d_image, 0, sizeof(float));
    return doubles(d_image, d_out);
}

TEST(changed_input_is_reported) {
    drive(changes_its_input, false);
    ck_assert_int_eq(runner.returned, RUNNER_REJECTED);
    ck_assert_ptr_nonnull(strstr(runner.error, "changed `d_image`"));
}

static cudaError_t changes_its_input_and_fails(const float *d_image, float *d_out) {
    changes_its_input(d_image, d_out);
    return cudaErrorInvalidValue;
}

/* The error is the answer; that the input changed is a note beside it. */
TEST(an_input_changed_by_a_call_that_failed_is_noted) {
    drive(changes_its_input_and_fails, false);
    ck_assert_int_eq(runner.returned, cudaErrorInvalidValue);
    ck_assert_str_eq(runner.changed, "d_image");
}

TEST(an_input_that_a_failed_call_left_alone_is_not_noted) {
    drive(unsolved, false);
    ck_assert_ptr_null(runner.changed);
}

/* The second call of doubles(). */
TEST(a_step_makes_a_call_fail) {
    runner.failing_call = 2;
    runner.failing_with = cudaErrorECCUncorrectable;
    device_case_step_begins(0, 0);
    drive(doubles, false);
    device_case_step_ends(&runner);
    ck_assert_int_eq(runner.returned, cudaErrorECCUncorrectable);
    ck_assert_str_eq(runner.failed_call, "cudaMemcpy");
    ck_assert_str_eq(runner.left, "");
}

/* Neither the driver's own copies nor those on the device count. */
static cudaError_t copies_on_the_device(const float *d_image, float *d_out) {
    return cudaMemcpy(d_out, d_image, BYTES, cudaMemcpyDeviceToDevice);
}

static cudaError_t shares_memory_with_the_host(const float *d_image, float *d_out) {
    void *managed, *pinned;
    cudaMallocManaged(&managed, 1000, cudaMemAttachGlobal);
    cudaMallocHost(&pinned, 500);
    cudaFree(managed);
    cudaFreeHost(pinned);
    return copies_on_the_device(d_image, d_out);
}

TEST(host_visible_device_memory_is_counted) {
    drive(copies_on_the_device, false);
    ck_assert_uint_eq(runner.seen, 0);
    drive(doubles, false);
    ck_assert_uint_eq(runner.seen, BYTES);
    drive(shares_memory_with_the_host, false);
    ck_assert_uint_eq(runner.seen, 1500);
}

static unsigned kind_of_stream;

static cudaError_t does_not_wait(const float *d_image, float *d_out) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, kind_of_stream);
    cudaMemcpyAsync(d_out, d_image, BYTES, cudaMemcpyDeviceToDevice, stream);
    return cudaStreamDestroy(stream);
}

TEST(late_result_is_reported) {
    kind_of_stream = cudaStreamDefault; /* the default stream waits for it */
    drive(does_not_wait, false);
    ck_assert_int_eq(runner.returned, 0);
    ck_assert_mem_eq(result, image, BYTES);
    kind_of_stream = cudaStreamNonBlocking;
    drive(does_not_wait, false);
    ck_assert_int_eq(runner.returned, RUNNER_REJECTED);
    ck_assert_ptr_nonnull(strstr(runner.error, "left work in a stream"));
}

static cudaError_t keeps_memory(const float *d_image, float *d_out) {
    void *lost;
    cudaMalloc(&lost, 4);
    cudaMalloc(&lost, 4);
    return doubles(d_image, d_out);
}

TEST(leftover_resources_are_counted) {
    device_case_step_begins(0, 0);
    drive(keeps_memory, false);
    device_case_step_ends(&runner);
    ck_assert_str_eq(runner.left, "2 allocations of device memory");
}

static cudaError_t loses_the_device(const float *d_image, float *d_out) {
    keeps_memory(d_image, d_out);
    sim_fail_for_good(cudaErrorMisalignedAddress);
    return cudaErrorMisalignedAddress;
}

/* A lost device cannot free anything: what it still holds is nobody's mistake. */
TEST(a_lost_device_has_no_leftover_resources) {
    device_case_step_begins(0, 0);
    drive(loses_the_device, false);
    device_case_step_ends(&runner);
    ck_assert_str_eq(runner.left, "");
}

/* Memory that the driver holds for the next step is not the student's; the next step gets it. */
TEST(a_step_holds_its_buffers) {
    runner.holds = true;
    device_case_step_begins(0, 0);
    drive(doubles, false);
    device_case_step_ends(&runner);
    ck_assert_str_eq(runner.left, "");
    void *first = held[0].memory;
    ck_assert_ptr_nonnull(first);
    runner.holds = false;
    device_case_step_begins(1, 0);
    struct device_case c = {.runner = &runner};
    ck_assert_ptr_eq(device_case_input(&c, "d_image", image, BYTES), first);
    device_case_end(&c, NULL, NULL, 0);
    device_case_step_ends(&runner);
    ck_assert_str_eq(runner.left, "");
    struct sim_held now;
    sim_held(&now);
    ck_assert_uint_eq(now.device, 0);
}

/* The pages of an input that repeats its rows are shown on the device, and what a function writes
 * there is its own. An output that nobody wants stays as it is. */
LOOP_TEST(repeated_pages_are_not_copied, 0, 2) {
    enum { PAGE = 4096, LONG = 3 * PAGE };
    unsigned char *page = malloc(PAGE), pixel = 0;
    ck_assert_ptr_nonnull(page);
    memset(page, 7, PAGE);
    struct npy a = {"|u1", 1, {PAGE}, PAGE, page};
    struct repeated pages;
    char path[] = "/tmp/convlabs-device-case-XXXXXX", error[256];
    close(mkstemp(path));
    ck_assert_int_eq(file_write(path, NULL, 0, page, PAGE, error, sizeof error), 0);
    ck_assert(repeated_lengthen(&pages, &a, path, (struct npy){.ndim = 1, .shape = {LONG}}));
    unlink(path);
    ck_assert_int_ge(pages.file, 0);
    runner = (struct runner){.drops_output = true, .repeated = &pages};
    struct device_case c = {.runner = &runner};
    unsigned char *d_image = device_case_input(&c, "d_image", a.data, LONG);
    char *d_out = device_case_output(&c, "d_out", BYTES);
    ck_assert_int_eq(cudaMemcpy(&pixel, d_image + LONG - 1, 1, cudaMemcpyDeviceToHost), 0);
    ck_assert_uint_eq(pixel, 7);
    ck_assert_int_eq(cudaMemset(d_image + PAGE, 7 + _i, 1), cudaSuccess);
    device_case_called(&c, "doubles", cudaMemset(d_out, 0, BYTES));
    result[0] = 5.0f;
    device_case_end(&c, d_out, result, BYTES);
    ck_assert_float_eq(result[0], 5.0f);
    ck_assert_int_eq(strstr(runner.error, "changed `d_image`") != NULL, _i == 1);
    ck_assert_uint_eq(((unsigned char *)a.data)[PAGE], 7);
    repeated_free(&pages, &a);
}

/* Of host code that allocates for itself: nothing to copy, only kernels to wait for. */
TEST(a_case_without_memory) {
    struct device_case c = {.runner = &runner};
    device_case_students_turn(&c);
    device_case_called(&c, "correlate_host", cudaSuccess);
    inject("cudaDeviceSynchronize:1");
    device_case_end(&c, NULL, NULL, 0);
    ck_assert_str_eq(runner.error, "correlate_host() returned cudaSuccess, but its kernel failed: "
                                   "cudaErrorLaunchFailure");
}

SUITE("device_case")
