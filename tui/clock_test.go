package tui

import (
	"os"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
)

func TestClock(t *testing.T) {
	for ns, want := range map[int64]string{-5: "0 ns", 9_990_000_000: "9.99 s", 10e9: "00:10.0", 59_960_000_000: "01:00.0", 3599_970_000_000: "1:00:00", 3600e9: "1:00:00"} {
		if got := clock(ns); got != want {
			t.Errorf("%d ns is shown as %s, want %s", ns, got, want)
		}
	}
}

// The clock of a live view goes on with the program, and stands where that has ended,
// though the trace does not say so yet.
func TestClockStandsAtTheEnd(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	const now = 5_000_000_000
	view := func(pid int, ended string) *state.State {
		return &state.State{Events: 1, Now: now, Origin: -1 << 50, Processes: []model.ProcessInfo{{Host: host, PID: pid, Ended: ended}}}
	}
	const none = 1<<31 - 1 // more than any kernel gives
	for _, c := range []struct {
		name  string
		view  *state.State
		state State
		goes  bool
	}{
		{"runs", view(os.Getpid(), ""), Live, true},
		{"has ended, not yet in the trace", view(none, ""), Live, false},
		{"has ended", view(none, "exited"), Ended, false},
	} {
		f := liveFrame(c.view, "")
		if f.State != c.state || (f.Time != now) != c.goes {
			t.Errorf("%s: state %v, time %d", c.name, f.State, f.Time)
		}
	}
}

// The axis of a replay has the run's time, that of a live view how long ago it was.
func TestAxisTime(t *testing.T) {
	a := &app{frame: Frame{Time: 7e9, View: &state.State{}}, player: &Replay{first: 2e9, last: 9e9}}
	for ago, want := range map[int64]string{0: "5 s", 2e9: "3 s", 5e9: "0 ns", 5e9 + 1: ""} {
		if got := a.axisTime(ago); got != want {
			t.Errorf("replay, %d ns ago: %q, want %q", ago, got, want)
		}
	}
	a.player = nil
	for ago, want := range map[int64]string{0: "now", 2e9: "-2 s"} {
		if got := a.axisTime(ago); got != want {
			t.Errorf("live, %d ns ago: %q, want %q", ago, got, want)
		}
	}
}
