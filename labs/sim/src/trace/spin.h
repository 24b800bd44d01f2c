/* A thread of a traced kernel that waits for another one repeats volatile reads or atomic functions
 * of a few words, and gets the same values each time; perhaps with a barrier in between. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The running thread is about to read `bytes` bytes, at `pc` in the program. Lets other threads run
 * if it has only repeated this for a while: returns true if they may have. */
bool spin_note(const volatile void *address, size_t bytes, const void *pc);

/* The running thread of a kernel passes a fence: perhaps in a loop without such a read. */
void spin_fence(const void *pc);
