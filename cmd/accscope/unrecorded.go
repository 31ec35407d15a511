package main

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/store/schema"
)

// A profiler never keeps a job from running. What becomes of a run that cannot be recorded
// as it was asked for is decided here, whatever the cause: its trace gets another name, it
// goes on without what was to be shown of it, or the program runs unprofiled; one line
// says which. --must-record is for those who want status 125 instead. What was mistyped on
// our own command line is none of this: it ends with status 2.

// unrecorded has the program run in place of this process, as it would without accscope,
// since cause keeps it from being recorded. It returns where it may not, or the program
// cannot be started.
func (flags *runFlags) unrecorded(program launch.Program, args []string, cause error) error {
	if flags.mustRecord {
		return statusError{cause, exitRunFailed}
	}
	fmt.Fprintf(stderr, "accscope: %s: %s runs unprofiled\n", oneLine(cause), filepath.Base(program.Path))
	flags.absent(program, 2*time.Second)
	return statusError{launch.Replace(program, args, flags.plainEnvironment(program)), exitCannotStart}
}

// absent tells the job's collector, where there is one, that a rank has come and ended whose
// program is not recorded, or was not started: who counts ranks is not to wait for it. It may
// take that long.
func (flags *runFlags) absent(program launch.Program, patience time.Duration) {
	if flags.target == nil {
		return
	}
	quiet := *flags
	quiet.quiet, quiet.to.wait = true, min(flags.to.wait, patience)
	r, err := startRecording(&quiet, program)
	if err != nil {
		return // it has said so, or what it would say has been said
	}
	r.missed()
}

// plainEnvironment is the program's where nothing is recorded: the runtime and the device
// that were asked for are the program's behaviour, and stay if they can be had. No other
// runtime has sim.
func (flags *runFlags) plainEnvironment(program launch.Program) []string {
	device, sim := flags.device, strings.EqualFold(os.Getenv("ACC_DEVICE_TYPE"), "sim")
	if device == "" && sim {
		device = "sim"
	}
	wanted, err := launch.ParseRuntime(flags.runtime)
	if err == nil && (wanted == launch.Accscope || device != "") {
		libraries, err := launch.FindLibraries()
		if err == nil {
			var choice launch.Choice
			if choice, err = launch.Choose(program, wanted, device); err == nil {
				return launch.PlainEnvironment(os.Environ(), libraries, choice, device)
			}
		}
	}
	if sim {
		os.Unsetenv("ACC_DEVICE_TYPE") //nolint:errcheck // the name is one
	}
	return os.Environ()
}

// without has a run go on without a part of what was asked for, if it may.
func (flags *runFlags) without(part error) error {
	if part == nil || flags.mustRecord {
		return part
	}
	fmt.Fprintf(stderr, "accscope: %s: the program is recorded without it\n", oneLine(part))
	return nil
}

// kept is the status of a run whose program has ended and whose trace is not whole.
func (flags *runFlags) kept(end launch.End) int {
	if flags.mustRecord && end == (launch.End{}) {
		return exitRunFailed
	}
	return end.Code
}

// traceNames are a trace's names, in the order in which they are tried: the one that was
// asked for, then with the number of the job's restart where its batch system counts these,
// then with a number.
func traceNames(name string) iter.Seq[string] {
	stem, extension := strings.TrimSuffix(name, filepath.Ext(name)), filepath.Ext(name)
	if before, ok := strings.CutSuffix(stem, ".accscope"); ok {
		stem, extension = before, ".accscope"+extension
	}
	return numbered(stem, extension)
}

// resultNames are those of a result's folder.
func resultNames(folder string) iter.Seq[string] { return numbered(filepath.Clean(folder), "") }

func numbered(stem, extension string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(stem + extension) {
			return
		}
		stem := stem
		if restart, err := strconv.Atoi(os.Getenv("SLURM_RESTART_COUNT")); err == nil && restart > 0 {
			stem += "-restart" + strconv.Itoa(restart)
			if !yield(stem + extension) {
				return
			}
		}
		for number := 2; yield(stem + "-" + strconv.Itoa(number) + extension); number++ {
		}
	}
}

// oneLine is an error's text without line breaks: errors that were joined have some.
func oneLine(err error) string { return strings.ReplaceAll(schema.Plain(err), "\n", "; ") }
