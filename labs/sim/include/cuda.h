/* Many programs include it and use nothing of it: the driver API, which the simulator does not have.
 * rewrite.py refuses a call of one of its functions by name. */
#include "cuda_runtime_api.h"
#define CUDA_VERSION CUDART_VERSION
