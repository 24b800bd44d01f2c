/* What the code of a graded, traced program may call through a pointer: its own functions,
 * functions of others whose address its source takes by name (labs/sim/translate/call_targets.sed
 * lists both), and the virtual functions of the C++ library, which its headers call. */
#pragma once

#include "base/findings.h"
#include "base/options.h"

#include <stdbool.h>
#include <stdint.h>

enum { RECENT_TARGETS = 64 }; /* a power of 2; indirect_calls.S knows it */

/* Targets that were permitted, each at its address / 16, modulo their number. */
extern uintptr_t sim_recent_targets[RECENT_TARGETS] SIM_HIDDEN;

/* Finds what is permitted. Called once, before the submission's code runs. */
void call_targets_begin(void);

/* Ends the run, with a finding, if `target` may not be called. `pc`: where the call returns to. */
void sim_judge_target(uintptr_t target, const void *pc);

/* The program is about to call a function of the C++ library, which no kernel may. */
void call_target_outside(bool in_kernel, const void *pc);

/* As sim_judge_target(), for a function that is given to a library or to the runtime API, which
 * will call it. NULL is permitted: whoever takes it says what is wrong. */
void call_target_given(uintptr_t target, const void *pc);
void call_target_given_at(uintptr_t target, struct sim_location location);
