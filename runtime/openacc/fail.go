package openacc

import (
	"fmt"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// fail raises acc_ev_error and then ends the program: the default error callback
// (OpenACC 3.3 §5.1.11) prints one line on standard error and exits with status
// 1. No lock may be held. It returns only where Options.Exit does, in tests.
func (t *Thread) fail(failure *device.Error) {
	if t.wanted(callbacks.Error) {
		f := t.begin(callbacks.Error)
		event := f.event.Error()
		event.Implicit = 1
		event.ErrorCode = callbacks.ErrorCode(failure.Code)
		event.ErrorMessage = temporaryCString(failure.Message)
		event.RuntimeInfo = failure.Driver
		t.send(f, nil)
	}
	// Nothing can be done about an error stream that does not take the line.
	_, _ = fmt.Fprintf(t.rt.options.Errors, "accscope: %s\n", failure.Message)
	t.rt.options.Exit(1)
}

// Error raises the error of a call that the runtime did not see itself, with an
// acc_error_t code, and ends the program as fail does.
func (t *Thread) Error(code int, routine, message string) {
	t.enter(routine, callbacks.RuntimeAPI, AsyncSync)
	t.fail(t.errorf(device.Code(code), "%s", message))
}
