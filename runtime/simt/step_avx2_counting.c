/* The steps of a group, counted, for processors with AVX2 and FMA.  */
#ifdef __x86_64__
#pragma GCC target ("avx2,fma,bmi,bmi2,popcnt,lzcnt")
#pragma GCC optimize ("O3,no-gcse,no-gcse-after-reload,no-strict-aliasing,fp-contract=off,no-math-errno,no-trapping-math")
#include "warp.h"

#include <immintrin.h>

#define COUNTING
#define STEP accscope_simt_step_avx2_counting
#include "step.h"
#endif
