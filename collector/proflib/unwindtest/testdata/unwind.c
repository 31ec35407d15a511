/* Unwinds from functions of many kinds and compares with backtrace.  With an argument it
   prints one of the call stacks, as offsets in the program's file.  */
#define _GNU_SOURCE
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include "unwind.h"

#define LIMIT 128
static int failed, checks, print;

static int
first_object (struct dl_phdr_info *info, size_t size, void *base)
{
  (void) size;
  *(uint64_t *) base = info->dlpi_addr;
  return 1;
}

__attribute__ ((noinline)) void
check (const char *where)
{
  uint64_t own[LIMIT];
  void *theirs[LIMIT];
  unsigned depth = unwind_stack (own, LIMIT);
  int expected = backtrace (theirs, LIMIT);

  if (print)
    {
      uint64_t base = 0;
      dl_iterate_phdr (first_object, &base);
      for (unsigned i = 0; i < depth; i++)
	printf ("%#lx\n", (long) (own[i] - base));
      exit (depth < 3);
    }
  checks++;
  /* theirs[0] and own[0] lie here, at different calls; a sanitizer's backtrace
     has a frame of its own before.  */
  int skip = expected - (int) depth;
  int wrong = depth < 3 || skip < 0 || skip > 1;
  for (unsigned i = 1; !wrong && i < depth; i++)
    wrong = own[i] != (uintptr_t) theirs[i + skip];
  if (wrong)
    {
      failed = 1;
      printf ("%s: %u frames, backtrace has %d\n", where, depth, expected);
      for (unsigned i = 0; i < depth || i < (unsigned) expected; i++)
	printf ("  %#lx %p\n", i < depth ? (long) own[i] : 0,
		i < (unsigned) expected ? theirs[i] : NULL);
    }
}

__attribute__ ((noinline)) static int
recursion (int n, const char *where)
{
  volatile char room[64];
  room[n % 64] = (char) n;
  if (n == 0)
    check (where);
  else
    recursion (n - 1, where);
  return room[n % 64];
}

__attribute__ ((noinline)) static int
variable_frame (int n)
{
  volatile char room[n];	/* needs a frame pointer */
  room[n - 1] = 1;
  recursion (5, "variable frame");
  return room[n - 1];
}

__attribute__ ((noinline, optimize ("no-omit-frame-pointer"))) static int
frame_pointer (int n)
{
  recursion (n, "frame pointer");
  return n;
}

__attribute__ ((noinline)) static long
many_arguments (long a, long b, long c, long d, long e, long f, long g, long h)
{
  check ("many arguments");
  return a + b + c + d + e + f + g + h;
}

static int
compare (const void *a, const void *b)
{
  if (checks < 12)
    check ("callback of qsort");
  return *(const int *) a - *(const int *) b;
}

int
main (int argc, char **argv)
{
  (void) argv;
  print = argc > 1;
  if (print)
    return variable_frame (1000) - 1;	/* which is called, not jumped to */
  int numbers[] = { 3, 1, 2 };
  int sum = recursion (0, "direct") + recursion (20, "recursion")
    + variable_frame (1000) + variable_frame (37) + frame_pointer (7)
    + (int) many_arguments (1, 2, 3, 4, 5, 6, 7, 8);
  qsort (numbers, 3, sizeof *numbers, compare);
  for (int i = 0; i < 3; i++)	/* from the cache */
    recursion (20, "again");
  printf ("%d checks %s\n", checks, sum > 0 ? "" : "?");
  return failed || checks < 8;
}
