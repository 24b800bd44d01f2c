#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program's host code is one thread, as in all labs; kernels never come here. */
static cudaError_t last, sticky;
static struct sim_place here;
static bool unseen;
static const char *unseen_kernel;
static struct sim_place unseen_place;
static bool armed;
static int calls;

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

int sim_site(const char *file, int line) {
    here = (struct sim_place){file, line};
    return 0;
}

struct sim_place sim_here(void) {
    struct sim_place place = here;
    here = (struct sim_place){NULL, 0};
    return place;
}

cudaError_t sim_fail(cudaError_t error) {
    if (error != cudaSuccess) {
        last = error;
    }
    return error;
}

void sim_fail_for_good(cudaError_t error) {
    last = sticky = error;
}

cudaError_t sim_sticky(void) {
    return sticky;
}

void sim_error_unseen(const char *kernel, struct sim_place place) {
    sim_report_unseen();
    unseen = true;
    unseen_kernel = kernel;
    unseen_place = place;
}

void sim_report_unseen(void) {
    if (unseen) {
        struct sim_finding finding = {.severity = "error", .kind = "unchecked-error",
                                      .kernel = unseen_kernel, .place = unseen_place};
        sim_report(&finding,
                   "the launch of %s failed and the program never asked: call cudaGetLastError() "
                   "after every launch and return what it says", unseen_kernel);
    }
    unseen = false;
}

cudaError_t cudaPeekAtLastError(void) {
    unseen = false;
    return last;
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last;
    unseen = false;
    last = sticky;
    return error;
}

void sim_inject_arm(void) {
    armed = true;
    calls = 0;
}

bool sim_injected(const char *name) {
    const char *wanted = armed ? getenv("CONVLABS_SIM_INJECT") : NULL;
    const char *colon = wanted ? strchr(wanted, ':') : NULL;
    if (!colon || strlen(name) != (size_t)(colon - wanted) ||
        strncmp(name, wanted, strlen(name)) != 0) {
        return false;
    }
    if (++calls != atoi(colon + 1)) {
        return false;
    }
    struct sim_finding finding = {.severity = "note", .kind = "injected"};
    sim_report(&finding, "call %d of %s was made to fail", calls, name);
    return true;
}
