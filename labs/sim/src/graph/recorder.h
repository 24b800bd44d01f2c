/* Records what one function of the runtime API would queue. */
#pragma once

#include "graph/graph.h"

/* Pass `stream` to the function, between begin and end. */
struct sim_recorder {
    struct sim_capture capture;
    cudaStream_t stream;
    struct sim_step *first, **end;
};

bool sim_begin_recorder(struct sim_recorder *recorder); /* false: out of memory */

/* The steps, which the caller owns; NULL: none. */
struct sim_step *sim_end_recorder(struct sim_recorder *recorder);
