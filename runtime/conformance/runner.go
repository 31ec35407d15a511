package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Runner runs tests of a suite under one set of settings.
type Runner struct {
	Suite      *Suite
	Settings   Settings
	Builder    *Builder
	Preload    []string // libraries loaded into every test, in order
	Removed    removedAssertions
	Timeout    time.Duration
	SaveOutput string // folder for the output of tests that do not pass; may be empty
}

// RunAll runs the tests, jobs of them at a time, and gives their results in
// the same order. Every hundredth is reported on progress.
func (r *Runner) RunAll(tests []Test, jobs int, progress io.Writer) ([]Result, error) {
	results := make([]Result, len(tests))
	errs := make([]error, len(tests))
	next := make(chan int)
	var group sync.WaitGroup
	for range jobs {
		group.Go(func() {
			for i := range next {
				results[i], errs[i] = r.Run(tests[i])
			}
		})
	}
	started := time.Now()
	for i := range tests {
		next <- i
		if (i+1)%100 == 0 {
			fmt.Fprintf(progress, "%d of %d tests, %.0f s\n", i+1, len(tests), time.Since(started).Seconds())
		}
	}
	close(next)
	group.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", tests[i].Name(), err)
		}
	}
	return results, nil
}

// Run builds and runs one test. The error is the runner's own; a test that
// fails is a result.
func (r *Runner) Run(t Test) (Result, error) {
	p, err := plan(t, r.Settings, r.Removed)
	if err != nil {
		return Result{}, err
	}
	if p.NotRun != "" {
		return Result{Test: t, Status: p.NotRun, Message: p.Why}, nil
	}
	program, err := r.Builder.Build(p, r.Settings, r.Suite.Common())
	if err != nil {
		return Result{}, err
	}
	switch {
	case p.ExpectError && program.Error == "":
		return Result{Test: t, Status: StatusBuildFails, Message: "compiles, where dg-error expects an error"}, nil
	case p.ExpectError:
		return Result{Test: t, Status: StatusBuilt, Message: program.Error}, nil
	case program.Error != "":
		return Result{Test: t, Status: StatusBuildFails, Message: program.Error}, nil
	case p.Action != actionRun:
		return Result{Test: t, Status: StatusBuilt}, nil
	}

	folder, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(folder)
	// The one file that tests open at run time, by this name.
	if err := os.Symlink(filepath.Join(r.Suite.Common(), "subr.ptx"), filepath.Join(folder, "subr.ptx")); err != nil {
		return Result{}, err
	}
	limit := r.Timeout
	if p.Timeout > 0 {
		limit = p.Timeout
	}
	x, err := execute(program.Path, folder, testEnvironment(r.Preload, p.Environment), limit)
	if err != nil {
		return Result{}, err
	}
	status, message := judge(p, x)
	result := Result{Test: t, Status: status, Message: message, Seconds: x.Duration.Seconds(), Neutral: p.neutral()}
	if r.SaveOutput != "" && status != StatusPass && status != StatusExpectedFailure {
		file := filepath.Join(r.SaveOutput, strings.ReplaceAll(t.Name(), "/", "-")+".out")
		if err := os.WriteFile(file, fmt.Appendf(nil, "%s %s\nprogram %s\n\n%s", status, message, program.Path, x.Output), 0o644); err != nil {
			return Result{}, err
		}
	}
	return result, nil
}
