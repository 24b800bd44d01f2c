#include "base/errors.h"
#include "base/at_end.h"

#include "base/options.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local cudaError_t last;
static _Thread_local struct sim_location call_site;
static cudaError_t sticky;
_Thread_local bool sim_in_host_call;

/* The API call under way or, at a launch, none; and the first one that failed since the arming. */
static _Thread_local struct api_call {
    const char *name;
    struct sim_location location;
    cudaError_t error;
} calling, first_failed, set_last;          /* the call that set `last`, or a launch */
static _Thread_local bool is_before_launch; /* was `last` set before the last launch? */

static bool armed;
static int calls_since_armed;

/* sim_fail_call(): which call fails, with which error. */
static struct {
    int number;  /* 0: none */
    bool launch; /* the first launch, whatever its number */
    cudaError_t error;
    const char *name; /* of the one that failed, or NULL */
    int line;         /* where it stands; 0: not known */
} failing;

/* The calls that can fail, since sim_fail_call(). */
static struct sim_counted_site sites[SIM_COUNTED_SITES];
static int call_count, site_count;

/* The last launch that was refused, and the last call that failed without a check of its result;
 * kept until the program asks for the error. FOUND_NOTHING: none. */
static struct sim_finding launch, call;

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
    static bool is_watched; /* from within main(): such functions are called first at the exit */
    if (!is_watched && sim_options.findings) {
        is_watched = true;
        atexit(sim_see_last_line);
    }
    call_site = (struct sim_location){file, line};
}

cudaError_t sim_fail(cudaError_t error) {
    if (calling.name && !first_failed.name && error != cudaErrorNotReady) {
        first_failed = calling;
        first_failed.error = error;
    }
    last = error;
    set_last = calling;
    is_before_launch = false;
    return error;
}

cudaError_t sim_exchange_last(cudaError_t error) {
    cudaError_t before = last;
    last = error;
    return before;
}

void sim_fail_for_good(cudaError_t error) {
    __atomic_store_n(&sticky, error, __ATOMIC_RELAXED);
    last = error;
}

cudaError_t sim_sticky(void) {
    return __atomic_load_n(&sticky, __ATOMIC_RELAXED);
}

void sim_report_leak(enum finding_kind found, struct sim_location made) {
    if (sim_sticky() == cudaSuccess) {
        sim_report_once(&(struct sim_finding){.found = found, .location = made});
    }
}

/* Does CONVLABS_SIM_INJECT name no function, but the number of a call? */
static bool asks_by_number(void) {
    return sim_options.inject_name && strcmp(sim_options.inject_name, "call") == 0;
}

void sim_inject_arm(void) {
    armed = true;
    calls_since_armed = 0;
    first_failed.name = NULL;
    if (asks_by_number()) {
        sim_fail_call(sim_options.inject_number, cudaSuccess);
    }
}

const char *sim_first_failed(cudaError_t error, const char **file, int *line) {
    *file = first_failed.location.file;
    *line = first_failed.location.line;
    return first_failed.error == error && *file && !failing.name ? first_failed.name : NULL;
}

void sim_fail_call(int number, cudaError_t error) {
    failing.number = number > 0 ? number : 0;
    failing.launch = number == SIM_FIRST_LAUNCH;
    failing.error = error;
    failing.name = NULL;
    call_count = site_count = 0;
}

int sim_counted_calls(const struct sim_counted_site **site, int *count) {
    *site = sites;
    *count = site_count;
    return call_count;
}

const char *sim_failed_call(int *line) {
    if (line) {
        *line = failing.line;
    }
    return failing.name;
}

static void note_site(const char *name, int line) {
    for (int i = 0; i < site_count; i++) {
        if (sites[i].line == line && strcmp(sites[i].name, name) == 0) {
            sites[i].last = call_count;
            return;
        }
    }
    if (site_count < SIM_COUNTED_SITES) {
        sites[site_count++] = (struct sim_counted_site){name, line, call_count, call_count};
    }
}

/* Counts a call; is it the one that sim_fail_call() makes fail? */
static bool fails_now(const char *name, int line) {
    call_count++;
    note_site(name, line);
    const bool is_launch = failing.launch && strcmp(name, "launch") == 0;
    if (failing.name || (!is_launch && call_count != failing.number)) {
        return false;
    }
    failing.name = name;
    failing.line = line;
    return true;
}

static void report_injected(const char *name, int number, struct sim_location location) {
    sim_report(&(struct sim_finding){.found = FOUND_INJECTED,
                                     .severity = "note",
                                     .location = location,
                                     .call = name,
                                     .value = number});
}

/* The error of a call that fails_now(): what was asked for, or else its own. */
static cudaError_t fails_with(cudaError_t own, struct sim_location location) {
    if (failing.error != cudaSuccess) {
        return failing.error;
    }
    report_injected(failing.name, call_count, location);
    return own;
}

/* Is it the function that CONVLABS_SIM_INJECT names, or another form of it, which a program may use
 * for the same purpose? */
static bool is_asked_for(const char *name) {
    static const char *const forms[] = {"",   "Async",   "FromPoolAsync", "Pitch",       "Managed",
                                        "2D", "2DAsync", "WithFlags",     "WithPriority"};
    if (strncmp(name, sim_options.inject_name, sim_options.inject_length) != 0) {
        return false;
    }
    size_t i = 0;
    while (i < sizeof forms / sizeof *forms &&
           strcmp(name + sim_options.inject_length, forms[i]) != 0) {
        i++;
    }
    return i < sizeof forms / sizeof *forms;
}

/* Counts a call of `name`; is it the one that CONVLABS_SIM_INJECT makes fail? */
static bool injected(const char *name, struct sim_location location) {
    if (!armed || !sim_options.inject_name || !is_asked_for(name)) {
        return false;
    }
    if (++calls_since_armed != sim_options.inject_number) {
        return false;
    }
    report_injected(name, calls_since_armed, location);
    failing.name = name;
    failing.line = location.line;
    return true;
}

/* A call begins: may it do anything at all? */
static cudaError_t begin(const char *name, struct sim_location *location) {
    *location = call_site;
    call_site = (struct sim_location){
        NULL, 0}; /* a call without a line of its own must not inherit this one */
    calling = (struct api_call){.name = name, .location = *location};
    if (sim_sticky() != cudaSuccess) {
        return sim_fail(sim_sticky());
    }
    if (sim_in_host_call) {
        return sim_fail(cudaErrorNotPermitted);
    }
    return cudaSuccess;
}

cudaError_t sim_begin(const char *name, cudaError_t error, struct sim_location *location) {
    const cudaError_t answer = begin(name, location);
    if (answer != cudaSuccess) {
        return answer;
    }
    if (fails_now(name, location->line)) {
        return sim_fail(fails_with(error, *location));
    }
    return injected(name, *location) ? sim_fail(error) : cudaSuccess;
}

/* As sim_begin(); what sim_fail_call() makes fail does its work first. */
static cudaError_t begin_work(const char *name, cudaError_t error, bool counts,
                              struct sim_location *location, cudaError_t *earlier) {
    const cudaError_t answer = begin(name, location);
    if (answer != cudaSuccess) {
        return answer;
    }
    if (injected(name, *location)) {
        return sim_fail(error);
    }
    *earlier =
        counts && fails_now(name, location->line) ? fails_with(error, *location) : cudaSuccess;
    return cudaSuccess;
}

cudaError_t sim_begin_release(const char *name, struct sim_location *location,
                              cudaError_t *earlier) {
    return begin_work(name, cudaErrorInvalidValue, true, location, earlier);
}

static unsigned waits, calls_that_wait;

unsigned sim_waits(void) {
    return __atomic_load_n(&waits, __ATOMIC_RELAXED);
}

unsigned sim_calls_that_wait(void) {
    return __atomic_load_n(&calls_that_wait, __ATOMIC_RELAXED);
}

cudaError_t sim_begin_wait(const char *name, bool for_something, struct sim_location *location,
                           cudaError_t *earlier) {
    __atomic_fetch_add(&waits, for_something, __ATOMIC_RELAXED);
    __atomic_fetch_add(&calls_that_wait, 1, __ATOMIC_RELAXED);
    return begin_work(name, cudaErrorLaunchFailure, for_something, location, earlier);
}

cudaError_t sim_injected_launch(struct sim_location location) {
    const cudaError_t own = cudaErrorLaunchOutOfResources;
    if (fails_now("launch", location.line)) {
        return fails_with(own, location);
    }
    return injected("launch", location) ? own : cudaSuccess;
}

/* The program has had its last chance to ask for the error. */
static void report_unchecked(struct sim_finding *f) {
    if (f->found != FOUND_NOTHING) {
        f->is_unchecked = true;
        sim_report(f);
    }
    f->found = FOUND_NOTHING;
}

/* The program has asked for the error, so it knows of it; a note gives the reason. */
static void see(struct sim_finding *f) {
    if (sim_same_kind(f->found, FOUND_LAUNCH_NO_MEMORY)) {
        f->severity = "note";
        sim_report(f);
    }
    f->found = FOUND_NOTHING;
}

void sim_unchecked_launch(const struct sim_finding *finding) {
    launch = *finding;
}

void sim_begin_launch(void) {
    calling.name = NULL;
    is_before_launch = true;
}

void sim_see_unchecked_launch(void) {
    see(&launch);
}

/* What follows from a call that sim_fail_call() made fail is for its caller to judge. */
cudaError_t sim_unchecked_call(cudaError_t error, const char *name, const char *file, int line) {
    if (error != cudaSuccess && error != cudaErrorNotReady && sim_sticky() == cudaSuccess &&
        !failing.name) {
        report_unchecked(&call);
        call = (struct sim_finding){.found = FOUND_UNCHECKED_CALL,
                                    .location = {file, line},
                                    .call = name,
                                    .error = cudaGetErrorName(error)};
    }
    return error;
}

static void report_unchecked_at_exit(void) {
    report_unchecked(&launch);
    report_unchecked(&call);
}
SIM_AT_END(report_unchecked_at_exit);

/* The error that the program asks for after a launch is that of an earlier call. */
static void report_old_error(void) {
    if (is_before_launch && set_last.name && last != cudaSuccess && last != cudaErrorNotReady &&
        sim_sticky() == cudaSuccess && sim_options.fault_is_error) {
        sim_report_once(&(struct sim_finding){.found = FOUND_OLD_ERROR,
                                              .severity = "note",
                                              .location = call_site,
                                              .call = set_last.name,
                                              .error = cudaGetErrorName(last),
                                              .place = set_last.location});
    }
}

cudaError_t cudaPeekAtLastError(void) {
    report_old_error();
    see(&launch);
    see(&call);
    return last;
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = cudaPeekAtLastError();
    last = cudaSuccess;
    return error;
}
