/* Flags of a compute construct as GCC 14 and later write them: an if clause that is
   false has 1, a self clause that is true has 2.  An argument stands for a flag that
   nobody writes.  */
#include <stddef.h>

void GOACC_parallel_keyed (int, void (*) (void *), size_t, void **, size_t *,
			   unsigned short *, ...);
void GOACC_data_start (int, size_t, void **, size_t *, unsigned short *);
void GOACC_data_end (void);

static void
kernel (void *data)
{
  (void) data;
}

int
main (int argc, char **argv)
{
  int flags;

  (void) argv;
  for (flags = 0; flags < 4; flags++)
    GOACC_parallel_keyed (~flags, kernel, 0, NULL, NULL, NULL, 0);
  GOACC_data_start (~2, 0, NULL, NULL, NULL);
  GOACC_data_end ();
  if (argc > 1)
    GOACC_parallel_keyed (~4, kernel, 0, NULL, NULL, NULL, 0);
  return 0;
}
