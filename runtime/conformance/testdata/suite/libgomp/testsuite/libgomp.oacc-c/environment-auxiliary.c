/* { dg-skip-if "part of environment.c" { *-*-* } } */
const char *
variable (void)
{
  return "GOMP_OPENACC_DIM";
}
