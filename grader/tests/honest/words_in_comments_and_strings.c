/* Not asm, no __attribute__((constructor)), no getenv():
# line 12 of the handout says so
# 1 "first" step
 */
#include <stdio.h>
void say(void);
void say(void) { // asm("nop"); #line 5 "x"
    puts("asm volatile; #line 7; __attribute__((no_sanitize)) __tsan_write4 getenv");
    puts("\
#line 9");
}
#if 0
don't /* asm */ compile this: asm("nop");
#endif
