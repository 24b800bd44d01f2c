/* One case on the device, for the labs' drivers: copies of its inputs, memory for its result, the
 * student's calls, and the result back on the host.
 *
 *     struct device_case c = {.runner = r};
 *     const float *d_image = device_case_input(&c, "d_image", image->data, image->bytes);
 *     float *d_out = device_case_output(&c, "d_out", image->bytes);
 *     if (!runner_failed(r)) {
 *         device_case_students_turn(&c);
 *         device_case_called(&c, "correlate", correlate(d_image, width, height, d_out));
 *     }
 *     device_case_end(&c, d_out, out, image->bytes);
 *
 * A failure goes to the runner (runner_fail()), and nothing is done after it but to free all
 * memory, in device_case_end(). A case of host code, which allocates for itself, has no input and
 * no output.
 */
#pragma once

#include "runner.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

enum { DEVICE_CASE_BUFFERS = 4 };

/* Device memory of a case. */
struct device_buffer {
    const char *name;
    void *memory;
    size_t bytes;
    const void *input; /* the host's copy of what it must still hold afterwards, or NULL */
};

struct device_case {
    struct runner *runner;
    const char *function; /* of the student, called last */
    cudaError_t returned; /* by the student's function, called last */
    size_t seen_before;   /* sim_seen_by_host() before the student's first call */
    int buffers;
    struct device_buffer buffer[DEVICE_CASE_BUFFERS];
};

/* Device memory with a copy of that host memory; NULL after a failure. The case frees it. `name`:
 * what the simulator's findings call it, a string constant. */
void *device_case_input(struct device_case *c, const char *name, const void *data, size_t bytes);

/* Device memory for the result, which the student's functions must write before they read it; NULL
 * after a failure. The case frees it. It holds what the runner's output of that many bytes holds.
 * For the simulator it is unwritten, so that a read of it is found, as in `d_out[i] += ...`. */
void *device_case_output(struct device_case *c, const char *name, size_t bytes);

/* The same for what the functions write and read in between. Every byte is 0xff, a float that is
 * NaN: in the result, that tells such memory from a result that was not written. */
void *device_case_between(struct device_case *c, const char *name, size_t bytes);

#ifdef CONVLABS_SIM /* whose findings name the driver's line, which says what the memory is for */
#define device_case_input(...) (sim_site(__FILE__, __LINE__), device_case_input(__VA_ARGS__))
#define device_case_output(...) (sim_site(__FILE__, __LINE__), device_case_output(__VA_ARGS__))
#define device_case_between(...) (sim_site(__FILE__, __LINE__), device_case_between(__VA_ARGS__))
#endif

/* From here on the calls are those that count: where one is to fail (CONVLABS_SIM_INJECT, or `fail`
 * of steps.h), the simulator counts from here, until device_case_drivers_turn(). */
void device_case_students_turn(struct device_case *c);
void device_case_drivers_turn(struct device_case *c);

/* For steps.c: a step of a sequence begins or ends. `shared`: see steps.h; 0 where it says nothing.
 */
void device_case_step_begins(int number, size_t shared);
void device_case_step_ends(struct runner *r);

/* Takes what the student's `function` returned; an error is a failure. Whether it was cudaSuccess.
 * `function` must live as long as the case. */
bool device_case_called(struct device_case *c, const char *function, cudaError_t returned);

#ifdef CONVLABS_SIM
/* A caller need not wait between two calls. Where kernels of this one are queued so that they could
 * overlap those of the next, it is called again: the simulator finds what nothing orders. */
#define device_case_called(c, function, ...)                                                       \
    device_case_called(c, function,                                                                \
                       device_case_calls_again(c, __VA_ARGS__) ? (__VA_ARGS__) : (c)->returned)
bool device_case_calls_again(struct device_case *c, cudaError_t returned);
#endif

/* The same for a call before the last one: an error that it did not return is forgotten, so that
 * the next call's cudaGetLastError() cannot return it instead. */
bool device_case_called_first(struct device_case *c, const char *function, cudaError_t returned);

/* Takes what `function` returned for `argument` = `value`, "which lab.h does not allow", say (why).
 * All but cudaErrorInvalidValue is a failure. No later call will report that error. */
void device_case_must_refuse(struct device_case *c, const char *function, cudaError_t returned,
                             const char *argument, int value, const char *why);

/* Fills `count` coefficients that a call which must be refused gets. They are not 0 and no
 * coefficient of a test's mask, so that a program which takes one shows it in a later call, also
 * where the mask that is set has zeros. */
void device_case_fill_refused(float *coefficients, size_t count);

/* Waits for the kernels, copies `bytes` bytes of d_out to the host's `out`, unless d_out is NULL,
 * sees that no input was changed, and frees the case's memory; where the step holds it, the next
 * step gets it again. After a failure it only frees. */
void device_case_end(struct device_case *c, const void *d_out, void *out, size_t bytes);
