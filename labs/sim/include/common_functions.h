/* The toolkit declares clock(), printf() and similar functions of kernels here; cuda_runtime.h has
 * them. */
#include "cuda_runtime.h"
