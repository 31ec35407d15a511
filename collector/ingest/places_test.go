package ingest_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/runtime/compilers"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestNamesFoundLater holds places and names that the collector finds, from what was
// recorded when the program came to a place, against those that the runtime finds while
// the program waits.
func TestNamesFoundLater(t *testing.T) {
	for _, p := range []struct{ compiler, source string }{
		{compilers.Fortran(), "examples/stencil/stencil.f90"},
		{compilers.CXX(), "examples/particles/particles.cpp"},
		{compilers.C(), "collector/ingest/testdata/reached.c"},
		{compilers.Fortran(), "runtime/source/testdata/tiles.f90"},
	} {
		for _, flags := range []string{"-O0", "-O2"} {
			t.Run(filepath.Base(p.source)+flags, func(t *testing.T) {
				t.Parallel()
				traceLater, traceOnce := traceBothWays(t, compileSource(t, p.compiler, p.source, flags), "ACC_DEVICE_TYPE=sim")
				later, once := told(t, traceLater), told(t, traceOnce)
				forgetLists(later, once)
				for _, row := range slices.Sorted(maps.Keys(once)) {
					if later[row] != once[row] {
						t.Errorf("%d times %s, later %d times", once[row], row, later[row])
					}
				}
				for _, row := range slices.Sorted(maps.Keys(later)) {
					if once[row] == 0 {
						t.Errorf("only later %s", row)
					}
				}
			})
		}
	}
}

// traceBothWays traces a program twice: with names that the collector finds, and with
// those that the program has waited for, because another tool is listening.
func traceBothWays(t *testing.T, program string, environment ...string) (later, once *store.Trace) {
	t.Helper()
	runtime := append(environment, "LD_PRELOAD="+library(t, "libopenacc.so"))
	session, _ := capture(t, program, nil, runtime...)
	if !leavesNames(t, onlyEntry(t, session)) {
		t.Fatal("the program has waited for its names")
	}
	later = finish(t, session, filepath.Join(t.TempDir(), "trace.db"))
	at := captureAlone(t, program, append(runtime, "ACC_PROFLIB="+library(t, "libaccprof.so")+";"+listener(t))...)
	if leavesNames(t, at) {
		t.Fatal("the other tool is not told names")
	}
	return later, ingested(t, ingest.Options{Captures: []string{at}, Trace: filepath.Join(t.TempDir(), "trace.db")})
}

// leavesNames says whether the names of a capture are to be found later.
func leavesNames(t *testing.T, folder string) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(folder, "sites"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

// captureAlone runs a program outside of any session and gives its capture.
func captureAlone(t *testing.T, program string, environment ...string) string {
	t.Helper()
	folder := t.TempDir()
	command := exec.Command(program)
	command.Dir = folder
	command.Env = append(os.Environ(), environment...)
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return onlyEntry(t, folder)
}

// listener compiles a tool that listens and does nothing.
func listener(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "listener.so")
	output, err := exec.Command(compilers.C(), "-shared", "-fPIC", "-I", "../../runtime/include", "testdata/listener.c", "-o", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return path
}

// TestNamesWithoutASession: by ACC_PROFLIB alone the program waits for no name either,
// and the import finds those that a session has.
func TestNamesWithoutASession(t *testing.T) {
	program := compileSource(t, compilers.C(), "collector/ingest/testdata/reached.c", "-O2")
	runtime := []string{"LD_PRELOAD=" + library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=sim"}
	session, _ := capture(t, program, nil, runtime...)
	at := captureAlone(t, program, append(runtime, "ACC_PROFLIB="+library(t, "libaccprof.so"))...)
	if !leavesNames(t, at) {
		t.Error("the program has waited for its names")
	}
	want := told(t, finish(t, session, filepath.Join(t.TempDir(), "trace.db")))
	got := told(t, ingested(t, ingest.Options{Captures: []string{at}, Trace: filepath.Join(t.TempDir(), "trace.db")}))
	if !maps.Equal(got, want) {
		t.Errorf("without a session %v\nin one %v", got, want)
	}
}

// TestDirectivesReadLater holds what only the text of a directive tells, as the collector
// reads it, against what the runtime says while the program waits.
func TestDirectivesReadLater(t *testing.T) {
	written := compileSource(t, compilers.C(), "collector/ingest/testdata/written.c", "-O0")
	declared := compileSource(t, compilers.Fortran(), "collector/ingest/testdata/declared.f90", "-O2")
	for _, c := range []struct{ program, device, kinds, want string }{
		{written, "sim", "'enter_data_start', 'create'", `
enter_data_start written.c:9 kernels implicit
create written.c:9 kernels explicit a
create written.c:9 kernels implicit b
enter_data_start written.c:12 serial implicit
create written.c:12 serial explicit pointer
create written.c:12 serial implicit a
enter_data_start written.c:16 parallel implicit
create written.c:16 parallel implicit sum
create written.c:16 parallel implicit a`},
		{written, "host", "'compute_construct_start'", `
compute_construct_start written.c:9 kernels explicit
compute_construct_start written.c:12 serial explicit
compute_construct_start written.c:16 parallel explicit`},
		{declared, "sim", "'device_init_end', 'enter_data_start', 'create', 'exit_data_start'", `
device_init_end declared.f90:6 declare implicit
enter_data_start declared.f90:6 declare explicit
create declared.f90:6 declare explicit factor
create declared.f90:6 declare explicit a
create declared.f90:6 declare explicit a
enter_data_start declared.f90:8 data explicit
enter_data_start declared.f90:9 serial implicit
exit_data_start declared.f90:9 serial implicit
exit_data_start declared.f90:8 data explicit
exit_data_start declared.f90:6 declare explicit`},
		{declared, "host", "'enter_data_start', 'exit_data_start'", `
enter_data_start declared.f90:6 declare explicit
enter_data_start declared.f90:8 data explicit
exit_data_start declared.f90:8 data explicit
exit_data_start declared.f90:6 declare explicit`},
	} {
		t.Run(filepath.Base(c.program)+" on "+c.device, func(t *testing.T) {
			later, once := traceBothWays(t, c.program, "ACC_DEVICE_TYPE="+c.device)
			for way, trace := range map[string]*store.Trace{"later": later, "at once": once} {
				if got := constructs(t, trace, c.kinds); got != c.want {
					t.Errorf("%s:%s\nwant%s", way, got, c.want)
				}
			}
		})
	}
}

// TestLinesOfContinuedDirectives: a directive stands where it begins, and ends where its
// construct does, also that of data.
func TestLinesOfContinuedDirectives(t *testing.T) {
	for _, flags := range []string{"-O0", "-O2"} {
		later, once := traceBothWays(t, compileSource(t, compilers.Fortran(), "collector/ingest/testdata/continued.f90", flags), "ACC_DEVICE_TYPE=sim")
		for way, rows := range map[string]map[string]int{"later": told(t, later), "at once": told(t, once)} {
			for _, want := range []string{
				"enter_data_start continued.f90:7-22 in continued",
				"exit_data_end continued.f90:7-22 in continued",
				"compute_construct_start continued.f90:9-14 in continued",
				"compute_construct_end continued.f90:16-19 in continued",
				"update_start continued.f90:20-21 in continued",
			} {
				if rows[want] != 1 {
					t.Errorf("%s, %s: %d times %s in\n%s", flags, way, rows[want], want, strings.Join(slices.Sorted(maps.Keys(rows)), "\n"))
				}
			}
		}
	}
}

// constructs lists events of the given kinds, with the construct that they are part of.
func constructs(t *testing.T, trace *store.Trace, kinds string) string {
	t.Helper()
	var list strings.Builder
	err := sqlitex.Execute(trace.Conn(), "SELECT kind, source_file, line, construct, implicit, variable FROM events WHERE kind IN ("+kinds+") ORDER BY record",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			implicit := "explicit"
			if s.ColumnInt(4) != 0 {
				implicit = "implicit"
			}
			row := fmt.Sprintf("%s %s:%d %s %s %s", s.ColumnText(0), filepath.Base(s.ColumnText(1)), s.ColumnInt(2), s.ColumnText(3), implicit, s.ColumnText(5))
			list.WriteString("\n" + strings.TrimSpace(row))
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	return list.String()
}

// forgetLists takes the variables from the rows of transfers that carried several, of
// which only the collector is told: once has those rows without a name.
func forgetLists(later, once map[string]int) {
	for row, count := range maps.Clone(later) {
		place, _, named := strings.Cut(row, ": ")
		if named && once[row] == 0 && later[place]+count <= once[place] && strings.HasPrefix(row, "enqueue_") {
			delete(later, row)
			later[place] += count
		}
	}
}

// TestNamesOfAKilledProgram finds places and names of a program that was killed, as
// long as its file is there.
func TestNamesOfAKilledProgram(t *testing.T) {
	program := compileSource(t, compilers.C(), "collector/ingest/testdata/reached.c", "-O2")
	session := t.TempDir()
	command := exec.Command(program, "kill")
	command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+session, "ACC_PROFLIB="+library(t, "libaccprof.so"),
		"LD_PRELOAD="+library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=sim")
	if err := command.Run(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the program ends with %v", err)
	}
	rows := told(t, finish(t, session, filepath.Join(t.TempDir(), "trace.db")))
	for _, want := range []string{
		"create reached.c:30 in scale: list->values",
		"enqueue_launch_start reached.c:32-34 in scale: kernel scale._omp_fn.0",
	} {
		if rows[want] == 0 {
			t.Errorf("no %s in\n%s", want, strings.Join(slices.Sorted(maps.Keys(rows)), "\n"))
		}
	}
}

// TestCarriedVariables: the trace lists the variables that went to the device or came
// from it together; a tool that waits for its names is told of none.
func TestCarriedVariables(t *testing.T) {
	program := compileSource(t, compilers.C(), "collector/ingest/testdata/carried.c", "-O2")
	traceLater, traceOnce := traceBothWays(t, program, "ACC_DEVICE_TYPE=sim")
	later, once := told(t, traceLater), told(t, traceOnce)
	for want, times := range map[string]int{
		// Values that have changed from the first launch to the second go with the variables.
		"enqueue_upload_start carried.c:12-14 in step: factor, high, low":            2,
		"enqueue_upload_start carried.c:12-14 in step: sum, most":                    2,
		"enqueue_upload_start carried.c:12-14 in step: sum, most, factor, high, low": 1,
		"enqueue_download_start carried.c:12-14 in step: sum, most":                  3,
		"enqueue_upload_start carried.c:24-26 in shift: bound, term, factor":         4,
		"enqueue_upload_start carried.c:24-26 in shift: bound, term":                 4,
	} {
		if later[want] != times {
			t.Errorf("%d times %s, want %d, in\n%s", later[want], want, times, strings.Join(slices.Sorted(maps.Keys(later)), "\n"))
		}
	}
	if n := once["enqueue_upload_start carried.c:12-14 in step"]; n != 5 {
		t.Errorf("%d uploads of several variables without a name, want 5, in\n%s", n, strings.Join(slices.Sorted(maps.Keys(once)), "\n"))
	}
}

// told counts what events say of their place, variable and kernel: those of one process,
// or all.
func told(t *testing.T, trace *store.Trace, process ...int) map[string]int {
	t.Helper()
	of := ""
	for _, number := range process {
		of = fmt.Sprintf(" WHERE process = %d", number)
	}
	rows := map[string]int{}
	err := sqlitex.Execute(trace.Conn(), `SELECT kind, source_file, line, end_line, function, function_line, function_end_line,
		variable, kernel FROM events`+of, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		row := fmt.Sprintf("%s %s:%d", s.ColumnText(0), filepath.Base(s.ColumnText(1)), s.ColumnInt(2))
		if end := s.ColumnInt(3); end > 0 {
			row += fmt.Sprintf("-%d", end)
		}
		row += " in " + s.ColumnText(4)
		if variable := s.ColumnText(7); variable != "" {
			row += ": " + variable
		}
		if kernel := s.ColumnText(8); kernel != "" {
			row += ": kernel " + kernel
		}
		rows[row]++
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// onlyEntry is the one capture in a folder.
func onlyEntry(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v in %s: %v", entries, folder, err)
	}
	return filepath.Join(folder, entries[0].Name())
}
