/* The code of the program, the runtime's included, without that of shared objects. */
#pragma once

#include <stdbool.h>

bool sim_is_code(const void *address);
