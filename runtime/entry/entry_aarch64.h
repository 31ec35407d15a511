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
       "	ldr	x17, [x16, 40]\n"				\
       "	cbnz	x17, 1f\n"					\
       "	stp	x19, x20, [x16, 64]\n"				\
       "	stp	x21, x22, [x16, 80]\n"				\
       "	stp	x23, x24, [x16, 96]\n"				\
       "	stp	x25, x26, [x16, 112]\n"				\
       "	stp	x27, x28, [x16, 128]\n"				\
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
