/* The routine that a tool defines, as a type.  */
#ifndef ACCSCOPE_PROFILERS_H
#define ACCSCOPE_PROFILERS_H

#include "acc_callback.h"

typedef void (*acc_register_library_function) (acc_prof_reg, acc_prof_reg,
					       acc_prof_lookup_func);

#endif
