/* The host without the Go part, for a process that has no room for it: constructs
   run where they are called, data is where it is, and no tool is told.  Who wants
   another device than the host gets the error that there is none.  */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "library.h"
#include "openacc.h"

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

static void
parallel (struct accscope_thread *t, const struct accscope_construct *c)
{
  (void) t;
  accscope_call (c->function, c->hostaddrs);
}

static int
get_num_devices (struct accscope_thread *t, int type)
{
  (void) t;
  return type == acc_device_host || type == acc_device_default;
}

static int
get_device_type (struct accscope_thread *t)
{
  (void) t;
  return acc_device_host;
}

static void
set_device_type (struct accscope_thread *t, int type)
{
  (void) t;
  want_host ("acc_set_device_type", type);
}

static void
set_device_num (struct accscope_thread *t, int number, int type)
{
  (void) t;
  (void) number;
  want_host ("acc_set_device_num", type);
}

static void
init (struct accscope_thread *t, int type)
{
  (void) t;
  want_host ("acc_init", type);
}

static void
init_device (struct accscope_thread *t, int number, int type)
{
  (void) number;
  init (t, type);
}

static int
on_device (struct accscope_thread *t, int type)
{
  (void) t;
  return type == acc_device_host || type == acc_device_none;
}

static int
done (struct accscope_thread *t, int async, long device)
{
  (void) t;
  (void) async;
  (void) device;
  return 1;
}

static int
all_done (struct accscope_thread *t, long device)
{
  return done (t, 0, device);
}

static int
get_default_async (struct accscope_thread *t)
{
  (void) t;
  return default_async;
}

static void
set_default_async (struct accscope_thread *t, int async)
{
  (void) t;
  default_async = async;
}

static void *
allocate (struct accscope_thread *t, size_t bytes)
{
  (void) t;
  return malloc (bytes);
}

static void
release (struct accscope_thread *t, void *address)
{
  (void) t;
  free (address);
}

static void *
map (struct accscope_thread *t, void *host, size_t bytes, int async)
{
  (void) t;
  (void) bytes;
  (void) async;
  return host;
}

static void *
same (struct accscope_thread *t, void *address)
{
  (void) t;
  return address;
}

static int
is_present (struct accscope_thread *t, void *host, size_t bytes)
{
  (void) t;
  (void) host;
  (void) bytes;
  return 1;
}

static void
copy (struct accscope_thread *t, void *to, void *from, size_t bytes, int async)
{
  (void) t;
  (void) async;
  memmove (to, from, bytes);
}

static void
copy_between (struct accscope_thread *t, void *to, void *from, size_t bytes,
	      int to_device, int from_device, int async)
{
  (void) to_device;
  (void) from_device;
  copy (t, to, from, bytes, async);
}

static void
fail (struct accscope_thread *t, int code, const char *routine, const char *message)
{
  (void) t;
  (void) code;
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
