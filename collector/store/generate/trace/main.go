// Command trace writes a synthetic trace, to try views and measure them:
//
//	go run ./collector/store/generate/trace -spans 10000000 -threads 8 -activity big.db
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/accscope/accscope/collector/store/generate"
)

func main() {
	var o generate.Options
	flag.IntVar(&o.Spans, "spans", 1_000_000, "about how many host spans")
	flag.IntVar(&o.Ranks, "ranks", 0, "processes of an MPI job; 0: one process, of no job")
	flag.IntVar(&o.Threads, "threads", 1, "host threads of a process")
	flag.IntVar(&o.Queues, "queues", 4, "async queues of a process")
	flag.BoolVar(&o.Activity, "activity", false, "device activity too")
	flag.BoolVar(&o.Pauses, "pauses", false, "now and then a pause")
	flag.Uint64Var(&o.Seed, "seed", 1, "of what is random")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: trace [flags] FILE")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	events, err := generate.Trace(flag.Arg(0), o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "trace:", err)
		os.Exit(1)
	}
	fmt.Printf("%s: %d events\n", flag.Arg(0), events)
}
