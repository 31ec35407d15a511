/* Passes even where compute regions do nothing.  */
int
main (void)
{
  return 0;
}
