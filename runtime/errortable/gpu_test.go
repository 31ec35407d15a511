package errortable

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gpuPrograms are the programs as they are run on a GPU (runtime/cuda/gputest), by their
// names there.
var gpuPrograms = []struct {
	name, extension string
	text            func() string
	conditions      []condition
}{
	{"errors-c", ".c", programInC, conditions},
	{"errors-fortran", ".f90", programInFortran, fortranConditions},
}

// onGPU says whether a condition can be had on a GPU: a simulated device's settings have
// no effect there.
func (c *condition) onGPU() bool { return c.faults+c.memory+c.setting == "" }

// TestWriteForGPU writes the programs to $ACCSCOPE_GPU_PROGRAMS, each with the numbers of
// its cases that are to be run on a GPU.
func TestWriteForGPU(t *testing.T) {
	folder := os.Getenv("ACCSCOPE_GPU_PROGRAMS")
	if folder == "" {
		t.Skip("runtime/cuda/gputest/carry.sh sets ACCSCOPE_GPU_PROGRAMS")
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range gpuPrograms {
		write(p.name+p.extension, strings.ReplaceAll(p.text(), "acc_device_sim", "acc_device_nvidia"))
		var cases strings.Builder
		for number, c := range p.conditions {
			if c.onGPU() {
				fmt.Fprintln(&cases, number)
			}
		}
		write(p.name+".cases", cases.String())
	}
	write("errors-handler.c", fmt.Sprintf(fortranHandler, onError))
}

// TestGPU holds what the programs did on a machine with a GPU, in $ACCSCOPE_GPU_RESULTS,
// to the conditions.
func TestGPU(t *testing.T) {
	folder := os.Getenv("ACCSCOPE_GPU_RESULTS")
	if folder == "" {
		t.Skip("no results of a GPU: run runtime/cuda/gputest/run.sh errors there and set ACCSCOPE_GPU_RESULTS")
	}
	for _, p := range gpuPrograms {
		results := readResults(t, filepath.Join(folder, p.name+".results"))
		for number, c := range p.conditions {
			if !c.onGPU() {
				continue
			}
			t.Run(p.name+"/"+c.name, func(t *testing.T) {
				r, ok := results[number]
				if !ok {
					t.Fatal("it was not run")
				}
				// The source, which tells these from parallel, is not on that machine.
				if c.parent == "kernels" || c.parent == "serial" {
					c.parent = "parallel"
				}
				c.message = strings.ReplaceAll(c.message, "sim 0", "nvidia 0")
				check(t, c, r)
			})
		}
	}
}

// readResults reads what run.sh wrote: for each case a line "case NUMBER STATUS", then
// what it wrote, each line behind "out " or "err ".
func readResults(t *testing.T, name string) map[int]result {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	results, number := map[int]result{}, -1
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		r := results[number]
		kind, rest, _ := strings.Cut(lines.Text(), " ")
		switch kind {
		case "case":
			r = result{}
			if _, err := fmt.Sscan(rest, &number, &r.status); err != nil {
				t.Fatalf("%s: %q: %v", name, lines.Text(), err)
			}
		case "out":
			r.output += rest + "\n"
		case "err":
			r.errors += rest + "\n"
		default:
			t.Fatalf("%s: %q is no line of a result", name, lines.Text())
		}
		results[number] = r
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return results
}
