// Command bench measures collectors of jobs: 64 programs at once into one result, a
// thousand agents that replay a capture into three servers of which one is killed, and
// what an agent takes of a processor. It fails where an event is missing or there twice,
// or where a server takes more memory than it may.
//
//	go run ./collector/gather/bench [-only processes|agents|rate]
//
// On a machine with other work processor times count, and times of day do not.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/accscope/accscope/runtime/compilers"
)

// bench is one invocation.
type bench struct {
	accscope, library, profiler string
	only                        string
	processes, agents           int
	rate                        float64 // events a second of each agent
	duration                    time.Duration
	memory                      int64 // MiB that a server may take
	self, scratch, program      string
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "-as-writer" {
		end(asWriter(os.Args[2:]))
	}
	if len(os.Args) > 2 && os.Args[1] == "-as-agents" {
		end(asAgents(os.Args[2:]))
	}
	var b bench
	flag.StringVar(&b.accscope, "accscope", "bin/accscope", "the `command`")
	flag.StringVar(&b.library, "library", "lib/libopenacc.so", "our runtime's `library`")
	flag.StringVar(&b.profiler, "profiler", "lib/libaccprof.so", "the profiler's `library`")
	flag.StringVar(&b.only, "only", "", "one `part`: processes, agents or rate")
	flag.IntVar(&b.processes, "processes", 64, "programs that send into one result at once")
	flag.IntVar(&b.agents, "agents", 1000, "agents that replay a capture")
	flag.Float64Var(&b.rate, "rate", 100, "events a second of each of them")
	flag.DurationVar(&b.duration, "duration", 2*time.Minute, "how long they do")
	flag.Int64Var(&b.memory, "memory", 1024, "MiB that a server may have resident")
	flag.Parse()
	end(b.run())
}

// end ends the process.
func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (b *bench) run() (err error) {
	if b.scratch, err = os.MkdirTemp("", "accscope-gather-bench"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.scratch)) }()
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	for _, path := range []*string{&b.accscope, &b.library, &b.profiler} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
		if _, err := os.Stat(*path); err != nil {
			return fmt.Errorf("%w; make first", err)
		}
	}
	b.program = filepath.Join(b.scratch, "paced")
	if err := compilers.Build(b.program, "-fopenacc", "-O2", "-g", "collector/gather/bench/program/paced.c"); err != nil {
		return err
	}
	parts := []struct {
		name string
		run  func() error
	}{{"processes", b.runProcesses}, {"agents", b.runAgents}, {"rate", b.runRate}}
	any := false
	for _, part := range parts {
		if b.only == "" || b.only == part.name {
			any = true
			if err := part.run(); err != nil {
				return fmt.Errorf("%s: %w", part.name, err)
			}
		}
	}
	if !any {
		return fmt.Errorf("-only %s: there is no such part", b.only)
	}
	return nil
}

// seconds writes a time as people read it.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// environment is this process's without what would have programs send elsewhere.
func environment(more ...string) (all []string) {
	for _, each := range os.Environ() {
		if !strings.HasPrefix(each, "ACC") && !strings.HasPrefix(each, "PMI_") {
			all = append(all, each)
		}
	}
	return append(all, more...)
}
