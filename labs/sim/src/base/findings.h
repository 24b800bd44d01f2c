/* What the simulator reports: to stderr and to the file of the findings. */
#pragma once

#include "base/device.h"

/* A line of the program; file may be NULL. */
struct sim_location {
    const char *file;
    int line;
};

/* What a finding is about. Members that are zero do not appear in it. */
struct sim_finding {
    const char *severity; /* NULL: "error" */
    const char *kind, *kernel;
    struct sim_location location;
    const uint3 *block, *thread;
    const void *pc;       /* of the instruction */
    const void *other_pc; /* of the other access of a race */
    struct sim_location other;
};

/* The number that sim_set_step() gave to the runner's step; below 0: there is none. */
int sim_step(void);

/* The launch that runs, from 0; findings name it where steps are asked for (trace/steps.h). */
void sim_set_launch(int number);

/* Prints a finding to stderr and records it: base/record.h. May be
 * called from a signal handler. */
__attribute__((format(printf, 2, 3))) void sim_report(const struct sim_finding *finding,
                                                      const char *format, ...);

/* The same, unless a finding of this kind was already reported for this line and
 * instruction. */
__attribute__((format(printf, 2, 3))) void sim_report_once(const struct sim_finding *finding,
                                                           const char *format, ...);
