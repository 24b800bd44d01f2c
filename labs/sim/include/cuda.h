/* Many programs include this header of the driver API and use nothing of it. The simulator does not
 * support the driver API; the translator refuses a call of one of its functions by name. */
#include "cuda_runtime_api.h"

#include <stdint.h> /* as NVIDIA's cuda.h */
#include <stdlib.h>

#define CUDA_VERSION CUDART_VERSION

/* Programs compare results of the runtime API with it. */
typedef enum cudaError_enum { CUDA_SUCCESS = 0 } CUresult;
