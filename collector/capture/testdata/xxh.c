/* xxh.c - prints the hash of its first N bytes for each argument.  */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "../../proflib/xxh.h"

int
main (int argc, char **argv)
{
  static unsigned char bytes[1 << 20];
  for (uint64_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char) (i * 2654435761u >> 13);
  for (int i = 1; i < argc; i++)
    printf ("%016" PRIx64 "\n", xxh (bytes, strtoul (argv[i], NULL, 10)));
  return 0;
}
