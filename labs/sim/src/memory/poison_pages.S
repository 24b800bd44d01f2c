/* Poison in the program's own file: 16 pages of SIM_POISON. */
.section .rodata
.balign 4096
.globl sim_poison_pages
.hidden sim_poison_pages
.type sim_poison_pages, %object
sim_poison_pages:
    .fill 65536, 1, 0xff
.size sim_poison_pages, 65536

.section .note.GNU-stack, "", %progbits
