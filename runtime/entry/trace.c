#include <stdio.h>
#include <stdlib.h>

#include "trace.h"

int accscope_trace_on;

__attribute__ ((constructor)) static void
read_setting (void)
{
  const char *text = getenv ("GOMP_DEBUG");

  accscope_trace_on = text != NULL && atoi (text) > 0;
}

void
accscope_trace (const char *entry, const struct accscope_construct *c)
{
  fprintf (stderr, "accscope: %s: mapnum=%zu, async=%d, waits=%d%s\n", entry, c->entries,
	   c->async, c->waits, c->flags & 1 ? ", on the host" : "");
  for (size_t i = 0; i < c->entries; i++)
    fprintf (stderr, "accscope:   [%zu] hostaddr=%p, size=%zu, kind=0x%x\n", i, c->hostaddrs[i],
	     c->sizes[i], c->kinds[i]);
}
