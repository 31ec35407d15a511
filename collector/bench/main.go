// Command bench measures what profiling costs whole programs: their wall and
// processor time alone and under `accscope run`, in turns, what the collector
// takes, how long after a program's end its trace is finished, and how large that
// is; on GCC's runtime and on ours.
//
//	go run ./collector/bench [-turns N] [-only PROGRAM]
//
// With -device nvidia and -programs, a folder of programs compiled for such a GPU,
// it also sets the wall time from the first launch to the last wait against the
// kernels' own time, for grids whose kernels take the times of -kernels on average.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) > 3 && os.Args[1] == "-as-child" {
		os.Exit(asChild(os.Args[2], os.Args[3:]))
	}
	b := bench{}
	flag.IntVar(&b.turns, "turns", 5, "runs of each kind, in turns")
	flag.IntVar(&b.nativeTurns, "native-turns", -1, "turns in which GCC's runtime takes part, -1: all")
	flag.StringVar(&b.only, "only", "", "programs whose name contains this `text`")
	flag.StringVar(&b.programs, "programs", "", "`folder` of compiled programs; they are compiled without it")
	flag.StringVar(&b.accscope, "accscope", "bin/accscope", "the `command`")
	flag.StringVar(&b.library, "library", "lib/libopenacc.so", "our runtime's `library`")
	flag.StringVar(&b.device, "device", "", "measure on this `device` alone, not on host and sim")
	flag.IntVar(&b.launches, "launches", 12000, "`launches` of shallow-water, and on a GPU of the loops")
	kernels := flag.String("kernels", "", "`microseconds`, for instance 5,20,100, that shallow-water's kernels are to take")
	flag.Parse()
	for _, text := range strings.FieldsFunc(*kernels, func(r rune) bool { return r == ',' }) {
		microseconds, err := strconv.ParseFloat(text, 64)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench: -kernels:", err)
			os.Exit(2)
		}
		b.kernels = append(b.kernels, microseconds)
	}
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one invocation.
type bench struct {
	turns, nativeTurns        int
	only, programs            string
	accscope, library, device string
	launches                  int
	kernels                   []float64 // microseconds
	self, scratch             string
	trace                     string
}

// run measures every program on every runtime and prints a row each as soon as it
// is there.
func (b *bench) run() (err error) {
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	for _, path := range []*string{&b.accscope, &b.library} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
		if _, err := os.Stat(*path); err != nil {
			return fmt.Errorf("%w: run make first, from the project's folder", err)
		}
	}
	if b.scratch, err = os.MkdirTemp("", "accscope-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.scratch)
	b.trace = filepath.Join(b.scratch, "trace.db")
	if b.programs == "" {
		b.programs = filepath.Join(b.scratch, "programs")
		if err := compile(b.programs); err != nil {
			return err
		}
	}
	workloads, err := b.workloads()
	if err != nil {
		return err
	}
	runtimes := []runtime{{"libgomp", "host"}, {"accscope", "host"}, {"accscope", "sim"}}
	if b.device != "" {
		runtimes = []runtime{{"libgomp", b.device}, {"accscope", b.device}}
	}
	fmt.Println(header)
	for _, w := range workloads {
		samples := make([]series, len(runtimes))
		for turn := range b.turns {
			for i, r := range runtimes {
				if r.library == "libgomp" && b.nativeTurns >= 0 && turn >= b.nativeTurns {
					continue
				}
				if err := b.measure(w, r, &samples[i]); err != nil {
					return fmt.Errorf("%s, %s: %w", w.name, r, err)
				}
			}
		}
		for i, r := range runtimes {
			fmt.Println(row(w, r, samples[i]))
		}
	}
	return nil
}

// measure takes one turn: the program alone, then profiled.
func (b *bench) measure(w workload, r runtime, s *series) error {
	alone, err := b.alone(w, r)
	if err != nil {
		return err
	}
	profiled, err := b.profiled(w, r)
	if err != nil {
		return err
	}
	s.alone = append(s.alone, alone)
	s.profiled = append(s.profiled, profiled)
	if s.trace.events == 0 {
		s.trace, err = b.readTrace()
	}
	return err
}
