/* The host without the Go part, for a process that has no room for it: constructs
   run where they are called, data is where it is, and no tool is told.  Who wants
   another device than the host gets the error that there is none.  */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "library.h"
#include "openacc.h"

/* These are called as the functions of the Go part are, and need less.  */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static __thread int default_async = acc_async_noval;

static void __attribute__ ((noreturn))
end (void)
{
  accscope_self.shared.dispatch.inside = 0;	/* exit handlers may call us */
  exit (1);
}

static bool
is_host (int type)
{
  return type == acc_device_host || type == acc_device_default
	 || type == acc_device_none || type == acc_device_current;
}

static void
want_host (const char *routine, int type)
{
  if (is_host (type))
    return;
  accscope_complain ("%s: there is no device of type %d, as the process has no "
		     "room for one", routine, type);
  end ();
}

static const struct accscope_device *
parallel (struct accscope_thread *t, const struct accscope_construct *c)
{
  static const struct accscope_device host = { .type = acc_device_host };

  return &host;
}

static int
get_num_devices (struct accscope_thread *t, int type)
{
  return type == acc_device_host || type == acc_device_default;
}

static int
get_device_type (struct accscope_thread *t)
{
  return acc_device_host;
}

static void
set_device_type (struct accscope_thread *t, int type)
{
  want_host ("acc_set_device_type", type);
}

static void
set_device_num (struct accscope_thread *t, int number, int type)
{
  want_host ("acc_set_device_num", type);
}

static void
init (struct accscope_thread *t, int type)
{
  want_host ("acc_init", type);
}

static void
init_device (struct accscope_thread *t, int number, int type)
{
  init (t, type);
}

static bool
on_device (struct accscope_thread *t, int type)
{
  return type == acc_device_host || type == acc_device_none;
}

static bool
done (struct accscope_thread *t, int async, long device)
{
  return true;
}

static bool
all_done (struct accscope_thread *t, long device)
{
  return true;
}

static int
get_default_async (struct accscope_thread *t)
{
  return default_async;
}

static void
set_default_async (struct accscope_thread *t, int async)
{
  default_async = async;
}

static void *
allocate (struct accscope_thread *t, size_t bytes)
{
  return malloc (bytes);
}

static void
release (struct accscope_thread *t, void *address)
{
  free (address);
}

static void *
map (struct accscope_thread *t, void *host, size_t bytes, int async)
{
  return host;
}

static void *
same (struct accscope_thread *t, void *address)
{
  return address;
}

static bool
is_present (struct accscope_thread *t, void *host, size_t bytes)
{
  return true;
}

static void
copy (struct accscope_thread *t, void *to, void *from, size_t bytes, int async)
{
  memmove (to, from, bytes);
}

static void
copy_between (struct accscope_thread *t, void *to, void *from, size_t bytes,
	      int to_device, int from_device, int async)
{
  copy (t, to, from, bytes, async);
}

static void
fail (struct accscope_thread *t, int code, const char *routine, const char *message)
{
  accscope_complain ("%s: %s", routine, message);
  end ();
}

/* The variable's value names the host, or leaves the choice.  */
static bool
chooses_host (const char *text)
{
  size_t length;

  if (text == NULL)
    return true;
  text += strspn (text, " \t");
  length = strcspn (text, " \t");
  return length == 0
	 || (length == 4 && strncasecmp (text, "host", length) == 0)
	 || (length == 7 && strncasecmp (text, "default", length) == 0);
}

void
accscope_alone (struct engine *e)
{
  static const char *const variables[] = { "ACC_DEVICE_TYPE", "ACC_DEVICE" };
  size_t i;

  for (i = 0; i < sizeof variables / sizeof variables[0]; i++)
    if (!chooses_host (getenv (variables[i])))
      {
	accscope_complain ("%s=%s: there is no such device, as the process has no "
			   "room for one", variables[i], getenv (variables[i]));
	end ();
      }
  *e = accscope_nothing;
  e->parallel = parallel;
  e->get_num_devices = get_num_devices;
  e->get_device_type = get_device_type;
  e->set_device_type = set_device_type;
  e->set_device_num = set_device_num;
  e->init = init;
  e->init_device = init_device;
  e->on_device = on_device;
  e->async_test = done;
  e->async_test_all = all_done;
  e->get_default_async = get_default_async;
  e->set_default_async = set_default_async;
  e->malloc = allocate;
  e->free = release;
  e->copyin = map;
  e->create = map;
  e->deviceptr = same;
  e->hostptr = same;
  e->is_present = is_present;
  e->memcpy_to_device = copy;
  e->memcpy_from_device = copy;
  e->memcpy_device = copy;
  e->memcpy_d2d = copy_between;
  e->error = fail;
}
