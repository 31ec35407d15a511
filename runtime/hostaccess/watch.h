/* What the library that takes the place of GCC's ThreadSanitizer and the runtime share: which
   of the program's memory is on a device, and who is told of the accesses to it.  */
#ifndef ACCSCOPE_HOSTACCESS_WATCH_H
#define ACCSCOPE_HOSTACCESS_WATCH_H

#include <stddef.h>
#include <stdint.h>

#define ACCSCOPE_WATCH_VERSION 1u
/* The lower bits of a page's number say which count is its own, and that of others.  */
#define ACCSCOPE_WATCH_PAGES (1u << 16)
#define ACCSCOPE_WATCH_PAGE_BITS 12

enum accscope_host_access { ACCSCOPE_HOST_READ, ACCSCOPE_HOST_WRITE, ACCSCOPE_HOST_FREE };

struct accscope_host_watch
{
  uint32_t version;		/* of this */
  uint32_t instrumented;	/* atomic: the program has called __tsan_init */
  uintptr_t low, high;		/* atomic: outside of [low, high) nothing is watched */
  /* Of memory in which something is watched, from any thread.  returned is where the access's
     call returns to.  */
  void (*tell) (uintptr_t address, size_t bytes, enum accscope_host_access how, uintptr_t returned);
  uint32_t pages[ACCSCOPE_WATCH_PAGES];	/* atomic: how many ranges of memory that is watched have one */
};

/* The library has one of this name.  The runtime fills in what is watched, and tell.  */
#define ACCSCOPE_HOST_WATCH "accscope_host_watch"

#endif
