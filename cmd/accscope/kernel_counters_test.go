package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/runtime/sim/card"
)

// gpuTables are what cards have counted of the kernels of runtime/cuda/gputest/counters, as
// measure.sh there has written it.
var gpuTables = []string{"h200.tsv"}

// retried are kernels whose atomics are loops that retry, so that their number is another one in
// each run.
var retried = map[string]bool{"sum": true, "most": true, "inner": true}

// unrolled are kernels whose loops the driver unrolls, so that lanes which go through fewer
// times go apart from the others at the end: part for part that much more requests.
var unrolled = map[string]float64{"stencil_5": 0.2}

// TestCountersAsGPUs: what is counted on the simulated device is what a GPU's own counters
// say: requests and sectors within 3 %, atomics exactly. Of registers, which are estimated, follows the
// occupancy that those of the driver give, for nine kernels of ten.
func TestCountersAsGPUs(t *testing.T) {
	t.Parallel()
	programs, err := filepath.Abs("../../runtime/cuda/gputest/counters")
	if err != nil {
		t.Fatal(err)
	}
	folder, counted, estimated := t.TempDir(), map[string][]float64{}, map[string][]float64{}
	for _, source := range []string{"patterns.c", "patterns.f90"} {
		binary := offloaded(t, folder, filepath.Join(programs, source))
		execute(t, folder, nil, accscope, "run", "-q", "--counters", "-o", source+".db", "--", binary).must(t)
		for _, row := range queried(t, folder, source+".db", `SELECT kernel, load_requests, load_sectors, store_requests, store_sectors, atomic_requests, atomic_sectors FROM kernel_counters`) {
			cells := strings.Split(row, ",")
			counted[cells[0]] = numbers(t, cells[1:])
		}
		for _, row := range queried(t, folder, source+".db", `SELECT kernel, workers * vector, occupancy FROM kernel_counters`) {
			cells := strings.Split(row, ",")
			estimated[cells[0]] = numbers(t, cells[1:])
		}
	}
	if len(counted) < 40 {
		t.Fatalf("%d kernels were counted", len(counted))
	}
	columns := []string{"requests ld", "sectors ld", "requests st", "sectors st", "requests atom", "sectors atom"}
	for _, table := range gpuTables {
		rows := cardRows(t, filepath.Join(programs, table), 25)
		of, err := card.Load(strings.TrimSuffix(table, ".tsv"))
		if err != nil {
			t.Fatal(err)
		}
		same, registers := 0, slices.Index(rows[0], "launch__registers_per_thread")
		for _, row := range rows[1:] {
			if have := estimated[strings.ReplaceAll(row[1], "$", ".")]; have != nil && have[1] == of.Resident(have[0], numbers(t, row[registers:][:1])[0])*math.Ceil(have[0]/32)/of.Warps {
				same++
			}
		}
		if 10*same < 9*(len(rows)-1) {
			t.Errorf("%s: %d of %d kernels have the occupancy that the driver's registers give", table, same, len(rows)-1)
		}
		for kernel, of := range gpuCounts(t, filepath.Join(programs, table)) {
			name, _, _ := strings.Cut(kernel, ".")
			have := counted[kernel]
			if have == nil {
				t.Errorf("%s: the kernel %s was not counted", table, kernel)
				continue
			}
			for i, want := range of {
				within := 0.03
				switch {
				case i >= 4 && retried[name]:
					continue
				case i == 4:
					within = 0
				}
				within = max(within, unrolled[name]) * want
				if off := have[i] - want; off > within || off < -within {
					t.Errorf("%s, %s: %s are %.0f, and %.0f on the GPU (%+.1f %%)", table, name, columns[i], have[i], want, 100*off/want)
				}
			}
		}
	}
}

// cardRows are the rows of a card's table, its columns' names first, at least so many.
func cardRows(t *testing.T, path string, least int) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma = '\t'
	rows, err := reader.ReadAll()
	if err != nil || len(rows) < least {
		t.Fatalf("%s: %d rows, %v", path, len(rows), err)
	}
	return rows
}

// gpuCounts reads a card's table: of each kernel, by its name on the host, the requests and sectors
// of loads, stores and atomics.
func gpuCounts(t *testing.T, path string) map[string][]float64 {
	t.Helper()
	rows := cardRows(t, path, 25)
	counts := map[string][]float64{}
	for _, row := range rows[1:] {
		value := func(what, operation string) float64 {
			name := fmt.Sprintf("l1tex__t_%s_pipe_lsu_mem_global_op_%s.sum", what, operation)
			for i, column := range rows[0] {
				if column == name {
					return numbers(t, row[i:i+1])[0]
				}
			}
			t.Fatalf("%s has no column %s", path, name)
			return 0
		}
		var of []float64
		for _, operations := range [][]string{{"ld"}, {"st"}, {"atom", "red"}} {
			for _, what := range []string{"requests", "sectors"} {
				sum := 0.0
				for _, operation := range operations {
					sum += value(what, operation)
				}
				of = append(of, sum)
			}
		}
		counts[strings.ReplaceAll(row[1], "$", ".")] = of
	}
	return counts
}

func numbers(t *testing.T, cells []string) (list []float64) {
	t.Helper()
	for _, cell := range cells {
		value, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, value)
	}
	return list
}

// TestCountedAdvice: each rule about what was counted finds it in its bad program, with the line,
// and nothing in the others; report --lines says the same of the line.
func TestCountedAdvice(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]struct {
		lines []string // places of the findings, and what each says
		says  string   // of the line, in the report
	}{
		"uncoalesced-access": {[]string{"uncoalesced-access.c:21: 32.0 sectors a", "uncoalesced-access.c:24: 14.8 sectors a load"}, "lanes load 4096 bytes apart"},
		"idle-lanes":         {[]string{"idle-lanes.c:17: 8.0 of a warp's 32 lanes"}, "8 of 32 lanes take part"},
		"gang-imbalance":     {[]string{"gang-imbalance.c:12: the kernel's busiest gang does 1."}, "the busiest gang did 1."},
		"gang-redundant":     {[]string{"gang-redundant.c:14: each of the 64 gangs goes through this whole loop: 9"}, "1 of 32 lanes take part"},
		"meeting-atomics":    {[]string{"meeting-atomics.c:15: 32.0 lanes of a warp at an address"}, "up to 32 lanes meet at an atomic"},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			source, err := filepath.Abs(filepath.Join(adviceFolder, rule+".c"))
			if err != nil {
				t.Fatal(err)
			}
			binary := offloaded(t, folder, source, "-O1")
			for _, variant := range []string{"bad", "mended", "alike"} {
				execute(t, folder, nil, accscope, "run", "-q", "--counters", "-o", variant+".db", "--", binary, variant).must(t)
				var findings []advice.Finding
				said := invoke(t, folder, "advise", "--format", "json", variant+".db").must(t).stdout
				if err := json.Unmarshal([]byte(said), &findings); err != nil {
					t.Fatalf("%v\n%s", err, said)
				}
				var found []string
				for _, f := range findings {
					if f.Rule == rule {
						found = append(found, f.Place()+": "+f.What)
					}
				}
				slices.Sort(found)
				expected := want.lines
				if variant != "bad" {
					expected = nil
				}
				if !slices.EqualFunc(found, expected, strings.HasPrefix) {
					t.Errorf("%s: found %q, want %q", variant, found, expected)
				}
			}
			if lines := invoke(t, folder, "report", "--lines", "bad", "bad.db").must(t).stdout; !strings.Contains(lines, want.says) {
				t.Errorf("report --lines does not say %q:\n%s", want.says, lines)
			}
			if refused := invoke(t, folder, "report", "--lines", "nowhere", "bad.db"); refused.status == 0 || !strings.Contains(refused.stderr, `no kernel that was counted has "nowhere"`) {
				t.Errorf("status %d, %s", refused.status, refused.stderr)
			}
		})
	}
}
