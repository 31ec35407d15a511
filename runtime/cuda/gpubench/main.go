// Command gpubench measures on an NVIDIA GPU what docs/benchmarks.md has in its table of one:
// operations, kernels and whole programs on GCC's runtime, on ours, on ours profiled, and by
// hand in CUDA, one after the other in turns.
//
//	make bench-gpu
//	go run ./runtime/cuda/gpubench -programs FOLDER [-turns N] [-only TEXT] [-write docs/benchmarks.md]
//
// compile.sh makes the folder of programs. Where the machine has no CUDA compiler, or one GPU
// alone, the rows and columns that need them say so.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	b := bench{}
	write := ""
	flag.StringVar(&b.programs, "programs", ".build/gpubench", "`folder` that compile.sh has filled")
	flag.StringVar(&b.accscope, "accscope", "bin/accscope", "the `command`")
	flag.StringVar(&b.library, "library", "lib/libopenacc.so", "our runtime's `library`")
	flag.IntVar(&b.turns, "turns", 5, "turns")
	flag.StringVar(&b.only, "only", "", "programs whose name contains this `text`")
	flag.StringVar(&write, "write", "", "`file` whose table is to be replaced, beside printing it")
	flag.Parse()
	if flag.NArg() > 0 || b.turns < 1 {
		fmt.Fprintln(os.Stderr, "gpubench: it takes flags alone, and -turns of 1 or more; see -help")
		os.Exit(2)
	}
	if err := b.do(write); err != nil {
		fmt.Fprintln(os.Stderr, "gpubench:", err)
		os.Exit(1)
	}
}

func (b *bench) do(write string) error {
	c, err := card()
	if err != nil {
		return err
	}
	if err := b.prepare(); err != nil {
		return err
	}
	if err := b.measure(); err != nil {
		return err
	}
	text := b.table(c)
	fmt.Print(text)
	if write == "" {
		return nil
	}
	return replaceIn(write, text)
}
