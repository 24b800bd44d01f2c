/* How the other files of trace/ report accesses: tsan_callbacks.c records them. */
#pragma once

#include "check/racecheck.h"

#include <stdbool.h>
#include <stddef.h>

/* The program is about to copy bytes from `from` to `to`, or to fill them if `from` is NULL. A
 * kernel does so in a loop, byte by byte. `pc`: the return address of the call. */
void record_bytes(void *to, const void *from, size_t bytes, const void *pc);

/* A kernel is about to access these bytes in a way that no callback reports. */
void record_access(const void *address, size_t bytes, bool store, const void *pc);

/* A function of a library is about to access these bytes, because the program has told it to. */
void record_library(const void *at, size_t bytes, bool store, const void *pc);

/* The program is about to access these bytes atomically. `counted`: a prediction counts it as an
 * atomic function: not the load with which one begins that compares and exchanges. */
void record_atomic(const volatile void *at, size_t bytes, enum race_access how, bool counted,
                   const void *pc);

/* Counts an atomic load or store as a load or store. A prediction counts it as record_atomic() says. */
void record_single(const volatile void *at, size_t bytes, bool store, const void *pc);
