package sim

// #include "queue.h"
import "C"

import "syscall"

// A Crash is a kernel that raised a signal such as SIGSEGV.
type Crash struct {
	Device   int
	Thread   int     // the program's thread that ran it (acc_callback_info.thread_id), or -1 for a queue's
	Function uintptr // the outlined function
	Signal   syscall.Signal
	Address  uintptr // what the kernel referred to
}

// reportCrashes has Options.Crashed called for each crash, while the thread waits
// whose kernel it was. It takes a thread of its own, for good.
func (b *backend) reportCrashes() {
	go func() {
		for {
			var c C.struct_accscope_sim_crash
			C.accscope_sim_next_crash(&c)
			b.options.Crashed(Crash{Device: int(c.device), Thread: int(c.thread), Function: uintptr(c.function),
				Signal: syscall.Signal(c.signal), Address: uintptr(c.address)})
		}
	}()
}
