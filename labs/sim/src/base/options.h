/* The environment variables CONVLABS_SIM_*: all of them are read here, once, before the program's
 * own constructors run. handouts/simulator.md lists them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a variable that every traced access reads: the linker need not look it up in a table. */
#define SIM_HIDDEN __attribute__((visibility("hidden")))

/* STEPS: what is recorded of the run (trace/steps.h). */
struct sim_steps {
    enum { STEPS_NONE, STEPS_BLOCK, STEPS_ALL, STEPS_STORE } what;
    bool costliest;
    unsigned launch, block[3];
    uint64_t bytes, offset;
};

/* Strings belong to the environment; those of a graded run are empty, and only tell that the
 * variable was set. */
struct sim_options {
    const char *findings; /* FINDINGS: the file that findings are appended to, or NULL */
    const char *profile;  /* PROFILE: the file that the counters are appended to, or NULL */
    uint64_t sample;      /* SAMPLE: count about so many blocks of each launch; 0: all */
    double limit;         /* LIMIT: seconds after the first launch in which the program must end */
    double position;      /* POSITION: seconds of processor time, at which a note says which kernel
                             runs, and where; 0: never */
    int threads;          /* THREADS: host threads; below 1: one for each core */
    bool reverse;         /* ORDER=reverse: begin with the last block and the last thread */
    bool ends;            /* BLOCKS=ends: of each launch only the first and the last block run, and
                             no longer than for a few tiles, on memory that counts as written, and
                             large copies and fills are left out: for images of any size */
    uint64_t seed;        /* SEED: of the order of queued work; 0: as late as possible */
    bool zeros;           /* FRESH=zeros: new memory holds zeros, not poison */
    bool fault_is_error; /* FAULT=error: a bad access of a kernel is its error, as on a device; else
                            it ends a plain program */
    bool predict;        /* PREDICT is set: run only the blocks that are counted, and write what a
                            prediction of the time needs */
    bool timed;          /* TIMED is set: SIGTERM comes when the time of the program is over */
    bool progress;       /* PROGRESS is set: a terminal shows how far a long kernel is */
    bool check;          /* CHECK is set: check every access, if the program is traced */
    struct sim_steps steps;
    const char *steps_file; /* STEPS_FILE: for the recording, or NULL */
    /* INJECT=NAME:N: call number N of the function NAME (or of "launch") fails. */
    const char *inject_name; /* NULL: none; `inject_length` characters */
    size_t inject_length;
    int inject_number;
};
extern struct sim_options sim_options;

/* Reads them again, for a test that has changed its environment. */
void sim_read_options(void);

/* The program is traced and `check` is set: every access is checked as it happens. Set by trace/.
 */
extern bool sim_checked SIM_HIDDEN;
