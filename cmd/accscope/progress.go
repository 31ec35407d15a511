package main

import (
	"fmt"
	"math"
	"os"
	"time"

	"github.com/accscope/accscope/collector/report"
)

// lineEach is how often a line of progress is drawn anew.
const lineEach = 500 * time.Millisecond

// showLine draws a line on standard error now and then, which says how far the work is
// that began so long ago, until it is stopped; nil draws none. also is done as often.
func showLine(line func(took time.Duration) string, also func()) (stop func()) {
	begun := time.Now()
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(lineEach)
		defer ticker.Stop()
		drawn := false
		for {
			select {
			case <-ticker.C:
				also()
				if line != nil {
					drawn = true
					fmt.Fprintf(os.Stderr, "\r%s\x1b[K", line(time.Since(begun)))
				}
			case <-done:
				if drawn {
					fmt.Fprint(os.Stderr, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// finishingLine says how far the events of a run have been taken in: which share of
// them, how many, how far what comes next lies behind, and how long the rest takes. A
// share of 0 is not known, and a time of 0 left out.
func finishingLine(what string, share float64, events int64, behind, took time.Duration) string {
	text := "accscope: " + what + ": "
	if share > 0 {
		text += fmt.Sprintf("%.0f%%, ", 100*share)
	}
	text += fmt.Sprintf("%d events", events)
	if behind > 0 {
		text += fmt.Sprintf(", %s behind the program's end", report.ShowDuration(float64(behind)))
	}
	if share > 0.02 && share < 1 {
		left := math.Ceil(took.Seconds() * (1 - share) / share)
		text += fmt.Sprintf(", about %s left", report.ShowDuration(left*1e9))
	}
	return text
}
