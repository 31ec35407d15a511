/* entry_x86_64.h - the jumps of entry.c on x86-64.  */

#define STUB(name)							\
  asm (".text\n"							\
       "	.globl	" #name "\n"					\
       "	.type	" #name ", @function\n"				\
       "	.p2align 4\n"						\
       #name ":\n"							\
       "	.cfi_startproc\n"					\
       "	jmp	*accscope_slot_" #name "(%rip)\n"		\
       "accscope_first_" #name ":\n"					\
       "	leaq	accscope_slot_" #name "(%rip), %r11\n"		\
       "	jmp	accscope_first\n"				\
       "	.cfi_endproc\n"						\
       "	.size	" #name ", .-" #name "\n"			\
       "	.section .data.rel.local, \"aw\", @progbits\n"		\
       "	.p2align 3\n"						\
       "	.hidden	accscope_slot_" #name "\n"			\
       "	.globl	accscope_slot_" #name "\n"			\
       "	.type	accscope_slot_" #name ", @object\n"		\
       "	.size	accscope_slot_" #name ", 8\n"			\
       "accscope_slot_" #name ":\n"					\
       "	.quad	accscope_first_" #name "\n"			\
       "	.text\n");

/* %r11: the slot.  Keeps the registers that carry arguments (no routine takes a
   floating-point number).  */
asm (".text\n"
     "	.type	accscope_first, @function\n"
     "accscope_first:\n"
     "	.cfi_startproc\n"
     "	pushq	%rdi\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	%rsi\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	%rdx\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	%rcx\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	%r8\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	%r9\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	%rax\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	%r11\n	.cfi_adjust_cfa_offset 8\n"
     "	subq	$8, %rsp\n	.cfi_adjust_cfa_offset 8\n"
     "	call	accscope_bind\n"
     "	addq	$8, %rsp\n	.cfi_adjust_cfa_offset -8\n"
     "	popq	%r11\n	.cfi_adjust_cfa_offset -8\n"
     "	popq	%rax\n	.cfi_adjust_cfa_offset -8\n"
     "	popq	%r9\n	.cfi_adjust_cfa_offset -8\n"
     "	popq	%r8\n	.cfi_adjust_cfa_offset -8\n"
     "	popq	%rcx\n	.cfi_adjust_cfa_offset -8\n"
     "	popq	%rdx\n	.cfi_adjust_cfa_offset -8\n"
     "	popq	%rsi\n	.cfi_adjust_cfa_offset -8\n"
     "	popq	%rdi\n	.cfi_adjust_cfa_offset -8\n"
     "	jmp	*(%r11)\n"
     "	.cfi_endproc\n"
     "	.size	accscope_first, .-accscope_first\n");

/* Each in one cache line.  */
#define NOTE(name)							\
  asm (".text\n"							\
       "	.globl	accscope_entry_" #name "\n"			\
       "	.hidden	accscope_entry_" #name "\n"			\
       "	.type	accscope_entry_" #name ", @function\n"		\
       "	.p2align 6\n"						\
       "accscope_entry_" #name ":\n"					\
       "	.cfi_startproc\n"					\
       "	movq	accscope_self@gottpoff(%rip), %r11\n"		\
       "	cmpq	$0, %fs:56(%r11)\n"				\
       "	jne	1f\n"						\
       "	movq	%rbx, %fs:80(%r11)\n"				\
       "	movq	%r12, %fs:88(%r11)\n"				\
       "	movq	%r13, %fs:96(%r11)\n"				\
       "	movq	%r14, %fs:104(%r11)\n"				\
       "	movq	%r15, %fs:112(%r11)\n"				\
       "	jmp	accscope_body_" #name "\n"			\
       "1:	leaq	accscope_body_" #name "(%rip), %r10\n"		\
       "	jmp	accscope_entry_nested\n"			\
       "	.cfi_endproc\n"						\
       "	.size	accscope_entry_" #name ", .-accscope_entry_" #name "\n");

/* %r10: the function.  */
asm (".text\n"
     "	.type	accscope_entry_nested, @function\n"
     "accscope_entry_nested:\n"
     "	.cfi_startproc\n"
     "	movq	accscope_registers@gottpoff(%rip), %r11\n"
     "	movq	%rbx, %fs:(%r11)\n"
     "	movq	%r12, %fs:8(%r11)\n"
     "	movq	%r13, %fs:16(%r11)\n"
     "	movq	%r14, %fs:24(%r11)\n"
     "	movq	%r15, %fs:32(%r11)\n"
     "	jmp	*%r10\n"
     "	.cfi_endproc\n"
     "	.size	accscope_entry_nested, .-accscope_entry_nested\n");

/* accscope_outward.  The words below its frame record say what the program's frame is:
   the record has its %rbp and return address, behind them lie its stack pointer, %rbx
   and %r12 to %r15, and the escapes tell unwinders so (DW_CFA_def_cfa_expression and
   DW_CFA_expression by DW_OP_breg6).  Who follows frame pointers finds the same.  */
asm (".text\n"
     "	.globl	accscope_outward\n"
     "	.hidden	accscope_outward\n"
     "	.type	accscope_outward, @function\n"
     "	.p2align 4\n"
     "accscope_outward:\n"
     "	.cfi_startproc\n"
     "	pushq	%rbp\n"
     "	.cfi_def_cfa_offset 16\n	.cfi_offset %rbp, -16\n"
     "	.cfi_remember_state\n"
     "	pushq	56(%rdi)\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	48(%rdi)\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	40(%rdi)\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	32(%rdi)\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	24(%rdi)\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	8(%rdi)\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	(%rdi)\n	.cfi_adjust_cfa_offset 8\n"
     "	pushq	16(%rdi)\n	.cfi_adjust_cfa_offset 8\n"
     "	movq	%rsp, %rbp\n"
     "	.cfi_escape 0x0f, 3, 0x76, 16, 0x06\n"
     "	.cfi_escape 0x10, 6, 2, 0x76, 0\n"
     "	.cfi_escape 0x10, 16, 2, 0x76, 8\n"
     "	.cfi_escape 0x10, 3, 2, 0x76, 24\n"
     "	.cfi_escape 0x10, 12, 2, 0x76, 32\n"
     "	.cfi_escape 0x10, 13, 2, 0x76, 40\n"
     "	.cfi_escape 0x10, 14, 2, 0x76, 48\n"
     "	.cfi_escape 0x10, 15, 2, 0x76, 56\n"
     "	movq	%rsi, %rax\n"
     "	movq	%rdx, %rdi\n"
     "	movq	%rcx, %rsi\n"
     "	movq	%r8, %rdx\n"
     "	call	*%rax\n"
     "	addq	$64, %rsp\n"
     "	.cfi_restore_state\n"
     "	popq	%rbp\n"
     "	.cfi_def_cfa_offset 8\n	.cfi_restore %rbp\n"
     "	ret\n"
     "	.cfi_endproc\n"
     "	.size	accscope_outward, .-accscope_outward\n");
