/* accscope_caller.h - where the program called the runtime.

   A tool that wants the call stack of an event need not find its way through the
   runtime's own frames: it looks this function up and goes on from the program's.

     accscope_caller_function caller
       = (accscope_caller_function) lookup (ACCSCOPE_CALLER_NAME);  */
#ifndef ACCSCOPE_CALLER_H
#define ACCSCOPE_CALLER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCSCOPE_CALLER_NAME "accscope_caller"

/* The registers of the program's function as they are when the call returns.  */
struct accscope_caller
{
  uint64_t return_address;
  uint64_t stack_pointer;
  uint64_t frame_pointer;
};

/* Fills in the calling thread's call in progress.  0, or -1: there is none, as
   in the runtime's own threads.  Async-signal-safe.  */
typedef int (*accscope_caller_function) (struct accscope_caller *caller);

#ifdef __cplusplus
}
#endif

#endif
