/* Tiles of several warps: neighbouring threads of a block that wait for each other and exchange
 * values. sim_abi.h declares what a program calls. */
#pragma once

#include "exec/thread.h"

/* Lets the threads of each tile go on whose threads all wait at its barrier. Returns whether there
 * was one. No thread of the block may be ready. */
bool sim_open_tiles(struct worker *w);
