/* The steps of a group for any processor.  Of x86-64 those without AVX2 are old
   and few: there it counts that compiling takes half the time.  */
#ifdef __x86_64__
#pragma GCC optimize ("O1,no-strict-aliasing,fp-contract=off,no-math-errno,no-trapping-math")
#else
#pragma GCC optimize ("O3,no-gcse,no-gcse-after-reload,no-strict-aliasing,fp-contract=off,no-math-errno,no-trapping-math")
#endif
#include "warp.h"

#define STEP accscope_simt_step_portable
#include "step.h"
