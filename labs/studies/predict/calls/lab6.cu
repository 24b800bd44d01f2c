#include "call.h"
#include "lab.h"

CALL_BETWEEN(filter_coalesced)
CALL_BETWEEN(filter_conflict_free)
CALL_BETWEEN(filter_vectorised)
CALL_BETWEEN(baseline_filter)
PREPARE_LINES(set_lines)
PREPARE_LINES(baseline_set_lines)

extern "C" const struct function call_functions[] = {
    FUNCTION(filter_coalesced, set_lines_prepare), FUNCTION(filter_conflict_free, set_lines_prepare),
    FUNCTION(filter_vectorised, set_lines_prepare),
    FUNCTION(baseline_filter, baseline_set_lines_prepare), {NULL}};
