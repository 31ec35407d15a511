/* The device's vprintf (CUDA C++ Programming Guide, "Formatted Output"): values lie behind
   each other in memory, each aligned as its size is.  */
#define _GNU_SOURCE
#include "warp.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text
{
  char *at;
  size_t count, room;
};

static int
put (struct text *t, const char *from, size_t bytes)
{
  if (t->count + bytes > t->room)
    {
      size_t room = 2 * (t->count + bytes);
      char *more = realloc (t->at, room);

      if (!more)
	return 0;
      t->at = more;
      t->room = room;
    }
  memcpy (t->at + t->count, from, bytes);
  t->count += bytes;
  return 1;
}


/* The next value of so many bytes.  */
static int
value (struct warp *w, struct group *g, unsigned lane, uint64_t *values, void *to, unsigned size)
{
  const char *at;

  *values = (*values + size - 1) & ~(uint64_t) (size - 1);
  if (!(at = accscope_simt_place (w, g, *values, lane, size, 0)))
    return 0;
  memcpy (to, at, size);
  *values += size;
  return 1;
}

/* A text of the device's memory, as far as max bytes.  */
static int
string (struct warp *w, struct group *g, unsigned lane, uint64_t address, struct text *t)
{
  for (;; address++)
    {
      const char *at = accscope_simt_place (w, g, address, lane, 1, 0);

      if (!at || !put (t, at, 1))
	return 0;
      if (*at == 0)
	return 1;
    }
}

/* Shows one value; 0: a fault was told.  */
static int
show (struct warp *w, struct group *g, unsigned lane, const char *c, char kind, int wide, uint64_t *values, struct text *out)
{
  char some[512];
  int n = 0;

  if (strchr ("fFeEgGaA", kind))
    {
      double d;

      if (!value (w, g, lane, values, &d, 8))
	return 0;
      n = snprintf (some, sizeof some, c, d);
    }
  else if (kind == 's')
    {
      uint64_t address;
      struct text t = { 0 };
      int is;

      if (!value (w, g, lane, values, &address, 8))
	return 0;
      if (address == 0)
	is = put (&t, "(null)", 7);
      else
	is = string (w, g, lane, address, &t);
      if (is)
	{
	  char *shown = NULL;

	  n = asprintf (&shown, c, t.at);
	  is = n >= 0 && put (out, shown, (size_t) n);
	  free (shown);
	}
      free (t.at);
      return is;
    }
  else if (wide || kind == 'p')
    {
      uint64_t v;

      if (!value (w, g, lane, values, &v, 8))
	return 0;
      n = snprintf (some, sizeof some, c, v);
    }
  else
    {
      uint32_t v;

      if (!value (w, g, lane, values, &v, 4))
	return 0;
      n = snprintf (some, sizeof some, c, v);
    }
  if (n < 0)
    return 1;
  return put (out, some, (size_t) n < sizeof some ? (size_t) n : sizeof some - 1);
}

/* The number of conversions, as the device gives it; INT64_MIN: a fault was told.  */
int64_t
accscope_simt_vprintf (struct warp *w, struct group *g, unsigned lane, uint64_t format, uint64_t values)
{
  static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
  struct text f = { 0 }, out = { 0 };
  int64_t count = 0;

  if (!string (w, g, lane, format, &f))
    goto fault;
  for (const char *at = f.at; *at;)
    {
      char c[64];
      size_t n = 0;
      int wide = 0;

      if (*at != '%' || at[1] == '%')
	{
	  if (!put (&out, at, 1))
	    goto fault;
	  at += *at == '%' ? 2 : 1;
	  continue;
	}
      c[n++] = *at++;
      for (; *at && strchr ("-+ #0123456789.*hlLqjzt", *at); at++)
	if (*at == '*')
	  {
	    int32_t v;

	    if (!value (w, g, lane, &values, &v, 4))
	      goto fault;
	    n += (size_t) snprintf (c + n, n < 40 ? sizeof c - n : 0, "%d", v);
	  }
	else
	  {
	    wide |= strchr ("lLqjzt", *at) != NULL;
	    if (n < 40)
	      c[n++] = *at;
	  }
      if (!*at)
	break;
      c[n++] = *at;
      c[n] = 0;
      if (!strchr ("diouxXcsfFeEgGaAp", *at))
	{
	  at++;
	  if (!put (&out, c, n))
	    goto fault;
	  continue;
	}
      count++;
      if (!show (w, g, lane, c, *at++, wide, &values, &out))
	goto fault;
    }
  pthread_mutex_lock (&one);
  fwrite (out.at, 1, out.count, stdout);
  pthread_mutex_unlock (&one);
  free (f.at);
  free (out.at);
  return count;
fault:
  free (f.at);
  free (out.at);
  return INT64_MIN;
}
