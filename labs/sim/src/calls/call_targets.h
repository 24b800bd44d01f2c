/* What the code of a graded program may call through a pointer: its own functions, functions of
 * others whose address its source takes by name (call_targets.sed lists both), and the virtual
 * functions of the C++ library, which its headers call. So no sum of an address and a distance
 * leads into the runner, the baseline or a library.
 *
 * indirect_calls.S is where such a call goes on x86-64, in every build whose results count; in a
 * program that nobody grades each target is permitted. What decides is read-only before any code of
 * a submission runs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CALL_TARGETS_STATUS = 3 }; /* the exit status after another target */

/* A target that is permitted, each at its address / 16, modulo their number, or 0. Their number is
 * a power of 2; indirect_calls.S knows it. */
enum { KNOWN_TARGETS = 512 };
extern uintptr_t call_targets_known[KNOWN_TARGETS] __attribute__((visibility("hidden")));

/* May the program call what lies there, or give it to a library that will call it? NULL may be
 * given: whoever takes it says what is wrong. */
bool call_target_permitted(uintptr_t target);

/* Ends the run, with a finding, if it may not. `pc`: where the call returns to. */
void call_target_judge(uintptr_t target, const void *pc);

/* Has `calls` called before the program calls the C++ library through a pointer; it may change no
 * vector register. For constructors of a priority below 104: later, what is set is read-only. */
void call_targets_watch_cxx_library(void (*calls)(const void *pc));
