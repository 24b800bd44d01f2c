#include "sim.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local cudaError_t last;
static _Thread_local struct sim_place here;
static cudaError_t sticky;

static bool armed;
static int calls_since_armed;

/* The launch that was refused last, until the program asks for its error. */
static struct {
    const char *kernel; /* NULL: there is none */
    struct sim_place place;
} unseen;

const char *cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define CASE(name, number, text)                                                                   \
    case name:                                                                                     \
        return #name;
        SIM_ERRORS(CASE)
#undef CASE
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define CASE(name, number, text)                                                                   \
    case name:                                                                                     \
        return text;
        SIM_ERRORS(CASE)
#undef CASE
    }
    return "unrecognized error code";
}

void sim_site(const char *file, int line) {
    here = (struct sim_place){file, line};
}

cudaError_t sim_fail(cudaError_t error) {
    last = error;
    return error;
}

void sim_fail_for_good(cudaError_t error) {
    __atomic_store_n(&sticky, error, __ATOMIC_RELAXED);
    last = error;
}

cudaError_t sim_sticky(void) {
    return __atomic_load_n(&sticky, __ATOMIC_RELAXED);
}

void sim_inject_arm(void) {
    armed = true;
    calls_since_armed = 0;
}

/* Counts a call of `name` and says whether it is the one that is to fail. */
static bool injected(const char *name, struct sim_place place) {
    const char *wanted = armed ? getenv("CONVLABS_SIM_INJECT") : NULL;
    const char *colon = wanted ? strchr(wanted, ':') : NULL;
    if (!colon || strlen(name) != (size_t)(colon - wanted) ||
        strncmp(name, wanted, strlen(name)) != 0) {
        return false;
    }
    if (++calls_since_armed != atoi(colon + 1)) {
        return false;
    }
    struct sim_finding finding = {.severity = "note", .kind = "injected", .place = place};
    sim_report(&finding, "call %d of %s was made to fail", calls_since_armed, name);
    return true;
}

cudaError_t sim_begin(const char *name, cudaError_t error, struct sim_place *place) {
    *place = here;
    here = (struct sim_place){NULL, 0}; /* a call from elsewhere must not inherit it */
    if (sim_sticky() != cudaSuccess) {
        return sim_fail(sim_sticky());
    }
    return injected(name, *place) ? sim_fail(error) : cudaSuccess;
}

bool sim_injected_launch(void) {
    return injected("launch", (struct sim_place){NULL, 0});
}

void sim_unseen_launch(const char *kernel, struct sim_place place) {
    unseen.kernel = kernel;
    unseen.place = place;
}

void sim_report_unseen_launch(void) {
    if (unseen.kernel) {
        struct sim_finding finding = {
            .kind = "unchecked-error", .kernel = unseen.kernel, .place = unseen.place};
        sim_report(&finding,
                   "the launch of %s failed and the program never asked: call cudaGetLastError() "
                   "after each launch and look at what it returns",
                   unseen.kernel);
    }
    unseen.kernel = NULL;
}

cudaError_t cudaPeekAtLastError(void) {
    unseen.kernel = NULL;
    return last;
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last;
    unseen.kernel = NULL;
    last = cudaSuccess;
    return error;
}
