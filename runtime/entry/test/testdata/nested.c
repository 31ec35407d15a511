/* Calls the library from inside a kernel, which is from inside another call, with
   known values in the registers that a call preserves.  */
#include <stdio.h>
#include "openacc.h"

void GOACC_parallel_keyed (int, void (*) (void *), unsigned long, void **,
			   unsigned long *, unsigned short *, ...);

/* function (first, ...) with value + 0 to value + 4 in the first five registers that a
   call preserves.  */
#if defined __aarch64__
static void
call_with (long value, void *function, long first, void *second)
{
  register long x0 __asm__ ("x0") = first;
  register void *x1 __asm__ ("x1") = second;
  register long x2 __asm__ ("x2") = 0;
  register long x6 __asm__ ("x6") = 0;	/* the end of the variable arguments */
  register void *x9 __asm__ ("x9") = function;
  register long x10 __asm__ ("x10") = value;

  __asm__ volatile ("mov	x19, x10\n"
		    "	add	x20, x10, 1\n"
		    "	add	x21, x10, 2\n"
		    "	add	x22, x10, 3\n"
		    "	add	x23, x10, 4\n"
		    "	blr	x9"
		    : "+r" (x0), "+r" (x1), "+r" (x2), "+r" (x6), "+r" (x9),
		      "+r" (x10)
		    :
		    : "x3", "x4", "x5", "x7", "x8", "x11", "x12", "x13", "x14",
		      "x15", "x16", "x17", "x19", "x20", "x21", "x22", "x23",
		      "x30", "memory", "cc");
}
#else
static void
call_with (long value, void *function, long first, void *second)
{
  __asm__ volatile ("leaq (%[value]), %%rbx\n"
		    "	leaq 1(%[value]), %%r12\n"
		    "	leaq 2(%[value]), %%r13\n"
		    "	leaq 3(%[value]), %%r14\n"
		    "	leaq 4(%[value]), %%r15\n"
		    "	movq %%rsp, %%rax\n"
		    "	subq $128, %%rsp\n"	/* what is below may be in use */
		    "	andq $-16, %%rsp\n"
		    "	pushq %%rax\n"
		    "	pushq $0\n"	/* the end of the variable arguments */
		    "	xorl %%eax, %%eax\n"
		    "	xorl %%edx, %%edx\n"
		    "	call *%[function]\n"
		    "	addq $8, %%rsp\n"
		    "	popq %%rsp"
		    : [value] "+a" (value), [function] "+r" (function),
		      "+D" (first), "+S" (second)
		    :
		    : "rbx", "r12", "r13", "r14", "r15", "rdx", "rcx", "r8", "r9",
		      "r10", "r11", "memory", "cc");
}
#endif

static void
kernel (void *block)
{
  (void) block;
  call_with (20, (void *) acc_get_num_devices, acc_device_host, NULL);
}

int
main (void)
{
  call_with (10, (void *) GOACC_parallel_keyed, -1, (void *) kernel);
  call_with (30, (void *) acc_get_num_devices, acc_device_host, NULL);
  return 0;
}
