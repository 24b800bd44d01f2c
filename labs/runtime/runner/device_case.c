/* Compiled for each backend: the Makefile's library has none of it. */
#include "device_case.h"

#include "evidence/our_fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The course's own call `what` returned that, before the student's first one. Whether it worked. */
static bool prepared(struct device_case *c, const char *what, cudaError_t error) {
    if (error != cudaSuccess) {
        runner_fail(c->runner, (int)error,
                    "before your function was called, %s for its arguments returned %s", what,
                    cudaGetErrorName(error));
    }
    return error == cudaSuccess;
}

/* What the step before has held for this one. */
static struct device_buffer held[DEVICE_CASE_BUFFERS];

static struct device_buffer *find_held(const char *name, size_t bytes) {
    for (int i = 0; i < DEVICE_CASE_BUFFERS; i++) {
        struct device_buffer *b = &held[i];
        if (b->memory && b->bytes == bytes && strcmp(b->name, name) == 0) {
            return b;
        }
    }
    return NULL;
}

/* Held memory of this name and size, or NULL. */
static void *take_held(const char *name, size_t bytes) {
    struct device_buffer *b = find_held(name, bytes);
    void *memory = b ? b->memory : NULL;
    if (b) {
        b->memory = NULL;
    }
    return memory;
}

/* On a GPU each buffer lies between two guard zones, since a kernel that writes just outside it may
 * hit nothing else. The simulator needs none, and a tool that finds such a write by itself must not
 * have them: CONVLABS_EXACT_MEMORY is for compute-sanitizer. */
enum { GUARD = 4096, GUARD_BYTE = 0xa5 };

static size_t guard(void) {
#ifdef CONVLABS_SIM
    return 0;
#else
    return getenv("CONVLABS_EXACT_MEMORY") ? 0 : GUARD;
#endif
}

/* Memory of that many bytes, for which release() is called, between its guard zones. */
static cudaError_t reserve(void **memory, size_t bytes) {
    const size_t zone = guard();
    char *all = NULL;
    /* In parentheses it is no macro of the simulator's: the line that counts is the driver's. */
    cudaError_t error = (cudaMalloc)((void **)&all, zone + bytes + zone);
    if (error == cudaSuccess && zone > 0) {
        error = cudaMemset(all, GUARD_BYTE, zone);
    }
    if (error == cudaSuccess && zone > 0) {
        error = cudaMemset(all + zone + bytes, GUARD_BYTE, zone);
    }
    *memory = error == cudaSuccess ? all + zone : NULL;
    return error;
}

static void release(void *memory) {
    if (memory) {
        cudaFree((char *)memory - guard());
    }
}

/* Does a guard zone still hold what it held? What cannot be read counts as such. */
static bool intact(const char *d_zone) {
    char bytes[GUARD];
    if (cudaMemcpy(bytes, d_zone, guard(), cudaMemcpyDeviceToHost) != cudaSuccess) {
        return true;
    }
    for (size_t i = 0; i < guard(); i++) {
        if ((unsigned char)bytes[i] != GUARD_BYTE) {
            return false;
        }
    }
    return true;
}

static void check_guards(struct device_case *c, const struct device_buffer *b) {
    const char *memory = b->memory;
    const bool before = intact(memory - guard()), after = intact(memory + b->bytes);
    if (!before || !after) {
        runner_fail(c->runner, RUNNER_REJECTED, "%s() wrote to device memory just %s `%s`",
                    c->function, before ? "after" : "before", b->name);
    }
}

static void free_held(void) {
    for (int i = 0; i < DEVICE_CASE_BUFFERS; i++) {
        release(held[i].memory);
        held[i].memory = NULL;
    }
}

static void *allocate(struct device_case *c, const char *name, size_t bytes) {
    if (runner_failed(c->runner)) {
        return NULL;
    }
    if (c->buffers == DEVICE_CASE_BUFFERS) {
        our_fault("a driver needs more than %d buffers on the device", DEVICE_CASE_BUFFERS);
    }
    void *memory = take_held(name, bytes);
    if (!memory && !prepared(c, "cudaMalloc()", reserve(&memory, bytes))) {
        return NULL;
    }
    c->buffer[c->buffers++] = (struct device_buffer){name, memory, bytes, NULL};
#ifdef CONVLABS_SIM
    sim_name_memory(memory, name);
#else
    (void)name;
#endif
    return memory;
}

/* Shows there the pages of an input that repeats its rows, instead of a copy. */
static bool show_repeated(const struct device_case *c, void *memory, const void *data) {
#ifdef CONVLABS_SIM
    const struct repeated *repeated = runner_repeated(c->runner, data);
    return repeated && repeated_show(repeated, memory, sim_place_pages);
#else
    (void)c, (void)memory, (void)data;
    return false;
#endif
}

void *(device_case_input)(struct device_case *c, const char *name, const void *data, size_t bytes) {
    void *memory = allocate(c, name, bytes);
    if (memory && !show_repeated(c, memory, data) &&
        !prepared(c, "cudaMemcpy()", cudaMemcpy(memory, data, bytes, cudaMemcpyHostToDevice))) {
        return NULL;
    }
    if (memory) {
        c->buffer[c->buffers - 1].input = data;
    }
    return memory;
}

void *(device_case_between)(struct device_case *c, const char *name, size_t bytes) {
    void *memory = allocate(c, name, bytes);
#ifdef CONVLABS_SIM
    sim_expect_result(memory);
#else
    if (memory && !prepared(c, "cudaMemset()", cudaMemset(memory, 0xff, bytes))) {
        return NULL;
    }
#endif
    return memory;
}

void *(device_case_output)(struct device_case *c, const char *name, size_t bytes) {
#ifdef CONVLABS_SIM
    const bool kept = find_held(name, bytes) != NULL; /* it holds what the step before wrote */
#else
    const bool kept = false;
#endif
    void *memory = allocate(c, name, bytes);
#ifdef CONVLABS_SIM
    sim_expect_result(memory);
#endif
    const bool filled = memory && !kept && runner_keeps_output(c->runner);
    void *content = filled ? malloc(bytes) : NULL;
    if (filled && !content) {
        our_fault("not enough memory for an output of %zu bytes", bytes);
    }
    if (content) {
        runner_fill_unwritten(c->runner, content, bytes);
#ifdef CONVLABS_SIM
        sim_fill_unwritten(memory, content, bytes);
#else
        if (!prepared(c, "cudaMemcpy()",
                      cudaMemcpy(memory, content, bytes, cudaMemcpyHostToDevice))) {
            memory = NULL;
        }
#endif
    }
    free(content);
    return memory;
}

void device_case_students_turn(struct device_case *c) {
    runner_calls_student();
#ifdef CONVLABS_SIM
    int error;
    const int call = runner_failing_call(c->runner, &error);
    c->seen_before = sim_seen_by_host();
    sim_forget_copied();
    sim_fail_call(call, (cudaError_t)error);
    sim_inject_arm();
    sim_students_turn(__builtin_frame_address(0));
#else
    (void)c;
#endif
}

static bool launch_failed; /* in the step before */
static bool error_stays;   /* of that launch, until the counted function has been called */

#ifdef CONVLABS_SIM
static void note_calls(struct runner *r) {
    const struct sim_counted_site *site;
    int count;
    runner_note_calls(r, sim_counted_calls(&site, &count));
    for (int i = 0; i < count; i++) {
        runner_note_site(r, site[i].name, site[i].line, site[i].first, site[i].last);
    }
}
#endif

void device_case_drivers_turn(struct device_case *c) {
#ifdef CONVLABS_SIM
    sim_students_turn(NULL);
    int line;
    const char *failed = sim_failed_call(&line);
    if (failed) {
        runner_note_failed_call(c->runner, failed, line);
        launch_failed = strcmp(failed, "launch") == 0;
    }
    note_calls(c->runner);
    if (c->buffers > 0) {
        runner_note_seen(c->runner, sim_seen_by_host() - c->seen_before);
    }
    sim_fail_call(0, cudaSuccess);
#else
    (void)c;
#endif
}

#ifdef CONVLABS_SIM
static int count_held(void) {
    int count = 0;
    for (int i = 0; i < DEVICE_CASE_BUFFERS; i++) {
        count += held[i].memory != NULL;
    }
    return count;
}

/* What the program holds, without the buffers that are held for the next step; see sim_held(). */
static bool held_by_student(struct sim_held *all) {
    const bool is_known = sim_held(all);
    all->device -= (unsigned)count_held();
    return is_known;
}

static struct sim_held held_before;

/* "2 allocations of device memory" to `text`, after what it has. */
static void add_left(char *text, size_t size, unsigned before, unsigned after, const char *one,
                     const char *several) {
    const size_t length = strlen(text);
    if (after > before) {
        snprintf(text + length, size - length, "%s%u %s", length > 0 ? ", " : "", after - before,
                 after - before == 1 ? one : several);
    }
}
#endif

void device_case_step_begins(int number, size_t shared) {
    /* What the step before left behind must not speak for this one; but whoever asks for the error
     * of a launch must take it as well. */
    error_stays = launch_failed;
    if (!error_stays)
        cudaGetLastError();
    launch_failed = false;
#ifdef CONVLABS_SIM
    sim_set_step(number);
    sim_forget_queued();
    sim_limit_shared(shared);
    held_by_student(&held_before);
#else
    (void)number;
    (void)shared;
#endif
}

void device_case_step_ends(struct runner *r) {
    if (!runner_holds(r)) {
        free_held();
    }
#ifdef CONVLABS_SIM
    struct sim_held now;
    char left[128] = "";
    sim_fail_call(0, cudaSuccess);
    sim_set_step(-1);
    if (!held_by_student(&now)) {
        return;
    }
    add_left(left, sizeof left, held_before.device, now.device, "allocation of device memory",
             "allocations of device memory");
    add_left(left, sizeof left, held_before.pinned, now.pinned, "block of page-locked memory",
             "blocks of page-locked memory");
    add_left(left, sizeof left, held_before.streams, now.streams, "stream", "streams");
    add_left(left, sizeof left, held_before.events, now.events, "event", "events");
    if (left[0]) {
        runner_note_left(r, "%s", left);
    }
#endif
}

/* The student's function returned an error: which one, and from which call it is. */
static void failed(struct device_case *c, const char *function, cudaError_t error) {
    const char *const name = cudaGetErrorName(error);
#ifdef CONVLABS_SIM
    const char *file;
    int line;
    const char *const call = sim_first_failed(error, &file, &line);
    if (call) {
        runner_fail(c->runner, (int)error, "%s() returned %s, as %s() did at %s:%d", function, name,
                    call, file, line);
        return;
    }
#endif
    runner_fail(c->runner, (int)error, "%s() returned %s", function, name);
}

#ifdef CONVLABS_SIM
bool device_case_calls_again(struct device_case *c, cudaError_t returned) {
    int error;
    c->returned = returned;
    return returned == cudaSuccess && runner_failing_call(c->runner, &error) == 0 &&
           sim_may_meet_next_call();
}
#undef device_case_called
#endif

bool device_case_called(struct device_case *c, const char *function, cudaError_t returned) {
    c->function = function;
    if (returned != cudaSuccess) {
        failed(c, function, returned);
    }
    return returned == cudaSuccess;
}

bool device_case_called_first(struct device_case *c, const char *function, cudaError_t returned) {
    if (!error_stays)
        cudaGetLastError();
    return device_case_called(c, function, returned);
}

void device_case_must_refuse(struct device_case *c, const char *function, cudaError_t returned,
                             const char *argument, int value, const char *why) {
    runner_calls_student(); /* it has been called */
    cudaGetLastError();     /* what this call left behind must not speak for the next one */
    if (returned != cudaErrorInvalidValue) {
        runner_fail(c->runner, RUNNER_REJECTED,
                    "%s() returned %s for %s = %d, %s; it must return cudaErrorInvalidValue",
                    function, cudaGetErrorName(returned), argument, value, why);
    }
}

void device_case_fill_refused(float *coefficients, size_t count) {
    for (size_t i = 0; i < count; i++) {
        coefficients[i] = 0.734375f;
    }
}

#ifdef CONVLABS_SIM
/* Does the device memory hold something else than `out`, which was copied from it, once all work of
 * the device is done? */
static bool changes_later(const void *d_out, const void *out, size_t bytes) {
    void *later = malloc(bytes);
    const bool changes = later && cudaDeviceSynchronize() == cudaSuccess &&
                         cudaMemcpy(later, d_out, bytes, cudaMemcpyDeviceToHost) == cudaSuccess &&
                         memcmp(later, out, bytes) != 0;
    free(later);
    return changes;
}
#endif

/* As a caller does it: what comes next in the default stream must find the result there. So this
 * does not wait for work in streams that the default stream does not wait for. */
static void copy_back(struct device_case *c, const void *d_out, void *out, size_t bytes) {
    cudaError_t error = d_out ? cudaStreamSynchronize(cudaStreamLegacy) : cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        runner_fail(c->runner, (int)error, "%s() returned cudaSuccess, but its kernel failed: %s",
                    c->function, cudaGetErrorName(error));
        return;
    }
    /* What nobody wants is copied only to see whether it changes later. */
    bool wanted = runner_keeps_output(c->runner);
#ifdef CONVLABS_SIM
    wanted = wanted || sim_has_work();
#endif
    error = d_out && wanted ? cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost) : cudaSuccess;
    if (error != cudaSuccess) {
        runner_fail(c->runner, (int)error,
                    "%s() returned cudaSuccess, but its result cannot be copied to the host: %s",
                    c->function, cudaGetErrorName(error));
    }
#ifdef CONVLABS_SIM
    if (d_out && error == cudaSuccess && sim_has_work() && changes_later(d_out, out, bytes)) {
        runner_fail(c->runner, RUNNER_REJECTED,
                    "%s() left work in a stream that the default stream does not wait for, so its "
                    "caller did not find the result: launch in the default stream, in a stream "
                    "that cudaStreamCreate() made, or wait for yours with cudaStreamSynchronize()",
                    c->function);
    }
#endif
}

/* Does an input on the device hold something else than it held? */
static bool is_changed(const struct device_case *c, const struct device_buffer *b) {
#ifdef CONVLABS_SIM
    if (runner_repeated(c->runner, b->input)) { /* a copy would take far longer than the case */
        return cudaStreamSynchronize(cudaStreamLegacy) == cudaSuccess &&
               !sim_holds(b->memory, b->input, b->bytes);
    }
#else
    (void)c;
#endif
    void *copy = malloc(b->bytes);
    if (!copy) {
        our_fault("not enough memory to compare an input of %zu bytes", b->bytes);
    }
    const bool differs =
        cudaMemcpy(copy, b->memory, b->bytes, cudaMemcpyDeviceToHost) == cudaSuccess &&
        memcmp(copy, b->input, b->bytes) != 0;
    free(copy);
    return differs;
}

/* Its caller needs an input unchanged after an error, too. */
static void compare_input(struct device_case *c, const struct device_buffer *b) {
    if (!is_changed(c, b)) {
        return;
    }
    if (runner_failed(c->runner)) {
        runner_note_changed(c->runner, b->name);
    } else {
        runner_fail(c->runner, RUNNER_REJECTED,
                    "%s() changed `%s`, which is an input: its caller may still need it",
                    c->function, b->name);
    }
}

void device_case_end(struct device_case *c, const void *d_out, void *out, size_t bytes) {
    device_case_drivers_turn(c);
    if (!runner_failed(c->runner)) {
        copy_back(c, d_out, out, bytes);
    }
    for (int i = 0; i < c->buffers && (!runner_failed(c->runner) || c->function); i++) {
        if (c->buffer[i].input) {
            compare_input(c, &c->buffer[i]);
        }
    }
    for (int i = 0; i < c->buffers && !runner_failed(c->runner); i++) {
        check_guards(c, &c->buffer[i]);
    }
    free_held(); /* what this step had no use for */
    for (int i = 0; i < c->buffers; i++) {
        if (runner_holds(c->runner)) {
            held[i] = c->buffer[i];
        } else {
            release(c->buffer[i].memory);
        }
    }
    c->buffers = 0;
}
