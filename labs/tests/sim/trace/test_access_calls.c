/* access_calls.S: all registers and flags stay as they are, whatever the address. */
#include "test_suite.h"
#include "trace/lane_stack.h"

#include <stdint.h>
#include <stdlib.h>

#if defined(__x86_64__)

#define CARRY 0x001u
#define PARITY 0x004u
#define AUXILIARY 0x010u
#define ZERO 0x040u
#define SIGN 0x080u
#define OVERFLOW 0x800u
#define ARITHMETIC (CARRY | PARITY | AUXILIARY | ZERO | SIGN | OVERFLOW)

enum { REGISTERS = 14 };

struct state {
    uint64_t registers[REGISTERS]; /* rbx rcx rdx rsi rdi rbp r8 to r15 */
    uint64_t flags;
    uint8_t vector[32];
    uint64_t vectors_kept; /* of xmm0 and xmm15 */
};

/* Gives the address to sim_machine_access() as a traced program does, with `before` in the
 * registers and the flags, and returns what is there then in `after`. */
void call_with(const struct state *before, struct state *after, const void *address);
__asm__(".text\n"
        "call_with:\n"
        "    pushq %rbx; pushq %rbp; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
        "    pushq %rsi\n"
        "    pushq 112(%rdi)\n" /* the flags */
        "    movq %rdx, %rax\n"
        "    movdqu 120(%rdi), %xmm0\n"
        "    movdqu 136(%rdi), %xmm15\n"
        "    movq (%rdi), %rbx; movq 8(%rdi), %rcx; movq 16(%rdi), %rdx; movq 24(%rdi), %rsi\n"
        "    movq 40(%rdi), %rbp; movq 48(%rdi), %r8; movq 56(%rdi), %r9; movq 64(%rdi), %r10\n"
        "    movq 72(%rdi), %r11; movq 80(%rdi), %r12; movq 88(%rdi), %r13\n"
        "    movq 96(%rdi), %r14; movq 104(%rdi), %r15; movq 32(%rdi), %rdi\n"
        "    popfq\n"
        "    pushq %rax\n"
        "    pushq $9\n" /* a store of 4 bytes */
        "    call sim_machine_access\n"
        "    leaq 8(%rsp), %rsp\n"
        "    popq %rax\n"
        "    pushfq\n"
        "    movq 8(%rsp), %rax\n" /* after */
        "    popq 112(%rax)\n"
        "    movq %rbx, (%rax); movq %rcx, 8(%rax); movq %rdx, 16(%rax); movq %rsi, 24(%rax)\n"
        "    movq %rdi, 32(%rax); movq %rbp, 40(%rax); movq %r8, 48(%rax); movq %r9, 56(%rax)\n"
        "    movq %r10, 64(%rax); movq %r11, 72(%rax); movq %r12, 80(%rax); movq %r13, 88(%rax)\n"
        "    movq %r14, 96(%rax); movq %r15, 104(%rax)\n"
        "    movdqu %xmm0, 120(%rax)\n"
        "    movdqu %xmm15, 136(%rax)\n"
        "    popq %rsi\n"
        "    popq %r15; popq %r14; popq %r13; popq %r12; popq %rbp; popq %rbx\n"
        "    ret\n");

static void check_all_flags(const void *address) {
    for (unsigned bits = 0; bits < 64; bits++) {
        struct state before = {.flags = 0x202}, after = {.flags = 0};
        const unsigned flag[] = {CARRY, PARITY, AUXILIARY, ZERO, SIGN, OVERFLOW};
        for (unsigned i = 0; i < 6; i++) {
            before.flags |= bits >> i & 1 ? flag[i] : 0;
        }
        for (unsigned i = 0; i < REGISTERS; i++) {
            before.registers[i] = 0x0123456789abcdefu * (i + 3) ^ bits;
        }
        for (unsigned i = 0; i < sizeof before.vector; i++) {
            before.vector[i] = (uint8_t)(i * 7 + bits);
        }
        call_with(&before, &after, address);
        ck_assert_uint_eq(after.flags & ARITHMETIC, before.flags & ARITHMETIC);
        ck_assert_mem_eq(after.registers, before.registers, sizeof before.registers);
        ck_assert_mem_eq(after.vector, before.vector, sizeof before.vector);
    }
}

TEST(an_address_in_the_lanes_stack) {
    static char stack[64];
    sim_lane_stack = (struct lane_stack){stack, sizeof stack};
    check_all_flags(stack);
    check_all_flags(stack + 63);
    sim_lane_stack = (struct lane_stack){0};
}

TEST(an_address_that_is_looked_at) {
    static char elsewhere[64];
    check_all_flags(elsewhere);
    check_all_flags(NULL);
}

#endif

SUITE("trace: access calls")
