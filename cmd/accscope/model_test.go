package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modelFolder has the programs by which cards are calibrated and checked, and what cards took for them.
const modelFolder = "../../runtime/cuda/gputest/model"

// modelRuns are those of modelFolder/runs.txt that are small enough to be executed by a test, with
// their programs' sources. Those of probes are what cards were calibrated by.
var modelRuns = []struct{ run, source, arguments string }{
	{"probes-12", modelFolder + "/probes.c", "4096"},
	{"probes-16", modelFolder + "/probes.c", "65536"},
	{"others-12", modelFolder + "/others.c", "4096"},
	{"others-16", modelFolder + "/others.c", "65536"},
	{"patterns", "../../runtime/cuda/gputest/counters/patterns.c", ""},
	{"patterns-fortran", "../../runtime/cuda/gputest/counters/patterns.f90", ""},
	{"jacobi-256", "../../examples/jacobi/jacobi.c", "256 20"},
	{"pipeline", "../../examples/pipeline/pipeline.c", "32 65536"},
	{"saxpy", "../../examples/saxpy/saxpy.c", ""},
}

// TestModelAsGPU: kernels take the time that they took on the card, as far as docs/modelled.md
// says: those that it was calibrated by, and those that it was not.
func TestModelAsGPU(t *testing.T) {
	t.Parallel()
	measured := modelTable(t, filepath.Join(modelFolder, "h200.tsv"))
	type pair struct {
		name      string
		have, was float64
	}
	sets := map[string][]pair{}
	folder, binaries := t.TempDir(), map[string]string{}
	for _, r := range modelRuns {
		if binaries[r.source] == "" {
			binaries[r.source] = offloaded(t, folder, absolute(t, r.source), "-lm")
		}
		trace := r.run + ".db"
		execute(t, folder, nil, accscope, slices.Concat([]string{"run", "-q", "--no-summary", "--model", "h200", "-o", trace, "--", binaries[r.source]}, strings.Fields(r.arguments))...).must(t)
		times := map[string][]float64{}
		for _, row := range queried(t, folder, trace, `SELECT kernel, gangs, workers, vector, device_time FROM kernels ORDER BY start`) {
			cells := strings.Split(row, ",")
			key := strings.Join(append([]string{r.run}, cells[:4]...), " ")
			times[key] = append(times[key], numbers(t, cells[4:])[0])
		}
		set := "held out"
		if strings.HasPrefix(r.run, "probes") {
			set = "calibrated"
		}
		for key, list := range times {
			was, known := measured[key]
			if !known {
				t.Errorf("%s was not measured", key)
				continue
			}
			for _, of := range []string{set, "all"} {
				sets[of] = append(sets[of], pair{key, middle(list), was})
			}
		}
	}
	for set, pairs := range sets {
		var two, four float64
		var have, was []float64
		for _, p := range pairs {
			off := math.Abs(math.Log2(p.have / p.was))
			if off <= 1 {
				two++
			} else {
				t.Logf("%s: %s takes %.1f us, and %.1f on the card", set, p.name, p.have/1e3, p.was/1e3)
			}
			if off <= 2 {
				four++
			}
			have, was = append(have, p.have), append(was, p.was)
		}
		n := float64(len(pairs))
		t.Logf("%s: %.0f kernels, %.1f %% within a factor of two, %.1f %% within four, rank correlation %.3f", set, n, 100*two/n, 100*four/n, rankCorrelation(have, was))
		// The small sizes of those that it was calibrated by take nearly all the same.
		if n < 50 || two < 0.8*n || four < 0.95*n || set != "calibrated" && rankCorrelation(have, was) < 0.9 {
			t.Errorf("%s: of %.0f kernels %.0f are within a factor of two, %.0f within four, rank correlation %.3f", set, n, two, four, rankCorrelation(have, was))
		}
	}
}

// modelTable is what a card took, in nanoseconds, by run, kernel and geometry.
func modelTable(t *testing.T, path string) map[string]float64 {
	t.Helper()
	rows := cardRows(t, path, 100)
	table := map[string]float64{}
	for _, row := range rows[1:] {
		table[strings.Join(row[:5], " ")] = numbers(t, row[6:7])[0]
	}
	return table
}

// middle is the median, of several without the first.
func middle(list []float64) float64 {
	rest := slices.Sorted(slices.Values(list[min(1, len(list)-1):]))
	return (rest[len(rest)/2] + rest[(len(rest)-1)/2]) / 2
}

// rankCorrelation is Spearman's.
func rankCorrelation(a, b []float64) float64 {
	ranks := func(v []float64) []float64 {
		order := slices.SortedFunc(maps.Keys(indices(v)), func(i, j int) int { return cmp.Compare(v[i], v[j]) })
		ranks := make([]float64, len(v))
		for rank, at := range order {
			ranks[at] = float64(rank)
		}
		return ranks
	}
	x, y := ranks(a), ranks(b)
	sum := 0.0
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i])
	}
	n := float64(len(a))
	return 1 - 6*sum/(n*(n*n-1))
}

func indices(v []float64) map[int]bool {
	all := map[int]bool{}
	for i := range v {
		all[i] = true
	}
	return all
}

// TestModelledQueues: the order of queues and what overlaps follow the modelled times, and the trace
// says whose they are.
func TestModelledQueues(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	source := filepath.Join(folder, "queues.c")
	program := `
#include <stdio.h>
#include <stdlib.h>
int
main (void)
{
  int n = 1 << 14;
  double *a = calloc (n, 8), *b = calloc (n, 8);
#pragma acc data copy (a[0:n], b[0:n])
  {
#pragma acc parallel loop num_gangs (1) async (1)
    for (int i = 0; i < n; i++)
      a[i] += 1;
#pragma acc parallel loop num_gangs (1) async (2)
    for (int i = 0; i < n; i++)
      b[i] += 2;
#pragma acc wait (1, 2) async (3)
#pragma acc parallel loop async (3)
    for (int i = 0; i < n; i++)
      a[i] += b[i];
#pragma acc wait
  }
  printf ("%g\n", a[5]);
  return a[5] != 3;
}
`
	if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	binary := offloaded(t, folder, source)
	run := execute(t, folder, nil, accscope, "run", "--model", "h200", "-o", "queues.db", "--", binary).must(t)
	const note = "evice times are modelled for NVIDIA H200"
	if report := invoke(t, folder, "report", "queues.db").must(t).stdout; !strings.Contains(report, note) || !strings.Contains(run.stderr, note) {
		t.Errorf("%q is not said in\n%s\n%s", note, run.stderr, report)
	}
	if info := invoke(t, folder, "info", "queues.db").must(t).stdout; !strings.Contains(info, "modelled for NVIDIA H200") {
		t.Errorf("info does not say so:\n%s", info)
	}
	var starts, ends, enqueued []float64
	for _, row := range queried(t, folder, "queues.db", "SELECT start, end, enqueued + enqueue_time FROM kernels ORDER BY record") {
		of := numbers(t, strings.Split(row, ","))
		starts, ends, enqueued = append(starts, of[0]), append(ends, of[1]), append(enqueued, of[2])
	}
	if len(starts) != 3 || starts[0] > enqueued[0] || starts[1] > enqueued[1] || starts[2] < max(ends[0], ends[1]) {
		t.Errorf("three kernels, of which the first two need nothing and the third follows them: they are there by %v, begin at %v and end at %v", enqueued, starts, ends)
	}
	for arguments, want := range map[string]string{"--model nowhere.txt": "no card that is built in", "--model h200 --code host": "leave --code host out"} {
		if refused := execute(t, folder, nil, accscope, append(append([]string{"run"}, strings.Fields(arguments)...), "--", binary)...); refused.status == 0 || !strings.Contains(refused.stderr, want) {
			t.Errorf("%s: status %d, %s; want %q", arguments, refused.status, refused.stderr, want)
		}
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	whole, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", path, err))
	}
	return whole
}
