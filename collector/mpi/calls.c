/* calls.c - MPI's calls as spans of the profiler: each stands before MPI's own of the
   same name, and calls that.

   Arguments are handed on as they came, words that this file does not know the types of:
   all of them are integers or addresses, which C and Fortran pass alike.  Open MPI's
   Fortran interfaces (mpif.h and mpi, and mpi_f08 with _f08 behind the name) do not call
   C's, so they have functions of their own; MPICH's do, and then the outer call is told.  */
#define _GNU_SOURCE
#include "abi.h"
#include "calls.h"
#include "accscope_annotation.h"
#include <dlfcn.h>

#define EXPORTED __attribute__ ((visibility ("default")))

enum counting { ONE, EACH, ARRAY };

struct shape
{
  const char *name;
  unsigned char count, type, peer, tag, communicator, status, counting;
};

struct call
{
  const struct shape *shape;
  const intptr_t *words;
  enum language language;
  accscope_annotate_function *tell;	/* null: not this one */
  struct accscope_annotation annotation;
};

static __thread unsigned depth;		/* calls of MPI that call others */

static accscope_annotate_function *
profiler (void)
{
  static accscope_annotate_function *known;
  accscope_annotate_function *found = __atomic_load_n (&known, __ATOMIC_ACQUIRE);
  if (!found)
    {
      found = accscope_annotation_find ();
      __atomic_store_n (&known, found, __ATOMIC_RELEASE);
    }
  return found == accscope_annotate_nobody ? NULL : found;
}

/* MPI's own function.  A library of the program's may have been opened for itself.  */
static void *
find (const char *name)
{
  static const char *const libraries[] = { "libmpi.so.40", "libmpi_mpifh.so.40",
    "libmpi_usempif08.so.40", "libmpich.so.12", "libmpichfort.so.12" };
  void *found = dlsym (RTLD_NEXT, name);
  for (unsigned i = 0; !found && i < sizeof libraries / sizeof *libraries; i++)
    {
      void *library = dlopen (libraries[i], RTLD_LAZY | RTLD_NOLOAD);
      if (library)
	found = dlsym (library, name);
    }
  return found;
}

/* The n-th argument, an integer; Fortran gives its address.  */
static int
integer (const struct call *call, unsigned n)
{
  intptr_t word = call->words[n - 1];
  return call->language == LANGUAGE_FORTRAN ? *(const int *) word : (int) word;
}

static int64_t
elements (const struct call *call, int size)
{
  const struct shape *shape = call->shape;
  if (shape->counting != ARRAY)
    return (int64_t) integer (call, shape->count) * (shape->counting == EACH ? size : 1);
  const int *counts = (const int *) call->words[shape->count - 1];
  int64_t sum = 0;
  for (int i = 0; counts && i < size; i++)
    sum += counts[i];
  return sum;
}

static void
describe (struct call *call)
{
  const struct shape *shape = call->shape;
  struct accscope_annotation *a = &call->annotation;
  int size = 0;
  a->number = NO_PEER;
  if (!abi_active ())
    return;
  if (shape->communicator)
    a->communicator
      = abi_communicator (call->words[shape->communicator - 1], call->language, &size);
  if (shape->peer)
    a->number = abi_peer (call->words[shape->communicator - 1],
			  integer (call, shape->peer), call->language);
  if (shape->tag)
    a->tag = integer (call, shape->tag);
  if (shape->count)
    a->bytes = (uint64_t) (elements (call, size)
			   * abi_size (call->words[shape->type - 1], call->language));
}

static void
enter (struct call *call, const struct shape *shape, const intptr_t *words,
       enum language language, void *caller)
{
  call->tell = NULL;
  if (depth++ || !(call->tell = profiler ()))
    return;
  call->shape = shape;
  call->words = words;
  call->language = language;
  memset (&call->annotation, 0, sizeof call->annotation);
  call->annotation.size = sizeof call->annotation;
  call->annotation.kind = ACCSCOPE_MPI_START;
  call->annotation.name = shape->name;
  call->annotation.caller = (uintptr_t) caller;
  describe (call);
  call->tell (&call->annotation);
}

static void
leave (struct call *call)
{
  depth--;
  if (!call->tell)
    return;
  int rank;
  int64_t bytes;
  struct accscope_annotation *a = &call->annotation;
  const struct shape *shape = call->shape;
  a->kind = ACCSCOPE_MPI_END;
  if (shape->status && call->language == LANGUAGE_C && a->number != NO_PEER && abi_active ()
      && abi_received (call->words[shape->status - 1], call->words[shape->type - 1], &rank, &bytes))
    {
      a->number = abi_peer (call->words[shape->communicator - 1], rank, LANGUAGE_C);
      a->bytes = (uint64_t) bytes;
    }
  else
    a->name = NULL;	/* nothing but the time */
  call->tell (a);
}

/* The sending half of a call that also receives, as a call of its own inside.  */
static void
tell_sent (const struct call *outer, unsigned char count, unsigned char type,
	   unsigned char peer, unsigned char tag)
{
  const struct shape shape = { "MPI_Sendrecv (send)", count, type, peer, tag,
    outer->shape->communicator, 0, ONE };
  struct call call = *outer;
  if (!outer->tell)
    return;
  call.shape = &shape;
  call.annotation.kind = ACCSCOPE_MPI_START;
  call.annotation.name = shape.name;
  describe (&call);
  call.tell (&call.annotation);
  call.annotation.kind = ACCSCOPE_MPI_END;
  call.annotation.name = NULL;
  call.tell (&call.annotation);
}

static void
also_sends (const struct call *call)
{
  if (strcmp (call->tell ? call->shape->name : "", "MPI_Sendrecv") == 0)
    tell_sent (call, 2, 3, 4, 5);
  else if (strcmp (call->tell ? call->shape->name : "", "MPI_Sendrecv_replace") == 0)
    tell_sent (call, 2, 3, 4, 5);
}

#define WORDS_0 void
#define WORDS_1 intptr_t a1
#define WORDS_2 WORDS_1, intptr_t a2
#define WORDS_3 WORDS_2, intptr_t a3
#define WORDS_4 WORDS_3, intptr_t a4
#define WORDS_5 WORDS_4, intptr_t a5
#define WORDS_6 WORDS_5, intptr_t a6
#define WORDS_7 WORDS_6, intptr_t a7
#define WORDS_8 WORDS_7, intptr_t a8
#define WORDS_9 WORDS_8, intptr_t a9
#define WORDS_10 WORDS_9, intptr_t a10
#define WORDS_11 WORDS_10, intptr_t a11
#define WORDS_12 WORDS_11, intptr_t a12
#define WORDS_13 WORDS_12, intptr_t a13
#define NAMES_0
#define NAMES_1 a1
#define NAMES_2 NAMES_1, a2
#define NAMES_3 NAMES_2, a3
#define NAMES_4 NAMES_3, a4
#define NAMES_5 NAMES_4, a5
#define NAMES_6 NAMES_5, a6
#define NAMES_7 NAMES_6, a7
#define NAMES_8 NAMES_7, a8
#define NAMES_9 NAMES_8, a9
#define NAMES_10 NAMES_9, a10
#define NAMES_11 NAMES_10, a11
#define NAMES_12 NAMES_11, a12
#define NAMES_13 NAMES_12, a13
#define MORE_0 1
#define MORE_1 2
#define MORE_2 3
#define MORE_3 4
#define MORE_4 5
#define MORE_5 6
#define MORE_6 7
#define MORE_7 8
#define MORE_8 9
#define MORE_9 10
#define MORE_12 13
#define JOIN(a, b) a##b
#define EXPAND(macro, n) JOIN (macro, n)

enum { UNKNOWN_FUNCTION = 16 };	/* MPI_ERR_OTHER or alike: an error to both */

#define STAND_BEFORE(n, symbol, shape, language) \
  EXPORTED intptr_t symbol (EXPAND (WORDS_, n)); \
  intptr_t \
  symbol (EXPAND (WORDS_, n)) \
  { \
    static intptr_t (*next) (EXPAND (WORDS_, n)); \
    const intptr_t words[] = { EXPAND (NAMES_, n) }; \
    struct call call; \
    if (!next) \
      next = (intptr_t (*) (EXPAND (WORDS_, n))) find (#symbol); \
    if (!next) \
      return UNKNOWN_FUNCTION; \
    enter (&call, &shape, words, language, __builtin_return_address (0)); \
    also_sends (&call); \
    intptr_t result = next (EXPAND (NAMES_, n)); \
    leave (&call); \
    return result; \
  }

#define CALL(n, name, lower, count, type, peer, tag, communicator, status, counting) \
  static const struct shape shape_##name \
    = { "MPI_" #name, count, type, peer, tag, communicator, status, counting }; \
  STAND_BEFORE (n, MPI_##name, shape_##name, LANGUAGE_C) \
  STAND_BEFORE (EXPAND (MORE_, n), mpi_##lower##_, shape_##name, LANGUAGE_FORTRAN) \
  STAND_BEFORE (EXPAND (MORE_, n), mpi_##lower##_f08_, shape_##name, LANGUAGE_FORTRAN)

CALLS (CALL)

/* Whose languages have different arguments.  */
static const struct shape shape_Init = { .name = "MPI_Init" };
static const struct shape shape_Init_thread = { .name = "MPI_Init_thread" };
static const struct shape shape_Finalize = { .name = "MPI_Finalize" };
STAND_BEFORE (2, MPI_Init, shape_Init, LANGUAGE_C)
STAND_BEFORE (1, mpi_init_, shape_Init, LANGUAGE_FORTRAN)
STAND_BEFORE (1, mpi_init_f08_, shape_Init, LANGUAGE_FORTRAN)
STAND_BEFORE (4, MPI_Init_thread, shape_Init_thread, LANGUAGE_C)
STAND_BEFORE (3, mpi_init_thread_, shape_Init_thread, LANGUAGE_FORTRAN)
STAND_BEFORE (3, mpi_init_thread_f08_, shape_Init_thread, LANGUAGE_FORTRAN)
STAND_BEFORE (1, mpi_finalize_, shape_Finalize, LANGUAGE_FORTRAN)
STAND_BEFORE (1, mpi_finalize_f08_, shape_Finalize, LANGUAGE_FORTRAN)

EXPORTED int MPI_Finalize (void);
int
MPI_Finalize (void)
{
  static int (*next) (void);
  struct call call;
  if (!next)
    next = (int (*) (void)) find ("MPI_Finalize");
  if (!next)
    return UNKNOWN_FUNCTION;
  enter (&call, &shape_Finalize, NULL, LANGUAGE_C, __builtin_return_address (0));
  int result = next ();
  leave (&call);
  return result;
}
