#include "call.h"
#include "lab.h"

CALL_IMAGE(correlate_constant)
CALL_IMAGE(correlate_polyphase)
CALL_MASK(baseline_correlate)
CALL_IMAGE(baseline_polyphase)
PREPARE_MASK(set_mask)
PREPARE_MASK(set_bank)
PREPARE_MASK(baseline_set_bank)

extern "C" const struct function call_functions[] = {
    FUNCTION(correlate_constant, set_mask_prepare), FUNCTION(correlate_polyphase, set_bank_prepare),
    FUNCTION(baseline_correlate, NULL),
    FUNCTION(baseline_polyphase, baseline_set_bank_prepare), {NULL}};
