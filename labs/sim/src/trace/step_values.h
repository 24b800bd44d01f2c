/* What the lanes of a recorded warp load and store: the streams of warp_replay.h hold addresses
 * alone. */
#pragma once

#include "profile/warp_replay.h"

enum { STEP_VALUE = 16 }; /* bytes of an access at most */

/* A lane is about to access memory; `readable`: the access does not fail. */
void step_values_note(unsigned lane, const void *address, unsigned width, bool store, uint32_t pc,
                      bool readable);

/* Another thread runs next, or accesses memory: what the last one stored is there. */
void step_values_settle(void);

/* Sets the bytes that a lane loaded or stored, of which nvcc may have merged several accesses;
 * returns false if they are not known. */
bool step_value_of(unsigned lane, uint32_t pc, uint64_t address, unsigned width,
                   unsigned char bytes[STEP_VALUE]);

/* All lanes of the warp have been replayed. */
void step_values_forget(void);
