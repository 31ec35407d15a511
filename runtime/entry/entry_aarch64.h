/* entry_aarch64.h - the jumps of entry.c on the 64-bit Arm architecture.

   x9 to x17 are free at a function's entry; a jump through x16 or x17 may lead to
   "bti c" (hint 34), which other processors take for nothing.  */

#define STUB(name)							\
  asm (".text\n"							\
       "	.globl	" #name "\n"					\
       "	.type	" #name ", %function\n"			\
       "	.p2align 4\n"						\
       #name ":\n"							\
       "	.cfi_startproc\n"					\
       "	hint	34\n"						\
       "	adrp	x17, accscope_slot_" #name "\n"		\
       "	ldr	x16, [x17, :lo12:accscope_slot_" #name "]\n"	\
       "	br	x16\n"						\
       "accscope_first_" #name ":\n"					\
       "	hint	34\n"						\
       "	adrp	x17, accscope_slot_" #name "\n"		\
       "	add	x17, x17, :lo12:accscope_slot_" #name "\n"	\
       "	b	accscope_first\n"				\
       "	.cfi_endproc\n"						\
       "	.size	" #name ", .-" #name "\n"			\
       "	.section .data.rel.local, \"aw\", %progbits\n"		\
       "	.p2align 3\n"						\
       "	.hidden	accscope_slot_" #name "\n"			\
       "	.globl	accscope_slot_" #name "\n"			\
       "	.type	accscope_slot_" #name ", %object\n"		\
       "	.size	accscope_slot_" #name ", 8\n"			\
       "accscope_slot_" #name ":\n"					\
       "	.xword	accscope_first_" #name "\n"			\
       "	.text\n");

/* x17: the slot.  Keeps the registers that carry arguments (no routine takes a
   floating-point number).  */
asm (".text\n"
     "	.type	accscope_first, %function\n"
     "accscope_first:\n"
     "	.cfi_startproc\n"
     "	stp	x29, x30, [sp, -96]!\n"
     "	.cfi_def_cfa_offset 96\n	.cfi_offset 29, -96\n	.cfi_offset 30, -88\n"
     "	mov	x29, sp\n"
     "	stp	x0, x1, [sp, 16]\n"
     "	stp	x2, x3, [sp, 32]\n"
     "	stp	x4, x5, [sp, 48]\n"
     "	stp	x6, x7, [sp, 64]\n"
     "	stp	x8, x17, [sp, 80]\n"
     "	bl	accscope_bind\n"
     "	ldp	x8, x17, [sp, 80]\n"
     "	ldp	x6, x7, [sp, 64]\n"
     "	ldp	x4, x5, [sp, 48]\n"
     "	ldp	x2, x3, [sp, 32]\n"
     "	ldp	x0, x1, [sp, 16]\n"
     "	ldp	x29, x30, [sp], 96\n"
     "	.cfi_def_cfa_offset 0\n	.cfi_restore 29\n	.cfi_restore 30\n"
     "	ldr	x16, [x17]\n"
     "	br	x16\n"
     "	.cfi_endproc\n"
     "	.size	accscope_first, .-accscope_first\n");

#define NOTE(name)							\
  asm (".text\n"							\
       "	.globl	accscope_entry_" #name "\n"			\
       "	.hidden	accscope_entry_" #name "\n"			\
       "	.type	accscope_entry_" #name ", %function\n"		\
       "	.p2align 4\n"						\
       "accscope_entry_" #name ":\n"					\
       "	.cfi_startproc\n"					\
       "	hint	34\n"						\
       "	adrp	x16, :gottprel:accscope_self\n"			\
       "	ldr	x16, [x16, :gottprel_lo12:accscope_self]\n"	\
       "	mrs	x17, tpidr_el0\n"				\
       "	add	x16, x16, x17\n"				\
       "	ldr	x17, [x16, 56]\n"				\
       "	cbnz	x17, 1f\n"					\
       "	stp	x19, x20, [x16, 80]\n"				\
       "	stp	x21, x22, [x16, 96]\n"				\
       "	stp	x23, x24, [x16, 112]\n"				\
       "	stp	x25, x26, [x16, 128]\n"				\
       "	stp	x27, x28, [x16, 144]\n"				\
       "	b	accscope_body_" #name "\n"			\
       "1:	adrp	x17, accscope_body_" #name "\n"		\
       "	add	x17, x17, :lo12:accscope_body_" #name "\n"	\
       "	b	accscope_entry_nested\n"			\
       "	.cfi_endproc\n"						\
       "	.size	accscope_entry_" #name ", .-accscope_entry_" #name "\n");

/* x17: the function.  */
asm (".text\n"
     "	.type	accscope_entry_nested, %function\n"
     "accscope_entry_nested:\n"
     "	.cfi_startproc\n"
     "	adrp	x16, :gottprel:accscope_registers\n"
     "	ldr	x16, [x16, :gottprel_lo12:accscope_registers]\n"
     "	mrs	x15, tpidr_el0\n"
     "	add	x16, x16, x15\n"
     "	stp	x19, x20, [x16]\n"
     "	stp	x21, x22, [x16, 16]\n"
     "	stp	x23, x24, [x16, 32]\n"
     "	stp	x25, x26, [x16, 48]\n"
     "	stp	x27, x28, [x16, 64]\n"
     "	br	x17\n"
     "	.cfi_endproc\n"
     "	.size	accscope_entry_nested, .-accscope_entry_nested\n");

/* accscope_outward.  The words below its frame record say what the program's frame is:
   the record has its x29 and return address, behind them lie its stack pointer and x19
   to x28, and the escapes tell unwinders so (DW_CFA_def_cfa_expression and
   DW_CFA_expression by DW_OP_breg29).  Who follows frame pointers finds the same.  */
asm (".text\n"
     "	.globl	accscope_outward\n"
     "	.hidden	accscope_outward\n"
     "	.type	accscope_outward, %function\n"
     "	.p2align 4\n"
     "accscope_outward:\n"
     "	.cfi_startproc\n"
     "	stp	x29, x30, [sp, -16]!\n"
     "	.cfi_def_cfa_offset 16\n	.cfi_offset 29, -16\n	.cfi_offset 30, -8\n"
     "	.cfi_remember_state\n"
     "	sub	sp, sp, 112\n"
     "	.cfi_adjust_cfa_offset 112\n"
     "	ldp	x9, x10, [x0]\n"
     "	ldr	x11, [x0, 16]\n"
     "	stp	x11, x9, [sp]\n"
     "	str	x10, [sp, 16]\n"
     "	ldp	x9, x10, [x0, 24]\n	stp	x9, x10, [sp, 24]\n"
     "	ldp	x9, x10, [x0, 40]\n	stp	x9, x10, [sp, 40]\n"
     "	ldp	x9, x10, [x0, 56]\n	stp	x9, x10, [sp, 56]\n"
     "	ldp	x9, x10, [x0, 72]\n	stp	x9, x10, [sp, 72]\n"
     "	ldp	x9, x10, [x0, 88]\n	stp	x9, x10, [sp, 88]\n"
     "	mov	x29, sp\n"
     "	.cfi_escape 0x0f, 3, 0x8d, 16, 0x06\n"
     "	.cfi_escape 0x10, 29, 2, 0x8d, 0\n"
     "	.cfi_escape 0x10, 30, 2, 0x8d, 8\n"
     "	.cfi_escape 0x10, 19, 2, 0x8d, 24\n"
     "	.cfi_escape 0x10, 20, 2, 0x8d, 32\n"
     "	.cfi_escape 0x10, 21, 2, 0x8d, 40\n"
     "	.cfi_escape 0x10, 22, 2, 0x8d, 48\n"
     "	.cfi_escape 0x10, 23, 2, 0x8d, 56\n"
     "	.cfi_escape 0x10, 24, 3, 0x8d, 0xc0, 0\n"
     "	.cfi_escape 0x10, 25, 3, 0x8d, 0xc8, 0\n"
     "	.cfi_escape 0x10, 26, 3, 0x8d, 0xd0, 0\n"
     "	.cfi_escape 0x10, 27, 3, 0x8d, 0xd8, 0\n"
     "	.cfi_escape 0x10, 28, 3, 0x8d, 0xe0, 0\n"
     "	mov	x9, x1\n"
     "	mov	x0, x2\n"
     "	mov	x1, x3\n"
     "	mov	x2, x4\n"
     "	blr	x9\n"
     "	add	sp, sp, 112\n"
     "	.cfi_restore_state\n"
     "	ldp	x29, x30, [sp], 16\n"
     "	.cfi_def_cfa_offset 0\n	.cfi_restore 29\n	.cfi_restore 30\n"
     "	ret\n"
     "	.cfi_endproc\n"
     "	.size	accscope_outward, .-accscope_outward\n");
