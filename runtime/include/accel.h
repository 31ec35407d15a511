/* accel.h - the header of the PGI Accelerator model 1.3, section 3.1: its
   routines, with the meaning that OpenACC 3.3 gives them (docs/conformance.md,
   "Older names").  GCC compiles the directives of OpenACC, not PGI's.  */
#ifndef _ACCEL_H
#define _ACCEL_H 1

#include "openacc.h"

/* The compiler's to define, where its directives are enabled (2.2).  */
#if defined _OPENACC && !defined _ACCEL
# define _ACCEL 201011
#endif

#endif
