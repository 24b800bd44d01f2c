#include "graph/recorder.h"

#include "base/errors.h"
#include "queue/lock.h"
#include "queue/stream.h"

static cudaError_t take(struct sim_capture *capture, cudaStream_t stream,
                        const struct sim_operation *operation) {
    struct sim_recorder *recorder = (struct sim_recorder *)capture;
    (void)stream;
    struct sim_step *step = sim_new_step(operation);
    SIM_FAIL_IF(!step, cudaErrorMemoryAllocation);
    *recorder->end = step;
    recorder->end = &step->next;
    return cudaSuccess;
}

bool sim_begin_recorder(struct sim_recorder *recorder) {
    *recorder = (struct sim_recorder){.capture = {.take = take}};
    recorder->end = &recorder->first;
    sim_lock_queue();
    recorder->stream = sim_new_stream(cudaStreamNonBlocking, 0, (struct sim_location){NULL, 0});
    if (recorder->stream) {
        recorder->stream->capture = &recorder->capture;
    }
    sim_unlock_queue();
    return recorder->stream != NULL;
}

struct sim_step *sim_end_recorder(struct sim_recorder *recorder) {
    sim_lock_queue();
    sim_remove_stream(recorder->stream);
    sim_unlock_queue();
    return recorder->first;
}
