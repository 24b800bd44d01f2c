/* Where a program crashes, for the grader. */
#pragma once

/* From here on a crash writes a finding to the evidence (evidence/evidence.h): what happened, and
 * the address of the instruction in the program's file. Then the program ends as it would without
 * this. Does nothing in a run that is not graded, and under AddressSanitizer, which says more. */
void crash_catch(void);
