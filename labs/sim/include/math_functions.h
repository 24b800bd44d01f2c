/* The toolkit declares the functions of mathematics here; cuda_runtime.h has them. */
#include "cuda_runtime.h"
