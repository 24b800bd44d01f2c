/* What the simulator reports: records, without a sentence. They go to the file of the findings, or
 * to stderr. The grader writes the sentence of each: grader/findings/catalogue.py. */
#pragma once

#include "base/device.h"
#include "evidence/finding.h"

/* A line of the program; file may be NULL. */
struct sim_location {
    const char *file;
    int line;
};

/* Memory that a finding is about. space: "device", "page-locked", "registered", "managed" or
 * "device-heap", of an allocation; "heap", what a kernel has allocated; "shared", "dynamic",
 * "constant" or "global", of a variable; "host". */
struct sim_object {
    const char *space, *name; /* name: of a variable, or of named memory */
    size_t bytes;
    struct sim_location made, gone; /* where allocated or declared; where freed or destroyed */
    size_t element;                 /* bytes of an element; 0: not known */
    unsigned rows, columns; /* the last two extents of an array of several dimensions, or 0 */
};

struct sim_triple {
    long long x, y, z;
};

/* What a finding is about. Members that are zero do not appear in its record. What a member means
 * for one kind, its sentence shows. */
struct sim_finding {
    enum finding_kind found;
    const char *severity; /* NULL: "error" */
    const char *kernel;
    struct sim_location location;
    const uint3 *block, *thread, *block_size;
    const void *pc; /* of the instruction */
    /* the other side: of a race, of a barrier */
    const void *other_pc;
    struct sim_location other;
    const uint3 *other_thread; /* of the same block */
    const char *other_kernel, *other_call;
    /* an access */
    const char *verb, *other_verb; /* "read", "write", "atomic" */
    size_t bytes;
    struct sim_object object;
    ptrdiff_t offset;    /* from the beginning of the object */
    const void *address; /* which no object has */
    /* a call of the runtime API, or another function */
    const char *call, *side; /* side: "source", "destination" or "memory" */
    const char *error;       /* its name */
    bool is_unchecked;       /* the program never asks for the error */
    /* numbers, and words that are not ours */
    long long value, limit, number;
    unsigned mask;
    const char *text;
    /* from closed lists */
    const char *cause;                 /* why, where that is known */
    const char *awaits, *other_awaits; /* who a thread waits for: "block", "grid", "tile", "warp" */
    /* places and sizes */
    struct sim_location place; /* another line that matters */
    struct sim_triple at, size, extent;
    dim3 grid, threads; /* of a launch */
};

/* The number that sim_set_step() gave to the runner's step; below 0: there is none. */
int sim_step(void);

/* The launch that runs, from 0; findings name it where steps are asked for (trace/steps.h). */
void sim_set_launch(int number);

/* Records a finding (base/record.h); if that is not possible, prints it to stderr. May be called
 * from a signal handler. */
void sim_report(const struct sim_finding *finding);

/* The same, unless a finding of this kind was already reported for this line and instruction. */
void sim_report_once(const struct sim_finding *finding);

/* Are both of one kind, in whatever case? */
bool sim_same_kind(enum finding_kind one, enum finding_kind other);

/* Remembers whether the last line of what the program has printed is open: before C++ flushes its
 * streams, and before any other flush. */
void sim_see_last_line(void);
