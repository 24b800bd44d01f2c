/* What a part of the runtime reports at the end of a program. In a graded run the function is
 * called before the process ends (evidence/evidence.h); in any other it is a destructor. */
#pragma once

#include "evidence/evidence.h"

#define SIM_AT_END(function)                                                                       \
    __attribute__((constructor(103))) static void function##_registers(void) {                     \
        if (evidence_is_open()) {                                                                  \
            evidence_at_end(function);                                                             \
        }                                                                                          \
    }                                                                                              \
    __attribute__((destructor)) static void function##_destructs(void) {                           \
        if (!evidence_is_open()) {                                                                 \
            function();                                                                            \
        }                                                                                          \
    }                                                                                              \
    extern int function##_needs_a_semicolon
