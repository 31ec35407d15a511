package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store/schema"
)

// limits are what a command that reads files takes of the machine at most: a file may
// be damaged, or made to harm who looks at it. They grow with the files, so that a
// large trace has its time. It is the time on a processor: other work on the machine
// does not count.
type limits struct {
	processor time.Duration
	memory    int64 // bytes resident, without what is shared with other processes
}

// For each MiB of the files there is so much more. Reading takes some 3 s of processor
// time for 75 MiB, a million spans.
const (
	processorEachMiB = time.Second
	memoryEachByte   = 8
)

var (
	readerLimits = limits{30 * time.Second, 768 << 20}
	// Some rules of advise read the trace by themselves.
	adviceLimits = limits{2 * time.Minute, 1 << 30}
	// What import makes has also to be found in the debug information of programs.
	importLimits = limits{10 * time.Minute, 2 << 30}
)

// of are the limits for files of so many bytes.
func (l limits) of(bytes int64) limits {
	return limits{l.processor + time.Duration(float64(bytes)/(1<<20)*float64(processorEachMiB)), l.memory + memoryEachByte*bytes}
}

// watchEach is how often it is looked whether a limit is met, and endWithin how long a
// command then has to end by itself, and take back what it has begun.
const (
	watchEach = 50 * time.Millisecond
	endWithin = 3 * time.Second
)

// limitFlags are the flags of a command for its limits.
type limitFlags struct {
	base      limits
	processor time.Duration
	memory    byteSize
	given     func(flag string) bool
}

const timeLimit, memoryLimit = "time-limit", "memory-limit"

// register adds the flags, of which when says when they count, "" for always.
func (l *limitFlags) register(command *cobra.Command, base limits, when string) {
	l.base = base
	f := command.Flags()
	l.given = f.Changed
	f.DurationVar(&l.processor, timeLimit, 0, when+fmt.Sprintf("end after this `TIME` on a processor, 0 for never (default %v, and %v for each MiB of the files)", base.processor, processorEachMiB))
	f.Var(&l.memory, memoryLimit, when+fmt.Sprintf("end beyond this `SIZE` of memory, 0 for none (default %s, and %d times the files)", report.ShowBytes(float64(base.memory)), memoryEachByte))
}

// limited gives a command flags for its limits, and ends it where it meets one. files
// are those that its arguments stand for.
func limited(command *cobra.Command, base limits, files func(args []string) []string) {
	var l limitFlags
	l.register(command, base, "")
	run := command.RunE
	command.RunE = func(command *cobra.Command, args []string) error {
		return l.within(command.Context(), func() []string { return files(args) }, func(ctx context.Context) error {
			command.SetContext(ctx)
			return run(command, args)
		})
	}
}

// within does work that reads files, until a limit is met: then its context ends.
func (l *limitFlags) within(ctx context.Context, files func() []string, work func(context.Context) error) error {
	if err := l.met(files); err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go endAt(ctx, end, func() error { return l.met(files) })
	err := work(ctx)
	if met := (limitError{}); err != nil && errors.As(context.Cause(ctx), &met) {
		return met
	}
	return err
}

func (l *limitFlags) met(files func() []string) error {
	allowed, used := l.base, usage()
	if !l.given(timeLimit) && !l.given(memoryLimit) && allowed.met(used, 0) == nil {
		return nil // however large the files are
	}
	bytes := allocated(files())
	allowed = allowed.of(bytes)
	if l.given(timeLimit) {
		allowed.processor = l.processor
	}
	if l.given(memoryLimit) {
		allowed.memory = int64(l.memory)
	}
	return allowed.met(used, bytes)
}

// argumentFiles are the arguments themselves: what is no file counts for nothing.
func argumentFiles(args []string) []string { return args }

// endAt ends the process with what met says, once it says something.
func endAt(ctx context.Context, end context.CancelCauseFunc, met func() error) {
	ticker := time.NewTicker(watchEach)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := met(); err != nil {
			end(err)
			time.Sleep(endWithin)
			// Not every step asks whether it is to end.
			fmt.Fprintf(stderr, "accscope: %s\n", schema.Plain(err))
			os.Exit(exitFailure)
		}
	}
}

// limitError says which limit was met, and how to raise it.
type limitError struct{ text string }

func (e limitError) Error() string { return e.text }

// met says which limit of those, if any, the use of files of so many bytes meets.
func (l limits) met(used limits, bytes int64) error {
	const of = "%s is the limit for %s to read, and was met; a file may be damaged, or made to do harm. --%s %s allows twice as much, 0 any"
	read := report.ShowBytes(float64(bytes))
	switch {
	case l.processor > 0 && used.processor >= l.processor:
		return limitError{fmt.Sprintf(of, report.ShowDuration(float64(l.processor))+" of processor time", read, timeLimit, 2*l.processor.Round(time.Millisecond))}
	case l.memory > 0 && used.memory >= l.memory:
		return limitError{fmt.Sprintf(of, report.ShowBytes(float64(l.memory))+" of memory", read, memoryLimit, fmt.Sprintf("%dMiB", max(l.memory>>19, 1)))}
	}
	return nil
}

// usage is what this process has used of the processor, and has of memory now. What
// cannot be learned counts as nothing.
func usage() (used limits) {
	var all unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &all) == nil {
		used.processor = time.Duration(all.Utime.Nano() + all.Stime.Nano())
	}
	var size, resident, shared int64
	if pages, err := os.ReadFile("/proc/self/statm"); err == nil {
		fmt.Sscan(string(pages), &size, &resident, &shared) //nolint:errcheck // zero where it says something else
	}
	used.memory = (resident - shared) * int64(os.Getpagesize())
	return used
}

// allocated is what files, and those in folders, take up on the disk, bytes: a file
// can be made to look larger. What is no file counts nothing.
func allocated(paths []string) (bytes int64) {
	for _, path := range paths {
		resolved, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		for _, root := range []string{resolved, resolved + "-wal"} {
			_ = filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
				if err != nil {
					return nil // it has gone meanwhile
				}
				if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
					bytes += info.Sys().(*syscall.Stat_t).Blocks * 512
				}
				return nil
			})
		}
	}
	return bytes
}

// byteSize is a flag for a number of bytes, such as 512MiB.
type byteSize int64

func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	return report.ShowBytes(float64(*b))
}

func (b *byteSize) Set(text string) error {
	digits := strings.TrimRight(text, "kKMGTiB")
	unit, known := report.SizeUnits[text[len(digits):]]
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !known || number < 0 || number > math.MaxInt64/unit {
		return fmt.Errorf("%q is no size, such as 512MiB or 4GiB", text)
	}
	*b = byteSize(number * unit)
	return nil
}

func (b *byteSize) Type() string { return "SIZE" }
