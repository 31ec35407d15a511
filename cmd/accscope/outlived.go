package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/shell"
)

// lookEach is how often the processes that a program left behind are looked for.
const lookEach = 100 * time.Millisecond

// outlived follows what the program leaves behind when it ends, until that has
// ended too or is let go: r.running says what runs on. Of the ranks of a job the last
// one does.
func (r *recording) outlived(process *launch.Process, end launch.End) error {
	ended := time.Now()
	if err := r.leave(); err != nil || r.handedOver {
		return err
	}
	running, err := r.session.Running()
	if err != nil || len(running) == 0 {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	followed := make(chan error, 1)
	go func() { followed <- r.follow(ctx) }()
	r.running, err = r.wait(process, end, ended, running)
	cancel()
	return errors.Join(err, <-followed)
}

// leave ends this rank's part: the last rank of a job finishes the trace.
func (r *recording) leave() error {
	if r.member == nil {
		return nil
	}
	last, err := r.member.Leave()
	switch {
	case err != nil:
		return err
	case !last:
		r.handedOver = true
		return r.handOver()
	case r.ingester == nil:
		if err := r.takeOver(); err != nil {
			return errors.Join(err, r.member.Over())
		}
	}
	return nil
}

// wait waits for the processes left behind: at a terminal as long as they run,
// else, and once the user has asked for an end, for flags.linger after ended. A
// second time the user need not ask for long. It gives those that still run.
func (r *recording) wait(process *launch.Process, end launch.End, ended time.Time, running []session.Runner) ([]session.Runner, error) {
	patient := isTerminal(os.Stderr)
	asked := 0
	for len(process.Asked()) > 0 { // while the program ran
		<-process.Asked()
		patient = false
	}
	r.sayWaiting(running, end, patient)
	for {
		wait := lookEach
		if !patient {
			if wait = min(wait, r.flags.linger-time.Since(ended)); wait <= 0 {
				return running, nil
			}
		}
		select {
		case <-process.Asked():
			if asked++; asked > 1 {
				return running, nil
			}
			if rest := r.flags.linger - time.Since(ended); rest > 0 && isTerminal(os.Stderr) {
				fmt.Fprintf(stderr, "accscope: %s more for them to end; Ctrl+C again lets them go now\n", report.ShowDuration(float64(rest)))
			}
			patient = false
		case <-time.After(wait):
		}
		var err error
		if running, err = r.session.Running(); err != nil || len(running) == 0 {
			return nil, err
		}
	}
}

// sayWaiting tells the user what is waited for.
func (r *recording) sayWaiting(running []session.Runner, end launch.End, patient bool) {
	if r.flags.quiet || r.flags.linger <= 0 && !patient {
		return
	}
	limit := "; Ctrl+C lets them go"
	if !patient {
		limit = fmt.Sprintf(", for %v at most", r.flags.linger)
	}
	fmt.Fprintf(stderr, "accscope: program %s; waiting for what it left behind: %s%s\n", end, list(running), limit)
}

// sayUnfinished tells the user of a trace that is not complete, since processes
// still run.
func sayUnfinished(trace string, running []session.Runner, folder string) {
	fmt.Fprintf(stderr, "accscope: %s is NOT complete: %s still run, and are captured on\naccscope: accscope import %s goes on with it once they have ended (accscope ls shows them)\n",
		shown(trace), list(running), shell.Path(folder))
}

// list names processes, not more than a line has room for.
func list(runners []session.Runner) string {
	const most = 5
	var names []string
	for _, r := range runners[:min(len(runners), most)] {
		names = append(names, r.String())
	}
	if more := len(runners) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
