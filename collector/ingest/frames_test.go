package ingest_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/runtime/compilers"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestFrames holds the lines that call stacks give under libgomp, which tells
// none itself, against those that our runtime tells.
func TestFrames(t *testing.T) {
	for _, p := range []struct{ compiler, source, plugin string }{
		{compilers.C(), "examples/jacobi/jacobi.c", ""},
		{compilers.C(), "examples/pipeline/pipeline.c", ""},
		{compilers.Fortran(), "examples/stencil/stencil.f90", ""},
		{compilers.CXX(), "examples/particles/particles.cpp", ""},
		{compilers.C(), "examples/saxpy/saxpy.c", ""},
		{compilers.C(), "runtime/attribution/testdata/opener.c", "runtime/attribution/testdata/plugin.c"},
	} {
		for _, flags := range []string{"-O0", "-O2", "-O3", "-O2 -no-pie", "-O2 -gdwarf-4"} {
			t.Run(filepath.Base(p.source)+flags, func(t *testing.T) {
				t.Parallel()
				sameLines(t, p.compiler, p.source, p.plugin, flags)
			})
		}
	}
}

func sameLines(t *testing.T, compiler, source, plugin, flags string) {
	program := compileSource(t, compiler, source, flags)
	var arguments []string
	if plugin != "" {
		arguments = append(arguments, compileSource(t, compiler, plugin, strings.ReplaceAll(flags, "-no-pie", "")+" -shared -fPIC"))
	}
	session, _ := capture(t, program, arguments, "ACCSCOPE_CALLSTACK=caller")
	foreign := lines(t, finish(t, session, filepath.Join(t.TempDir(), "trace.db")))
	session, _ = capture(t, program, arguments, "LD_PRELOAD="+library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=host")
	own := lines(t, finish(t, session, filepath.Join(t.TempDir(), "trace.db")))
	if len(own) == 0 {
		t.Fatal("our runtime told no line")
	}
	for line := range own {
		if !foreign[line] {
			t.Errorf("under libgomp there is no %s", line)
		}
	}
	for line := range foreign {
		// Our host device has no queues to wait for.
		if !own[line] && !strings.HasPrefix(line, "wait ") {
			t.Errorf("only under libgomp there is %s", line)
		}
	}
}

// TestWrittenConstructs has the compute constructs that the text has, whatever runtime
// tells of them.
func TestWrittenConstructs(t *testing.T) {
	program := compileSource(t, compilers.C(), "collector/ingest/testdata/constructs.c", "-O2")
	const want = "4 kernels\n4 kernels\n7 serial\n9 parallel\n12 kernels\n"
	for name, environment := range map[string][]string{
		"libgomp": {"ACCSCOPE_CALLSTACK=caller"},
		"host":    {"LD_PRELOAD=" + library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=host"},
	} {
		session, _ := capture(t, program, nil, environment...)
		path := filepath.Join(t.TempDir(), "trace.db")
		finish(t, session, path)
		conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		err = sqlitex.Execute(conn, "SELECT line, construct FROM spans WHERE kind IN ('device_init', 'compute_construct') ORDER BY start",
			&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
				got += s.ColumnText(0) + " " + s.ColumnText(1) + "\n"
				return nil
			}})
		if err = errors.Join(err, conn.Close()); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s: constructs\n%s, want\n%s", name, got, want)
		}
	}
}

// TestFullStack follows the stack of every event down to main: through libgomp,
// and past our runtime, whose Go part nobody can follow.
func TestFullStack(t *testing.T) {
	program := buildExample(t, compilers.C(), "jacobi/jacobi.c", "-O2")
	for name, environment := range map[string][]string{
		"libgomp": nil,
		"host":    {"LD_PRELOAD=" + library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=host"},
		"sim":     {"LD_PRELOAD=" + library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=sim"},
	} {
		t.Run(name, func(t *testing.T) {
			session, _ := capture(t, program, nil, append(environment, "ACCSCOPE_CALLSTACK=full")...)
			trace := finish(t, session, filepath.Join(t.TempDir(), "trace.db"))
			frames, err := trace.Frames()
			if err != nil {
				t.Fatal(err)
			}
			functions := map[string]bool{}
			for _, f := range frames {
				functions[f.Function] = true
			}
			if !functions["main"] || !functions["_start"] {
				t.Errorf("the stacks reach %v, not main and _start", functions)
			}
		})
	}
}

// TestStrippedProgram gives module and offset where there is no symbol.
func TestStrippedProgram(t *testing.T) {
	program := buildExample(t, compilers.C(), "jacobi/jacobi.c", "-O2 -s")
	for name, environment := range map[string]string{"libgomp": "ACC_DEVICE_TYPE=host",
		"ours": "LD_PRELOAD=" + library(t, "libopenacc.so")} {
		t.Run(name, func(t *testing.T) {
			session, _ := capture(t, program, nil, environment)
			trace := finish(t, session, filepath.Join(t.TempDir(), "trace.db"))
			places := 0
			err := sqlitex.Execute(trace.Conn(), "SELECT DISTINCT function FROM spans WHERE kind = 'compute_construct'",
				&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
					places++
					if function := s.ColumnText(0); !strings.HasPrefix(function, program+"+0x") {
						t.Errorf("a construct is in %q", function)
					}
					return nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			if places != 3 {
				t.Errorf("%d places, the program has 3 compute constructs", places)
			}
		})
	}
}

// TestDebugInformationElsewhere resolves programs whose debug information is
// compressed, in a file of its own, or missing: then there are functions and no
// lines.
func TestDebugInformationElsewhere(t *testing.T) {
	for _, c := range []struct{ name, flags, after, want string }{
		{"compressed", "-O2 -gz", "", "jacobi.c:37-40 in main"},
		{"DWARF 5, no index", "-O2 -gdwarf-5", "objcopy -R .debug_aranges program", "jacobi.c:37-40 in main"},
		{"linked file", "-O2", "objcopy --only-keep-debug program program.debug; objcopy -g --add-gnu-debuglink=program.debug program", "jacobi.c:37-40 in main"},
		{"symbols only", "-O2 -g0", "", "- in main"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			program := buildExample(t, compilers.C(), "jacobi/jacobi.c", c.flags)
			after := exec.Command("sh", "-ec", strings.ReplaceAll(c.after, "objcopy", compilers.Tool("objcopy")))
			after.Dir = filepath.Dir(program)
			if output, err := after.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, output)
			}
			for name, environment := range map[string]string{"libgomp": "ACCSCOPE_CALLSTACK=caller",
				"ours": "LD_PRELOAD=" + library(t, "libopenacc.so")} {
				session, _ := capture(t, program, nil, environment)
				trace := finish(t, session, filepath.Join(t.TempDir(), "trace.db"))
				found := map[string]bool{}
				err := sqlitex.Execute(trace.Conn(), "SELECT DISTINCT source_file, line, end_line, function FROM spans WHERE kind = 'compute_construct'",
					&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
						place := "-"
						if s.ColumnInt(1) > 0 {
							place = fmt.Sprintf("%s:%d-%d", filepath.Base(s.ColumnText(0)), s.ColumnInt(1), s.ColumnInt(2))
						}
						found[place+" in "+s.ColumnText(3)] = true
						return nil
					}})
				if err != nil {
					t.Fatal(err)
				}
				if !found[c.want] {
					t.Errorf("%s: no compute construct is at %s; they are at %v", name, c.want, found)
				}
			}
		})
	}
}

// TestChangedProgram resolves nothing with a program that was built anew after
// it ran, and says so.
func TestChangedProgram(t *testing.T) {
	program := buildExample(t, compilers.C(), "jacobi/jacobi.c", "-O2")
	session, _ := capture(t, program, nil, "ACCSCOPE_CALLSTACK=caller")
	other := buildExample(t, compilers.C(), "jacobi/jacobi.c", "-O0")
	data, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, data, 0o700); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "trace.db")
	var warnings []string
	in, err := ingest.Open(ingest.Options{Session: session, Trace: trace, Warn: func(line string) { warnings = append(warnings, line) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Finish(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(warnings, "\n"), program) {
		t.Errorf("no warning names %s: %q", program, warnings)
	}
	opened, err := store.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if found := lines(t, opened); len(found) != 0 {
		t.Errorf("lines were made up: %v", found)
	}
}

func library(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../../lib/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run make first", err)
	}
	return path
}

func buildExample(t *testing.T, compiler, source, flags string) string {
	t.Helper()
	return compileSource(t, compiler, "examples/"+source, flags)
}

// compileSource compiles a source file of the repository.
func compileSource(t *testing.T, compiler, source, flags string) string {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "program")
	arguments := append([]string{"-g", "-fopenacc", "-foffload=disable", "-I", "../../runtime/include"}, strings.Fields(flags)...)
	if strings.HasSuffix(source, ".f90") {
		arguments = append(arguments, "-J", folder)
	}
	arguments = append(arguments, "../../"+source, "-o", program, "-lm")
	if output, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", compiler, strings.Join(arguments, " "), err, output)
	}
	return program
}

// capture runs a program with the profiler library and gives its session.
func capture(t *testing.T, program string, arguments []string, environment ...string) (session, output string) {
	t.Helper()
	session = filepath.Join(t.TempDir(), "session")
	if err := os.Mkdir(session, 0o700); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, arguments...)
	command.Env = append(append(os.Environ(), "ACCSCOPE_SESSION="+session, "ACC_PROFLIB="+library(t, "libaccprof.so")), environment...)
	text, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, text)
	}
	return session, string(text)
}

// lines are the kinds of spans with their places: a construct of which several
// calls were compiled stands once.
func lines(t *testing.T, trace *store.Trace) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := sqlitex.Execute(trace.Conn(), `SELECT DISTINCT kind, source_file, line, end_line, function FROM spans
		WHERE line > 0 AND kind IN ('compute_construct', 'enter_data', 'exit_data', 'update', 'wait')`,
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			place := fmt.Sprintf("%s:%d", filepath.Base(s.ColumnText(1)), s.ColumnInt(2))
			if end := s.ColumnInt(3); end > 0 {
				place += fmt.Sprintf("-%d", end)
			} else if s.ColumnText(0) == "compute_construct" {
				t.Errorf("the compute construct at %s has no end", place)
			}
			found[fmt.Sprintf("%s at %s in %s", s.ColumnText(0), place, s.ColumnText(4))] = true
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
