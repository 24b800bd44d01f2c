/* The toolkit declares threadIdx and the other indices here; cuda_runtime.h has them. */
#include "cuda_runtime.h"
