/* The errors of runtime API calls: the last one, those that the program never checks, and those
 * that a test injects. */
#pragma once

#include "base/findings.h"

/* Records `error` as the last error of this host thread and returns it. */
cudaError_t sim_fail(cudaError_t error);

static inline cudaError_t sim_answer(cudaError_t error) {
    return error == cudaSuccess ? error : sim_fail(error);
}

/* Returns with this error, as the last one, if the condition holds. */
#define SIM_FAIL_IF(condition, error)                                                              \
    do {                                                                                           \
        if (condition) {                                                                           \
            return sim_fail(error);                                                                \
        }                                                                                          \
    } while (0)

/* Sets the last error of this host thread; returns what it was. */
cudaError_t sim_exchange_last(cudaError_t error);

/* Records an error that every later call returns as well: the device is lost to this process. */
void sim_fail_for_good(cudaError_t error);
cudaError_t sim_sticky(void);

/* The program ends, and what it has made at `made` is still there. On a lost device it could end
 * nothing: then that is no leak. */
void sim_report_leak(enum finding_kind found, struct sim_location made);

/* This thread runs a function of the program's in the order of a stream: it may call no function of
 * the API. */
extern _Thread_local bool sim_in_host_call;

/* Begins the API call `name` and sets *location to the line that called it. Returns the error that
 * the call must return at once, because the device is lost or because CONVLABS_SIM_INJECT makes
 * this call fail with `injected`; cudaSuccess if the call may go on. */
cudaError_t sim_begin(const char *name, cudaError_t injected, struct sim_location *location);

/* As sim_begin() for a function that frees or destroys something. Where sim_fail_call() makes it
 * fail, it does its work all the same and then returns *earlier, as a call that reports the error
 * of an earlier kernel. */
cudaError_t sim_begin_release(const char *name, struct sim_location *location,
                              cudaError_t *earlier);

/* The same for a function that waits: on a device, work that failed has ended. `for_something`: is
 * there work that has not ended? A wait for nothing has no error to report, so sim_fail_call()
 * neither counts it nor makes it fail. */
cudaError_t sim_begin_wait(const char *name, bool for_something, struct sim_location *location,
                           cudaError_t *earlier);

/* How often the program has called a function that waits, also for nothing. */
unsigned sim_calls_that_wait(void);

/* The error with which CONVLABS_SIM_INJECT or sim_fail_call() makes this launch fail, or
 * cudaSuccess. */
cudaError_t sim_injected_launch(struct sim_location location);

/* A launch was refused. That becomes a finding unless the program asks for the error before its
 * end; then it is a note, if a device would never accept such a launch. What the finding points to
 * must last. */
void sim_unchecked_launch(const struct sim_finding *finding);

/* What fails from here on is a launch, not the call of the runtime before it. */
void sim_begin_launch(void);

/* The program learns of the refused launch from the result of a call. */
void sim_see_unchecked_launch(void);
