/* calls.c - MPI's calls as spans of the profiler: each stands before MPI's own of the
   same name, and calls that.

   Arguments are handed on as they came, words that this file does not know the types of:
   all of them are integers or addresses, which C and Fortran pass alike.  Open MPI's
   Fortran interfaces (mpif.h and mpi, and mpi_f08 with _f08 behind the name) do not call
   C's, so they have functions of their own; MPICH's do, and then the outer call is told.
   MPICH's of mpi_f08 that have a buffer have _f08ts behind the name.  */
#define _GNU_SOURCE
#include "abi.h"
#include "calls.h"
#include "persistent.h"
#include "accscope_annotation.h"
#include <dlfcn.h>
#include <link.h>

#define EXPORTED __attribute__ ((visibility ("default")))

enum counting { ONE, EACH, ARRAY, OWN, TYPES, SINGLE };

/* Which arguments say how much there is.  */
struct amount
{
  unsigned char count, type, counting;
};

struct shape
{
  const char *name;
  struct amount amount, in_place;
  unsigned char in_place_buffer, peer, tag, communicator, status;
  unsigned char window, makes_window, by_address, takes, found, persists, frees;
  struct { unsigned char requests, count; } starts;
  struct { unsigned char count, type, peer, tag; } sends;
};

struct call
{
  const struct shape *shape;
  const intptr_t *words;
  enum language language;
  int concerned;
  accscope_annotate_function *tell;	/* null: not this one */
  struct accscope_annotation annotation;
  uint64_t persistent_bytes;		/* of a message that is to be started */
};

/* Calls of MPI that call others.  By its name it is one in a process that has both of
   our libraries.  */
EXPORTED __thread unsigned accscope_mpi_depth;

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

/* One of the libraries of an MPI that are loaded, by its number from 0.  */
struct search
{
  unsigned skip;
  char path[4096];	/* empty: there is none of that number */
};

static int
is_it (struct dl_phdr_info *loaded, size_t size, void *data)
{
  struct search *search = data;
  const char *path = loaded->dlpi_name, *slash = path ? strrchr (path, '/') : NULL;
  (void) size;
  if (!path || strncmp (slash ? slash + 1 : path, "libmpi", 6) != 0
      || strlen (path) >= sizeof search->path || search->skip-- > 0)
    return 0;
  strcpy (search->path, path);
  return 1;
}

/* MPI's own function.  A library of the program's may have been opened for itself.  */
static void *
find (const char *name)
{
  void *found = dlsym (RTLD_NEXT, name);
  for (unsigned number = 0; !found; number++)
    {
      struct search search = { .skip = number };
      dl_iterate_phdr (is_it, &search);
      if (!search.path[0])
	break;
      void *library = dlopen (search.path, RTLD_LAZY | RTLD_NOLOAD);
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
  return call->language == LANGUAGE_C ? (int) word : *(const int *) word;
}

/* The group that the call's peers are of.  */
static struct abi_group
group_of (const struct call *call)
{
  const struct shape *shape = call->shape;
  enum language language = call->language;
  if (!shape->communicator)
    return (struct abi_group) { 0 };
  if (shape->by_address && language == LANGUAGE_C)
    language = LANGUAGE_C_ADDRESS;
  intptr_t word = call->words[shape->communicator - 1];
  return shape->window ? abi_window (word, language) : abi_communicator (word, language);
}

static int64_t
elements (const struct call *call, const struct amount *amount, const struct abi_group *group)
{
  const int *counts = (const int *) call->words[amount->count - 1];
  int64_t sum = 0;
  switch (amount->counting)
    {
    case EACH:
      return (int64_t) integer (call, amount->count) * group->size;
    case ARRAY:
      for (int i = 0; counts && i < group->size; i++)
	sum += counts[i];
      return sum;
    case OWN:
      return counts && group->size > 0 ? counts[group->rank] : 0;
    }
  return integer (call, amount->count);
}

/* Where each count has a datatype of its own.  */
static int64_t
bytes_of_types (const struct call *call, const struct amount *amount, int size)
{
  const int *counts = (const int *) call->words[amount->count - 1];
  int64_t sum = 0;
  for (int i = 0; counts && i < size; i++)
    if (counts[i] > 0)
      sum += counts[i] * abi_size_at (call->words[amount->type - 1], i, call->language);
  return sum;
}

/* The bytes of a call; 0 where MPI does not look at what says so.  */
static int64_t
bytes_of (const struct call *call, const struct abi_group *group)
{
  const struct shape *shape = call->shape;
  const struct amount *amount = &shape->amount;
  int collective = shape->tag == 0;
  if (shape->in_place_buffer
      && abi_in_place (call->words[shape->in_place_buffer - 1], call->language))
    amount = &shape->in_place;
  /* Which group sends, and what of the arguments counts, is different for each call.  */
  if (!amount->type || (collective && group->inter))
    return 0;
  if (amount->counting == TYPES)
    return bytes_of_types (call, amount, group->size);
  int64_t count = amount->counting == SINGLE ? 1 : elements (call, amount, group);
  return count > 0 ? count * abi_size (call->words[amount->type - 1], call->language) : 0;
}

static void
describe (struct call *call)
{
  const struct shape *shape = call->shape;
  struct accscope_annotation *a = &call->annotation;
  a->number = NO_PEER;
  if (!abi_active ())
    return;
  struct abi_group group = group_of (call);
  a->communicator = group.number;
  if (shape->peer)
    a->number = abi_peer (&group, integer (call, shape->peer));
  if (shape->tag)
    a->tag = integer (call, shape->tag);
  a->bytes = (uint64_t) bytes_of (call, &group);
}

static void
enter (struct call *call, const struct shape *shape, const intptr_t *words,
       enum language language, void *caller)
{
  call->tell = NULL;
  call->concerned = abi_concerned ();
  if (!call->concerned || accscope_mpi_depth++ || !(call->tell = profiler ()))
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
  call->persistent_bytes = call->annotation.bytes;
  if (shape->persists)
    call->annotation.bytes = 0;	/* until it is started */
  call->tell (&call->annotation);
}

/* A part of a call as one of its own, inside.  */
static void
tell_part (struct call *part)
{
  part->annotation.kind = ACCSCOPE_MPI_START;
  part->tell (&part->annotation);
  part->annotation.kind = ACCSCOPE_MPI_END;
  part->annotation.name = NULL;
  part->tell (&part->annotation);
}

/* What is known only where MPI has succeeded: whose message came, how long it is, and
   what there is from here on.  Says whether that is more than the start told.  */
static int
completed (struct call *call)
{
  const struct shape *shape = call->shape;
  struct accscope_annotation *a = &call->annotation;
  enum language of_result = call->language == LANGUAGE_C ? LANGUAGE_C_ADDRESS : call->language;
  int rank;
  int64_t bytes;
  if (!abi_active ())
    return 0;
  if (shape->makes_window)
    abi_window (call->words[shape->makes_window - 1], of_result);
  if (shape->persists)
    {
      a->bytes = call->persistent_bytes;
      persistent_keep (abi_request_at (call->words[shape->persists - 1], 0, call->language), a,
		       strcmp (shape->name, "MPI_Recv_init") == 0);
      return 0;
    }
  if (!shape->status || a->number == NO_PEER
      || (shape->found && !*(const int *) call->words[shape->found - 1]))
    return 0;
  int told = abi_received (call->words[shape->status - 1], call->language, &rank, &bytes);
  if (told)
    {
      struct abi_group group = group_of (call);
      a->number = abi_peer (&group, rank);
      a->bytes = (uint64_t) bytes;
    }
  if (!shape->takes)
    return told;
  struct call part = *call;
  part.annotation.name = "MPI_Mprobe (receive)";
  part.annotation.bytes = 0;
  tell_part (&part);
  return 0;
}

static void
leave (struct call *call, int succeeded)
{
  if (call->concerned)
    accscope_mpi_depth--;
  if (!call->tell)
    return;
  call->annotation.kind = ACCSCOPE_MPI_END;
  if (!succeeded || !completed (call))
    call->annotation.name = NULL;	/* nothing but the time */
  call->tell (&call->annotation);
}

/* What a call that also receives sends.  */
static void
tell_sent (const struct call *outer)
{
  const struct shape *all = outer->shape;
  const struct shape shape = { .name = "MPI_Sendrecv (send)", .peer = all->sends.peer,
    .amount = { all->sends.count, all->sends.type, ONE }, .tag = all->sends.tag,
    .communicator = all->communicator };
  struct call part = *outer;
  part.shape = &shape;
  part.annotation.name = shape.name;
  describe (&part);
  tell_part (&part);
}

/* What requests that are started again send and receive.  */
static void
tell_started (const struct call *outer)
{
  const struct shape *shape = outer->shape;
  int count = shape->starts.count ? integer (outer, shape->starts.count) : 1;
  if (!abi_active ())
    return;
  for (int i = 0; i < count; i++)
    {
      struct call part = *outer;
      int receives;
      intptr_t request = abi_request_at (outer->words[shape->starts.requests - 1], i, outer->language);
      if (!persistent_find (request, &part.annotation, &receives))
	continue;
      part.annotation.name = receives ? "MPI_Start (receive)" : "MPI_Start (send)";
      part.annotation.caller = outer->annotation.caller;
      tell_part (&part);
    }
}

static void
tell_parts (const struct call *call)
{
  if (call->tell && call->shape->sends.peer)
    tell_sent (call);
  if (call->tell && call->shape->starts.requests)
    tell_started (call);
  if (call->tell && call->shape->frees && abi_active ())
    persistent_forget (abi_request_at (call->words[call->shape->frees - 1], 0, call->language));
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
#define LIST(...) __VA_ARGS__

enum { SUCCESS = 0, UNKNOWN_FUNCTION = 16 };	/* MPI_ERR_OTHER or alike: an error to both */

/* Where Fortran's call puts its error, its last argument; null: the program left it out.  */
static int *
error_of (const intptr_t *words, unsigned n)
{
  return (int *) words[n - 1];
}

static intptr_t
unknown (const intptr_t *words, unsigned n, enum language language)
{
  if (language != LANGUAGE_C && error_of (words, n))
    *error_of (words, n) = UNKNOWN_FUNCTION;
  return UNKNOWN_FUNCTION;
}

/* Where Fortran's program does not ask, errors end it.  */
static int
succeeded (intptr_t result, const intptr_t *words, unsigned n, enum language language)
{
  if (language == LANGUAGE_C)
    return (int) result == SUCCESS;
  return !error_of (words, n) || *error_of (words, n) == SUCCESS;
}

#define STAND_BEFORE(symbol, shape, language, parameters, arguments) \
  EXPORTED intptr_t symbol parameters; \
  intptr_t \
  symbol parameters \
  { \
    static intptr_t (*next) parameters; \
    const intptr_t words[] = { LIST arguments }; \
    const unsigned n = sizeof words / sizeof (intptr_t); \
    struct call call; \
    if (!next) \
      next = (intptr_t (*) parameters) find (#symbol); \
    if (!next) \
      return unknown (words, n, language); \
    enter (&call, &shape, words, language, __builtin_return_address (0)); \
    tell_parts (&call); \
    intptr_t result = next arguments; \
    leave (&call, succeeded (result, words, n, language)); \
    return result; \
  }
#define OF_C(n, symbol, shape) \
  STAND_BEFORE (symbol, shape, LANGUAGE_C, (WORDS_##n), (NAMES_##n))
/* With one argument more than C's.  */
#define OF_FORTRAN(n, symbol, shape, language) \
  STAND_BEFORE (symbol, shape, language, (WORDS_##n, intptr_t error), (NAMES_##n, error))

#define IN_PLACE(buffer, count, type, counting) \
  .in_place_buffer = buffer, .in_place = { count, type, counting }
#define SENDS(count_, type_, peer_, tag_) .sends = { count_, type_, peer_, tag_ }
#define WINDOW .window = 1
#define MAKES_WINDOW(argument) .makes_window = argument
#define BY_ADDRESS .by_address = 1
#define TAKES(argument) .takes = 1, .found = argument
#define PERSISTS(argument) .persists = argument
#define FREES(argument) .frees = argument
#define STARTS(count_, requests_) .starts = { .requests = requests_, .count = count_ }
#define CALL(n, c_name, lower, count_, type_, peer_, tag_, communicator_, status_, counting_, ...) \
  static const struct shape shape_##c_name \
    = { .name = "MPI_" #c_name, .amount = { count_, type_, counting_ }, .peer = peer_, \
	.tag = tag_, .communicator = communicator_, .status = status_, __VA_ARGS__ }; \
  OF_C (n, MPI_##c_name, shape_##c_name) \
  OF_FORTRAN (n, mpi_##lower##_, shape_##c_name, LANGUAGE_FORTRAN) \
  OF_FORTRAN (n, mpi_##lower##_f08_, shape_##c_name, LANGUAGE_FORTRAN) \
  OF_FORTRAN (n, mpi_##lower##_f08ts_, shape_##c_name, LANGUAGE_DESCRIPTORS)

CALLS (CALL)

/* What the modules call where the program gives a C pointer.  */
OF_FORTRAN (6, mpi_win_allocate_cptr_, shape_Win_allocate, LANGUAGE_FORTRAN)
OF_FORTRAN (6, mpi_win_allocate_shared_cptr_, shape_Win_allocate_shared, LANGUAGE_FORTRAN)

/* Whose languages have different arguments.  */
#define ONLY_ERROR(symbol, shape) \
  STAND_BEFORE (symbol, shape, LANGUAGE_FORTRAN, (intptr_t error), (error))
static const struct shape shape_Init = { .name = "MPI_Init" };
static const struct shape shape_Init_thread = { .name = "MPI_Init_thread" };
static const struct shape shape_Finalize = { .name = "MPI_Finalize" };
OF_C (2, MPI_Init, shape_Init)
ONLY_ERROR (mpi_init_, shape_Init)
ONLY_ERROR (mpi_init_f08_, shape_Init)
OF_C (4, MPI_Init_thread, shape_Init_thread)
OF_FORTRAN (2, mpi_init_thread_, shape_Init_thread, LANGUAGE_FORTRAN)
OF_FORTRAN (2, mpi_init_thread_f08_, shape_Init_thread, LANGUAGE_FORTRAN)
OF_C (0, MPI_Finalize, shape_Finalize)
ONLY_ERROR (mpi_finalize_, shape_Finalize)
ONLY_ERROR (mpi_finalize_f08_, shape_Finalize)
