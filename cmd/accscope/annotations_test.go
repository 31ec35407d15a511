package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/runtime/compilers"
)

// The same program in three languages: five frames, each with a range around a construct
// and one that has none inside.
var annotated = map[string]string{
	"program.c": `#include "accscope_annotation.h"
static float a[1000];
int main (void)
{
  for (int n = 0; n < 5; n++)
    {
      accscope_frame_begin ("step", n);
      accscope_range_push ("work");
#pragma acc parallel loop copy(a)
      for (int i = 0; i < 1000; i++) a[i] += n;
      accscope_range_pop ();
      accscope_range_push ("rest");
      accscope_range_pop ();
      accscope_frame_end ();
    }
  accscope_mark ("done");
  return 0;
}
`,
	"program.cpp": `#include "accscope_annotation.h"
static float a[1000];
int main ()
{
  for (int n = 0; n < 5; n++)
    {
      accscope::frame step ("step", n);
      {
        accscope::range work ("work");
#pragma acc parallel loop copy(a)
        for (int i = 0; i < 1000; i++) a[i] += n;
      }
      accscope::range rest ("rest");
    }
  accscope_mark ("done");
}
`,
	"program.f90": `program annotated
  use accscope_annotation
  use, intrinsic :: iso_c_binding, only: c_int64_t
  implicit none
  real :: a(1000)
  integer :: n, i
  a = 0
  do n = 0, 4
    call accscope_frame_begin('step', n)
    call accscope_range_push('work', __FILE__, __LINE__)
    !$acc parallel loop copy(a)
    do i = 1, 1000
      a(i) = a(i) + n
    end do
    call accscope_range_pop()
    call accscope_range_push('rest')
    call accscope_range_pop()
    call accscope_frame_end()
  end do
  call accscope_mark('done')
  call accscope_frame_begin('turn', 5000000000_c_int64_t)
  call accscope_frame_end()
  call accscope_range_push('long', repeat('folder/', 1000)//'far.f90', 7)
  call accscope_range_pop()
end program
`,
}

// recordAnnotated gives a folder with the trace of an annotated program.
func recordAnnotated(t *testing.T, name string) string {
	t.Helper()
	return recordOwn(t, name, annotated[name])
}

// recordOwn gives a folder with the trace of a program that calls the header's functions,
// in the language of its name. Without the profiler they say nothing.
func recordOwn(t *testing.T, name, text string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	include := filepath.Join(project, "include")
	arguments := []string{"-fopenacc", "-foffload=disable", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I" + include, "-o", "program"}
	compiler := compilers.C()
	switch filepath.Ext(name) {
	case ".cpp":
		compiler = compilers.CXX()
	case ".f90":
		compiler = compilers.Fortran()
		arguments = append(arguments, "-cpp", filepath.Join(include, "accscope_annotation.f90"))
	}
	execute(t, folder, nil, compiler, append(arguments, name)...).must(t)
	if r := execute(t, folder, nil, "./program").must(t); r.stdout+r.stderr != "" {
		t.Errorf("without the profiler it prints %q", r.stdout+r.stderr)
	}
	invoke(t, folder, "run", "-q", "--device", "sim", "-o", "trace.db", "--", "./program").must(t)
	return folder
}

// TestAnnotationsSayWhere: an annotation's place is its call, whether the program says it
// or the profiler finds it.
func TestAnnotationsSayWhere(t *testing.T) {
	for _, c := range []struct {
		program      string
		calls, names []string
	}{
		{"program.c", []string{`("step", n)`, `("work")`, `("rest")`, `("done")`}, []string{"step", "work", "rest", "done"}},
		{"program.cpp", []string{`("step", n)`, `("work")`, `("rest")`, `("done")`}, []string{"step", "work", "rest", "done"}},
		{"program.f90", []string{`('step', n)`, `('work',`, `('rest')`, `('done')`, `('turn',`, `('long',`}, []string{"step", "work", "rest", "done", "turn", "long"}},
	} {
		t.Run(c.program, func(t *testing.T) {
			rows := reported(t, recordAnnotated(t, c.program), "annotations")
			for i, name := range c.names {
				before, _, found := strings.Cut(annotated[c.program], c.calls[i])
				file, line := c.program, 1+strings.Count(before, "\n")
				if name == "long" {
					file, line = "far.f90", 7
				}
				if want := fmt.Sprintf("%s:%d", file, line); !found || rows[name]["source"] != want {
					t.Errorf("%s is at %v, want %s", name, rows[name]["source"], want)
				}
			}
			if turn := rows["turn"]; turn != nil && turn["slowest_number"] != 5e9 {
				t.Errorf("the number of a frame is %v, want 5e9", turn["slowest_number"])
			}
		})
	}
}

// reported are the rows of a report's table by their name.
func reported(t *testing.T, folder, table string, flags ...string) map[string]map[string]any {
	t.Helper()
	rows := map[string]map[string]any{}
	for _, row := range reportedRows(t, folder, table, flags...) {
		rows[fmt.Sprint(row["name"])] = row
	}
	return rows
}

func reportedRows(t *testing.T, folder, table string, flags ...string) []map[string]any {
	t.Helper()
	out := invoke(t, folder, append([]string{"report", "--format", "json", "trace.db"}, flags...)...).must(t).stdout
	var document struct {
		Tables map[string]struct{ Rows []map[string]any }
	}
	if err := json.Unmarshal([]byte(out), &document); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return document.Tables[table].Rows
}

func TestAnnotationsInTheReport(t *testing.T) {
	for name := range annotated {
		t.Run(name, func(t *testing.T) {
			folder := recordAnnotated(t, name)
			rows := reported(t, folder, "annotations")
			for _, want := range []struct {
				name, kind string
				count      float64
			}{{"step", "frame", 5}, {"work", "range", 5}, {"rest", "range", 5}, {"done", "mark", 1}} {
				row := rows[want.name]
				if row == nil || row["kind"] != want.kind || row["count"] != want.count {
					t.Errorf("%s: %v", want.name, row)
				}
			}
			least, most := rows["step"]["min_ns"].(float64), rows["step"]["max_ns"].(float64)
			if median := rows["step"]["median_ns"].(float64); least <= 0 || median < least || most < median {
				t.Errorf("step took %v to %v ns, in the middle %v", least, most, median)
			}
			if own, time := rows["work"]["own_ns"].(float64), rows["work"]["time_ns"].(float64); own >= time {
				t.Errorf("work took %v ns, of which %v are its own: its construct is not inside", time, own)
			}
			// One frame: a construct of each kind there is, and nothing of the others.
			inside := reported(t, folder, "annotations", "--inside", "step 3")
			if inside["step"]["count"] != 1.0 || inside["work"]["count"] != 1.0 || inside["done"] != nil || inside["step"]["slowest_number"] != 3.0 {
				t.Errorf("inside step 3: %v", inside)
			}
			if kernels := launches(t, folder, "--inside", "step 1..3"); kernels != 3 {
				t.Errorf("%d launches inside three frames", kernels)
			}
			if kernels := launches(t, folder, "--inside", "work"); kernels != 5 {
				t.Errorf("%d launches inside work", kernels)
			}
			for name, used := range map[string]bool{"work": true, "rest": false} {
				memory := reportedRows(t, folder, "memory", "--inside", name)
				if len(memory) != 1 || memory[0]["peak_bytes"].(float64) >= 4000 != used {
					t.Errorf("memory inside %s: %v", name, memory)
				}
			}
			if kernels := launches(t, folder, "--inside", "rest"); kernels != 0 {
				t.Errorf("%d launches inside rest", kernels)
			}
		})
	}
}

// launches is how many kernels a report tells of, which have as many device times.
func launches(t *testing.T, folder string, flags ...string) (count int) {
	t.Helper()
	out := invoke(t, folder, append([]string{"report", "--format", "json", "trace.db"}, flags...)...).must(t).stdout
	var document struct {
		Tables struct {
			Kernels struct {
				Rows []struct{ Launches, Timed int }
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &document); err != nil {
		t.Fatal(err)
	}
	for _, k := range document.Tables.Kernels.Rows {
		if k.Launches != k.Timed {
			t.Errorf("%d launches, %d of them timed", k.Launches, k.Timed)
		}
		count += k.Launches
	}
	return count
}

// A frame that is not there is refused with those that are.
func TestInsideNothing(t *testing.T) {
	folder := recordAnnotated(t, "program.c")
	for _, test := range []struct {
		want    string
		command []string
	}{
		{`there are frame "step", range "rest", range "work"`, []string{"report", "--inside", "stop 3", "trace.db"}},
		{`the numbers of "step" are from 0 to 4`, []string{"export", "--to", "csv", "-o", "-", "--inside", "step 9", "trace.db"}},
	} {
		r := invoke(t, folder, test.command...)
		if r.status != 2 || !strings.Contains(r.stderr, test.want) {
			t.Errorf("%v: status %d, %s", test.command, r.status, r.stderr)
		}
	}
}

// What is wrong with a choice is the command line's fault only where the trace was read.
func TestInsideErrors(t *testing.T) {
	for _, test := range []struct {
		err   error
		usage bool
	}{
		{fmt.Errorf("%w \"step\"", store.ErrNoAnnotation), true},
		{errors.New("the file is damaged"), false},
	} {
		var usage usageError
		if got := insideError(test.err); errors.As(got, &usage) != test.usage || !errors.Is(got, test.err) {
			t.Errorf("%v becomes %v", test.err, got)
		}
	}
}

// Annotations are spans and events of each format, and the constructs in them lie inside.
func TestAnnotationsInExports(t *testing.T) {
	folder := recordAnnotated(t, "program.c")
	out := invoke(t, folder, "export", "--to", "chrome", "-o", "-", "--inside", "step 2", "trace.db").must(t).stdout
	var events []struct {
		Name, Cat, Ph string
		Args          map[string]any
	}
	if err := json.Unmarshal([]byte(out), &events); err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, e := range events {
		if e.Cat == "frame" && (e.Name != "step" || e.Args["number"] != 2.0) {
			t.Errorf("frame %q %v", e.Name, e.Args)
		}
		found[e.Cat+e.Ph]++
	}
	if found["frameX"] != 1 || found["rangeX"] != 2 || found["compute_constructX"] != 1 || found["activity_kernelX"] != 1 {
		t.Errorf("chrome has %v", found)
	}
	rows, err := csv.NewReader(strings.NewReader(invoke(t, folder, "query", "--format", "csv", "trace.db",
		`SELECT a.kind, a.name, count(s.record) FROM annotations a JOIN spans s ON s.parent = a.record GROUP BY 1, 2 ORDER BY 1, 2`).must(t).stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(rows[1:]); got != "[[frame step 10] [range work 6]]" { // the device begins in the first
		t.Errorf("what lies in them: %s", got)
	}
	for _, format := range []string{"perfetto", "speedscope", "html", "csv"} {
		out := invoke(t, folder, "export", "--to", format, "-o", "-", "trace.db").must(t).stdout
		for _, name := range []string{"step", "work", "rest"} {
			if !strings.Contains(out, name) {
				t.Errorf("%s has no %s", format, name)
			}
		}
	}
	program := invoke(t, folder, "top", "--picture", "program", "--inside", "step 2..3", "trace.db").must(t).stdout
	if !regexp.MustCompile(`(?m)^ only step 2\.\.3 `).MatchString(program) || !regexp.MustCompile(`(?m)^ step +frame +2 `).MatchString(program) || !regexp.MustCompile(`(?m)^ work +range +2 `).MatchString(program) {
		t.Errorf("the terminal limited to frames:\n%s", program)
	}
	if r := invoke(t, folder, "top", "--picture", "program", "--inside", "step 99", "trace.db"); r.status != exitUsage || !strings.Contains(r.stderr, `the numbers of "step" are from 0 to 4`) {
		t.Errorf("of a frame that there is not: %d\n%s", r.status, r.stderr)
	}
	picture := invoke(t, folder, "top", "--picture", "events", "trace.db").must(t).stdout
	for _, text := range []string{"frame_end", "step 4", "mark", "done"} {
		if !strings.Contains(picture, text) {
			t.Errorf("the terminal has no %s:\n%s", text, picture)
		}
	}
}

// A construct within ranges is the outermost of the runtime's spans, as it is without:
// annotations change no figure that conditions are put to.
func TestAnnotationsDoNotChangeWhatIsCompared(t *testing.T) {
	folder := recordAnnotated(t, "program.c")
	bare := t.TempDir()
	lines := strings.Split(annotated["program.c"], "\n")
	for i, line := range lines {
		if strings.Contains(line, "accscope_") {
			lines[i] = ""
		}
	}
	if err := os.WriteFile(filepath.Join(bare, "program.c"), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	execute(t, bare, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", "program", "program.c").must(t)
	invoke(t, bare, "run", "-q", "--device", "sim", "-o", "trace.db", "--", "./program").must(t)
	out := invoke(t, folder, "compare", "--format", "json", filepath.Join(bare, "trace.db"), "trace.db").must(t).stdout
	if !strings.Contains(out, `"name": "parallel"`) || strings.Contains(out, `"gone"`) || strings.Contains(out, `"new"`) {
		t.Errorf("the runs differ:\n%s", out)
	}
	query := `SELECT count(*), sum(depth) FROM spans WHERE kind = 'compute_construct'`
	if got := invoke(t, folder, "query", "--format", "csv", "trace.db", query).must(t).stdout; !strings.Contains(got, "5,10") {
		t.Errorf("compute constructs and their depths: %s", got)
	}
}
