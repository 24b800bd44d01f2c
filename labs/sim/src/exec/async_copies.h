/* Asynchronous copies that threads have begun and not waited for. A device may make them at any
 * time until then; here they are made as late as possible, so that whoever does not wait reads what
 * was there before. One that nothing waits for is not made. */
#pragma once

#include "exec/thread.h"

/* The running block has ended: forgets its copies. */
void sim_async_copies_end(struct worker *w);
