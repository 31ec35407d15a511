/* A row of ACCSCOPE_ENGINE_FUNCTIONS that is C: a handler cannot call Go.  */
#include "_cgo_export.h"
#include "../../../runtime/sim/queue.h"

__attribute__ ((visibility ("default"))) void
accscope_engine_kernel_signal (int thread_id, int signal, uintptr_t address)
{
  accscope_sim_crashed (thread_id, signal, address);
}
