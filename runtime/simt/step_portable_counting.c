/* The steps of a group, counted, for any processor.  */
#pragma GCC optimize ("O3,no-gcse,no-gcse-after-reload,no-strict-aliasing,fp-contract=off,no-math-errno,no-trapping-math")
#include "warp.h"

#define COUNTING
#define STEP accscope_simt_step_portable_counting
#include "step.h"
