/* Where a call through a pointer of a submission's code goes, with the target in a register: the file
 * is compiled with -mindirect-branch=thunk-extern. Most targets that are permitted are in
 * call_targets_known; call_targets.c judges another one. Only flags are changed. */
#if defined(__x86_64__)
    .text

/* \saved: where the target is once r11 has its value again and r10 is overwritten. */
.macro thunk reg, saved
    .globl __x86_indirect_thunk_\reg
    .type __x86_indirect_thunk_\reg, @function
__x86_indirect_thunk_\reg:
    pushq %r10
    pushq %r11
    movq %\reg, %r11
    shrq $4, %r11
    andl $511, %r11d            /* KNOWN_TARGETS - 1 in call_targets.h */
    leaq call_targets_known(%rip), %r10
    movq (%r10,%r11,8), %r10
    popq %r11
    cmpq \saved, %r10
    popq %r10
    jne 1f
    jmp *%\reg
1:  pushq %\reg
    call judge_target
    popq %\reg
    jmp *%\reg
    .size __x86_indirect_thunk_\reg, . - __x86_indirect_thunk_\reg
.endm

    thunk rax, %rax
    thunk rbx, %rbx
    thunk rcx, %rcx
    thunk rdx, %rdx
    thunk rsi, %rsi
    thunk rdi, %rdi
    thunk rbp, %rbp
    thunk r8, %r8
    thunk r9, %r9
    thunk r10, (%rsp)
    thunk r11, %r11
    thunk r12, %r12
    thunk r13, %r13
    thunk r14, %r14
    thunk r15, %r15

/* On the stack: where this returns to, the target, and where the submission's call returns to.
 * call_target_judge() uses no vector register, and so keeps the arguments in them. */
    .type judge_target, @function
judge_target:
    pushq %rbp
    movq %rsp, %rbp
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    movq 16(%rbp), %rdi
    movq 24(%rbp), %rsi
    andq $-16, %rsp
    call call_target_judge
    leaq -72(%rbp), %rsp
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %rax
    popq %rbp
    ret
    .size judge_target, . - judge_target
#endif
    .section .note.GNU-stack, "", %progbits
