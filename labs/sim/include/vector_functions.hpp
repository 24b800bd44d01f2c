/* The toolkit defines make_float4() and the like here. */
#include "vector_functions.h"
