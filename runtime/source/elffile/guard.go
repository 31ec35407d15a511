package elffile

import (
	"fmt"
	"runtime/debug"
)

// Guard turns a panic of f into an error. Damaged debug information can panic
// the decoders, and a mapped file that is truncated under way faults; neither
// may reach the process we are loaded into.
func Guard(what string, f func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: damaged debug information: %v", what, r)
		}
	}()
	return f()
}
