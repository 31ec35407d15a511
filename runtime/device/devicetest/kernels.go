// Package devicetest is the contract of device.Backend as tests: every backend
// runs it, with whatever kernels its devices can run.
package devicetest

/*
#include <stdint.h>
#include <sched.h>
#include <unistd.h>
#include <sys/syscall.h>

// slots: values, their count, what to add
static void
add (const uintptr_t *slots)
{
  int64_t *values = (int64_t *) slots[0];
  int64_t count = *(const int64_t *) slots[1], more = *(const int64_t *) slots[2];
  for (int64_t i = 0; i < count; i++)
    values[i] += more;
}

// slots: whether it may go on, whether it has come here
static void
gate (const uintptr_t *slots)
{
  __atomic_store_n ((int64_t *) slots[1], 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n ((int64_t *) slots[0], __ATOMIC_ACQUIRE))
    sched_yield ();
}

// slots: where the thread's number goes
static void
thread (const uintptr_t *slots)
{
  *(int64_t *) slots[0] = syscall (SYS_gettid);
}

static void
nothing (const uintptr_t *slots)
{
  (void) slots;
}

static uintptr_t address_of_add (void) { return (uintptr_t) add; }
static uintptr_t address_of_gate (void) { return (uintptr_t) gate; }
static uintptr_t address_of_thread (void) { return (uintptr_t) thread; }
static uintptr_t address_of_nothing (void) { return (uintptr_t) nothing; }
*/
import "C"

// Kernels are the functions that the tests launch, as the host addresses that
// Device.Kernel takes. A test whose kernel is 0 is skipped.
type Kernels struct {
	// Nothing does nothing.
	Nothing uintptr
	// Add adds *slots[2] to each of the *slots[1] values at slots[0]; all of
	// them are of 64 bits.
	Add uintptr
	// Gate sets *slots[1], then waits until *slots[0] is not 0. Both are host
	// addresses.
	Gate uintptr
	// Thread stores the number of the host thread that runs it in *slots[0].
	Thread uintptr
}

// HostKernels are kernels for devices that run host code.
func HostKernels() Kernels {
	return Kernels{
		Nothing: uintptr(C.address_of_nothing()),
		Add:     uintptr(C.address_of_add()),
		Gate:    uintptr(C.address_of_gate()),
		Thread:  uintptr(C.address_of_thread()),
	}
}
