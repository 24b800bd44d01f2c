/* For the test suites of the simulator: runs a small program in a separate process and reads the
 * findings of the simulator. */
#pragma once

#include "test_suite.h"

extern "C" {
#include "../../sim/src/base/options.h"
}

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not NULL under AddressSanitizer, which words some faults itself. */
extern "C" void address_sanitizer(void) __asm__("__asan_init") __attribute__((weak));

struct outcome {
    int status;          /* as waitpid() gives it */
    char findings[8192]; /* one JSON object a line */
};

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
    return outcome;
}

/* Is there a finding of this kind whose line contains the message? */
static inline bool found(const struct outcome *outcome, const char *kind, const char *message) {
    char copy[sizeof outcome->findings], label[64];
    memcpy(copy, outcome->findings, sizeof copy);
    snprintf(label, sizeof label, "\"kind\":\"%s\"", kind);
    char *rest = copy;
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (strstr(line, label) && strstr(line, message)) {
            return true;
        }
    }
    return false;
}

#define ck_found(outcome, kind, message)                                                           \
    ck_assert_msg(found(&(outcome), kind, message), "no %s \"%s\" in:\n%s", kind, message,         \
                  (outcome).findings)
#define ck_nothing_found(outcome)                                                                  \
    ck_assert_msg((outcome).status == 0 && (outcome).findings[0] == '\0', "status %d, found:\n%s", \
                  (outcome).status, (outcome).findings)
#define ck_success(call) ck_assert_str_eq(cudaGetErrorName(call), "cudaSuccess")
#define ck_error(call, error) ck_assert_str_eq(cudaGetErrorName(call), #error)
