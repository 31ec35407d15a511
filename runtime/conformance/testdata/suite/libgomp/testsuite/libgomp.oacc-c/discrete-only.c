/* { dg-skip-if "" { *-*-* } { "*" } { "-DACC_MEM_SHARED=0" } } */
int
main (void)
{
  return ACC_MEM_SHARED;
}
