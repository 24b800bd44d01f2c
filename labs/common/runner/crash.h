/* Where a program crashes, for the grader. */
#ifndef CONVLABS_CRASH_H
#define CONVLABS_CRASH_H

/* From here on a crash appends one line of JSON, a finding, to the file that the environment
 * variable CONVLABS_CRASH_FINDINGS names: what happened, and the address of the instruction in the
 * program's file. Then the program ends as it would without this. Does nothing where the variable
 * is not set, and under AddressSanitizer, which says more. */
void crash_catch(void);

#endif
