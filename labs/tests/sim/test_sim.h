/* For the test suites of the simulator: runs a small program in a separate process and reads the
 * findings of the simulator. */
#pragma once

#include "test_suite.h"

extern "C" {
#include "../../sim/src/base/options.h"
}

#include <functional>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

/* Not NULL under AddressSanitizer, which words some faults itself. */
extern "C" void address_sanitizer(void) __asm__("__asan_init") __attribute__((weak));

struct outcome {
    int status;          /* as waitpid() gives it */
    char findings[8192]; /* one JSON object a line */
};

/* For grader/tests/findings: adds the records to a file that it names. */
static inline void keep(const struct outcome *outcome) {
    const char *name = getenv("CONVLABS_KEPT_FINDINGS");
    FILE *file = name ? fopen(name, "a") : NULL;
    if (file) {
        fputs(outcome->findings, file);
        fclose(file);
    }
}

/* Runs `program` to its end without output; `inject` is CONVLABS_SIM_INJECT, or NULL. */
static inline struct outcome run_program(void (*program)(void), const char *inject) {
    struct outcome outcome;
    memset(&outcome, 0, sizeof outcome);
    char path[] = "/tmp/convlabs-findings-XXXXXX";
    close(mkstemp(path));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("CONVLABS_SIM_FINDINGS", path, 1);
        if (inject) {
            setenv("CONVLABS_SIM_INJECT", inject, 1);
        }
        sim_read_options();
        if (!freopen("/dev/null", "w", stderr)) {
            _exit(99);
        }
        program();
        exit(0); /* and so look for leaks */
    }
    waitpid(child, &outcome.status, 0);
    FILE *file = fopen(path, "r");
    if (file) {
        outcome.findings[fread(outcome.findings, 1, sizeof outcome.findings - 1, file)] = '\0';
        fclose(file);
    }
    unlink(path);
    keep(&outcome);
    return outcome;
}

/* Does the record, without its quotes, have this member? */
static inline bool has_member(const char *record, const char *member) {
    const size_t length = strlen(member);
    for (const char *at = record; (at = strstr(at, member)); at++) {
        if (strchr("{,", at[-1]) && strchr(",}]", at[length])) {
            return true;
        }
    }
    return false;
}

/* Is there a finding of this kind that has all these members? For example "case:free bytes:64". */
static inline bool found(const struct outcome *outcome, const char *kind, const char *members) {
    char copy[sizeof outcome->findings], label[64], wanted[512];
    size_t length = 0;
    for (const char *c = outcome->findings; *c; c++) {
        copy[length] = *c;
        length += *c != '"';
    }
    copy[length] = '\0';
    snprintf(label, sizeof label, "kind:%s", kind);
    char *rest = copy;
    for (char *line; (line = strsep(&rest, "\n"));) {
        bool has_all = has_member(line, label);
        snprintf(wanted, sizeof wanted, "%s", members);
        char *left = wanted;
        for (char *member; has_all && (member = strsep(&left, " "));) {
            has_all = *member == '\0' || has_member(line, member);
        }
        if (has_all) {
            return true;
        }
    }
    return false;
}

#define ck_found(outcome, kind, members)                                                           \
    ck_assert_msg(found(&(outcome), kind, members), "no %s \"%s\" in:\n%s", kind, members,         \
                  (outcome).findings)
#define ck_nothing_found(outcome)                                                                  \
    ck_assert_msg((outcome).status == 0 && (outcome).findings[0] == '\0', "status %d, found:\n%s", \
                  (outcome).status, (outcome).findings)
/* The program runs to its end, however that is, and leaves this finding. */
#define ck_finds(program, kind, members)                                                           \
    do {                                                                                           \
        struct outcome outcome_ = run_program(program, NULL);                                      \
        ck_found(outcome_, kind, members);                                                         \
    } while (0)
#define ck_finds_and_exits(program, kind, members)                                                 \
    do {                                                                                           \
        struct outcome outcome_ = run_program(program, NULL);                                      \
        ck_assert_int_eq(outcome_.status, 0);                                                      \
        ck_found(outcome_, kind, members);                                                         \
    } while (0)
#define ck_success(call) ck_assert_str_eq(cudaGetErrorName(call), "cudaSuccess")
#define ck_error(call, error) ck_assert_str_eq(cudaGetErrorName(call), #error)

/* What a test makes with the functions below is released after it, the newest first. */
static std::vector<std::function<cudaError_t()>> releases;

static inline void release_all() {
    for (; !releases.empty(); releases.pop_back()) {
        ck_success(releases.back()());
    }
}

template <class T> static T *device_array(size_t bytes) {
    T *d;
    ck_success(cudaMalloc(&d, bytes));
    releases.push_back([d] { return cudaFree(d); });
    return d;
}

template <class T> static T *device_zeros(size_t bytes) {
    T *d = device_array<T>(bytes);
    ck_success(cudaMemset(d, 0, bytes));
    return d;
}

template <class T, size_t N> static T *device_copy(const T (&h)[N]) {
    T *d = device_array<T>(sizeof h);
    ck_success(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    return d;
}

static inline cudaStream_t new_stream(unsigned flags = cudaStreamDefault) {
    cudaStream_t stream;
    ck_success(cudaStreamCreateWithFlags(&stream, flags));
    releases.push_back([stream] { return cudaStreamDestroy(stream); });
    return stream;
}

static inline cudaEvent_t new_event(unsigned flags = cudaEventDefault) {
    cudaEvent_t event;
    ck_success(cudaEventCreateWithFlags(&event, flags));
    releases.push_back([event] { return cudaEventDestroy(event); });
    return event;
}

#undef SUITE
#define SUITE(name) SUITE_BETWEEN(name, NULL, release_all)
