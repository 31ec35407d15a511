// Package tui is the live view of running OpenACC programs in a terminal: async
// queues, device memory, kernels, transfers, events and threads, drawn from
// the trace alone (collector/state), while it is written and afterwards. The same
// views show a running session, a capture that nobody collects and the replay of a
// finished trace.
package tui

import (
	"context"
	"time"

	"github.com/accscope/accscope/collector/state"
)

// State says what a source's time does.
type State string

// The states of a source.
const (
	Waiting State = "waiting" // nothing was seen yet
	Live    State = "live"
	Playing State = "playing" // a replay runs
	Paused  State = "paused"  // a replay stands still
	Ended   State = "ended"   // the programs, or the trace
)

// Frame is what a source knows at a moment.
type Frame struct {
	View  *state.State // nil before the first event
	Time  int64        // the moment shown, ns since the origin of the view's times
	State State
	Note  string // what the user should know of the source, "" if nothing
	// Partial is set on the way to another time: of it there are only the rates.
	Partial bool
	// Restart is set where time was jumped to: history begins anew.
	Restart bool
}

// Source gives frames.
type Source interface {
	// Title names the session or trace.
	Title() string
	// Run gives frames to observe, at least one per interval, until ctx is done.
	// It calls observe from one goroutine at a time and returns an error if
	// there is nothing to show.
	Run(ctx context.Context, interval time.Duration, observe func(Frame)) error
}
