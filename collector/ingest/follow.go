package ingest

import (
	"context"
	"runtime"
	"time"

	"github.com/accscope/accscope/collector/sampling"
	"golang.org/x/sys/unix"
)

// pollInterval is how often Run looks for news.
const pollInterval = 50 * time.Millisecond

// Run polls until ctx is done, with less of a claim to a processor than the programs that
// it follows have. What is left then is for Finish.
func (in *Ingester) Run(ctx context.Context) error {
	return onOwnThread(func() error {
		giveWay()
		return in.keepUp(ctx)
	})
}

func (in *Ingester) keepUp(ctx context.Context) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	in.stop = ctx.Done()
	defer func() { in.stop = nil }()
	sampler := sampling.Start()
	for {
		_, err := in.Poll()
		if err == nil {
			err = in.takeSamples(sampler)
		}
		if err != nil {
			sampler.Close()
			return err
		}
		select {
		case <-ctx.Done():
			sampler.Close()
			return in.takeSamples(sampler)
		case <-ticker.C:
		}
	}
}

// wayGiven is how much nicer the thread that follows programs is than they are: where all
// processors are busy, the kernel gives it a ninth of the time that a thread of theirs gets.
const wayGiven = 10

// giveWay makes the calling thread a nicer one.
func giveWay() {
	// Linux has a nice value for each thread, 19 at most. Where it cannot be set, the
	// work is the same.
	if claim, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, min(20-claim+wayGiven, 19))
	}
}

// onOwnThread runs f on a thread that ends with it.
func onOwnThread(f func() error) error {
	ended := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			// The first thread never ends. While this goroutine has it, another one has not.
			defer runtime.UnlockOSThread()
			ended <- onOwnThread(f)
			return
		}
		ended <- f()
	}()
	return <-ended
}

// stopped says whether following is to end, though there is more to take in.
func (in *Ingester) stopped() bool {
	select {
	case <-in.stop:
		return true
	default:
		return false
	}
}
