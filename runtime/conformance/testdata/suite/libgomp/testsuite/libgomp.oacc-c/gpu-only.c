/* { dg-do run { target openacc_nvidia_accel_selected } } */
int
main (void)
{
  return 0;
}
