/* Compiled for each backend: the Makefile's library has none of it. */
#include "device_case.h"

#include "our_fault.h"

/* The course's own call `what` returned that, before the student's first one. Whether it worked. */
static bool prepared(struct device_case *c, const char *what, cudaError_t error) {
    if (error != cudaSuccess) {
        runner_fail(c->runner, (int)error,
                    "before your function was called, %s for its arguments returned %s", what,
                    cudaGetErrorName(error));
    }
    return error == cudaSuccess;
}

static void *allocate(struct device_case *c, const char *name, size_t bytes) {
    void *memory = NULL;
    if (runner_failed(c->runner)) {
        return NULL;
    }
    if (c->buffers == DEVICE_CASE_BUFFERS) {
        our_fault("a driver needs more than %d buffers on the device", DEVICE_CASE_BUFFERS);
    }
    /* In parentheses it is no macro of the simulator's: the line that counts is the driver's. */
    if (!prepared(c, "cudaMalloc()", (cudaMalloc)(&memory, bytes))) {
        return NULL;
    }
    c->buffer[c->buffers++] = memory;
#ifdef CONVLABS_SIM
    sim_name_memory(memory, name);
#else
    (void)name;
#endif
    return memory;
}

void *(device_case_input)(struct device_case *c, const char *name, const void *data,
                          size_t bytes) {
    void *memory = allocate(c, name, bytes);
    if (memory &&
        !prepared(c, "cudaMemcpy()", cudaMemcpy(memory, data, bytes, cudaMemcpyHostToDevice))) {
        return NULL;
    }
    return memory;
}

void *(device_case_output)(struct device_case *c, const char *name, size_t bytes) {
    void *memory = allocate(c, name, bytes);
#ifndef CONVLABS_SIM
    if (memory && !prepared(c, "cudaMemset()", cudaMemset(memory, 0xff, bytes))) {
        return NULL;
    }
#endif
    return memory;
}

void device_case_students_turn(void) {
#ifdef CONVLABS_SIM
    sim_inject_arm();
#endif
}

bool device_case_called(struct device_case *c, const char *function, cudaError_t returned) {
    c->function = function;
    if (returned != cudaSuccess) {
        runner_fail(c->runner, (int)returned, "%s() returned %s", function,
                    cudaGetErrorName(returned));
    }
    return returned == cudaSuccess;
}

void device_case_must_refuse(struct device_case *c, const char *function, cudaError_t returned,
                             const char *argument, int value, const char *why) {
    cudaGetLastError(); /* what this call left behind must not speak for the next one */
    if (returned != cudaErrorInvalidValue) {
        runner_fail(c->runner, RUNNER_REJECTED,
                    "%s() returned %s for %s = %d, %s; it must return cudaErrorInvalidValue",
                    function, cudaGetErrorName(returned), argument, value, why);
    }
}

static void copy_back(struct device_case *c, const void *d_out, void *out, size_t bytes) {
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        runner_fail(c->runner, (int)error, "%s() returned cudaSuccess, but its kernel failed: %s",
                    c->function, cudaGetErrorName(error));
        return;
    }
    error = d_out ? cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost) : cudaSuccess;
    if (error != cudaSuccess) {
        runner_fail(c->runner, (int)error,
                    "%s() returned cudaSuccess, but its result cannot be copied to the host: %s",
                    c->function, cudaGetErrorName(error));
    }
}

void device_case_end(struct device_case *c, const void *d_out, void *out, size_t bytes) {
    if (!runner_failed(c->runner)) {
        copy_back(c, d_out, out, bytes);
    }
    for (int i = 0; i < c->buffers; i++) {
        cudaFree(c->buffer[i]);
    }
    c->buffers = 0;
}
