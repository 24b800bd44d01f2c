/* A thread of a traced kernel that waits for another one repeats a volatile read or an atomic
 * function, and gets the same value each time. */
#pragma once

#include <stddef.h>

/* The running thread is about to read `bytes` bytes, at `pc` in the program. Lets other threads run
 * if it has only repeated this for a while. */
void spin_note(const volatile void *address, size_t bytes, const void *pc);
