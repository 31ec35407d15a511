package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

// A runtime is GCC's ("libgomp") or ours ("accscope"), with its device.
type runtime struct{ library, device string }

func (r runtime) String() string { return r.library + " " + r.device }

// child is what asChild tells of the program it ran.
type child struct {
	Wall  float64   // seconds
	CPU   float64   // seconds on processors, user and system
	Own   float64   // seconds on processors that asChild took itself
	Ended time.Time // when the program ended
}

// asChild runs a program and writes what it took to a file: between the profiler
// and the program it sees the program's resources alone. It ends with the
// program's status.
func asChild(file string, command []string) int {
	program := exec.Command(command[0], command[1:]...)
	program.Stdin, program.Stdout, program.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err := program.Run()
	ended := time.Now()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 127
	}
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 127
	}
	text, err := json.Marshal(child{ended.Sub(start).Seconds(), cpu(program.ProcessState),
		time.Duration(own.Utime.Nano() + own.Stime.Nano()).Seconds(), ended})
	if err == nil {
		err = os.WriteFile(file, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 127
	}
	return program.ProcessState.ExitCode()
}

// cpu is what a process and the children it waited for took of processors, in
// seconds.
func cpu(state *os.ProcessState) float64 {
	return (state.UserTime() + state.SystemTime()).Seconds()
}

// sample is one run.
type sample struct {
	wall, cpu float64 // seconds of the program
	loop      float64 // seconds from the first launch to the last wait, 0 if it tells none
	launches  int     // as the program counts them, 0 if it tells none
	collector float64 // seconds on processors of accscope, without the program
	finishing float64 // seconds from the program's end to accscope's
}

func (b *bench) alone(w workload, r runtime) (sample, error) {
	environment := []string{"ACC_DEVICE_TYPE=" + r.device}
	if r.library == "accscope" {
		environment = append(environment, "LD_PRELOAD="+b.library)
	}
	s, _, _, err := b.execute(nil, environment, w)
	return s, err
}

func (b *bench) profiled(w workload, r runtime) (sample, error) {
	command := []string{b.accscope, "run", "--no-summary", "--force", "-o", b.trace, "--runtime"}
	var environment []string
	if r.library == "accscope" {
		command = append(command, "accscope", "--device", r.device, "--")
	} else {
		command = append(command, "native", "--")
		environment = append(environment, "ACC_DEVICE_TYPE="+r.device)
	}
	s, state, c, err := b.execute(command, environment, w)
	if err == nil {
		s.collector = cpu(state) - c.CPU - c.Own
		s.finishing = time.Since(c.Ended).Seconds()
	}
	return s, err
}

// execute runs a workload by asChild, behind a command if there is one.
func (b *bench) execute(command, environment []string, w workload) (sample, *os.ProcessState, child, error) {
	file := filepath.Join(b.scratch, "child.json")
	// accscope refuses programs that are statically linked, as this one is: env.
	command = append(command, "env", b.self, "-as-child", file, filepath.Join(b.programs, w.program))
	command = append(command, w.arguments...)
	run := exec.Command(command[0], command[1:]...)
	// The capture's files lie where the traces do.
	run.Env = append(append(os.Environ(), "XDG_RUNTIME_DIR="+b.scratch), environment...)
	var output, errors bytes.Buffer
	run.Stdout, run.Stderr = &output, &errors
	if err := run.Run(); err != nil {
		return sample{}, nil, child{}, fmt.Errorf("%w\n%s%s", err, output.Bytes(), errors.Bytes())
	}
	var c child
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	s := sample{wall: c.Wall, cpu: c.CPU}
	if found := loopLine.FindSubmatch(output.Bytes()); err == nil && found != nil {
		s.loop, err = strconv.ParseFloat(string(found[1]), 64)
	}
	if found := launchesLine.FindSubmatch(output.Bytes()); err == nil && found != nil {
		s.launches, err = strconv.Atoi(string(found[1]))
	}
	return s, run.ProcessState, c, err
}

// What loop and shallow-water print.
var (
	loopLine     = regexp.MustCompile(`(?m)^first launch to last wait +([0-9.]+) s$`)
	launchesLine = regexp.MustCompile(`(?m)^launches +([0-9]+)`)
)

// traceFigures are what a finished trace tells.
type traceFigures struct {
	launches, events, transfers int
	bytes                       int64
	kernelSeconds               float64 // on the device; 0 where it is not measured
}

func (b *bench) readTrace() (traceFigures, error) {
	var t traceFigures
	info, err := os.Stat(b.trace)
	if err != nil {
		return t, err
	}
	t.bytes = info.Size()
	output, err := exec.Command(b.accscope, "info", "--json", b.trace).Output()
	if err != nil {
		return t, fmt.Errorf("accscope info: %w", err)
	}
	var about struct{ Meta struct{ Events int } }
	if err := json.Unmarshal(output, &about); err != nil {
		return t, fmt.Errorf("accscope info: %w", err)
	}
	t.events = about.Meta.Events
	for _, query := range []struct {
		sql  string
		into any
	}{
		{"SELECT count(*) FROM kernels", &t.launches},
		{"SELECT count(*) FROM transfers", &t.transfers},
		{"SELECT coalesce(sum(device_time), 0) / 1e9 FROM kernels", &t.kernelSeconds},
	} {
		if err := b.query(query.sql, query.into); err != nil {
			return t, err
		}
	}
	return t, nil
}

// query asks the last trace for one value.
func (b *bench) query(sql string, into any) error {
	output, err := exec.Command(b.accscope, "query", "--format", "csv", b.trace, sql).Output()
	if err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	rows, err := csv.NewReader(bytes.NewReader(output)).ReadAll()
	if err != nil || len(rows) != 2 || len(rows[1]) != 1 {
		return fmt.Errorf("%s: the answer is %q, not a value", sql, output)
	}
	if _, err := fmt.Sscan(rows[1][0], into); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}
