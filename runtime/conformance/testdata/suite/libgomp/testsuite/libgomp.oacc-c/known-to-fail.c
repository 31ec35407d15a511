/* { dg-xfail-run-if "for the test" { *-*-* } } */
int
main (void)
{
  return 1;
}
