/* acc_prof.h - the name under which OpenACC before 3.3 delivered the interface
   of acc_callback.h (OpenACC 3.3, 5.1).  */
#ifndef _ACC_PROF_H
#define _ACC_PROF_H 1

#include "acc_callback.h"

#endif
