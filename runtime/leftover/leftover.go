// Package leftover finds goroutines that the tests of a package have left behind.
package leftover

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is for goroutines that are told to end and wait for a processor: goleak
// itself has less than half a second.
const patience = time.Minute

// Main runs the tests of a package for its TestMain and returns the status to exit
// with: 1, with what is told on standard error, where goroutines are left.
func Main(m *testing.M, options ...goleak.Option) int {
	status := m.Run()
	if status != 0 {
		return status
	}
	if err := find(patience, options...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func find(patience time.Duration, options ...goleak.Option) error {
	end := time.Now().Add(patience)
	for {
		err := goleak.Find(options...)
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}
