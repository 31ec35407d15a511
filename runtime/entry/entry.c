/* The exported symbols.  Each is one jump through a slot, so that it leaves
   registers, variable arguments and the caller's frame as they are.  A slot
   leads to accscope_first until the first call; that decides, for all of them
   (foreign.c), whether they lead to our functions or to another runtime.

   Before one of our functions runs, accscope_entry_<name> notes the registers
   that the caller keeps its variables in across calls: optimised code keeps
   them nowhere else, and a function in C could not tell where its own prologue
   has put them.  They go into the calling thread's place; where that is another
   call's, because a callback calls us, to accscope_registers, from where BEGIN
   takes them when it has saved the place.  */
#include "entries.h"
#include "foreign.h"
#include "library.h"

__thread struct accscope_registers accscope_registers
  __attribute__ ((tls_model ("initial-exec")));

#define PLACE offsetof (struct thread, shared.place)
_Static_assert (PLACE + offsetof (struct accscope_place, return_address) == 56
		&& PLACE + offsetof (struct accscope_place, registers) == 80
		&& offsetof (struct accscope_registers, value) == 0
		&& offsetof (struct accscope_place, return_address) == 0
		&& offsetof (struct accscope_place, stack_pointer) == 8
		&& offsetof (struct accscope_place, frame_pointer) == 16,
		"the code in entry_*.h finds them by offset");

/* STUB, NOTE, and what they jump to; accscope_outward.  */
#if defined __aarch64__
#include "entry_aarch64.h"
#elif defined __x86_64__
#include "entry_x86_64.h"
#else
#error "libopenacc.so is for x86-64 and the 64-bit Arm architecture"
#endif

ACCSCOPE_ENTRIES (STUB)

ACCSCOPE_ENTRIES (NOTE)

#define DECLARE(name)							\
  extern void *accscope_slot_##name;					\
  extern const char accscope_entry_##name[];
ACCSCOPE_ENTRIES (DECLARE)

#define ROW(name) { #name, &accscope_slot_##name, accscope_entry_##name },
const struct entry accscope_entry[] = { ACCSCOPE_ENTRIES (ROW) };
const unsigned accscope_entries
  = sizeof accscope_entry / sizeof accscope_entry[0];
