package attribution_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/source/sourcetest"
)

// BenchmarkFirstEvent measures in a process what the first event of a library
// with 100 MB of debug information costs its thread, in processor time: finding the file, lines,
// function and the names of 40 variables; and by how much resident memory has
// grown when each of its 2,000 functions has had its events; and what it costs without
// a tool, and with the profiler, which leaves places and names to its collector.
func BenchmarkFirstEvent(b *testing.B) {
	if testing.Short() {
		b.Skip("builds 100 MB of debug information")
	}
	library, err := filepath.Abs("../../lib/libopenacc.so")
	if err != nil {
		b.Fatal(err)
	}
	folder := b.TempDir()
	driver := filepath.Join(folder, "driver")
	sourcetest.Command(b, ".", compilers.C(), "-std=gnu11", "-O2", "-g", "-fopenacc", "-foffload=disable", "-I../include",
		"testdata/large.c", "-o", driver, "-ldl", library)
	variants := sourcetest.Variants(b, folder)
	for _, v := range variants {
		variants = append(variants, sourcetest.Variant{Name: "profiled-" + v.Name, Path: v.Path})
	}
	variants = append(variants, sourcetest.Variant{Name: "no-tool", Path: variants[0].Path})
	for _, v := range variants {
		b.Run(v.Name, func(b *testing.B) {
			attribute := "1"
			environment := append(os.Environ(), "LD_PRELOAD="+library, "ACC_DEVICE_TYPE=sim")
			profiled := strings.HasPrefix(v.Name, "profiled-")
			if profiled || v.Name == "no-tool" {
				attribute = "0"
			}
			var first, second, others, grown float64
			for b.Loop() {
				command := exec.Command(driver, v.Path, strconv.Itoa(sourcetest.Units), strconv.Itoa(sourcetest.FunctionsPerUnit), attribute)
				command.Env = environment
				if profiled {
					command.Env = append(environment, "ACC_PROFLIB="+filepath.Join(filepath.Dir(library), "libaccprof.so"),
						"ACCSCOPE_SESSION="+b.TempDir())
				}
				output, err := command.CombinedOutput()
				if err != nil {
					b.Fatalf("%v: %s", err, output)
				}
				var f, s, o, g float64
				if _, err := fmt.Sscanf(string(output), "%f %f %f %f", &f, &s, &o, &g); err != nil {
					b.Fatalf("%q: %v", output, err)
				}
				first, second, others, grown = first+f, second+s, others+o, max(grown, g)
			}
			n := float64(b.N)
			b.ReportMetric(first/n, "ms/first-call")
			b.ReportMetric(second/n, "ms/second-call")
			b.ReportMetric(others/n, "ms/further-first-calls")
			b.ReportMetric(grown/(1<<20), "MB-grown")
		})
	}
}
