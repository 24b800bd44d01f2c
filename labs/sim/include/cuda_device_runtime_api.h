/* The toolkit declares here what kernels may call of the runtime API. The simulator refuses kernels
 * that launch kernels, and with them these calls. */
#include "cuda_runtime_api.h"
