/* What the programs beside this file check by: the first that does not hold ends them. */
#include <stdio.h>
#include <stdlib.h>
#include <openacc.h>
#define CHECK(holds) do { if (!(holds)) { fprintf (stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #holds); exit (1); } } while (0)
#define SEPARATE (acc_get_device_type () != acc_device_host) /* the device has a memory of its own */
