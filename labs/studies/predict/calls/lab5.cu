#include "call.h"
#include "lab.h"

CALL_IMAGE(correlate_rows)
CALL_IMAGE(correlate_columns)
CALL_BETWEEN(correlate_separable)
CALL_IMAGE(correlate_fused)
CALL_IMAGE(baseline_correlate)
PREPARE_LINES(set_lines)
PREPARE_MASK(baseline_set_mask)

extern "C" const struct function call_functions[] = {
    FUNCTION(correlate_rows, set_lines_prepare), FUNCTION(correlate_columns, set_lines_prepare),
    FUNCTION(correlate_separable, set_lines_prepare), FUNCTION(correlate_fused, set_lines_prepare),
    FUNCTION(baseline_correlate, baseline_set_mask_prepare), {NULL}};
