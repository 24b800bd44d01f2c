#include "call.h"
#include "lab.h"

CALL_MASK(correlate_device)
CALL_MASK(correlate_identical)

extern "C" const struct function call_functions[] = {
    FUNCTION(correlate_device, NULL), FUNCTION(correlate_identical, NULL), {NULL}};
