// Command bench runs the same program on GCC's runtime and on ours, in turn, on
// the host device, and ours on the sim device too, and prints medians and
// ratios. The machine's speed drifts: only figures of one run compare.
//
// With -against it compares two builds of ours instead, without a tool, with one of a
// callback for each event, and profiled: by runs in turns, with intervals.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/accscope/accscope/collector/turns"
	"github.com/accscope/accscope/runtime/compilers"
)

func main() {
	rounds := flag.Int("rounds", 3, "runs of each `number`, taken in turn")
	only := flag.String("only", "", "one `benchmark` instead of all")
	against := flag.String("against", "", "compare with the libraries of another `folder`, from before")
	libraries := flag.String("libraries", "lib", "the `folder` with the libraries from now, with -against")
	turns := flag.Int("turns", 40, "runs of each build, with -against")
	title := flag.String("setting", "", `one `+"`setting`"+` alone, as "sim, a callback", with -against`)
	program := flag.String("program", "", "the benchmark and, with .so behind its name, the plain tool, made before: a `file`, with -against")
	flag.Parse()
	var err error
	if *against == "" {
		err = run(*rounds, *only)
	} else {
		err = compare(&pairing{program: *program, before: *against, now: *libraries, turns: *turns, setting: *title}, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// setting is one column of the table.
type setting struct {
	title       string
	environment []string
}

func run(rounds int, only string) error {
	library, err := filepath.Abs("lib/libopenacc.so")
	if err != nil {
		return err
	}
	if _, err := os.Stat(library); err != nil {
		return fmt.Errorf("%w: run make first, from the project's folder", err)
	}
	folder, err := os.MkdirTemp("", "accscope-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "bench")
	if err := compilers.Build(program, "-O2", "-fopenacc", "-foffload=disable", "-fno-ipa-pta", "runtime/bench/program/bench.c", "-lpthread"); err != nil {
		return err
	}
	settings := []setting{
		{"libgomp host", []string{"ACC_DEVICE_TYPE=host"}},
		{"ours host", []string{"ACC_DEVICE_TYPE=host", "LD_PRELOAD=" + library}},
		{"ours sim", []string{"ACC_DEVICE_TYPE=sim", "ACCSCOPE_SIM_POISON=off", "LD_PRELOAD=" + library}},
	}
	results := make([]map[string][]float64, len(settings))
	var order []string
	for round := range rounds {
		for i, s := range settings {
			names, values, err := once(program, only, s)
			if err != nil {
				return fmt.Errorf("%s: %w", s.title, err)
			}
			if round == 0 {
				results[i] = map[string][]float64{}
				if i == 0 {
					order = names
				}
			}
			for n, name := range names {
				results[i][name] = append(results[i][name], values[n])
			}
		}
	}
	print(settings, order, results)
	for _, callbacks := range []int{1, 4} {
		one := results[1][fmt.Sprintf("dispatch-%d-callbacks-1-threads", callbacks)]
		two := results[1][fmt.Sprintf("dispatch-%d-callbacks-2-threads", callbacks)]
		if len(one) > 0 && len(two) > 0 {
			fmt.Printf("our dispatch to %d callbacks, two threads / one: %.2f\n", callbacks, turns.Median(two)/turns.Median(one))
		}
	}
	return nil
}

func once(program, only string, s setting) ([]string, []float64, error) {
	var args []string
	if only != "" {
		args = append(args, only)
	}
	command := exec.Command(program, args...)
	command.Env = append(os.Environ(), s.environment...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, nil, err
	}
	var names []string
	var values []float64
	scanner := bufio.NewScanner(bytes.NewReader(output))
	for scanner.Scan() {
		name, text, ok := strings.Cut(scanner.Text(), " ")
		value, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil {
			return nil, nil, fmt.Errorf("the benchmark printed %q", scanner.Text())
		}
		names, values = append(names, name), append(values, value)
	}
	return names, values, scanner.Err()
}

func print(settings []setting, order []string, results []map[string][]float64) {
	writer := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(writer, "ns each, median (min-max)\t")
	for _, s := range settings {
		fmt.Fprintf(writer, "%s\t", s.title)
	}
	fmt.Fprintln(writer, "ours/libgomp, host\t")
	for _, name := range order {
		fmt.Fprintf(writer, "%s\t", name)
		for i := range settings {
			values := results[i][name]
			sort.Float64s(values)
			if len(values) == 0 {
				fmt.Fprint(writer, "-\t")
				continue
			}
			fmt.Fprintf(writer, "%.1f (%.1f-%.1f)\t", turns.Median(values), values[0], values[len(values)-1])
		}
		fmt.Fprintf(writer, "%.2f\t\n", turns.Median(results[1][name])/turns.Median(results[0][name]))
	}
	writer.Flush()
}
