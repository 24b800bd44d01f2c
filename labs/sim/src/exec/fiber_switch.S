/* aarch64: void sim_fiber_switch(void **save, void *load) saves the callee-saved registers on the
 * current stack and restores them from the other one. For x86-64 it is in fiber.h, and here is
 * sim_fiber_wait(). */
    .text

#if defined(__x86_64__)
    .globl sim_fiber_start
    .type sim_fiber_start, %function
sim_fiber_start:            /* a new fiber begins here: on its stack is the function, its argument */
    popq %rcx
    popq %rdi
    call *%rcx
    ud2
    .globl sim_fiber_wait
    .type sim_fiber_wait, %function
sim_fiber_wait:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    pushq %rcx
    pushq %rdx
    leaq 1f(%rip), %rax
    pushq %rax
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %rax
    jmpq *%rax
1:  popq %rdx
    movb $0, (%rdx)
    popq %rcx
    movq (%rcx), %rax
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    popq %rcx
    jmpq *%rcx
#elif defined(__aarch64__)
    .globl sim_fiber_switch
    .type sim_fiber_switch, %function
sim_fiber_switch:
    stp x29, x30, [sp, #-160]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    ldp x29, x30, [sp], #160
    ret
    .globl sim_fiber_start
    .type sim_fiber_start, %function
sim_fiber_start:            /* a new fiber begins here: x20 is the function, x19 its argument */
    mov x0, x19
    blr x20
    brk #0
#endif /* elsewhere fiber.c uses ucontext */
    .section .note.GNU-stack, "", %progbits
