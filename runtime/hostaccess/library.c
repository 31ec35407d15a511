/* Functions of the C library and of Fortran's that read and write the program's memory: GCC
   marks no access inside them.  Where a part of the program that was compiled with
   -fsanitize=thread calls one, the accesses are told of; then it is called.  */
#define _GNU_SOURCE
#include "seen.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* The function of the same name behind this library; NULL where it cannot be looked for: dlsym
   itself has called this one.  */
static __thread volatile int looking; /* dlsym is declared as one that calls nothing here */

static void *
look (const char *name)
{
  void *found = NULL;

  if (!looking)
    {
      looking = 1;
      found = dlsym (RTLD_NEXT, name);
      looking = 0;
    }
  return found;
}

#define ARGUMENTS(...) __VA_ARGS__
#define NEXT(TYPE, NAME, PARAMETERS) \
  static TYPE (*next_##NAME) (ARGUMENTS PARAMETERS); \
  static inline TYPE (*behind_##NAME (void)) (ARGUMENTS PARAMETERS) \
  { \
    if (!__atomic_load_n (&next_##NAME, __ATOMIC_RELAXED)) \
      __atomic_store_n (&next_##NAME, __extension__ (TYPE (*) (ARGUMENTS PARAMETERS)) look (#NAME), __ATOMIC_RELAXED); \
    return next_##NAME; \
  }

static void
used (const void *place, size_t bytes, enum accscope_host_access how, uintptr_t returned)
{
  if (bytes && is_watched ((uintptr_t) place, bytes) && accscope_is_instrumented (returned))
    accscope_watched.tell ((uintptr_t) place, bytes, how, returned);
}

/* The loader and dlsym may call these before they can be found: what stands here then does the
   same, slowly.  */
NEXT (void *, memmove, (void *, const void *, size_t))
NEXT (void *, memcpy, (void *, const void *, size_t))
NEXT (void *, memset, (void *, int, size_t))

static void *
move_bytes (void *to, const void *from, size_t bytes)
{
  volatile unsigned char *t = to; /* else the compiler makes it a call of memmove */
  const unsigned char *f = from;

  if ((uintptr_t) to < (uintptr_t) from)
    for (size_t n = 0; n < bytes; n++)
      t[n] = f[n];
  else
    while (bytes--)
      t[bytes] = f[bytes];
  return to;
}

static void *
set_bytes (void *to, int value, size_t bytes)
{
  volatile unsigned char *t = to;

  for (size_t n = 0; n < bytes; n++)
    t[n] = (unsigned char) value;
  return to;
}

EXPORT void *memcpy (void *restrict to, const void *restrict from, size_t bytes);
void *
memcpy (void *restrict to, const void *restrict from, size_t bytes)
{
  used (from, bytes, ACCSCOPE_HOST_READ, RETURNED);
  used (to, bytes, ACCSCOPE_HOST_WRITE, RETURNED);
  return behind_memcpy () ? next_memcpy (to, from, bytes) : move_bytes (to, from, bytes);
}

EXPORT void *memmove (void *to, const void *from, size_t bytes);
void *
memmove (void *to, const void *from, size_t bytes)
{
  used (from, bytes, ACCSCOPE_HOST_READ, RETURNED);
  used (to, bytes, ACCSCOPE_HOST_WRITE, RETURNED);
  return behind_memmove () ? next_memmove (to, from, bytes) : move_bytes (to, from, bytes);
}

EXPORT void *memset (void *to, int value, size_t bytes);
void *
memset (void *to, int value, size_t bytes)
{
  used (to, bytes, ACCSCOPE_HOST_WRITE, RETURNED);
  return behind_memset () ? next_memset (to, value, bytes) : set_bytes (to, value, bytes);
}

/* Memory that is given back may serve for something else.  */
NEXT (void, free, (void *))
EXPORT void free (void *);
void
free (void *place)
{
  if (place && is_watched ((uintptr_t) place, 1))
    accscope_watched.tell ((uintptr_t) place, malloc_usable_size (place), ACCSCOPE_HOST_FREE, RETURNED);
  if (behind_free ())
    next_free (place);	/* else it is lost, a few bytes of dlsym's */
}

NEXT (void *, realloc, (void *, size_t))
EXPORT void *realloc (void *, size_t);
void *
realloc (void *place, size_t bytes)
{
  if (place && is_watched ((uintptr_t) place, 1))
    accscope_watched.tell ((uintptr_t) place, malloc_usable_size (place), ACCSCOPE_HOST_FREE, RETURNED);
  return behind_realloc () (place, bytes);
}

NEXT (int, memcmp, (const void *, const void *, size_t))
EXPORT int memcmp (const void *, const void *, size_t);
int
memcmp (const void *a, const void *b, size_t bytes)
{
  const unsigned char *left = a, *right = b;

  used (a, bytes, ACCSCOPE_HOST_READ, RETURNED);
  used (b, bytes, ACCSCOPE_HOST_READ, RETURNED);
  if (behind_memcmp ())
    return next_memcmp (a, b, bytes);
  for (size_t n = 0; n < bytes; n++)
    if (left[n] != right[n])
      return left[n] - right[n];
  return 0;
}

NEXT (ssize_t, write, (int, const void *, size_t))
EXPORT ssize_t write (int, const void *, size_t);
ssize_t
write (int file, const void *from, size_t bytes)
{
  used (from, bytes, ACCSCOPE_HOST_READ, RETURNED);
  return behind_write () (file, from, bytes);
}

NEXT (ssize_t, pwrite, (int, const void *, size_t, off_t))
EXPORT ssize_t pwrite (int, const void *, size_t, off_t);
ssize_t
pwrite (int file, const void *from, size_t bytes, off_t at)
{
  used (from, bytes, ACCSCOPE_HOST_READ, RETURNED);
  return behind_pwrite () (file, from, bytes, at);
}

NEXT (ssize_t, read, (int, void *, size_t))
EXPORT ssize_t read (int, void *, size_t);
ssize_t
read (int file, void *to, size_t bytes)
{
  ssize_t count = behind_read () (file, to, bytes);

  if (count > 0)
    used (to, (size_t) count, ACCSCOPE_HOST_WRITE, RETURNED);
  return count;
}

NEXT (ssize_t, pread, (int, void *, size_t, off_t))
EXPORT ssize_t pread (int, void *, size_t, off_t);
ssize_t
pread (int file, void *to, size_t bytes, off_t at)
{
  ssize_t count = behind_pread () (file, to, bytes, at);

  if (count > 0)
    used (to, (size_t) count, ACCSCOPE_HOST_WRITE, RETURNED);
  return count;
}

NEXT (size_t, fwrite, (const void *, size_t, size_t, FILE *))
EXPORT size_t fwrite (const void *, size_t, size_t, FILE *);
size_t
fwrite (const void *from, size_t size, size_t count, FILE *file)
{
  used (from, size * count, ACCSCOPE_HOST_READ, RETURNED);
  return behind_fwrite () (from, size, count, file);
}

NEXT (size_t, fread, (void *, size_t, size_t, FILE *))
EXPORT size_t fread (void *, size_t, size_t, FILE *);
size_t
fread (void *to, size_t size, size_t count, FILE *file)
{
  size_t got = behind_fread () (to, size, count, file);

  used (to, size * got, ACCSCOPE_HOST_WRITE, RETURNED);
  return got;
}

/* Items of Fortran's read and write statements: (the statement, the place, the kind).  */
#define ITEM(NAME, BYTES, HOW) \
  NEXT (void, NAME, (void *, void *, int)) \
  EXPORT void NAME (void *, void *, int); \
  void NAME (void *statement, void *place, int kind) \
  { \
    if (HOW == ACCSCOPE_HOST_READ) \
      used (place, BYTES, HOW, RETURNED); \
    behind_##NAME () (statement, place, kind); \
    if (HOW == ACCSCOPE_HOST_WRITE) \
      used (place, BYTES, HOW, RETURNED); \
  }
#define ITEMS(TYPE, BYTES) \
  ITEM (_gfortran_transfer_##TYPE, BYTES, ACCSCOPE_HOST_WRITE) \
  ITEM (_gfortran_transfer_##TYPE##_write, BYTES, ACCSCOPE_HOST_READ)

/* A real of kind 10 has 16 bytes.  */
#define BYTES_OF_REAL (size_t) (kind == 10 ? 16 : kind)
ITEMS (integer, (size_t) kind)
ITEMS (logical, (size_t) kind)
ITEMS (character, (size_t) kind)
ITEMS (real, BYTES_OF_REAL)
ITEMS (complex, 2 * BYTES_OF_REAL)
