// Command soak loads accscope for long, on two processors, and tells a line for each
// part: the collector under events that come as fast as four threads raise them, and
// programs of 64 threads one after the other. It fails where the collector takes more
// memory, or the capture more space, than it may, or where an event is neither in the
// trace nor counted as lost.
package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/runtime/compilers"
)

var (
	events   = flag.Int("events", 100_000_000, "events to raise in the first part")
	threads  = flag.Int("threads", 4, "threads that raise them, at most 64")
	cores    = flag.Int("cores", 2, "processors to run on")
	memory   = flag.Int64("memory", 512, "MiB that the collector may have resident")
	ceiling  = flag.Int64("ceiling", 1024, "MiB that a process's capture may take")
	duration = flag.Duration("duration", 10*time.Minute, "how long the second part takes at least")
)

func main() {
	flag.Parse()
	if err := soak(); err != nil {
		fmt.Fprintf(os.Stderr, "soak: %v\n", err)
		os.Exit(1)
	}
}

func soak() error {
	var set unix.CPUSet
	for i := range *cores {
		set.Set(i)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("keeping to %d processors: %w", *cores, err)
	}
	scratch, err := os.MkdirTemp("", "accscope-soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	s := soaking{scratch: scratch}
	return errors.Join(s.load(), s.programs())
}

type soaking struct{ scratch string }

// compile builds a C program of the tests.
func (s *soaking) compile(source string, flags ...string) (program string, err error) {
	program = filepath.Join(s.scratch, strings.TrimSuffix(filepath.Base(source), ".c"))
	return program, compilers.Build(program, append([]string{"-O2", "-Iruntime/include", source, "-pthread", "-ldl"}, flags...)...)
}

// outcome is what became of a run of accscope.
type outcome struct {
	events, lost int64 // in the trace
	complete     bool
	trace        int64 // bytes
	resident     int64 // bytes of the collector, at most
	capture      int64 // bytes of the capture, at most
	took         time.Duration
}

// run records a program.
func (s *soaking) run(program ...string) (o outcome, err error) {
	trace, sessions := filepath.Join(s.scratch, "soak.db"), filepath.Join(s.scratch, "sessions")
	command := exec.Command("bin/accscope", append([]string{"run", "--quiet", "--force", "-o", trace, "--device", "sim",
		"--limit", fmt.Sprintf("%dMiB", *ceiling), "--"}, program...)...)
	command.Env = append(os.Environ(), "ACCSCOPE_DIR="+sessions)
	var words strings.Builder
	command.Stdout, command.Stderr = &words, &words
	began := time.Now()
	if err := command.Start(); err != nil {
		return o, err
	}
	done := make(chan error, 1)
	go func() { done <- command.Wait() }()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for running := true; running; {
		select {
		case err = <-done:
			running = false
		case <-ticker.C:
			o.resident = max(o.resident, mostResident(command.Process.Pid))
			o.capture = max(o.capture, space(sessions))
		}
	}
	o.took = time.Since(began)
	if err != nil {
		return o, fmt.Errorf("%s: %w\n%s", command, err, words.String())
	}
	return o, o.read(trace)
}

// read takes from the trace what is in it.
func (o *outcome) read(path string) (err error) {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	o.trace = info.Size()
	trace, err := store.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, trace.Close()) }()
	meta, err := trace.Meta()
	if err != nil {
		return err
	}
	o.events, o.complete = meta.Events, meta.Complete
	return sqlitex.Execute(trace.Conn(), "SELECT sum(events) FROM loss", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		o.lost = s.ColumnInt64(0)
		return nil
	}})
}

// check says what was not as it has to be.
func (o *outcome) check() error {
	switch {
	case !o.complete:
		return errors.New("the trace is not complete")
	case o.resident > *memory<<20:
		return fmt.Errorf("the collector had %d MiB resident, %d are allowed", o.resident>>20, *memory)
	case o.capture > *ceiling<<20:
		return fmt.Errorf("the capture took %d MiB, %d are allowed", o.capture>>20, *ceiling)
	}
	return nil
}

// mostResident is the most memory that a process has had resident, bytes; 0 if it has
// ended.
func mostResident(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(fields[0], 10, 64)
	return kilobytes << 10
}

// space is what the files of a folder take up, bytes. Files come and go meanwhile.
func space(folder string) (bytes int64) {
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			bytes += info.Sys().(*syscall.Stat_t).Blocks * 512
		}
		return nil
	})
	return bytes
}

// load raises events as fast as the threads can. The program counts them.
func (s *soaking) load() error {
	if *events <= 0 {
		return nil
	}
	const round = 8 // events of one iteration of load.c
	program, err := s.compile("collector/ingest/testdata/load.c")
	if err != nil {
		return err
	}
	counters := filepath.Join(s.scratch, "counters")
	if err := os.WriteFile(counters, make([]byte, 4096), 0o600); err != nil {
		return err
	}
	o, err := s.run(program, "lib/libaccprof.so", strconv.Itoa(*threads), strconv.Itoa(*events / *threads / round), counters)
	if err != nil {
		return err
	}
	counted := int64(0)
	data, err := os.ReadFile(counters)
	if err != nil {
		return err
	}
	for i := range *threads {
		counted += int64(binary.LittleEndian.Uint64(data[64*i:]))
	}
	fmt.Printf("collector under load: %d events of %d threads on %d processors in %s; %d in the trace of %d MiB, %d counted as lost; "+
		"at most %d MiB resident, %d MiB of capture\n", counted, *threads, *cores, o.took.Round(time.Second), o.events, o.trace>>20, o.lost,
		o.resident>>20, o.capture>>20)
	if o.events+o.lost != counted {
		return fmt.Errorf("%d of %d events are neither in the trace nor counted as lost", counted-o.events-o.lost, counted)
	}
	return o.check()
}

// programs runs 64 threads on one device, which check their results, again and again.
func (s *soaking) programs() error {
	program, err := s.compile("runtime/threads/testdata/hammer.c", "-fopenacc", "-foffload=disable")
	if err != nil {
		return err
	}
	var most outcome
	runs := 0
	for end := time.Now().Add(*duration); time.Now().Before(end); runs++ {
		o, err := s.run(program, "100")
		if err == nil {
			err = o.check()
		}
		if err != nil {
			return fmt.Errorf("run %d of hammer: %w", runs+1, err)
		}
		most.events, most.lost = most.events+o.events, most.lost+o.lost
		most.resident, most.capture = max(most.resident, o.resident), max(most.capture, o.capture)
	}
	fmt.Printf("programs of 64 threads: %d runs in %s, all results right; %d events, %d counted as lost; at most %d MiB resident, %d MiB of capture\n",
		runs, *duration, most.events, most.lost, most.resident>>20, most.capture>>20)
	return nil
}
