/* A stand-in for another vendor's OpenACC runtime.  */
#include <stdarg.h>
#include <stdio.h>

int
acc_get_num_devices (int type)
{
  printf ("foreign acc_get_num_devices %d\n", type);
  return 7;
}

void
GOACC_parallel_keyed (int flags, void (*function) (void *), size_t entries,
		      void **addresses, size_t *sizes, unsigned short *kinds,
		      ...)
{
  va_list arguments;
  unsigned tag;

  (void) flags, (void) entries, (void) sizes, (void) kinds;
  printf ("foreign GOACC_parallel_keyed");
  va_start (arguments, kinds);
  while ((tag = va_arg (arguments, unsigned)) != 0)
    printf (" %#x", tag);
  va_end (arguments);
  printf ("\n");
  function (addresses);
}
