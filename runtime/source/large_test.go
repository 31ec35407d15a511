package source

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/runtime/source/linkage"
	"github.com/accscope/accscope/runtime/source/sourcetest"
)

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

// kernelVariables are those of each kernel of the large library: n, x, y and the scalars.
const kernelVariables = sourcetest.Scalars + 3

// BenchmarkLarge measures the first look-up in a program with 100 MB of debug
// information, the memory after looking all functions up, and a look-up whose
// answer is known.
func BenchmarkLarge(b *testing.B) {
	if testing.Short() {
		b.Skip("builds 100 MB of debug information")
	}
	variants := sourcetest.Variants(b, b.TempDir())
	for _, c := range variants {
		b.Run(c.Name, func(b *testing.B) {
			var first, later time.Duration
			var grown, all int64
			var debug DebugInfo
			for b.Loop() {
				before := resident(b)
				im, err := Open(c.Path)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				addresses := outlinedAddresses(b, im)
				im.Close()
				b.StartTimer()
				start := time.Now()
				if im, err = Open(c.Path); err != nil {
					b.Fatal(err)
				}
				k, err := im.Kernel(addresses[len(addresses)/2])
				if err != nil || len(k.Variables) != kernelVariables || k.LastLine != k.FirstLine+2 {
					b.Fatalf("got %+v, %v", k, err)
				}
				first += time.Since(start)
				grown = max(grown, resident(b)-before)
				b.StopTimer()
				start = time.Now()
				for _, a := range addresses {
					if k, err := im.Kernel(a); err != nil || len(k.Variables) != kernelVariables {
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
		p := FromModules([]Module{{Path: variants[0].Path, Bias: 1 << 32}})
		defer p.Close()
		im := open(b, variants[0].Path)
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
	for _, s := range t.All {
		if !s.Data && linkage.IsOutlined(t.NameOf(s)) {
			list = append(list, s.Address)
		}
	}
	if len(list) != sourcetest.Units*sourcetest.FunctionsPerUnit {
		b.Fatalf("%d outlined functions", len(list))
	}
	return list
}
