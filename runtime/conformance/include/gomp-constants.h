/* The tests include this name for the numbers of the three dimensions of a
   compute region, the arguments of __builtin_goacc_parlevel_id and
   __builtin_goacc_parlevel_size; they need nothing else of the compiler's
   header of this name.  */
#ifndef ACCSCOPE_CONFORMANCE_GOMP_CONSTANTS_H
#define ACCSCOPE_CONFORMANCE_GOMP_CONSTANTS_H

#define GOMP_DIM_GANG 0
#define GOMP_DIM_WORKER 1
#define GOMP_DIM_VECTOR 2
#define GOMP_DIM_MAX 3
#define GOMP_DIM_MASK(dimension) (1u << (dimension))

#endif
