/* Start-up and trap entry. Interrupt handlers and the report of an exception run on a stack of their own, whose top is
   in mscratch: an exception of a program that has used up its stack is reported, too. Traps do not nest. */

    .section .text.startup, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_top
    la t0, __trap_stack_top
    csrw mscratch, t0
    la t0, trap_entry
    csrw mtvec, t0
    la t0, __bss_begin
    la t1, __bss_end
1:  bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:  call main
    tail hal_exit

    .balign 4
    .globl trap_entry
trap_entry:
    csrrw sp, mscratch, sp
    addi sp, sp, -64
    sw ra, 0(sp)
    sw t0, 4(sp)
    sw t1, 8(sp)
    sw t2, 12(sp)
    sw t3, 16(sp)
    sw t4, 20(sp)
    sw t5, 24(sp)
    sw t6, 28(sp)
    sw a0, 32(sp)
    sw a1, 36(sp)
    sw a2, 40(sp)
    sw a3, 44(sp)
    sw a4, 48(sp)
    sw a5, 52(sp)
    sw a6, 56(sp)
    sw a7, 60(sp)
    csrr a0, mcause
    bgez a0, exception
    call hal_interrupt
restore:
    lw ra, 0(sp)
    lw t0, 4(sp)
    lw t1, 8(sp)
    lw t2, 12(sp)
    lw t3, 16(sp)
    lw t4, 20(sp)
    lw t5, 24(sp)
    lw t6, 28(sp)
    lw a0, 32(sp)
    lw a1, 36(sp)
    lw a2, 40(sp)
    lw a3, 44(sp)
    lw a4, 48(sp)
    lw a5, 52(sp)
    lw a6, 56(sp)
    lw a7, 60(sp)
    addi sp, sp, 64
    csrrw sp, mscratch, sp
    mret

exception:
    csrr a1, mepc
    csrr a2, mtval
    call hal_exception
    csrw mepc, a0
    j restore
