/* How accesses are told of.  Those to memory in which nothing is watched cost a few
   instructions.  */
#ifndef ACCSCOPE_HOSTACCESS_SEEN_H
#define ACCSCOPE_HOSTACCESS_SEEN_H

#include "watch.h"

#define EXPORT __attribute__ ((visibility ("default")))
#define RETURNED ((uintptr_t) __builtin_return_address (0))

/* What is watched, in this library.  */
extern struct accscope_host_watch accscope_watched __attribute__ ((visibility ("hidden")));

/* Whether memory may be watched.  */
static inline int
is_watched (uintptr_t address, size_t bytes)
{
  const struct accscope_host_watch *w = &accscope_watched;
  const uintptr_t last = address + bytes - 1;

  if (last < __atomic_load_n (&w->low, __ATOMIC_RELAXED) || address >= __atomic_load_n (&w->high, __ATOMIC_RELAXED))
    return 0;
  for (uintptr_t page = address >> ACCSCOPE_WATCH_PAGE_BITS; page <= last >> ACCSCOPE_WATCH_PAGE_BITS; page++)
    if (__atomic_load_n (&w->pages[page % ACCSCOPE_WATCH_PAGES], __ATOMIC_RELAXED))
      return 1;
  return 0;
}

static inline void
seen (const volatile void *place, size_t bytes, enum accscope_host_access how, uintptr_t returned)
{
  const uintptr_t address = (uintptr_t) place;

  if (__builtin_expect (is_watched (address, bytes), 0))
    accscope_watched.tell (address, bytes, how, returned);
}

/* Whether code is of a part of the program that was compiled with -fsanitize=thread.  */
int accscope_is_instrumented (uintptr_t code);

#endif
