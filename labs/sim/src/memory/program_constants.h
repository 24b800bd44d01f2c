/* What the program was linked with and cannot change: string literals, constant tables, tables of
 * virtual functions. nvcc puts those of kernels into global memory. */
#pragma once

#include "memory/variables.h"

/* The read-only part of the program, not of a library, that holds the address; empty if none. */
struct sim_section sim_program_constants(const char *at);
