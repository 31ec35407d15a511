package main

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// Status is the verdict on one test.
type Status string

// The verdicts. A failing run is "fail:N" with its exit status N, a crash
// "crash:SIGNAME".
const (
	StatusPass            Status = "pass"
	StatusExpectedFailure Status = "xfail" // fails, as the suite itself says it does
	StatusUnexpectedXPass Status = "xpass" // passes, though the suite says it fails
	StatusUnexpectedPass  Status = "unexpected-pass"
	StatusOutput          Status = "output" // ends as it should, but prints something else
	StatusTimeout         Status = "timeout"
	StatusBuildFails      Status = "build-fails"
	StatusBuilt           Status = "built" // nothing to run: compiling was the test
	StatusSkipped         Status = "skip"
	StatusUnsupported     Status = "unsupported"
)

// statusOrder is the order in which verdicts are listed and printed; those
// with an argument go by their first word.
var statusOrder = []Status{
	StatusPass, StatusExpectedFailure, StatusBuilt, "fail", "crash", StatusTimeout, StatusOutput,
	StatusUnexpectedPass, StatusUnexpectedXPass, StatusBuildFails, StatusSkipped, StatusUnsupported,
}

// kind is the verdict without its argument.
func (s Status) kind() Status {
	kind, _, _ := strings.Cut(string(s), ":")
	return Status(kind)
}

// ran says whether a test with this verdict was run.
func (s Status) ran() bool {
	switch s.kind() {
	case StatusBuilt, StatusBuildFails, StatusSkipped, StatusUnsupported:
		return false
	}
	return true
}

// needsReason says whether an expected result of this kind has to be
// explained in its list. Left-out tests explain themselves in their dg lines.
func (s Status) needsReason() bool {
	switch s.kind() {
	case StatusPass, StatusExpectedFailure, StatusBuilt, StatusSkipped, StatusUnsupported:
		return false
	}
	return true
}

// Result is the verdict on one test and what led to it.
type Result struct {
	Test    Test
	Status  Status
	Message string
	Seconds float64
	Neutral bool // ran, and is about no GPU's driver: see Plan.neutral
}

// judge compares what a program did with what its test asks for.
func judge(p *Plan, x Execution) (Status, string) {
	status, message := judgeRun(p, x)
	switch {
	case !p.ExpectFailure && !(p.OutputExpected && (status == StatusOutput || status == StatusPass)):
		return status, message
	case status == StatusPass:
		return StatusUnexpectedXPass, message
	}
	return StatusExpectedFailure, strings.TrimSpace(string(status) + " " + message)
}

func judgeRun(p *Plan, x Execution) (Status, string) {
	switch {
	case x.TimedOut:
		return StatusTimeout, firstMessage(x.Output)
	case p.ShouldFail && x.Signal == 0 && x.ExitStatus == 0:
		return StatusUnexpectedPass, "exit status 0 where the test asks for a failure"
	case p.ShouldFail && (x.Signal == 0 || x.Signal == unix.SIGABRT):
		// The failure asked for: an exit status or the test's own abort. Any other
		// signal is a crash, although the suite would take it for a failure.
	case x.Signal != 0:
		return Status("crash:" + unix.SignalName(x.Signal)), firstMessage(x.Output)
	case x.ExitStatus != 0:
		return Status(fmt.Sprintf("fail:%d", x.ExitStatus)), firstMessage(x.Output)
	}
	if p.Output != nil && !p.Output.MatchString(x.Output) {
		return StatusOutput, fmt.Sprintf("no match of %q in %q", shorten(p.Output.String(), 120), shorten(x.Output, 200))
	}
	return StatusPass, ""
}

// firstMessage is the first line of a program's output that isn't empty.
func firstMessage(output string) string {
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" {
			return shorten(line, 200)
		}
	}
	return ""
}

func shorten(s string, limit int) string {
	if len(s) > limit {
		return s[:limit] + "…"
	}
	return s
}
