/* What compiled code calls: the entry points of GCC's OpenACC interface.  The
   flag word comes complemented; variable arguments are decoded here.  */
#include <alloca.h>
#include <stdarg.h>

#include "host.h"
#include "trace.h"

/* Tags of GOACC_parallel_keyed: code, device type, operand.  */
#define TAG_CODE(tag) ((tag) >> 28)
#define TAG_DEVICE(tag) ((tag) >> 16 & 0xfff)
#define TAG_OPERAND(tag) ((tag) & 0xffff)

enum tag_code
{
  tag_end,
  tag_dimensions,		/* operand: bit mask; one unsigned for each bit */
  tag_async,			/* operand: the value, or 0xffff: an int follows */
  tag_wait			/* operand: how many ints follow */
};

#define ASYNC_FOLLOWS 0xffff

/* Fills in c->waits and wait_list; in the caller's frame, so a macro.  */
#define READ_WAITS(c, count, arguments)					\
  do									\
    {									\
      int number = (count), i;						\
      int *list = number > 0 ? alloca (number * sizeof *list) : NULL;	\
      for (i = 0; i < number; i++)					\
	list[i] = va_arg (arguments, int);				\
      (c).waits = number > 0 ? number : 0;				\
      (c).wait_list = list;						\
    }									\
  while (0)

/* Flags, which arrive complemented.  */
enum
{
  flag_host = 1,		/* an if clause was false */
  flag_local_device = 2		/* a self clause was true: GCC 14 and later */
};

/* The local device is the host (OpenACC 3.3 2.5.7).  GCC has the flag on the data
   construct too that it makes of a kernels construct in parts.  */
static inline int
flags_of (int complemented)
{
  int flags = ~complemented;

  return flags & flag_local_device ? (flags & ~flag_local_device) | flag_host
	 : flags;
}

#define CONSTRUCT(flags_m)						\
  {									\
    .flags = flags_of (flags_m), .entries = mapnum, .hostaddrs = hostaddrs,	\
    .sizes = sizes, .kinds = kinds, .async = ACCSCOPE_ASYNC_SYNC	\
  }

void
ENTRY (GOACC_parallel_keyed) (int flags_m, void (*function) (void *),
			      size_t mapnum, void **hostaddrs, size_t *sizes,
			      unsigned short *kinds, ...)
{
  BEGIN;
  struct accscope_construct c = CONSTRUCT (flags_m);
  int unknown = c.flags & ~flag_host;
  const struct accscope_device *device;
  va_list arguments;
  unsigned tag;

  c.function = function;
  va_start (arguments, kinds);
  while ((tag = va_arg (arguments, unsigned)) != 0)
    {
      unsigned operand = TAG_OPERAND (tag);

      if (TAG_DEVICE (tag) != 0)
	break;
      if (TAG_CODE (tag) == tag_dimensions && operand < 8)
	{
	  if (operand & 1)
	    c.gangs = va_arg (arguments, unsigned);
	  if (operand & 2)
	    c.workers = va_arg (arguments, unsigned);
	  if (operand & 4)
	    c.vector = va_arg (arguments, unsigned);
	}
      else if (TAG_CODE (tag) == tag_async)
	c.async = operand == ASYNC_FOLLOWS ? va_arg (arguments, int)
		  : (int) operand;
      else if (TAG_CODE (tag) == tag_wait)
	READ_WAITS (c, operand, arguments);
      else
	break;
    }
  va_end (arguments);
  TRACE ("GOACC_parallel_keyed", &c);
  if (unknown != 0)
    accscope_error (t, acc_error_invalid_argument, "compute construct",
		    "flag 0x%x is none that GCC 12 to 16 emit; "
		    "compile the program with one of these", unknown);
  else if (tag != 0)
    accscope_error (t, acc_error_invalid_argument, "compute construct",
		    "launch argument 0x%x is none that GCC 12 to 16 emit; "
		    "compile the program with one of these", tag);
  else if (!accscope_host_parallel (t, &c)
	   && (device = engine ()->parallel (T, &c)) != NULL)
    accscope_host_run (t, &c, device);
  END;
}

void
ENTRY (GOACC_data_start) (int flags_m, size_t mapnum, void **hostaddrs,
			  size_t *sizes, unsigned short *kinds)
{
  if (LIKELY (!accscope_trace_on
	      && accscope_host_data_starts (&accscope_self, ~flags_m, mapnum, kinds,
					    __builtin_return_address (0))))
    return;
  BEGIN;
  struct accscope_construct c = CONSTRUCT (flags_m);

  TRACE ("GOACC_data_start", &c);
  if (!accscope_host_data_start (t, &c))
    {
      engine ()->data_start (T, &c);
      accscope_region_push (t, region_engine);
    }
  END;
}

void
ENTRY (GOACC_data_end) (void)
{
  if (LIKELY (accscope_host_data_ends (&accscope_self)))
    return;
  if (ended ())
    {
      accscope_uncopied ("the end of a data construct", NULL);
      return;
    }
  BEGIN;
  if (!accscope_host_data_end (t))
    engine ()->data_end (T);
  END;
}

/* What a directive would have copied to the host.  */
static void
uncopied (const char *directive, int flags, size_t entries,
	  void *const *hostaddrs, const unsigned short *kinds)
{
  size_t i;

  for (i = 0; !(flags & 1) && i < entries; i++)
    if ((goacc_kind (kinds[i]) == goacc_from
	 || goacc_kind (kinds[i]) == goacc_force_from) && hostaddrs[i] != NULL)
      accscope_uncopied (directive, hostaddrs[i]);
}

/* enter data, exit data and update: the same arguments.  first comes before all.  */
#define STANDALONE(NAME, first, function, start, construct, last, directive)	\
void									\
ENTRY (NAME) (int flags_m, size_t mapnum, void **hostaddrs,		\
	      size_t *sizes, unsigned short *kinds, int async,		\
	      int num_waits, ...)					\
{									\
  first;								\
  if (LIKELY (accscope_host_does_nothing (&accscope_self, ~flags_m, async,	\
					  num_waits, start)))		\
    return;								\
  if ((last) && ended ())						\
    {									\
      uncopied (directive, ~flags_m, mapnum, hostaddrs, kinds);		\
      return;								\
    }									\
  BEGIN;								\
  if (!accscope_host_standalone (t, ~flags_m, async, num_waits, start,	\
				 construct))				\
    {									\
      struct accscope_construct c = CONSTRUCT (flags_m);		\
      va_list arguments;						\
									\
      c.async = async;							\
      va_start (arguments, num_waits);					\
      READ_WAITS (c, num_waits, arguments);				\
      va_end (arguments);						\
      (function) (T, &c);						\
    }									\
  END;									\
}

STANDALONE (GOACC_enter_data, , engine ()->enter_data, acc_ev_enter_data_start,
	    acc_construct_enter_data, false, "an enter data directive")
STANDALONE (GOACC_exit_data, , engine ()->exit_data, acc_ev_exit_data_start,
	    acc_construct_exit_data, true, "an exit data directive")
STANDALONE (GOACC_update, , engine ()->update, acc_ev_update_start,
	    acc_construct_update, true, "an update directive")

/* GCC 5 to 11 had one entry point for both directions; the first entry that is
   no pointer, descriptor or struct tells which.  */
static bool
enters (size_t entries, const unsigned short *kinds)
{
  size_t i;

  for (i = 0; i < entries; i++)
    switch (goacc_kind (kinds[i]))
      {
      case goacc_pointer: case goacc_descriptor: case goacc_struct:
      case goacc_struct_unordered:
	continue;
      case goacc_alloc: case goacc_to: case goacc_force_present:
      case goacc_attach: case goacc_force_alloc: case goacc_force_to:
	return true;
      default:
	return false;
      }
  return true;
}

STANDALONE (GOACC_enter_exit_data, const bool enter = enters (mapnum, kinds),
	    enter ? engine ()->enter_data : engine ()->exit_data,
	    enter ? acc_ev_enter_data_start : acc_ev_exit_data_start,
	    enter ? acc_construct_enter_data : acc_construct_exit_data, !enter,
	    "an exit data directive")

void
ENTRY (GOACC_wait) (int async, int num_waits, ...)
{
  if (ended ())
    return;
  BEGIN;
  struct accscope_construct c = { .async = async };
  va_list arguments;

  va_start (arguments, num_waits);
  READ_WAITS (c, num_waits, arguments);
  va_end (arguments);
  engine ()->wait (T, &c);
  END;
}

void
ENTRY (GOACC_declare) (int flags_m, size_t mapnum, void **hostaddrs,
		       size_t *sizes, unsigned short *kinds)
{
  if (ended ())
    {
      uncopied ("the end of a block with a declare directive", ~flags_m, mapnum,
		hostaddrs, kinds);
      return;
    }
  BEGIN;
  struct accscope_construct c = CONSTRUCT (flags_m);

  engine ()->declare (T, &c);
  END;
}

/* Images with device code come and go with the objects that hold them, from
   constructors and destructors; neither opens the Go part, nor waits for another
   thread while the dynamic linker is busy with the object.  */
void
ENTRY (GOMP_offload_register_ver) (unsigned version, const void *host_table,
				   int type, const void *data)
{
  if (phase () != phase_forked
      && !accscope_early_image (true, version, host_table, type, data))
    engine ()->register_image (version, host_table, type, data);
}

void
ENTRY (GOMP_offload_unregister_ver) (unsigned version, const void *host_table,
				     int type, const void *data)
{
  if (phase () != phase_forked && !ending ()
      && !accscope_early_image (false, version, host_table, type, data))
    engine ()->unregister_image (version, host_table, type, data);
}

/* GCC 5 */
void
ENTRY (GOMP_offload_register) (const void *host_table, int type,
			       const void *data)
{
  ENTRY (GOMP_offload_register_ver) (0, host_table, type, data);
}

void
ENTRY (GOMP_offload_unregister) (const void *host_table, int type,
				 const void *data)
{
  ENTRY (GOMP_offload_unregister_ver) (0, host_table, type, data);
}

void
ENTRY (GOACC_parallel) (void)
{
  BEGIN;
  accscope_error (t, acc_error_other, "compute construct",
		  "the program was compiled by GCC 5, whose calls are not "
		  "understood; compile it with GCC 12 or later");
  END;
}

/* Host code runs as one gang, worker and lane.  */
int
ENTRY (GOACC_get_num_threads) (void)
{
  return 1;
}

int
ENTRY (GOACC_get_thread_num) (void)
{
  return 0;
}
