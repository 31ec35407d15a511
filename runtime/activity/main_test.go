package activity

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/accscope/accscope/runtime/leftover"
)

// TestMain looks for goroutines left behind, but for those that deliver: a Delivery is
// a process's for good.
func TestMain(m *testing.M) {
	os.Exit(leftover.Main(m, goleak.IgnoreAnyFunction("github.com/accscope/accscope/runtime/activity.(*Delivery).deliver")))
}
