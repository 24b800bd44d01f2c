/* What the files of the runner share: one call's inputs, settings and outputs, and what came of it.
 */
#pragma once

#include "runner.h"

enum { MAX_NAMED = 16 /* of each kind */, MAX_ERROR = 512, MAX_LEFT = 128, MAX_CALLS = 4096 };

struct input {
    const char *name, *path;
    struct npy array;
    struct repeated *repeated; /* how it repeats its rows; NULL: not, as far as is known */
};

struct setting {
    const char *name, *value;
};

struct output {
    const char *name;
    char *path;
    struct npy array;      /* its data points between the guard zones */
    unsigned char *memory; /* guard, data, guard; owned */
};

struct runner {
    const char *part, *status;
    struct input input[MAX_NAMED];
    struct setting setting[MAX_NAMED];
    struct output output[MAX_NAMED];
    int inputs, settings, outputs;
    int returned; /* 0: nothing has failed */
    char error[MAX_ERROR];
    bool holds;                     /* device_case_end() keeps its buffers for the next step */
    int failing_call, failing_with; /* 0: no call of the CUDA runtime is made to fail */
    bool counts;                    /* the calls of the CUDA runtime are reported */
    char calls[MAX_CALLS];          /* they, as members of a JSON object, or "" */
    const char *failed_call;        /* the name of the call that was made to fail, or NULL */
    int failed_line;                /* its line; 0: not known */
    const char *changed;            /* an input that the student's function changed, or NULL */
    bool on_device;                 /* the student's function works on device memory */
    size_t seen;                    /* bytes of it that the host has been able to see */
    size_t not_copied;              /* bytes of a host's input that never got to the device */
    char left[MAX_LEFT];            /* what the student's function left behind, in words */
};

/* Fills an output. A float or double becomes a signalling NaN, which arithmetic turns into a quiet
 * one: so the grader can tell an element that was never written from one that was added to. */
void runner_poison(const struct npy *a);

/* Byte i of a guard zone: a pattern that no plausible result repeats. */
unsigned char runner_guard_byte(size_t i);
