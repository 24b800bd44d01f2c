#include "base/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 128 }; /* characters of a function that is made to fail */

struct sim_options sim_options;
bool sim_checked;

static struct sim_steps read_steps(void) {
    const char *text = getenv("CONVLABS_SIM_STEPS");
    struct sim_steps s = {.what = STEPS_NONE};
    if (text &&
        sscanf(text, "%u:%u,%u,%u", &s.launch, &s.block[0], &s.block[1], &s.block[2]) == 4) {
        s.what = STEPS_BLOCK;
    } else if (text && sscanf(text, "store:%" SCNu64 ":%" SCNu64, &s.bytes, &s.offset) == 2) {
        s.what = STEPS_STORE;
        s.costliest = true;
    } else if (text && strcmp(text, "all") == 0) {
        s.what = STEPS_ALL;
    } else {
        s.costliest = text && strcmp(text, "costliest") == 0;
    }
    return s;
}

void sim_read_options(void) {
    const char *sample = getenv("CONVLABS_SIM_SAMPLE");
    const char *threads = getenv("CONVLABS_SIM_THREADS");
    const char *limit = getenv("CONVLABS_SIM_LIMIT");
    const char *position = getenv("CONVLABS_SIM_POSITION");
    const char *order = getenv("CONVLABS_SIM_ORDER");
    const char *fresh = getenv("CONVLABS_SIM_FRESH");
    const char *blocks = getenv("CONVLABS_SIM_BLOCKS");
    const char *seed = getenv("CONVLABS_SIM_SEED");
    const char *fault = getenv("CONVLABS_SIM_FAULT");
    const bool ends = blocks != NULL && strcmp(blocks, "ends") == 0;
    const bool check = getenv("CONVLABS_SIM_CHECK") != NULL;
    sim_options = (struct sim_options){
        .findings = getenv("CONVLABS_SIM_FINDINGS"),
        .profile = getenv("CONVLABS_SIM_PROFILE"),
        .steps_file = getenv("CONVLABS_SIM_STEPS_FILE"),
        .steps = read_steps(),
        .sample = sample ? strtoull(sample, NULL, 10) : 0,
        .limit = limit ? strtod(limit, NULL) : 0,
        .position = position ? strtod(position, NULL) : 0,
        .threads = threads ? atoi(threads) : 0,
        .reverse = order != NULL && strcmp(order, "reverse") == 0,
        .ends = ends,
        .seed = seed ? strtoull(seed, NULL, 10) : (uint64_t)check,
        .zeros = ends || (fresh != NULL && strcmp(fresh, "zeros") == 0),
        .fault_is_error = fault != NULL && strcmp(fault, "error") == 0,
        .predict = getenv("CONVLABS_SIM_PREDICT") != NULL,
        .timed = getenv("CONVLABS_SIM_TIMED") != NULL,
        .progress = getenv("CONVLABS_SIM_PROGRESS") != NULL,
        .check = check,
    };
    static char name[MOST_NAME]; /* the environment of a graded run is wiped */
    const char *inject = getenv("CONVLABS_SIM_INJECT");
    const char *colon = inject ? strchr(inject, ':') : NULL;
    if (colon && colon - inject < MOST_NAME) {
        memcpy(name, inject, (size_t)(colon - inject));
        sim_options.inject_name = name;
        sim_options.inject_length = (size_t)(colon - inject);
        sim_options.inject_number = atoi(colon + 1);
    }
}

/* Separate from sim_read_options(), because gcc ignores the priority of a constructor that a header
 * has declared before. */
__attribute__((constructor(101))) static void read_options_first(void) {
    sim_read_options();
}
