/* The steps of a group for any processor.  */
#pragma GCC optimize ("O3,no-gcse,no-gcse-after-reload,no-strict-aliasing,fp-contract=off,no-math-errno,no-trapping-math")
#include "warp.h"

#define STEP accscope_simt_step_portable
#include "step.h"
