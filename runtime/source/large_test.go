package source

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	largeUnits     = 200
	largeFunctions = 10 // in a unit
)

// large generates a library of 2,000 functions, each with a compute construct,
// and 100 MB of DWARF in 200 units: one unit compiled, copied with other names.
func large(b testing.TB, dir string) string {
	var c bytes.Buffer
	for i := range 4700 {
		fmt.Fprintf(&c, "struct record_%d { int first, second; double third; struct record_%d *next; char text[%d]; float values[4]; };\n", i, i, i+1)
	}
	for i := range largeFunctions {
		fmt.Fprintf(&c, "void kernel_%d (int n, double *x, double *y, struct record_%d *r)\n{\n#pragma acc parallel loop copyin(x[0:n]) copy(y[0:n])\n  for (int i = 0; i < n; i++)\n    y[i] += x[i] * n;\n}\n", i, i)
	}
	source := filepath.Join(dir, "unit.c")
	if err := os.WriteFile(source, c.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
	command(b, dir, "gcc-12", "-O1", "-g", "-fPIC", "-fopenacc", "-foffload=disable", "-fno-eliminate-unused-debug-types",
		"-c", "unit.c", "-o", "unit.o")
	args := []string{"-shared", "-nostdlib", "-o", "large.so"}
	for i := range largeUnits {
		name := fmt.Sprintf("unit_%d.o", i)
		command(b, dir, "objcopy", fmt.Sprintf("--prefix-symbols=unit_%d_", i), "unit.o", name)
		args = append(args, name)
	}
	command(b, dir, "gcc-12", args...)
	for i := range largeUnits {
		os.Remove(filepath.Join(dir, fmt.Sprintf("unit_%d.o", i)))
	}
	return filepath.Join(dir, "large.so")
}

// resident is the memory of this process that is in RAM, in bytes.
func resident(b testing.TB) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmRSS:" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			return n << 10
		}
	}
	b.Fatal("no VmRSS")
	return 0
}

// BenchmarkLarge measures the first look-up in a program with 100 MB of debug
// information, the memory after looking all functions up, and a look-up whose
// answer is known.
func BenchmarkLarge(b *testing.B) {
	if testing.Short() {
		b.Skip("builds 100 MB of debug information")
	}
	dir := b.TempDir()
	indexed := large(b, dir)
	without, compressed := filepath.Join(dir, "without.so"), filepath.Join(dir, "compressed.so")
	command(b, dir, "objcopy", "--remove-section=.debug_aranges", indexed, without)
	command(b, dir, "objcopy", "--compress-debug-sections", indexed, compressed)
	for _, c := range []struct{ name, path string }{{"indexed", indexed}, {"without-index", without}, {"compressed", compressed}} {
		b.Run(c.name, func(b *testing.B) {
			var first, later time.Duration
			var grown, all int64
			var debug DebugInfo
			for b.Loop() {
				before := resident(b)
				im, err := Open(c.path)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				addresses := outlinedAddresses(b, im)
				im.Close()
				b.StartTimer()
				start := time.Now()
				if im, err = Open(c.path); err != nil {
					b.Fatal(err)
				}
				k, err := im.Kernel(addresses[len(addresses)/2])
				if err != nil || len(k.Variables) != 3 || k.LastLine != k.FirstLine+2 {
					b.Fatalf("got %+v, %v", k, err)
				}
				first += time.Since(start)
				grown = max(grown, resident(b)-before)
				b.StopTimer()
				start = time.Now()
				for _, a := range addresses {
					if k, err := im.Kernel(a); err != nil || len(k.Variables) != 3 {
						b.Fatalf("got %+v, %v", k, err)
					}
				}
				later += time.Since(start) / time.Duration(len(addresses))
				all = max(all, resident(b)-before)
				debug = im.DebugInfo()
				im.Close()
				b.StartTimer()
			}
			n := float64(b.N)
			b.ReportMetric(float64(first.Microseconds())/1000/n, "ms/first")
			b.ReportMetric(float64(later.Microseconds())/1000/n, "ms/further")
			b.ReportMetric(float64(grown)/(1<<20), "MB-resident/first")
			b.ReportMetric(float64(all)/(1<<20), "MB-resident/all")
			b.ReportMetric(float64(debug.Bytes)/(1<<20), "MB-debug-info")
		})
	}
	b.Run("known", func(b *testing.B) {
		p := FromModules([]Module{{Path: indexed, Bias: 1 << 32}})
		defer p.Close()
		im := open(b, indexed)
		pc := outlinedAddresses(b, im)[7] + 1<<32 + 4
		if l, err := p.Lookup(pc); err != nil || l.Line == 0 {
			b.Fatalf("got %+v, %v", l, err)
		}
		for b.Loop() {
			if _, err := p.Lookup(pc); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func outlinedAddresses(b testing.TB, im *Image) (list []uint64) {
	im.mu.Lock()
	defer im.mu.Unlock()
	t := im.symbolsLocked()
	for _, s := range t.all {
		if !s.data && isOutlined(t.nameOf(s)) {
			list = append(list, s.address)
		}
	}
	if len(list) != largeUnits*largeFunctions {
		b.Fatalf("%d outlined functions", len(list))
	}
	return list
}
