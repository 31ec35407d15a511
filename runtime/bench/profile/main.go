// Command profile notes where the engine's time goes in the benchmarks, on the sim device,
// without a tool, with a callback for each event, and profiled. The Makefile hands the result,
// cmd/libopenacc/engine/engine.pgo, to Go's compiler, which lays the code out for that.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/google/pprof/profile"

	"github.com/accscope/accscope/runtime/compilers"
)

func main() {
	runs := flag.Int("runs", 8, "runs of the benchmarks with each tool")
	out := flag.String("o", "cmd/libopenacc/engine/engine.pgo", "the `file` to write")
	flag.Parse()
	if err := run(*runs, *out); err != nil {
		fmt.Fprintln(os.Stderr, "profile:", err)
		os.Exit(1)
	}
}

func run(runs int, out string) error {
	work, err := os.MkdirTemp("", "accscope-profile")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	in := func(name string) string { return filepath.Join(work, name) }
	thin, err := os.ReadFile("lib/libopenacc.so")
	if err != nil {
		return fmt.Errorf("%w: run make first, from the project's folder", err)
	}
	// The engine is looked for beside it.
	if err := os.WriteFile(in("libopenacc.so"), thin, 0o700); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-tags", "profile", "-pgo=off", "-trimpath", "-buildmode=c-shared", "-o", in("libopenacc-engine.so"), "./cmd/libopenacc/engine")
	build.Stdout, build.Stderr = os.Stdout, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build the engine: %w", err)
	}
	if err := compilers.Build(in("bench"), "-O2", "-fopenacc", "-foffload=disable", "-fno-ipa-pta", "runtime/bench/program/bench.c", "-lpthread"); err != nil {
		return err
	}
	if err := compilers.Build(in("tool.so"), "-O2", "-shared", "-fPIC", "-Iruntime/include", "runtime/bench/program/tool.c"); err != nil {
		return err
	}
	profiler, err := filepath.Abs("lib/libaccprof.so")
	if err != nil {
		return err
	}
	var all []*profile.Profile
	for range runs {
		for _, tool := range [][]string{
			nil, nil, // as programs run most
			{"ACC_PROFLIB=" + in("tool.so")},
			{"ACC_PROFLIB=" + profiler, "ACCSCOPE_SESSION=" + in("session"), "ACCSCOPE_CAPTURE_LIMIT=4GiB"},
		} {
			one, err := measure(work, tool)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
	}
	merged, err := profile.Merge(all)
	if err != nil {
		return err
	}
	merged = merged.Compact()
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := merged.Write(file); err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return file.Close()
}

// measure is the profile of one run of the benchmarks, with a tool as the environment says.
func measure(work string, tool []string) (*profile.Profile, error) {
	session, result := filepath.Join(work, "session"), filepath.Join(work, "profile")
	if err := os.MkdirAll(session, 0o700); err != nil {
		return nil, err
	}
	bench := exec.Command(filepath.Join(work, "bench"))
	bench.Env = append(os.Environ(), append(tool, "ACC_DEVICE_TYPE=sim", "ACCSCOPE_SIM_POISON=off",
		"LD_PRELOAD="+filepath.Join(work, "libopenacc.so"), "ACCSCOPE_ENGINE_PROFILE="+result)...)
	if output, err := bench.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the benchmarks: %w\n%s", err, output)
	}
	file, err := os.Open(result)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p, err := profile.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("the engine's profile: %w; the benchmarks have to take more than a second", err)
	}
	strip(p)
	return p, os.RemoveAll(session)
}

// strip leaves what the compiler reads: Go functions, by name and line.
func strip(p *profile.Profile) {
	for _, f := range p.Function {
		f.Filename = ""
	}
	for _, l := range p.Location {
		l.Mapping, l.Address = nil, 0
	}
	for _, s := range p.Sample {
		s.Label, s.NumLabel, s.NumUnit = nil, nil, nil
		var known []*profile.Location
		for _, l := range s.Location {
			if len(l.Line) > 0 && l.Line[0].Function.StartLine != 0 {
				known = append(known, l)
			}
		}
		s.Location = known
	}
	p.Mapping, p.TimeNanos, p.DurationNanos = nil, 0, 0
}
