/* What the stand-in for the Go part does in functions that no test looks into:
   it prints their names.  */
#include <stdio.h>
#include "engine.h"

/* Asked at the program's end, which is not what the tests are about.  */
__attribute__ ((weak, visibility ("default"))) int
accscope_engine_recording (void)
{
  return 0;
}
#define accscope_engine_recording unused_recording

#define DEFAULT(result, name, parameters, arguments)			\
  __attribute__ ((weak, visibility ("default")))			\
  result accscope_engine_##name parameters				\
  {									\
    printf (#name "\n");						\
    fflush (stdout);							\
    return (result) 0;							\
  }
ACCSCOPE_ENGINE_FUNCTIONS (DEFAULT, struct accscope_thread *)
