/* A runtime whose compute regions do nothing, for the conformance runner's
   negative control: loaded before the runtime under test, it takes every
   parallel, kernels and serial construct and returns at once. A run that
   passes with it loaded would prove nothing.  */

void GOACC_parallel_keyed (void);

void
GOACC_parallel_keyed (void)
{
}
