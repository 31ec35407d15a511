/* GOMP_DEBUG=1: a line on standard error for each entry point called, as users
   of GCC's runtime know it.  */
#ifndef ACCSCOPE_TRACE_H
#define ACCSCOPE_TRACE_H

#include "engine.h"

/* Whether GOMP_DEBUG asked for the trace; set before the program's first call. */
extern int accscope_trace_on;

void accscope_trace (const char *entry, const struct accscope_construct *c);

#define TRACE(entry, c) \
  do { if (__builtin_expect (accscope_trace_on, 0)) accscope_trace (entry, c); } while (0)

#endif
