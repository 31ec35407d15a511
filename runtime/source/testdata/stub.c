/* Stands in for an OpenACC runtime in tests: runs every construct on the host
   and, at each call, reports on descriptor 3 where it came from and what it
   maps, then waits on descriptor 4 while the test looks at this process.
   Compiled with -O0 -fno-omit-frame-pointer, so that the frame of an entry
   point is known and the callee-saved registers are still the caller's.  */

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef unsigned long word;

static void
report (const char *name, word *frame, const word *saved, void *function,
	size_t entries, void **hostaddrs, size_t *sizes, unsigned short *kinds)
{
  char acknowledged;

  dprintf (3, "call %s %lx %lx %lx %lx %lx %lx %lx %lx %lx %zu\n", name,
	   frame[1], (word) (frame + 2), frame[0], saved[0], saved[1],
	   saved[2], saved[3], saved[4], (word) function, entries);
  for (size_t i = 0; i < entries; i++)
    dprintf (3, "entry %lx %lx %x\n", (word) hostaddrs[i], sizes[i], kinds[i]);
  dprintf (3, "end\n");
  if (read (4, &acknowledged, 1) != 1)
    _exit (3);
}

#define REPORT(name, function, entries, hostaddrs, sizes, kinds)		\
  do										\
    {										\
      word saved[5];								\
      __asm__ volatile ("movq %%rbx, 0(%0); movq %%r12, 8(%0);"			\
			"movq %%r13, 16(%0); movq %%r14, 24(%0);"		\
			"movq %%r15, 32(%0)" : : "r" (saved) : "memory");	\
      report (name, __builtin_frame_address (0), saved, (void *) (function),	\
	      entries, hostaddrs, sizes, kinds);				\
    }										\
  while (0)

void
GOACC_parallel_keyed (int flags, void (*function) (void *), size_t entries,
		      void **hostaddrs, size_t *sizes, unsigned short *kinds, ...)
{
  (void) flags;
  REPORT ("parallel", function, entries, hostaddrs, sizes, kinds);
  function (hostaddrs);
}

void
GOACC_data_start (int flags, size_t entries, void **hostaddrs, size_t *sizes,
		  unsigned short *kinds)
{
  (void) flags;
  REPORT ("data", 0, entries, hostaddrs, sizes, kinds);
}

void
GOACC_data_end (void)
{
  REPORT ("data_end", 0, 0, 0, 0, 0);
}

#define DIRECTIVE(symbol, name)							\
  void										\
  symbol (int flags, size_t entries, void **hostaddrs, size_t *sizes,		\
	  unsigned short *kinds, int async, int waits, ...)			\
  {										\
    (void) flags, (void) async, (void) waits;					\
    REPORT (name, 0, entries, hostaddrs, sizes, kinds);				\
  }

DIRECTIVE (GOACC_enter_data, "enter_data")
DIRECTIVE (GOACC_exit_data, "exit_data")
DIRECTIVE (GOACC_update, "update")

void
GOACC_declare (int flags, size_t entries, void **hostaddrs, size_t *sizes,
	       unsigned short *kinds)
{
  (void) flags;
  REPORT ("declare", 0, entries, hostaddrs, sizes, kinds);
}

void
GOACC_wait (int async, int waits, ...)
{
  (void) async, (void) waits;
  REPORT ("wait", 0, 0, 0, 0, 0);
}

/* Routines of the API: one mapping that the caller names by address.  */
#define ROUTINE(symbol)								\
  void *									\
  symbol (void *address, size_t size)						\
  {										\
    unsigned short kind = 0;							\
    REPORT (#symbol, 0, 1, &address, &size, &kind);				\
    return address;								\
  }

ROUTINE (acc_copyin)
ROUTINE (acc_copyout)
ROUTINE (acc_update_self)
