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

/* The registers that a call preserves, in the order of their DWARF numbers.  */
#if defined __aarch64__
#define KEPT 10
#define KEEP(saved)								\
  __asm__ volatile ("stp x19, x20, [%0]; stp x21, x22, [%0, 16];"		\
		    "stp x23, x24, [%0, 32]; stp x25, x26, [%0, 48];"		\
		    "stp x27, x28, [%0, 64]" : : "r" (saved) : "memory")
#define CALLERS_STACK_POINTER ((word) __builtin_dwarf_cfa ())
#else
#define KEPT 5
#define KEEP(saved)								\
  __asm__ volatile ("movq %%rbx, 0(%0); movq %%r12, 8(%0);"			\
		    "movq %%r13, 16(%0); movq %%r14, 24(%0);"			\
		    "movq %%r15, 32(%0)" : : "r" (saved) : "memory")
#define CALLERS_STACK_POINTER ((word) __builtin_frame_address (0) + 16)
#endif

static void
report (const char *name, word *frame, word stack_pointer, const word *saved,
	void *function, size_t entries, void **hostaddrs, size_t *sizes,
	unsigned short *kinds)
{
  char acknowledged;

  dprintf (3, "call %s %lx %lx %lx", name, frame[1], stack_pointer, frame[0]);
  for (int i = 0; i < KEPT; i++)
    dprintf (3, " %lx", saved[i]);
  dprintf (3, " %lx %zu\n", (word) function, entries);
  for (size_t i = 0; i < entries; i++)
    dprintf (3, "entry %lx %lx %x\n", (word) hostaddrs[i], sizes[i], kinds[i]);
  dprintf (3, "end\n");
  if (read (4, &acknowledged, 1) != 1)
    _exit (3);
}

#define REPORT(name, function, entries, hostaddrs, sizes, kinds)		\
  do										\
    {										\
      word saved[KEPT];								\
      KEEP (saved);								\
      report (name, __builtin_frame_address (0), CALLERS_STACK_POINTER, saved,	\
	      (void *) (function), entries, hostaddrs, sizes, kinds);		\
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

/* What GCC's Fortran passes of an array.  */
struct descriptor
{
  void *base;
  size_t offset, element;
  int version;
  signed char rank, type;
  short attribute;
  ptrdiff_t span;
  struct { ptrdiff_t stride, lower, upper; } dimension[15];
};

static size_t
bytes (const struct descriptor *array)
{
  size_t size = array->element;

  for (int i = 0; i < array->rank; i++)
    size *= array->dimension[i].upper - array->dimension[i].lower + 1;
  return size;
}

/* Routines of the API, in C, and in Fortran of an array or of as many bytes: one mapping
   that the caller names by address.  */
#define ROUTINE(symbol)								\
  void *									\
  symbol (void *address, size_t size)						\
  {										\
    unsigned short kind = 0;							\
    REPORT (#symbol, 0, 1, &address, &size, &kind);				\
    return address;								\
  }										\
										\
  void										\
  symbol##_array_h_ (struct descriptor *array)					\
  {										\
    unsigned short kind = 0;							\
    size_t size = bytes (array);						\
    REPORT (#symbol, 0, 1, &array->base, &size, &kind);				\
  }										\
										\
  void										\
  symbol##_32_h_ (void *address, int *given)					\
  {										\
    unsigned short kind = 0;							\
    size_t size = *given;							\
    REPORT (#symbol, 0, 1, &address, &size, &kind);				\
  }

ROUTINE (acc_copyin)
ROUTINE (acc_copyout)
ROUTINE (acc_update_self)
ROUTINE (acc_update_device)
