/* { dg-set-target-env-var "GOMP_OPENACC_DIM" ":16:" } */
/* { dg-additional-options "-DEXPECTED=\":16:\"" } */
/* { dg-additional-sources "environment-auxiliary.c" } */
#include <stdlib.h>
#include <string.h>
extern const char *variable (void);
int
main (void)
{
  const char *value = getenv (variable ());
  return value == NULL || strcmp (value, EXPECTED) != 0 || getenv ("ACC_DEVICE_TYPE") == NULL;
}
