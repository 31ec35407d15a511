package openacc

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// fail raises acc_ev_error and then ends the program: the default error callback
// (OpenACC 3.3 §5.1.11) prints one line on standard error and exits with status
// 1. No lock may be held. It returns only where Options.Exit does, in tests.
//
// The first error of a process ends it. An error that its callbacks run into ends
// it too, with the line of the first one; one in the program's exit handlers ends
// it at once. Host threads that fail after it, or because the devices were shut
// down under them, stop here.
func (t *raiser) fail(failure *device.Error) {
	if ending := t.rt.ending.Load(); ending != nil && ending != t {
		t.rt.stop()
	}
	if first := t.failing; first != nil {
		t.exit(first)
		os.Exit(1)
	}
	t.carryOut() // what its callbacks run into is an error of its own
	t.endWait()
	failure = t.told(failure)
	t.failing = failure
	defer func() { t.failing = nil }() // reached only where Exit panics
	if t.rt.registry.Wanted(callbacks.Error) {
		t.raiseError(failure)
	}
	t.endSpans()
	if !t.exit(failure) {
		t.rt.stop()
	}
}

// told is a failure with where in the program it is, and what the program calls the data
// that it is about.
func (t *raiser) told(failure *device.Error) *device.Error {
	at, known := attribution.Location{}, t.rt.options.Namer != nil && t.place.ReturnAddress != 0
	if known {
		at = t.rt.options.Namer.Locate(t.place.ReturnAddress, t.function)
	}
	if t.passed.address != 0 && failure.Code == device.InvalidArgument {
		failure = t.about(routineData, t.passed.address, t.passed.bytes, failure)
	}
	call, what, _ := strings.Cut(failure.Message, ": ")
	if l := t.lack; l != nil && l.failure == failure {
		a := t.account(l)
		if a.told.File != "" {
			at = a.told.Location // of the directive that a shared call is of this time
		}
		if what = a.String(); known && at.File == "" {
			what += "; compile with -g to see line and variable here"
		}
	}
	what += t.besides(failure)
	if name := at.Directive(); t.function != 0 && name != "" {
		call = name
	}
	return device.Errorf(failure.Code, failure.Driver, "%s%s: %s", at.Place(), call, what)
}

// endWait raises the end of a wait that has failed before its end was planned.
func (t *raiser) endWait() {
	if w := t.context.wait; w.queue != nil {
		t.context.wait.queue = nil
		t.planWait(callbacks.WaitEnd, &w.pair, w.queue, w.implicit)
		t.carryOut()
	}
}

// endSpans raises the _end events of the spans that are open in the construct in
// progress, which an error ends.
func (t *raiser) endSpans() {
	if e := t.context.events; e != nil && e.begun {
		switch t.context.planned - 1 {
		case enterStart:
			t.planCompute(enterEnd)
		case launchStart:
			t.planCompute(launchEnd)
		case exitStart, waitEnd:
			t.planCompute(exitEnd)
		}
		t.planCompute(computeEnd)
	} else if t.context.ends != 0 {
		t.end()
	}
	t.carryOut()
}

// exit prints a failure's line and ends the program; false means that another
// failure does already.
func (t *raiser) exit(failure *device.Error) bool {
	if !t.rt.failed.TryLock() {
		return false
	}
	defer t.rt.failed.Unlock()
	// Nothing can be done about an error stream that does not take the line.
	_, _ = fmt.Fprintf(t.rt.options.Errors, "accscope: %s\n", failure.Message)
	t.rt.options.Exit(1)
	return true
}

// stop does not return. The thread that ends the program may wait for this one in
// an exit handler: Options.Stop ends it, if it can be ended.
func (rt *Runtime) stop() {
	if rt.options.Stop != nil {
		rt.options.Stop()
	}
	select {}
}

// reportAbsent raises acc_ev_error for data that acc_copyout or acc_delete did not
// find, and returns. OpenACC 3.3 §3.2.19 lists the condition as an error, and says
// too that no action is taken then, as its list of changes does ("instead of a
// runtime error being issued if data is not present"): who asked for error events
// is told, and the default error callback, which "may" print and end the program
// (§5.1.11), does neither. A callback that runs into the condition itself is not
// called again for that, and nothing is raised where another thread has ended the
// devices.
func (t *raiser) reportAbsent(d *Device, host, bytes uintptr) {
	if ending := t.rt.ending.Load(); t.failing != nil || t.reporting || ending != nil && ending != t || !t.rt.registry.Wanted(callbacks.Error) {
		return
	}
	t.reporting = true
	defer func() { t.reporting = false }()
	d.mu.Lock()
	failure := t.lacks(d, lack{host: host, bytes: bytes}, outside(host, bytes))
	d.mu.Unlock()
	t.raiseError(t.told(failure))
}

func (t *raiser) raiseError(failure *device.Error) {
	if a := t.rt.options.Attributor; a != nil {
		t.context.parent = a.Written(t.place, t.function, t.context.parent)
	}
	_, e := t.compose(callbacks.Error, nil)
	event := e.Error()
	event.Implicit = 1
	event.ErrorCode = callbacks.ErrorCode(failure.Code)
	event.ErrorMessage = callbacks.NewCString(failure.Message)
	defer event.ErrorMessage.Free()
	event.RuntimeInfo = failure.Driver
	t.carryOut()
}

// KernelCrashed raises the error of a kernel that a signal ends, cause, on a device
// that runs kernels as code of the process, and prints its line; the process ends by the
// signal. It is called on a thread of the runtime's own, while that of the kernel waits.
// thread is the program's thread whose construct it is (acc_callback_info.thread_id), or
// negative if nobody knows.
func (rt *Runtime) KernelCrashed(kind device.Type, number, thread int, function uintptr, cause string) {
	rt.crashed.Store(true)
	t := rt.NewThread(&callbacks.Thread{ThreadID: int32(thread)}, nil)
	defer t.Close()
	t.enter("compute construct", callbacks.Parallel, AsyncSync)
	t.context.device, t.function = rt.device(kind, number), function
	told := attribution.Argument{}
	if rt.options.Namer != nil {
		told = rt.options.Namer.Describe(attribution.Place{}, function, goacc.Arguments{}, 0)
	}
	if told.Kernel == "" {
		told.Kernel = fmt.Sprintf("at %#x", function)
	}
	failure := device.Errorf(device.Execution, 0, "%s%s: kernel %s failed on %s: %s",
		told.Place(), cmp.Or(told.Directive(), t.routine), told.Kernel, t.deviceName(), cause)
	if rt.registry.Wanted(callbacks.Error) {
		t.raiseError(failure)
	}
	// Nothing can be done about an error stream that does not take the line.
	_, _ = fmt.Fprintf(rt.options.Errors, "accscope: %s\n", failure.Message)
}

// Error raises the error of a call that the runtime did not see itself, with an
// acc_error_t code, and ends the program as fail does.
func (t *Thread) Error(code int, routine, message string) {
	t.enter(routine, callbacks.RuntimeAPI, AsyncSync)
	t.fail(t.errorf(device.Code(code), "%s", message))
}
