package otlp

import (
	"os"
	"testing"

	"github.com/accscope/accscope/runtime/leftover"
)

func TestMain(m *testing.M) { os.Exit(leftover.Main(m)) }
