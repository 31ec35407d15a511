package openacc

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/accscope/accscope/runtime/leftover"
)

// TestMain looks for goroutines left behind. A runtime is a process's for good, so
// nothing ends the one that delivers its activity records.
func TestMain(m *testing.M) {
	os.Exit(leftover.Main(m, goleak.IgnoreAnyFunction("github.com/accscope/accscope/runtime/activity.(*Delivery).deliver")))
}
