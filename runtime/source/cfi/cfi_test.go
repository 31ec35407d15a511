package cfi

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/source/elffile"
	"github.com/accscope/accscope/runtime/source/machine"
)

// TestFrameRulesAreThoseOfTheProfiler: the profiler library reads the call frame
// information of the process that it is in (collector/proflib/cfi.c), in C, for
// the kinds of rules that compilers give calls, and nothing of others. Both readers
// say the same of every function of real libraries.
func TestFrameRulesAreThoseOfTheProfiler(t *testing.T) {
	program := filepath.Join(t.TempDir(), "cfi")
	if out, err := exec.Command(compilers.C(), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-I../../../collector/proflib",
		"-o", program, "testdata/cfi.c", "../../../collector/proflib/cfi.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, library := range []string{"libc.so.6", "libstdc++.so.6", "libgfortran.so.5", "libgomp.so.1"} {
		t.Run(library, func(t *testing.T) {
			out, err := exec.Command(compilers.C(), "-print-file-name="+library).Output()
			if err != nil {
				t.Fatal(err)
			}
			path := strings.TrimSpace(string(out))
			f, err := elffile.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			frames := Read(f)
			var input bytes.Buffer
			var addresses []uint64
			var want []string
			for _, e := range frames.entries {
				for _, pc := range []uint64{e.low, e.low + 1, e.low + 4, e.low + (e.high-e.low)/2, e.high - 1} {
					if pc < e.low || pc >= e.high {
						continue
					}
					addresses = append(addresses, pc)
					fmt.Fprintf(&input, "%x\n", pc)
					want = append(want, ruleText(frames, pc))
				}
			}
			command := exec.Command(program, path)
			command.Stdin = &input
			said, err := command.Output()
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Fields(strings.ReplaceAll(string(said), " ", "_"))
			if len(got) != len(want) || len(want) < 1000 {
				t.Fatalf("%d rules of %d addresses", len(got), len(want))
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%#x: %s in C, %s in Go", addresses[i], got[i], want[i])
				}
			}
		})
	}
}

// ruleText is a rule as testdata/cfi.c writes it.
func ruleText(frames *Table, pc uint64) string {
	own := machine.Own()
	r, ok := frames.Rule(pc)
	returns, saved := own.ReturnAddress(r.Saved)
	// Of x86-64 the rule itself says where.
	if at, told := r.Saved[16]; own == machine.X8664 && (!told || at != returns) {
		saved = false
	}
	if !ok || !saved || r.Expression != nil {
		return "none"
	}
	base, known := map[int]string{own.StackPointer: "sp", own.FramePointer: "bp"}[r.Register]
	if !known {
		return "none"
	}
	return fmt.Sprintf("%s%+d_%+d_%+d", base, r.Offset, r.Saved[own.FramePointer], returns)
}
