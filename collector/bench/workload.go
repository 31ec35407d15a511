package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/compilers"
)

// A workload is a program with arguments.
type workload struct {
	name      string
	program   string
	arguments []string
}

// launchesPerStep is what a step of shallow-water launches in one process.
const launchesPerStep = 30

// workloads are the programs that are measured: those of real shape, then some
// that show one thing each (saxpy, over at once, what start and end cost).
func (b *bench) workloads() ([]workload, error) {
	loops := strconv.Itoa(20000)
	if b.device != "" {
		loops = strconv.Itoa(b.launches)
	}
	all := []workload{
		{"loop, async", "loop", []string{loops, "async"}},
		{"loop, sync", "loop", []string{loops, "sync"}},
		{"loop, async, empty", "loop", []string{loops, "async", "empty"}},
		{"loop, sync, empty", "loop", []string{loops, "sync", "empty"}},
	}
	for _, program := range []string{"shallow-water-cpp", "shallow-water-fortran"} {
		if len(b.kernels) == 0 {
			all = append(all, b.shallowWater(program, 64, b.launches))
		}
		for _, microseconds := range b.kernels {
			if !strings.Contains(program, b.only) {
				continue
			}
			cells, err := b.sizeFor(program, microseconds)
			if err != nil {
				return nil, err
			}
			all = append(all, b.shallowWater(program, cells, b.launches))
		}
	}
	if b.device == "" {
		all = append(all, workload{"jacobi", "jacobi", []string{"512", "2000"}},
			workload{"pipeline", "pipeline", []string{"512", "262144"}},
			workload{"saxpy", "saxpy", []string{"1000"}})
	}
	var chosen []workload
	for _, w := range all {
		if strings.Contains(w.program, b.only) {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-only %s: there is no such program", b.only)
	}
	return chosen, nil
}

func (b *bench) shallowWater(program string, cells, launches int) workload {
	size, steps := strconv.Itoa(cells), strconv.Itoa((launches+launchesPerStep-1)/launchesPerStep)
	return workload{fmt.Sprintf("%s %d x %[2]d", program, cells), program,
		[]string{"--nx", size, "--ny", size, "--steps", steps, "--report", "0", "--check", "0"}}
}

// sizeFor is the number of cells each way with which the kernels take the time
// wanted on average, as near as some tries get. A try is as long as what is
// measured: a GPU raises its clock while it is busy, and a short run's kernels
// take up to twice the time of a long one's.
func (b *bench) sizeFor(program string, microseconds float64) (cells int, err error) {
	cells = 128
	for range 8 {
		w := b.shallowWater(program, cells, b.launches)
		if _, err := b.profiled(w, runtime{"accscope", b.device}); err != nil {
			return 0, fmt.Errorf("%s: %w", w.name, err)
		}
		var took float64
		if err := b.query("SELECT avg(device_time) / 1e3 FROM kernels", &took); err != nil {
			return 0, err
		}
		if math.Abs(took/microseconds-1) < 0.05 || cells == 8 && took > microseconds {
			break
		}
		cells = max(8, int(float64(cells)*math.Sqrt(microseconds/took)))
	}
	return cells, nil
}

// compile compiles the programs for this machine.
func compile(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	c := func(name, source string) []string {
		return []string{compilers.C(), "-O2", "-g", "-fopenacc", "-foffload=disable", "-o", filepath.Join(folder, name), source, "-lm"}
	}
	for _, command := range [][]string{
		{"make", "-s", "-C", "examples/shallow-water", "BUILD=" + folder, "CXX=" + compilers.CXX(), "FC=" + compilers.Fortran(),
			"OPENACC=-fopenacc -foffload=disable"},
		c("loop", "collector/bench/program/loop.c"),
		c("jacobi", "examples/jacobi/jacobi.c"),
		c("pipeline", "examples/pipeline/pipeline.c"),
		c("saxpy", "examples/saxpy/saxpy.c"),
	} {
		if output, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, output)
		}
	}
	return nil
}
