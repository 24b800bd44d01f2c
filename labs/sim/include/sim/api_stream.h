/* The runtime API's functions for streams and events. cuda_runtime_api.h includes it. */
#pragma once

SIM_API(cudaStreamCreate, (stream), cudaStream_t *stream)
SIM_API(cudaStreamCreateWithFlags, (stream, flags), cudaStream_t *stream, unsigned int flags)
SIM_API(cudaStreamSynchronize, (stream), cudaStream_t stream)
SIM_API(cudaStreamQuery, (stream), cudaStream_t stream)
SIM_API(cudaStreamDestroy, (stream), cudaStream_t stream)
SIM_API(cudaStreamWaitEvent, (stream, event, flags), cudaStream_t stream, cudaEvent_t event,
        unsigned int flags SIM_DEFAULT(0))
SIM_API(cudaEventCreate, (event), cudaEvent_t *event)
SIM_API(cudaEventCreateWithFlags, (event, flags), cudaEvent_t *event, unsigned int flags)
SIM_API(cudaEventRecord, (event, stream), cudaEvent_t event, cudaStream_t stream SIM_DEFAULT(0))
SIM_API(cudaEventSynchronize, (event), cudaEvent_t event)
SIM_API(cudaEventQuery, (event), cudaEvent_t event)
SIM_API(cudaEventElapsedTime, (milliseconds, start, end), float *milliseconds, cudaEvent_t start,
        cudaEvent_t end)
SIM_API(cudaEventDestroy, (event), cudaEvent_t event)

/* ---- priorities: accepted; no work overtakes other work here because of one */

SIM_API(cudaDeviceGetStreamPriorityRange, (least, greatest), int *least, int *greatest)
SIM_API(cudaStreamCreateWithPriority, (stream, flags, priority), cudaStream_t *stream,
        unsigned int flags, int priority)
SIM_API(cudaStreamGetPriority, (stream, priority), cudaStream_t stream, int *priority)
SIM_API(cudaStreamGetFlags, (stream, flags), cudaStream_t stream, unsigned int *flags)

/* What a program sets it gets back; the attributes have no effect. */
SIM_API(cudaStreamSetAttribute, (stream, attribute, value), cudaStream_t stream,
        cudaStreamAttrID attribute, const cudaStreamAttrValue *value)

/* ---- functions of the host: they must not call the runtime API */

SIM_API(cudaLaunchHostFunc, (stream, function, data), cudaStream_t stream, cudaHostFn_t function,
        void *data)
SIM_API(cudaStreamAddCallback, (stream, callback, data, flags), cudaStream_t stream,
        cudaStreamCallback_t callback, void *data, unsigned int flags)
