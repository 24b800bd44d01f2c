/* The program's errors: the last one, those that it never asks for, those that a test injects. */
#ifndef SIM_ERRORS_H
#define SIM_ERRORS_H

#include "base/findings.h"

/* Notes an error as the thread's last one and returns it. */
cudaError_t sim_fail(cudaError_t error);

/* An error that every later call returns as well: the device is lost to this process. */
void sim_fail_for_good(cudaError_t error);
cudaError_t sim_sticky(void);

/* Begins the API call `name`: what it must return at once because the device is lost or because
 * CONVLABS_SIM_INJECT wants this call to fail with `injected`; cudaSuccess if it may go on.
 * *location: the program's line. */
cudaError_t sim_begin(const char *name, cudaError_t injected, struct sim_location *location);

/* Is this the launch that CONVLABS_SIM_INJECT wants to fail? */
bool sim_injected_launch(void);

/* A launch was refused: a finding of this kind if the program never asks for the error (by the next
 * launch or its end), with `format` as the reason. */
__attribute__((format(printf, 4, 5))) void sim_unchecked_launch(const char *kind,
                                                                const char *kernel,
                                                                struct sim_location location,
                                                                const char *format, ...);
void sim_report_unchecked_launch(void);

/* At the program's end: reports what was never asked for. */
void sim_report_unchecked(void);

#endif
