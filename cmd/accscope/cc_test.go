package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/accscope/accscope/runtime/compilers"
)

// What the wrapper compiles does what the directives say, on shared memory and on a memory of
// its own, in C, C++ and Fortran: the programs check their results themselves.
func TestWrapperPrograms(t *testing.T) {
	sources, err := filepath.Glob("testdata/cc/*.c")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	fortran, err := filepath.Glob("testdata/cc/*.[fF]*")
	if err != nil || len(fortran) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	more, err := filepath.Glob("testdata/cc/*.cpp")
	if err != nil || len(more) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, source := range slices.Concat(sources, fortran, more) {
		source, err := filepath.Abs(source)
		if err != nil {
			t.Fatal(err)
		}
		languages := [][]string{{"cc", "-std=c99"}, {"c++", "-x", "c++"}}
		switch filepath.Ext(source) {
		case ".c":
		case ".cpp":
			languages = [][]string{{"c++"}}
		default:
			languages = [][]string{{"fc"}}
		}
		for _, language := range languages {
			t.Run(filepath.Base(source)+"/"+language[0], func(t *testing.T) {
				folder := t.TempDir()
				words := append(language, "-w", "-g", "-O1", "-foffload=disable", "-o", "program", source)
				if said := invoke(t, folder, words...).must(t).stderr; said != "" {
					t.Errorf("said:\n%s", said)
				}
				for _, device := range []string{"host", "sim"} {
					execute(t, folder, []string{"ACC_DEVICE_TYPE=" + device}, filepath.Join(folder, "program")).must(t)
				}
			})
		}
	}
}

// writeFiles writes files of a folder, by their contents.
func writeFiles(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const wrapped = `#include "x.h"
#define UNUSED 1
int main (void)
{
  int n = ZERO;
#pragma acc set device_num(n) \
  if(n > 0)
#pragma acc parallel self
  n++;
  return __LINE__ - 10 + n;
}
`

// wrappedFolder has a source that needs rewriting, in a folder below it.
func wrappedFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	writeFiles(t, folder, map[string]string{
		"src/a.c": wrapped, "a.c": wrapped, "x.h": "#define ZERO 0\n", "src/x.h": "#define ZERO 1\n",
		"other.c": "int other (void) { return 0; }\n", "text": strings.Replace(wrapped, "ZERO", "ZERO + 1", 1), "plain.rsp": "-o 'the program' -g\n src/a.c other.c",
	})
	return folder
}

// The wrapper takes a compiler's command lines, and what they make has the names and lines
// of the source.
func TestWrapperCommandLines(t *testing.T) {
	for _, test := range []struct {
		name   string
		args   []string
		status int    // of the program that the lines make; 1 of the source in src
		made   string // a file that is there
		holds  string // words that are in that file, in a row
	}{
		{name: "program", args: []string{"-o", "program", "a.c"}},
		{name: "folder", args: []string{"-o", "program", "src/a.c"}, status: 1},
		{name: "several", args: []string{"src/a.c", "other.c", "-oprogram"}, status: 1},
		{name: "object", args: []string{"-c", "src/a.c", "-MD"}, made: "a.d", holds: "a.o: src/a.c /usr/include/stdc-predef.h src/x.h"},
		{name: "dependencies", args: []string{"-c", "a.c", "-MMD", "-MF", "deps", "-MT", "target"}, made: "deps", holds: "target: a.c x.h"},
		{name: "assembly", args: []string{"-S", "a.c", "other.c"}, made: "other.s"},
		{name: "preprocessed", args: []string{"-E", "src/a.c", "-o", "a.i"}, made: "a.i", holds: "# 0 \"src/a.c\" # 0 \"<built-in>\""},
		{name: "intermediate files", args: []string{"-save-temps", "src/a.c", "-o", "program"}, status: 1},
		{name: "link-time optimisation", args: []string{"-flto", "-O2", "src/a.c", "other.c", "-o", "program"}, status: 1},
		{name: "languages", args: []string{"-x", "c", "text", "-x", "none", "other.c", "-o", "program"}, status: 1},
		{name: "options joined", args: []string{"-xc", "text", "-oprogram", "-pipe"}, status: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := wrappedFolder(t)
			invoke(t, folder, append([]string{"cc"}, test.args...)...).must(t)
			if test.made != "" {
				content, err := os.ReadFile(filepath.Join(folder, test.made))
				words := strings.Join(strings.Fields(strings.ReplaceAll(string(content), "\\\n", "")), " ")
				if err != nil || !strings.Contains(words, test.holds) {
					t.Fatalf("%s, %v: want %q in\n%s", test.made, err, test.holds, content)
				}
				return
			}
			if r := execute(t, folder, nil, filepath.Join(folder, "program")); r.status != test.status {
				t.Errorf("exit status %d, want %d\n%s", r.status, test.status, r.stderr)
			}
		})
	}
	t.Run("response file", func(t *testing.T) {
		folder := wrappedFolder(t)
		invoke(t, folder, "cc", "@plain.rsp").must(t)
		if r := execute(t, folder, nil, filepath.Join(folder, "the program")); r.status != 1 {
			t.Errorf("exit status %d, want 1", r.status)
		}
	})
	t.Run("standard input", func(t *testing.T) {
		folder := wrappedFolder(t)
		execute(t, folder, nil, "sh", "-ec", "'"+accscope+"' cc -x c - -o program < text").must(t)
		if r := execute(t, folder, nil, filepath.Join(folder, "program")); r.status != 1 {
			t.Errorf("exit status %d, want 1", r.status)
		}
	})
	t.Run("preprocessed to standard output", func(t *testing.T) {
		said := invoke(t, wrappedFolder(t), "cc", "-E", "a.c").must(t).stdout
		if !strings.HasPrefix(said, "# 0 \"a.c\"\n") || strings.Contains(said, "<stdin>") {
			t.Errorf("said:\n%.400s", said)
		}
	})
	t.Run("warnings of the source", func(t *testing.T) {
		said := invoke(t, wrappedFolder(t), "cc", "-c", "-Wall", "-Wextra", "-Wpedantic", "-Wunused-macros", "src/a.c").must(t).stderr
		if strings.Count(said, "warning:") != 1 || !strings.Contains(said, `src/a.c:2: warning: macro "UNUSED" is not used`) {
			t.Errorf("said:\n%s", said)
		}
	})
	t.Run("byte order mark", func(t *testing.T) {
		folder := wrappedFolder(t)
		writeFiles(t, folder, map[string]string{"a.c": "\uFEFF" + wrapped})
		invoke(t, folder, "cc", "-o", "program", "a.c").must(t)
		execute(t, folder, nil, filepath.Join(folder, "program")).must(t)
	})
	t.Run("debug information", func(t *testing.T) {
		folder := wrappedFolder(t)
		invoke(t, folder, "cc", "-g", "-c", "src/a.c").must(t)
		said := execute(t, folder, nil, compilers.Tool("readelf"), "--debug-dump=info,line", "a.o").must(t).stdout
		if !strings.Contains(said, ": src/a.c\n") || strings.Contains(said, "accscope-cc-") {
			t.Errorf("debug information:\n%.3000s", said)
		}
	})
	t.Run("check", func(t *testing.T) {
		folder := wrappedFolder(t)
		invoke(t, folder, "cc", "--check", "-c", "src/a.c").must(t)
		if said := execute(t, folder, nil, compilers.Tool("readelf"), "-SsW", "a.o").must(t).stdout; !strings.Contains(said, "__tsan_func_entry") || !strings.Contains(said, ".debug_line") {
			t.Errorf("the object has:\n%s", said)
		}
		invoke(t, folder, "cc", "--check", "-o", "program", "src/a.c", "other.c").must(t)
		if r := invoke(t, folder, "cc", "--check", "-fsanitize=address", "-c", "src/a.c"); r.status == 0 || !strings.Contains(r.stderr, "beside -fsanitize=address") {
			t.Errorf("exit status %d, said:\n%s", r.status, r.stderr)
		}
	})
	t.Run("version", func(t *testing.T) {
		if said := invoke(t, t.TempDir(), "cc", "-dumpversion").must(t).stdout; strings.Trim(said, "0123456789.\n") != "" {
			t.Errorf("said %q", said)
		}
	})
	t.Run("no such file", func(t *testing.T) {
		if r := invoke(t, t.TempDir(), "cc", "none.c"); r.status != 1 || !strings.Contains(r.stderr, "none.c") {
			t.Errorf("exit status %d, said:\n%s", r.status, r.stderr)
		}
	})
}

// An array of arrays is none of pointers: a part of it that is not contiguous is an error.
func TestWrapperRowsOfArrays(t *testing.T) {
	folder := t.TempDir()
	for _, directive := range []string{"enter data copyin(m[0:2][1:2])", "exit data copyout(m[0:2][1:2])", "data copy(m[0:2][1:2])"} {
		writeFiles(t, folder, map[string]string{"a.c": "void f (int m[4][4])\n{\n#pragma acc " + directive + "\n  {}\n}\n"})
		if r := invoke(t, folder, "cc", "-c", "a.c"); r.status != 1 || !strings.Contains(r.stderr, "a.c:3:") || !strings.Contains(r.stderr, "error: ") {
			t.Errorf("%s: exit status %d, said:\n%s", directive, r.status, r.stderr)
		}
	}
}

// What cannot be had is an error where the clause stands, and nothing is made.
func TestWrapperRefuses(t *testing.T) {
	folder := t.TempDir()
	writeFiles(t, folder, map[string]string{"a.c": "void f (int *p)\n{\n#pragma acc data \\\n  copy(capture: p[0:2])\n  {}\n}\n"})
	r := invoke(t, folder, "cc", "-c", "a.c")
	if r.status != 1 || !strings.Contains(r.stderr, "a.c:3:") || !strings.Contains(r.stderr, ": error: the modifier capture of copy cannot be had") {
		t.Errorf("exit status %d, said:\n%s", r.status, r.stderr)
	}
	if _, err := os.Stat(filepath.Join(folder, "a.o")); err == nil {
		t.Error("an object is made")
	}
	writeFiles(t, folder, map[string]string{"a.c": "int g (int);\n#pragma acc routine seq bind(g)\nint f (int x) { return x; }\n#pragma acc routine seq\nint h (int x) { return f (x); }\n"})
	if r := invoke(t, folder, "cc", "-c", "a.c"); r.status != 1 || !strings.Contains(r.stderr, "a.c:2:25: error: bind of f cannot be had with GCC: the routine in line 5 calls it") {
		t.Errorf("exit status %d, said:\n%s", r.status, r.stderr)
	}
}

// What GCC ignores in silence is an error where it is of PGI's model, else a warning.
func TestWrapperUnknownDirectives(t *testing.T) {
	folder := t.TempDir()
	for directive, want := range map[string]struct {
		status int
		said   string
	}{
		"mirror(p)":            {1, "a.c:1:13: error: mirror of PGI's model cannot be had"},
		"function(f) local(p)": {1, "a.c:1:13: error: function of PGI's model cannot be had"},
		"paralel loop":         {0, "a.c:1:13: warning: paralel is no directive of OpenACC: GCC ignores it"},
	} {
		writeFiles(t, folder, map[string]string{"a.c": "#pragma acc " + directive + "\nint f (int *p) { return *p; }\n"})
		if r := invoke(t, folder, "cc", "-c", "a.c"); r.status != want.status || strings.Count(r.stderr, want.said) != 1 {
			t.Errorf("%s: exit status %d, said:\n%s", directive, r.status, r.stderr)
		}
	}
}

// The wrapper says what it does, and shows it.
func TestWrapperExplains(t *testing.T) {
	folder := wrappedFolder(t)
	r := invoke(t, folder, "cc", "--accscope-show", "--accscope-explain", "a.c").must(t)
	if !strings.Contains(r.stdout, "#pragma acc parallel if(0)\n") {
		t.Errorf("shows:\n%s", r.stdout)
	}
	if want := "a.c:8:22: note: self is an if clause with the contrary condition\n"; !strings.Contains(r.stderr, want) {
		t.Errorf("says:\n%s", r.stderr)
	}
}

// Directives of included files are rewritten, too, and what GCC writes names the files
// themselves.
func TestWrapperIncludes(t *testing.T) {
	folder := t.TempDir()
	writeFiles(t, folder, map[string]string{
		"src/a.c":     "#include \"way.h\"\n#include \"../other.h\"\n/* acc */\nint main (void) { return twice (2) + OTHER; }\n",
		"src/way.h":   "#include \"leaf.h\"\n#include \"../other.h\"\n",
		"src/leaf.h":  "#ifndef LEAF\n#define LEAF\nstatic int twice (int n)\n{\n#pragma acc parallel self(n > 0) copy(n)\n  n *= 2;\n  return n + (__LINE__ - 7) + __FILE__[4] - 'l';\n}\n#endif\n",
		"other.h":     "#define OTHER 3\n",
		"leaf.f90":    "!$acc parallel self copy(n)\n  n = 2 * n\n!$acc end parallel\n",
		"program.f90": "program p ! with acc\n  integer :: n = 2\n  include 'leaf.f90'\n  if (n == 4) stop 7\nend program\n",
	})
	invoke(t, folder, "cc", "-MD", "-MF", "deps", "-o", "program", "src/a.c").must(t)
	if r := execute(t, folder, nil, filepath.Join(folder, "program")); r.status != 7 {
		t.Errorf("exit status %d, want 7", r.status)
	}
	deps, err := os.ReadFile(filepath.Join(folder, "deps"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(strings.ReplaceAll(string(deps), "\\\n", ""))
	if got := strings.Join(words[1:], " "); !strings.HasPrefix(got, "src/a.c /usr/") || !strings.Contains(got, " src/way.h src/leaf.h ") {
		t.Errorf("dependencies: %s", deps)
	}
	invoke(t, folder, "fc", "-o", "program", "program.f90").must(t)
	if r := execute(t, folder, nil, filepath.Join(folder, "program")); r.status != 7 {
		t.Errorf("exit status %d, want 7", r.status)
	}
}

// By the names that packages install the program is a compiler.
func TestWrapperNames(t *testing.T) {
	folder := wrappedFolder(t)
	if err := os.Symlink(accscope, filepath.Join(folder, "acc-gcc")); err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, filepath.Join(folder, "acc-gcc"), "-o", "program", "src/a.c").must(t)
	if r := execute(t, folder, nil, filepath.Join(folder, "program")); r.status != 1 {
		t.Errorf("exit status %d, want 1", r.status)
	}
}

// Where a spelling means two things, a warning says which is taken, and a flag takes the other.
func TestWrapperBounds(t *testing.T) {
	folder := t.TempDir()
	source := "int main (void) { int a[4] = { 0 };\n#pragma acc data region copy(a[0:3])\n{\n#pragma acc update host(a[0:2])\n}\nreturn a[0]; }\n"
	writeFiles(t, folder, map[string]string{"a.c": source})
	r := invoke(t, folder, "cc", "--accscope-show", "a.c").must(t)
	if !strings.Contains(r.stderr, "a.c:4:20: warning: the subarrays are taken as begin and length") || !strings.Contains(r.stdout, "update host(a[0:2])") {
		t.Errorf("shows:\n%s\nsays:\n%s", r.stdout, r.stderr)
	}
	r = invoke(t, folder, "cc", "--accscope-show", "--accscope-pgi", "a.c").must(t)
	if r.stderr != "" || !strings.Contains(r.stdout, "update host(a[0:(2) + 1])") {
		t.Errorf("shows:\n%s\nsays:\n%s", r.stdout, r.stderr)
	}
}

// An interrupt ends the wrapper by its signal, and leaves nothing.
func TestWrapperInterrupted(t *testing.T) {
	folder := wrappedFolder(t)
	temporary := t.TempDir()
	compiler := filepath.Join(folder, "slow")
	script := "#!/bin/sh\ncase \"$*\" in *-E*) exec " + compilers.C() + " \"$@\";; esac\ntouch started\nexec sleep 60\n"
	if err := os.WriteFile(compiler, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(accscope, "cc", "-c", "src/a.c")
	command.Dir = folder
	command.Env = append(os.Environ(), "ACCSCOPE_CC="+compiler, "TMPDIR="+temporary)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for !fileThere(filepath.Join(folder, "started")) {
		time.Sleep(10 * time.Millisecond)
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := command.Wait(); !errors.As(err, &exit) || signalOf(exit) != int(syscall.SIGTERM) {
		t.Errorf("ended with %v", err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
