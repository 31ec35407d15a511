/* accscope_annotation.h - ranges, frames and marks of a program's own, for accscope's
   profiler.  C99 and C++; the Fortran module is accscope_annotation.f90.

   Nothing has to be linked.  Without the profiler a call costs a comparison and a jump;
   with it (accscope run, or ACC_PROFLIB naming libaccprof.so) what is between a begin
   and its end is a span of the calling thread, which everything else that happens there
   is inside of.

	accscope_frame_begin ("step", n);	a turn of the program's main loop
	accscope_range_push ("assemble");
	accscope_range_pop ();			ends the thread's innermost range
	accscope_mark ("restarted");
	accscope_frame_end ();

   What begins on one thread and ends on another, or overlaps with others, is a range of
   the process, which its number ends:

	uint64_t request = accscope_range_start ("request");
	accscope_range_end (request);

   In C++ also, ended by the scope's end:

	accscope::frame step ("step", n);
	accscope::range assemble ("assemble");

   Names are copied.  Frames and pushed ranges end on the thread that they begin on.  */
#ifndef ACCSCOPE_ANNOTATION_H
#define ACCSCOPE_ANNOTATION_H 1

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In C libraries before glibc 2.34 a library of their own has these: where it is not
   linked, there are no annotations.  */
#pragma weak dlopen
#pragma weak dlsym

/* Kinds: the start of a span, whose end is the next number, or a mark.  They lie
   beyond those of acc_event_t.  */
enum accscope_annotation_kind
{
  ACCSCOPE_RANGE_START = 40,
  ACCSCOPE_RANGE_END = 41,
  ACCSCOPE_FRAME_START = 42,
  ACCSCOPE_FRAME_END = 43,
  ACCSCOPE_MARK = 44,
  ACCSCOPE_MPI_START = 46,
  ACCSCOPE_MPI_END = 47,
  ACCSCOPE_PROCESS_RANGE_START = 48,
  ACCSCOPE_PROCESS_RANGE_END = 49
};

/* What the profiler's accscope_annotate () takes.  An end without a name is that of
   the innermost start of its kind; a null file has the profiler find out the caller:
   of the function whose frame callee lies in, if that is not null.  */
struct accscope_annotation
{
  uint32_t size;		/* of this struct */
  int32_t kind;
  const char *name;
  const char *file;
  const char *function;
  int32_t line;
  int32_t communicator;		/* of a call of MPI */
  int64_t number;		/* of a frame; of a call of MPI the rank of its peer;
				   at a process range's end what its start gave */
  uint64_t bytes;		/* of a call of MPI */
  uint64_t caller;		/* return address in the program; 0: to be found */
  int32_t tag;			/* of a call of MPI */
  int32_t reserved;
  const void *callee;
};

/* Gives the number of the process range that was started, else 0.  */
typedef uint64_t accscope_annotate_function (const struct accscope_annotation *);

/* In libaccprof.so; the calls below find it by name.  */
accscope_annotate_function accscope_annotate;

static inline uint64_t
accscope_annotate_nobody (const struct accscope_annotation *annotation)
{
  (void) annotation;
  return 0;
}

/* The profiler's function: in a library of the program, or in the one among those of
   ACC_PROFLIB, separated by semicolons, whose name begins with libaccprof.  */
static inline accscope_annotate_function *
accscope_annotation_find (void)
{
  void *library, *found = NULL;
  const char *from = getauxval (AT_SECURE) ? NULL : getenv ("ACC_PROFLIB");
  if (!dlopen || !dlsym)
    return accscope_annotate_nobody;
  library = dlopen (NULL, RTLD_LAZY);
  if (library)
    found = dlsym (library, "accscope_annotate");
  while (from && *from && !found)
    {
      size_t length = strcspn (from, ";");
      char path[4096];
      if (length < sizeof path)
	{
	  const char *name;
	  memcpy (path, from, length);
	  path[length] = 0;
	  name = strrchr (path, '/');
	  if (strncmp (name ? name + 1 : path, "libaccprof", 10) == 0
	      && (library = dlopen (path, RTLD_LAZY)) != NULL)
	    found = dlsym (library, "accscope_annotate");
	}
      from += length;
      from += *from == ';';
    }
  if (!found)
    return accscope_annotate_nobody;
  union { void *data; accscope_annotate_function *function; } as;
  as.data = found;
  return as.function;
}

static inline uint64_t
accscope_annotation_send (enum accscope_annotation_kind kind, const char *name,
			  int64_t number, const char *file, int line,
			  const char *function)
{
  static accscope_annotate_function *known;
  accscope_annotate_function *send = __atomic_load_n (&known, __ATOMIC_ACQUIRE);
  if (!send)
    {
      send = accscope_annotation_find ();
      __atomic_store_n (&known, send, __ATOMIC_RELEASE);
    }
  if (send == accscope_annotate_nobody)
    return 0;
  struct accscope_annotation annotation;
  memset (&annotation, 0, sizeof annotation);
  annotation.size = sizeof annotation;
  annotation.kind = kind;
  annotation.name = name;
  annotation.file = file;
  annotation.function = function;
  annotation.line = line;
  annotation.number = number;
  return send (&annotation);
}

#define ACCSCOPE_HERE __FILE__, __LINE__, __func__
#define accscope_range_push(name) \
  ((void) accscope_annotation_send (ACCSCOPE_RANGE_START, (name), 0, ACCSCOPE_HERE))
#define accscope_range_pop() \
  ((void) accscope_annotation_send (ACCSCOPE_RANGE_END, NULL, 0, ACCSCOPE_HERE))
#define accscope_range_start(name) \
  accscope_annotation_send (ACCSCOPE_PROCESS_RANGE_START, (name), 0, ACCSCOPE_HERE)
#define accscope_range_end(range) \
  ((void) accscope_annotation_send (ACCSCOPE_PROCESS_RANGE_END, NULL, \
				    (int64_t) (range), ACCSCOPE_HERE))
#define accscope_frame_begin(name, number) \
  ((void) accscope_annotation_send (ACCSCOPE_FRAME_START, (name), (number), ACCSCOPE_HERE))
#define accscope_frame_end() \
  ((void) accscope_annotation_send (ACCSCOPE_FRAME_END, NULL, 0, ACCSCOPE_HERE))
#define accscope_mark(name) \
  ((void) accscope_annotation_send (ACCSCOPE_MARK, (name), 0, ACCSCOPE_HERE))

#ifdef __cplusplus
}

namespace accscope
{
  class range
  {
  public:
    explicit range (const char *name, const char *file = __builtin_FILE (),
		    int line = __builtin_LINE (),
		    const char *function = __builtin_FUNCTION ())
    {
      accscope_annotation_send (ACCSCOPE_RANGE_START, name, 0, file, line, function);
    }
    ~range () { accscope_range_pop (); }
    range (const range &) = delete;
    range &operator= (const range &) = delete;
  };

  class frame
  {
  public:
    frame (const char *name, int64_t number, const char *file = __builtin_FILE (),
	   int line = __builtin_LINE (),
	   const char *function = __builtin_FUNCTION ())
    {
      accscope_annotation_send (ACCSCOPE_FRAME_START, name, number, file, line,
				function);
    }
    ~frame () { accscope_frame_end (); }
    frame (const frame &) = delete;
    frame &operator= (const frame &) = delete;
  };
}
#endif

#endif
