package cuda

// #include "cuda.h"
import "C"

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// A stack is what each thread on a device has for local variables and calls. The driver gives
// a kernel more where its code tells how much it needs; where functions call themselves or
// call by address, nobody can tell, and one that is too small shows as an address that is none.
type stack struct {
	wanted  int // by ACCSCOPE_CUDA_STACK, 0
	bytes   int // as it is
	threads int // that the device runs at once: each has its own

	// suspect is the kernel launched last whose need the code does not tell, or is more than
	// there is.
	suspect atomic.Pointer[kernel]
}

// open gives threads the stack that is wanted, and asks what they have.
func (s *stack) open(d *cudaDevice, wanted int) C.struct_accscope_cuda_answer {
	s.wanted, s.threads = wanted, int(d.processors)*int(C.accscope_cuda_attribute(d.library.table, d.c.device, C.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR))
	var bytes C.size_t
	answer := C.accscope_cuda_stack(d.c, C.size_t(wanted), &bytes)
	if s.bytes = int(bytes); answer.result == 0 {
		s.bytes = cmp.Or(s.bytes, leastStack)
	}
	return answer
}

// launched notes a kernel whose stack may be too small; not again, as threads with queues of
// their own would write to the same memory at each launch.
func (s *stack) launched(k *kernel) {
	if (k.stack.unbounded() || k.stack.Bytes > s.bytes) && s.suspect.Load() != k {
		s.suspect.Store(k)
	}
}

// why says how the stack may have led to an error that can come of it, "" if it cannot have.
func (s *stack) why(result C.CUresult) string {
	switch {
	case result == C.CUDA_ERROR_OUT_OF_MEMORY:
		return s.memory()
	case s.bytes == 0 && s.wanted > 0: // the driver gave none
		return fmt.Sprintf("the driver gives no stack of %s=%d bytes for each of %d threads: set it to less", stackVariable, s.wanted, s.threads)
	}
	k := s.suspect.Load()
	if k == nil || !slices.Contains(ofStacks, result) {
		return ""
	}
	of := k.stack
	var cause string
	switch {
	case of.Recursive != "":
		cause = of.Recursive + " calls itself"
		if len(of.Through) > 0 {
			cause += " by way of " + strings.Join(of.Through, ", ")
		}
		if of.Turn > 0 {
			cause += fmt.Sprintf(", with %d bytes of local variables a turn and what else the driver keeps", of.Turn)
			if fit := s.bytes / of.Turn; fit > 0 {
				cause += fmt.Sprintf(": no more than %d turns fit", fit)
			}
		}
	case of.Indirect != "":
		cause = of.Indirect + " calls functions by their addresses, so that the driver does not know what they need"
	default:
		cause = fmt.Sprintf("its local variables take %d bytes", of.Bytes)
	}
	return fmt.Sprintf("perhaps the stack of %s overflowed, which has %d bytes for each thread (%s): set %s=BYTES to more, up to %d; each KiB takes %s of the GPU's memory",
		k.name, s.bytes, cause, stackVariable, mostStack, sized(s.threads<<10))
}

// memory says what a large stack takes of the device's memory.
func (s *stack) memory() string {
	if s.wanted > 0 {
		return fmt.Sprintf("%s=%d takes up to %s of it", stackVariable, s.wanted, sized(s.threads*s.wanted))
	}
	if k := s.suspect.Load(); k != nil && k.stack.Bytes > s.bytes {
		return fmt.Sprintf("the local variables of %s, %d bytes for each thread, take up to %s of it", k.name, k.stack.Bytes, sized(s.threads*k.stack.Bytes))
	}
	return ""
}

// sized is a number of bytes for people.
func sized(bytes int) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%d MiB", (bytes+1<<19)>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}
