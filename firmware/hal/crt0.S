/* Start-up and trap entry. Interrupt handlers and the report of an exception run on a stack of their own, whose top is
   in mscratch: an exception of a program that has used up its stack is reported, too. Traps do not nest. */

    .cfi_sections .debug_frame
    .section .text.startup, "ax"
    .globl _start
    .type _start, @function
_start:
    .cfi_startproc
    .cfi_undefined ra /* nobody called it */
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
    beq t0, t1, 2f
1:  sw zero, 0(t0)
    sw zero, 4(t0)
    sw zero, 8(t0)
    sw zero, 12(t0)
    addi t0, t0, 16
    bltu t0, t1, 1b
2:  call main
    tail hal_exit
    .cfi_endproc
    .size _start, . - _start

    .macro save register, at
    sw \register, \at(sp)
    .cfi_offset \register, \at - 64
    .endm

    /* For a debugger: the frame below is one of a signal, whose caller's pc is in mepc and its stack pointer in
       mscratch. */
    .balign 4
    .globl trap_entry
    .type trap_entry, @function
trap_entry:
    .cfi_startproc
    .cfi_signal_frame
    .cfi_return_column mepc
    csrrw sp, mscratch, sp
    .cfi_register sp, mscratch
    addi sp, sp, -64
    .cfi_def_cfa_offset 64
    save ra, 0
    save t0, 4
    save t1, 8
    save t2, 12
    save t3, 16
    save t4, 20
    save t5, 24
    save t6, 28
    save a0, 32
    save a1, 36
    save a2, 40
    save a3, 44
    save a4, 48
    save a5, 52
    save a6, 56
    save a7, 60
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
    .cfi_remember_state
    addi sp, sp, 64
    .cfi_def_cfa_offset 0
    csrrw sp, mscratch, sp
    mret

exception:
    .cfi_restore_state
    csrr a1, mepc
    csrr a2, mtval
    call hal_exception
    csrw mepc, a0
    j restore
    .cfi_endproc
    .size trap_entry, . - trap_entry
