/* Calls the library from inside a kernel, which is from inside another call, with
   known values in the registers that a call preserves.  */
#include <stdio.h>
#include "openacc.h"

void GOACC_parallel_keyed (int, void (*) (void *), unsigned long, void **,
			   unsigned long *, unsigned short *, ...);

/* function (first, ...) with value + 0 to value + 4 in %rbx, %r12 to %r15.  */
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
