/* The toolkit's collection of types; driver_types.h has them all. */
#include "driver_types.h"
