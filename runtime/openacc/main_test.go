package openacc

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain looks for goroutines left behind. A runtime is a process's for good, so
// nothing ends the one that delivers its activity records.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/accscope/accscope/runtime/openacc.(*activity).deliver"))
}
