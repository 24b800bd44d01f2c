/* The toolkit declares threadIdx and its kin here; cuda_runtime.h has them. */
#include "cuda_runtime.h"
