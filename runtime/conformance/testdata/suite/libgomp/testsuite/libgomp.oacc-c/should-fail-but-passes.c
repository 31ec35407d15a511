int
main (void)
{
  return 0;
}
/* { dg-shouldfail "" { openacc_host_selected } } */
