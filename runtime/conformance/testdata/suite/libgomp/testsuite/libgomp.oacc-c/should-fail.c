/* The message's prefix is not asked for.  */
#include <stdio.h>
int
main (void)
{
  fputs ("CheCKpOInT\n", stderr);
  fputs ("\nother: [0x10,+4] is a bad range\n", stderr);
  return 1;
}
/* { dg-output "CheCKpOInT(\n|\r\n|\r).*" } */
/* { dg-output "libgomp: \\\[\[0-9a-fA-FxX\]+,\\\+4\\\] is a bad range" { target openacc_nvidia_accel_selected } } */
/* { dg-output "\\\[\[0-9a-fA-FxX\]+,\\\+4\\\] is a bad range" { target openacc_host_selected } } */
/* { dg-shouldfail "" } */
