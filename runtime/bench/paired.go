package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/accscope/accscope/collector/turns"
	"github.com/accscope/accscope/runtime/compilers"
)

// pairing compares two builds of the library, by runs of the same program in turns.
type pairing struct {
	program, plain  string // the benchmark, and the tool of one callback for each event
	before, now     string // folders with the libraries
	turns           int
	setting, folder string // a setting alone, "" for all; where captures go
}

// settings are devices and tools: none, one callback for each event, the profiler.
func (p *pairing) settings() []setting {
	var all []setting
	for _, device := range []string{"host", "sim", "nvidia"} {
		for _, tool := range []string{"no tool", "a callback", "profiled"} {
			s := setting{device + ", " + tool, []string{"ACC_DEVICE_TYPE=" + device, "ACCSCOPE_SIM_POISON=off"}}
			if p.setting == "" && device != "nvidia" || p.setting == s.title {
				all = append(all, s)
			}
		}
	}
	return all
}

// environment is that of a run by the libraries of a folder.
func (p *pairing) environment(s setting, libraries string) []string {
	environment := append(slices.Clone(s.environment), "LD_PRELOAD="+filepath.Join(libraries, "libopenacc.so"))
	switch {
	case strings.HasSuffix(s.title, "a callback"):
		environment = append(environment, "ACC_PROFLIB="+p.plain)
	case strings.HasSuffix(s.title, "profiled"):
		environment = append(environment, "ACC_PROFLIB="+filepath.Join(libraries, "libaccprof.so"),
			"ACCSCOPE_SESSION="+p.folder, "ACCSCOPE_CAPTURE_LIMIT=4GiB")
	}
	return environment
}

// run takes the turns of each setting and prints them. In every other turn the build
// from before goes first.
func (p *pairing) run(only string) error {
	settings := p.settings()
	if len(settings) == 0 || p.turns < 1 {
		return fmt.Errorf("no turns of -setting %q: want a device (host, sim or nvidia) and a tool (no tool, a callback or profiled), as in \"sim, a callback\", and -turns 1 or more", p.setting)
	}
	for _, s := range settings {
		var order []string
		before, now := map[string][]float64{}, map[string][]float64{}
		for turn := range p.turns {
			for half := range 2 {
				libraries, results := p.before, before
				if half != turn%2 {
					libraries, results = p.now, now
				}
				if err := os.MkdirAll(p.folder, 0o700); err != nil {
					return err
				}
				names, values, err := once(p.program, only, setting{s.title, p.environment(s, libraries)})
				if err == nil {
					err = os.RemoveAll(p.folder)
				}
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.title, libraries, err)
				}
				if !strings.HasSuffix(s.title, "no tool") {
					names = whole(names, values)
				}
				order = names
				for i, name := range names {
					results[name] = append(results[name], values[i])
				}
			}
		}
		p.print(s, order, before, now)
	}
	return nil
}

var (
	updateEvents = regexp.MustCompile(`^dispatch-(\d+)-callbacks-(\d+)-threads$`)
	launchEvents = regexp.MustCompile(`^(launch|launch-async-64)-events-(\d+)-callbacks$`)
	launches     = map[string]string{"launch": "launch-empty", "launch-async-64": "launch-async-64"}
)

// whole has rows say what a call takes with callbacks in place of what they add to it, and
// gives the names: beside a tool a build may have less to add to, and then more to add.
func whole(names []string, values []float64) []string {
	of := map[string]float64{}
	for i, name := range names {
		of[name] = values[i]
	}
	names = slices.Clone(names)
	for i, name := range names {
		var call, title string
		times := 1.0
		if m := updateEvents.FindStringSubmatch(name); m != nil {
			call, title, times = "update-0-callbacks-"+m[2]+"-threads", "update-"+m[1]+"-callbacks-"+m[2]+"-threads", 2 // events
		} else if m := launchEvents.FindStringSubmatch(name); m != nil {
			call, title = launches[m[1]], m[1]+"-"+m[2]+"-callbacks"
		}
		if without, ok := of[call]; ok {
			names[i], values[i] = title, without+times*values[i]
		}
	}
	return names
}

func (p *pairing) print(s setting, order []string, before, now map[string][]float64) {
	writer := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(writer, "%s, ns each\tbefore\tnow\tnow/before\t95 %%\tnow-before\t95 %%\t\t\n", s.title)
	for _, name := range order {
		var ratios, differences []float64
		for i := range now[name] {
			ratios = append(ratios, now[name][i]/before[name][i])
			differences = append(differences, now[name][i]-before[name][i])
		}
		low, high := turns.Interval(ratios)
		least, most := turns.Interval(differences)
		mark := ""
		if least > 0 {
			mark = "slower"
		}
		fmt.Fprintf(writer, "%s\t%.1f\t%.1f\t%.2f\t%.2f-%.2f\t%+.1f\t%+.1f-%+.1f\t%s\t\n", name,
			turns.Median(before[name]), turns.Median(now[name]), turns.Median(ratios), low, high, turns.Median(differences), least, most, mark)
	}
	writer.Flush()
	// A synchronous launch raises 10 events, an asynchronous one 8.
	for name, events := range map[string]float64{"launch-events-1-callbacks": 10, "launch-async-64-events-1-callbacks": 8} {
		if len(now[name]) > 0 {
			fmt.Printf("%s, %s: %.1f ns an event, before %.1f\n", s.title, name, turns.Median(now[name])/events, turns.Median(before[name])/events)
		}
	}
}

// compare makes what is not there yet, and takes the turns.
func compare(p *pairing, only string) (err error) {
	work, err := os.MkdirTemp("/dev/shm", "accscope-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	p.folder = filepath.Join(work, "session")
	for _, folder := range []*string{&p.before, &p.now} {
		if *folder, err = filepath.Abs(*folder); err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(*folder, "libopenacc.so")); err != nil {
			return fmt.Errorf("%w: name a folder with the libraries", err)
		}
	}
	if p.program == "" {
		p.program = filepath.Join(work, "bench")
		if err := compilers.Build(p.program, "-O2", "-fopenacc", "-foffload=disable", "-fno-ipa-pta", "runtime/bench/program/bench.c", "-lpthread"); err != nil {
			return err
		}
		if err := compilers.Build(p.program+".so", "-O2", "-shared", "-fPIC", "-Iruntime/include", "runtime/bench/program/tool.c"); err != nil {
			return err
		}
	} else if p.program, err = filepath.Abs(p.program); err != nil {
		return err
	}
	p.plain = p.program + ".so"
	return p.run(only)
}
