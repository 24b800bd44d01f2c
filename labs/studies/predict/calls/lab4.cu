#include "call.h"
#include "lab.h"

CALL_IMAGE(correlate_idle)
CALL_IMAGE(correlate_tile)
CALL_IMAGE(correlate_register)
CALL_MASK(correlate_dynamic)
CALL_IMAGE(baseline_correlate)
PREPARE_MASK(set_mask)
PREPARE_MASK(baseline_set_mask)

extern "C" const struct function call_functions[] = {
    FUNCTION(correlate_idle, set_mask_prepare), FUNCTION(correlate_tile, set_mask_prepare),
    FUNCTION(correlate_register, set_mask_prepare), FUNCTION(correlate_dynamic, NULL),
    FUNCTION(baseline_correlate, baseline_set_mask_prepare), {NULL}};
