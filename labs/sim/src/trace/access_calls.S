/* What labs/sim/translate/machine_accesses.py has a traced program call in front of an access that gcc
 * may not have reported. On the stack: where this returns to, what the access is, and the caller's
 * rax; in rax: the address. All registers and flags stay as they are. */
#if defined(__x86_64__)
    .text
    .globl sim_machine_access
    .type sim_machine_access, @function
sim_machine_access:
    pushq %rbp
    movq %rsp, %rbp
    pushq %rcx
    pushq %rdx
    movq %rax, %rcx
    lahf                        /* the flags, in a fifth of the time of pushfq and popfq */
    seto %al
    pushq %rax
    /* Most addresses are in the stack of the running thread. This code is in shared objects, too. */
    leaq sim_lane_stack@tlsdesc(%rip), %rax
    call *sim_lane_stack@tlscall(%rax) /* changes rax alone; the linker makes it a constant */
    movq %rcx, %rdx
    subq %fs:(%rax), %rdx
    cmpq %fs:8(%rax), %rdx
    jb 2f
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    pushq %rcx
    andq $-16, %rsp
    movq %rcx, %rdi
    movq 16(%rbp), %rsi
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
    movq -80(%rbp), %rdi
    movq 16(%rbp), %rsi
    movq 8(%rbp), %rdx
    call sim_look_at_access
    movl $0xfff9ffff, %eax
    movl $-1, %edx
    xrstor64 (%rsp)
1:  leaq -72(%rbp), %rsp
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
2:  popq %rax
    addb $127, %al              /* overflows if there was an overflow */
    sahf
    popq %rdx
    popq %rcx
    popq %rbp
    ret
    .size sim_machine_access, . - sim_machine_access
#endif
    .section .note.GNU-stack, "", %progbits
