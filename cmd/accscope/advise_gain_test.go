package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/runtime/compilers"
)

// slowLink makes transfers of the simulated device take much longer than what else a
// program does, however busy the machine is; slowLaunch does so with kernels.
var (
	slowLink   = []string{"ACCSCOPE_SIM_MODEL=on", "ACCSCOPE_SIM_H2D_BANDWIDTH=100MB/s", "ACCSCOPE_SIM_D2H_BANDWIDTH=100MB/s", "ACCSCOPE_SIM_POISON=off"}
	slowLaunch = []string{"ACCSCOPE_SIM_MODEL=on", "ACCSCOPE_SIM_LAUNCH_LATENCY=2ms", "ACCSCOPE_SIM_POISON=off"}
)

// gainAttempts is how often it is measured, until what is said fits: other work on the
// machine takes its time from either.
const gainAttempts = 3

// TestAdviceGains measures on the simulated device with modelled times what the mended
// programs gain, in five turns of a tenth of a second and more each, and compares the
// medians with what advise says of the bad ones: no more than twice and no less than half
// as much. It takes minutes, and the machine's time is in it: only with ACCSCOPE_LONG.
func TestAdviceGains(t *testing.T) {
	if os.Getenv("ACCSCOPE_LONG") == "" {
		t.Skip("measures; set ACCSCOPE_LONG=1")
	}
	for _, test := range []struct {
		program, rule string
		environment   []string
		hash          bool
		options       []string // of the compiler
	}{
		{"repeated-transfer", "repeated-transfer", slowLink, true, nil},
		{"repeated-transfer-mapped", "repeated-transfer", slowLink, true, nil},
		{"round-trip", "round-trip", slowLink, false, nil},
		{"round-trip-mapped", "round-trip", slowLink, true, nil},
		{"round-trip-update", "round-trip", slowLink, true, nil},
		{"unused-transfer", "unused-transfer", slowLink, false, nil},
		{"unused-transfer-never", "unused-transfer", slowLink, false, nil},
		{"unused-transfer-unchanged", "unused-transfer", slowLink, true, nil},
		{"mapped-in-loop", "mapped-in-loop", slowLink, false, nil},
		{"small-transfers", "small-transfers", append(slices.Clone(slowLink), "ACCSCOPE_SIM_H2D_LATENCY=1ms"), false, nil},
		{"implicit-transfer", "implicit-transfer", slowLink, false, nil},
		{"needless-wait", "needless-wait", slowLaunch, false, []string{"-DHOST_STEP=1500000"}},
		{"synchronous-construct", "synchronous-construct", slowLaunch, false, []string{"-DHOST_STEP=1500000"}},
	} {
		t.Run(test.program, func(t *testing.T) {
			folder := t.TempDir()
			source, err := filepath.Abs(filepath.Join(adviceFolder, test.program+".c"))
			if err != nil {
				t.Fatal(err)
			}
			arguments := append([]string{"-fopenacc", "-foffload=disable", "-O2", "-g", "-o", "program", source}, test.options...)
			execute(t, folder, nil, compilers.C(), arguments...).must(t)
			plain := append(slices.Clone(test.environment), "ACC_DEVICE_TYPE=sim", "LD_PRELOAD="+filepath.Join(project, "lib/libopenacc.so"))
			var said, gained float64
			for range gainAttempts {
				bad, mended := mediansOf(t, execute(t, folder, plain, "./program", "time").must(t).stdout)
				often := 1 + int(100/bad)
				command := []string{"run", "-q", "--no-summary", "--force", "--device", "sim", "-o", "bad.db"}
				if test.hash {
					command = append(command, "--hash")
				}
				execute(t, folder, test.environment, accscope, append(command, "--", "./program", "bad", strconv.Itoa(often))...).must(t)
				var findings []advice.Finding
				if err := json.Unmarshal([]byte(invoke(t, folder, "advise", "--min-gain", "1ns", "--format", "json", "bad.db").must(t).stdout), &findings); err != nil {
					t.Fatal(err)
				}
				said, gained = 0, bad-mended
				for _, f := range findings {
					if f.Rule == test.rule {
						said += float64(f.Gain) / 1e6 / float64(often)
					}
				}
				t.Logf("%s: bad %.3f ms, mended %.3f ms: gained %.3f ms, said %.3f ms: %.2f times", test.program, bad, mended, gained, said, said/gained)
				if said <= 2*gained && gained <= 2*said {
					return
				}
			}
			t.Errorf("%.3f ms were gained, %.3f ms were said", gained, said)
		})
	}
}

// TestAdviceGainOfRanks is TestAdviceGains of two ranks, of which one has more to do: the
// job takes as long as the slower one.
func TestAdviceGainOfRanks(t *testing.T) {
	if os.Getenv("ACCSCOPE_LONG") == "" {
		t.Skip("measures; set ACCSCOPE_LONG=1")
	}
	each := func(variant string) []string {
		return []string{"sh", "-c", "for rank in 0 1; do OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 ./program " + variant + " & done; wait"}
	}
	for _, test := range []struct{ name, program, kernel string }{
		{"one kernel", "imbalance", "work._omp_fn.0"},
		{"two kernels", "imbalance-kernels", "first._omp_fn.0"},
		{"two kernels and MPI", "imbalance-kernels", "first._omp_fn.0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			source, err := filepath.Abs(filepath.Join(adviceFolder, test.program+".c"))
			if err != nil {
				t.Fatal(err)
			}
			compiler, ranks := compilers.C(), each
			arguments := []string{"-fopenacc", "-foffload=disable", "-O2", "-g", "-o", "program", source}
			var compiling []string
			if test.name == "two kernels and MPI" {
				m := withOpenMPI(t)
				compiler, compiling, arguments = m.command(mpicc), m.environment, append(arguments, "-DMEET")
				ranks = func(variant string) []string { return []string{m.launcher(t), "-n", "2", "./program", variant} }
			}
			execute(t, folder, compiling, compiler, arguments...).must(t)
			gainOfRanks(t, folder, test.kernel, ranks)
		})
	}
}

// gainOfRanks compares what advise says of a kernel with what is measured, of commands for
// the bad variant and the mended one.
func gainOfRanks(t *testing.T, folder, kernel string, ranks func(variant string) []string) {
	t.Helper()
	environment := append(slices.Clone(slowLaunch), "ACCSCOPE_SIM_LAUNCH_LATENCY=100ms", "ACC_DEVICE_TYPE=sim")
	plain := append(slices.Clone(environment), "LD_PRELOAD="+filepath.Join(project, "lib/libopenacc.so"))
	var said, gained time.Duration
	for range gainAttempts {
		var took [2][]time.Duration
		for range 5 {
			for i, variant := range []string{"bad", "mended"} {
				command := ranks(variant)
				begin := time.Now()
				execute(t, folder, plain, command[0], command[1:]...).must(t)
				took[i] = append(took[i], time.Since(begin))
			}
		}
		for i := range took {
			slices.Sort(took[i])
		}
		execute(t, folder, environment, accscope, append([]string{"run", "-q", "--no-summary", "--force", "--device", "sim", "-o", "bad.db", "--"}, ranks("bad")...)...).must(t)
		said, gained = 0, took[0][2]-took[1][2]
		for _, f := range findingsOf(t, folder, "bad.db") {
			if f.Rule == "imbalance" && f.Kernel == kernel {
				said += time.Duration(f.Gain)
			}
		}
		t.Logf("bad %v, mended %v: gained %v, said %v: %.2f times", took[0][2], took[1][2], gained, said, said.Seconds()/gained.Seconds())
		if said <= 2*gained && gained <= 2*said {
			return
		}
	}
	t.Errorf("%v were gained, %v were said", gained, said)
}

// findingsOf are the findings of a trace, however little they gain.
func findingsOf(t *testing.T, folder, trace string) (findings []advice.Finding) {
	t.Helper()
	said := invoke(t, folder, "advise", "--min-gain", "1ns", "--format", "json", trace).must(t).stdout
	if err := json.Unmarshal([]byte(said), &findings); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return findings
}

// TestAdviceImbalanceOfKernels: where ranks do not meet behind each kernel, evening one out
// gains what the rank with most to do has less to do then, if it is less.
func TestAdviceImbalanceOfKernels(t *testing.T) {
	folder := t.TempDir()
	source, err := filepath.Abs(filepath.Join(adviceFolder, "imbalance-kernels.c"))
	if err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", "program", source).must(t)
	for _, variant := range []string{"bad", "mended", "alike"} {
		t.Run(variant, func(t *testing.T) {
			execute(t, folder, append(slices.Clone(slowLaunch), "ACCSCOPE_SIM_LAUNCH_LATENCY=50ms"), accscope, "run", "-q", "--no-summary", "--device", "sim", "-o", variant+".db", "--",
				"sh", "-c", "for rank in 0 1; do OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 ./program "+variant+"; done").must(t)
			said := map[string]int64{}
			for _, f := range findingsOf(t, folder, variant+".db") {
				if f.Rule == "imbalance" {
					said[f.Kernel] = f.Gain
				}
			}
			// What is true of the run that was recorded, whatever the machine did meanwhile.
			rows := invoke(t, folder, "query", "--format", "csv", variant+".db", `SELECT p.rank, kernel, sum(device_time) FROM kernels JOIN processes p USING (process) GROUP BY 1, 2
				UNION ALL SELECT p.rank, '', sum(t.end - t.start) FROM transfers t JOIN processes p USING (process) GROUP BY 1`).must(t).stdout
			list, err := csv.NewReader(strings.NewReader(rows)).ReadAll()
			if err != nil || len(list) != 7 {
				t.Fatalf("%v\n%s", err, rows)
			}
			var all [2]int64 // by rank
			spent := map[string]*[2]int64{}
			for _, row := range list[1:] {
				rank, err := strconv.Atoi(row[0])
				if err != nil {
					t.Fatal(err)
				}
				time, err := strconv.ParseInt(row[2], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				if spent[row[1]] == nil {
					spent[row[1]] = &[2]int64{}
				}
				spent[row[1]][rank] = time
				all[rank] += time
			}
			for kernel, times := range spent {
				average := (times[0] + times[1]) / 2
				gain := max(all[0], all[1]) - max(all[0]-times[0], all[1]-times[1]) - average
				if 5*max(times[0], times[1]) <= 6*average || kernel == "" {
					gain = 0
				}
				t.Logf("%s gains %d ns, %d are said", kernel, gain, said[kernel])
				const rounding = 1000
				if gain = max(gain, 0); said[kernel] > 2*gain+rounding || gain > 2*said[kernel]+rounding {
					t.Errorf("%s: %d ns are gained, %d are said", kernel, gain, said[kernel])
				}
			}
		})
	}
}

// mediansOf are the medians of what program.h prints, ms.
func mediansOf(t *testing.T, printed string) (bad, mended float64) {
	t.Helper()
	var times [2][]float64
	for line := range strings.Lines(printed) {
		var ms [2]float64
		if _, err := fmt.Sscan(line, &ms[0], &ms[1]); err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		for i := range times {
			times[i] = append(times[i], ms[i])
		}
	}
	for i := range times {
		if slices.Sort(times[i]); len(times[i]) != 5 {
			t.Fatalf("want five turns\n%s", printed)
		}
	}
	return times[0][2], times[1][2]
}
