package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The ways in which programs are run, in the order of the table's columns.
const (
	native   = iota // on GCC's runtime
	ours            // on ours
	profiled        // on ours, under accscope run
	byHand          // another program, in CUDA
	ways
)

var columns = [ways]string{"GCC's runtime", "accscope", "accscope, profiled", "CUDA by hand"}

// impossible is the status of a program whose figures cannot be had here.
const impossible = 77

// A program prints lines "name value unit" (programs/times.h), or is timed whole.
type program struct {
	name  string
	args  []string
	hand  string // the same by hand, ""
	whole string // the row of its time from start to end, ""
	// Of a program that is timed whole alone, what it prints is not taken.
	silent bool
	lacks  string // said where it cannot be run
}

var programs = []program{
	{name: "launches"},
	{name: "kernels", hand: "hand"},
	{name: "many", whole: "107 kernels and 87 rounds, start to end"},
	{name: "downloads"},
	{name: "peers", hand: "peershand", lacks: "Copies between GPUs: not measured, as this machine has one GPU."},
	{name: "shallow-water-cpp", args: shallow, whole: "shallow-water in C++, start to end", silent: true},
	{name: "shallow-water-fortran", args: shallow, whole: "shallow-water in Fortran, start to end", silent: true},
}

// shallow is a grid whose kernels take some microseconds each.
var shallow = []string{"--nx", "512", "--ny", "512", "--steps", "2000", "--report", "0", "--check", "0"}

// A bench is one invocation.
type bench struct {
	programs, accscope, library, only string
	turns                             int

	scratch string
	rows    []*row
	notes   []string
}

// A row is what one line of the table is of.
type row struct {
	name, unit string
	values     [ways][]float64
}

// prepare finds what is needed, and compiles what is by hand where that can be.
func (b *bench) prepare() error {
	for _, file := range []*string{&b.programs, &b.accscope, &b.library} {
		path, err := filepath.Abs(*file)
		if err != nil {
			return err
		}
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("%w: make, and runtime/cuda/gpubench/compile.sh %s, make it", err, b.programs)
		}
		*file = path
	}
	compiler, err := cudaCompiler()
	if err != nil {
		b.notes = append(b.notes, "CUDA by hand: not measured, as "+err.Error()+".")
		return nil
	}
	for _, p := range programs {
		if p.hand == "" || !strings.Contains(p.name, b.only) {
			continue
		}
		target := filepath.Join(b.programs, p.hand)
		c := exec.Command(compiler, "-O3", "-arch=native", "-o", target, target+".cu")
		if output, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, output)
		}
	}
	return nil
}

// cudaCompiler is the path of nvcc.
func cudaCompiler() (string, error) {
	if path, err := exec.LookPath("nvcc"); err == nil {
		return path, nil
	}
	home := os.Getenv("CUDA_HOME")
	if home == "" {
		home = "/usr/local/cuda"
	}
	path := filepath.Join(home, "bin/nvcc")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("there is no nvcc on the path or in %s (CUDA_HOME)", home)
	}
	return path, nil
}

// measure runs every program in every way, turn by turn.
func (b *bench) measure() (err error) {
	if b.scratch, err = os.MkdirTemp("", "gpubench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.scratch) //nolint:errcheck // among temporary things
	for turn := range b.turns {
		for _, p := range programs {
			if !strings.Contains(p.name, b.only) {
				continue
			}
			fmt.Fprintf(os.Stderr, "turn %d of %d: %s\n", turn+1, b.turns, p.name)
			for way := range ways {
				if err := b.run(p, way); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// run runs a program once, and takes what it tells.
func (b *bench) run(p program, way int) error {
	path := filepath.Join(b.programs, p.name)
	environment := append(os.Environ(), "ACC_DEVICE_TYPE=nvidia", "LC_ALL=C",
		"LD_LIBRARY_PATH="+filepath.Join(b.programs, "libraries")+":"+os.Getenv("LD_LIBRARY_PATH"))
	command := append([]string{path}, p.args...)
	switch way {
	case ours:
		environment = append(environment, "LD_PRELOAD="+b.library)
	case profiled:
		command = append([]string{b.accscope, "run", "-q", "--no-summary", "--force", "--device", "nvidia",
			"-o", filepath.Join(b.scratch, "trace.db"), "--"}, command...)
	case byHand:
		if p.hand == "" {
			return nil
		}
		command = []string{filepath.Join(b.programs, p.hand)}
		if _, err := os.Stat(command[0]); err != nil {
			return nil // said before
		}
	}
	c := exec.Command(command[0], command[1:]...)
	c.Env, c.Dir = environment, b.scratch
	var output, messages bytes.Buffer
	c.Stdout, c.Stderr = &output, &messages
	began := time.Now()
	err := c.Run()
	took := time.Since(began)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == impossible:
		if way == ours && p.lacks != "" {
			b.note(p.lacks)
		}
		return nil
	case err != nil && way == native:
		b.note(fmt.Sprintf("On GCC's runtime `%s` ended with %v.", p.name, err))
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w\n%s%s", strings.Join(command, " "), err, output.Bytes(), messages.Bytes())
	}
	if p.whole != "" && way != byHand {
		b.take(p.whole, "ms", way, float64(took.Microseconds())/1e3)
	}
	if p.silent {
		return nil
	}
	lines, err := figures(output.String())
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	for _, l := range lines {
		b.take(l.name, l.unit, way, l.value)
	}
	return nil
}

func (b *bench) note(text string) {
	for _, n := range b.notes {
		if n == text {
			return
		}
	}
	b.notes = append(b.notes, text)
}

func (b *bench) take(name, unit string, way int, value float64) {
	for _, r := range b.rows {
		if r.name == name && r.unit == unit {
			r.values[way] = append(r.values[way], value)
			return
		}
	}
	r := &row{name: name, unit: unit}
	r.values[way] = []float64{value}
	b.rows = append(b.rows, r)
}
