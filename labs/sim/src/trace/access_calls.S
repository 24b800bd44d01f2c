/* What labs/sim/translate/machine_accesses.py has a traced program call in front of an access that gcc
 * may not have reported. On the stack: where this returns to, what the access is, and the caller's
 * rax; in rax: the address. All registers and flags stay as they are. */
#if defined(__x86_64__)
    .text
    .globl sim_machine_access
    .type sim_machine_access, @function
sim_machine_access:
    pushfq
    pushq %rbp
    movq %rsp, %rbp
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    pushq %rax
    cld
    andq $-16, %rsp
    movq %rax, %rdi
    movq 24(%rbp), %rsi
    call sim_is_known_access    /* uses no vector register */
    testb %al, %al
    jne 1f
    /* All others go to an area of XSAVE, whose header is to be zero, but for AMX's, which are large
     * (bits 17 and 18). */
    subq $4096, %rsp
    andq $-64, %rsp
    xorl %eax, %eax
    movl $8, %ecx
    leaq 512(%rsp), %rdi
    rep stosq
    movl $0xfff9ffff, %eax
    movl $-1, %edx
    xsave64 (%rsp)
    movq -72(%rbp), %rdi
    movq 24(%rbp), %rsi
    movq 16(%rbp), %rdx
    call sim_look_at_access
    movl $0xfff9ffff, %eax
    movl $-1, %edx
    xrstor64 (%rsp)
1:  leaq -64(%rbp), %rsp
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %rbp
    popfq
    ret
    .size sim_machine_access, . - sim_machine_access
#endif
    .section .note.GNU-stack, "", %progbits
