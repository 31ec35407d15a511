package attribution_test

import (
	"os"
	"testing"

	"github.com/accscope/accscope/runtime/leftover"
)

// TestMain looks for goroutines left behind.
func TestMain(m *testing.M) { os.Exit(leftover.Main(m)) }
