/* Memory full of SIM_POISON that takes no room until it is written: all of it shows the same few
 * pages, which the kernel copies one by one at the first write to each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Puts such memory in place of what is mapped at from..from + bytes, whole pages, with this
 * protection (of mmap()). False when the system refuses. */
bool poison_map(char *from, size_t bytes, int protection);
