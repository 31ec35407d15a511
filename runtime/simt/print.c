/* The device's vprintf (CUDA C++ Programming Guide, "Formatted Output"): values lie behind
   each other in memory, each aligned as its size is.  */
#include "warp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where one lane's text comes from and goes to.  */
struct printing
{
  struct warp *w;
  struct group *g;
  unsigned lane;
  uint64_t values;		/* where the next one is */
  FILE *out;
};

/* %[flags][width][.precision][length]kind.  */
struct conversion
{
  char flags[6];		/* each once */
  int width, precision;		/* precision -1: none */
  unsigned bytes;		/* that the value is cut to */
  char kind;
};

/* Wider than this no field becomes.  */
#define WIDEST 65535

/* The next value of so many bytes; 0: a fault was told.  */
static int
value (struct printing *p, void *to, unsigned size)
{
  const char *at;

  p->values = (p->values + size - 1) & ~(uint64_t) (size - 1);
  if (!(at = accscope_simt_place (p->w, p->g, p->values, p->lane, size, 0)))
    return 0;
  memcpy (to, at, size);
  p->values += size;
  return 1;
}

/* The text at an address of the device's, up to its end or so many bytes, as memory of the
   caller's; NULL: a fault was told.  */
static char *
text (struct printing *p, uint64_t address, size_t most)
{
  size_t count = 0, room = 0;
  char *copy = NULL;

  for (;; count++)
    {
      const char *at = NULL;

      if (count == room)
	{
	  char *more = realloc (copy, room = 2 * room + 64);

	  if (!more)
	    {
	      accscope_simt_tell (p->w, p->g, SIMT_NO_MEMORY, p->lane, 0, 0, 0);
	      break;
	    }
	  copy = more;
	}
      if (count < most && !(at = accscope_simt_place (p->w, p->g, address + count, p->lane, 1, 0)))
	break;
      copy[count] = at ? *at : 0;
      if (copy[count] == 0)
	return copy;
    }
  free (copy);
  return NULL;
}

/* A number of the format, or, for a *, of the values; 0: a fault was told.  */
static int
number (struct printing *p, const char **at, int *n)
{
  int32_t given;

  *n = 0;
  if (**at == '*')
    {
      ++*at;
      if (!value (p, &given, sizeof given))
	return 0;
      *n = given < -WIDEST ? -WIDEST : given > WIDEST ? WIDEST : given;
      return 1;
    }
  for (; **at >= '0' && **at <= '9'; ++*at)
    if ((*n = 10 * *n + (**at - '0')) > WIDEST)
      *n = WIDEST;
  return 1;
}

/* Reads a conversion behind its %; 0: a fault was told.  */
static int
conversion (struct printing *p, const char **at, struct conversion *c)
{
  size_t flags = 0;

  *c = (struct conversion) { .precision = -1, .bytes = 4 };
  for (; **at && strchr ("-+ #0", **at); ++*at)
    if (!strchr (c->flags, **at))
      c->flags[flags++] = **at;
  if (!number (p, at, &c->width))
    return 0;
  if (**at == '.')
    {
      ++*at;
      if (!number (p, at, &c->precision))
	return 0;
    }
  for (; **at && strchr ("hlLqjzt", **at); ++*at)
    c->bytes = **at != 'h' ? 8 : c->bytes == 4 ? 2 : 1;
  c->kind = **at;
  return 1;
}

/* Shows one value; 0: a fault was told.  */
static int
show (struct printing *p, const struct conversion *c)
{
  const int is_signed = strchr ("di", c->kind) != NULL, is_float = strchr ("fFeEgGaA", c->kind) != NULL;
  char format[sizeof c->flags + 8], *shown;
  uint64_t bits = 0;
  double number;
  uint32_t half;

  snprintf (format, sizeof format, "%%%s*.*%s%c", c->flags, strchr ("diouxX", c->kind) ? "ll" : "", c->kind);
  if (is_float)
    {
      if (!value (p, &number, sizeof number))
	return 0;
      fprintf (p->out, format, c->width, c->precision, number);
      return 1;
    }
  if (c->kind == 's')
    {
      if (!value (p, &bits, sizeof bits)
	  || !(shown = bits ? text (p, bits, c->precision < 0 ? SIZE_MAX : (size_t) c->precision) : strdup ("(null)")))
	return 0;
      fprintf (p->out, format, c->width, c->precision, shown);
      free (shown);
      return 1;
    }
  if (c->kind == 'p' || (c->kind != 'c' && c->bytes == 8))
    {
      if (!value (p, &bits, sizeof bits))
	return 0;
    }
  else
    {
      if (!value (p, &half, sizeof half))
	return 0;
      bits = half;
    }
  if (c->kind == 'p')
    fprintf (p->out, format, c->width, c->precision, (void *) bits);
  else if (c->kind == 'c')
    fprintf (p->out, format, c->width, c->precision, (int) bits);
  else
    {
      const unsigned unused = 64 - 8 * c->bytes;

      bits = is_signed ? (uint64_t) ((int64_t) (bits << unused) >> unused) : bits << unused >> unused;
      fprintf (p->out, format, c->width, c->precision, bits);
    }
  return 1;
}

/* Puts the format and its values together; 0: a fault was told.  */
static int
compose (struct printing *p, const char *format, int64_t *count)
{
  struct conversion c;

  while (*format)
    {
      const char *begin = format;

      if (*format++ != '%')
	{
	  putc (*begin, p->out);
	  continue;
	}
      if (!conversion (p, &format, &c))
	return 0;
      if (c.kind)
	format++;
      if (c.kind == '%')
	putc ('%', p->out);
      else if (!c.kind || !strchr ("diouxXcsfFeEgGaAp", c.kind))
	fwrite (begin, 1, (size_t) (format - begin), p->out);
      else if (++*count, !show (p, &c))
	return 0;
    }
  return 1;
}

/* The number of conversions, as the device gives it; INT64_MIN: a fault was told.  */
int64_t
accscope_simt_vprintf (struct warp *w, struct group *g, unsigned lane, uint64_t format, uint64_t values)
{
  struct printing p = { .w = w, .g = g, .lane = lane, .values = values };
  char *whole = NULL, *copy;
  size_t bytes = 0;
  int64_t count = 0;
  int is = 0;

  if (!format)
    return -1;
  if (!(copy = text (&p, format, SIZE_MAX)))
    return INT64_MIN;
  if ((p.out = open_memstream (&whole, &bytes)))
    {
      is = compose (&p, copy, &count);
      if (fclose (p.out) == 0 && is)
	fwrite (whole, 1, bytes, stdout);
      free (whole);
    }
  else
    accscope_simt_tell (w, g, SIMT_NO_MEMORY, lane, 0, 0, 0);
  free (copy);
  return is ? count : INT64_MIN;
}
