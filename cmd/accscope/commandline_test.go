package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/runtime/compilers"
)

// record profiles a C program on the sim device and gives the folder that holds
// trace.db.
func record(t *testing.T, source string, flags ...string) string {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "program.c")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	compile := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", filepath.Join(folder, "program"), file)
	if output, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	invoke(t, folder, append(append([]string{"run", "-q", "-o", "trace.db", "--device", "sim"}, flags...), "--", "./program")...)
	return folder
}

const twoKernels = `int main (void)
{
  float a[100] = { 0 };
  for (int k = 0; k < 2; k++)
    {
#pragma acc parallel loop copy(a)
      for (int i = 0; i < 100; i++)
        a[i] += k;
    }
  return 0;
}`

// What is wrong is said in the user's words, with what may stand there instead.
func TestWhatACommandSays(t *testing.T) {
	folder := record(t, twoKernels)
	trace, err := os.ReadFile(filepath.Join(folder, "trace.db"))
	if err != nil {
		t.Fatal(err)
	}
	cut := append([]byte(nil), trace...)
	for i := len(cut) / 4; i < len(cut)*3/4; i++ {
		cut[i] = 0xff
	}
	for name, content := range map[string][]byte{"empty.db": nil, "one.db": []byte("x"), "text.db": []byte(strings.Repeat("no database\n", 100)), "damaged.db": cut} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	built := fmt.Sprintf(", %s, %s/%s)\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, test := range []struct {
		arguments string // separated by |
		stdin     string
		status    int
		want      string // in standard output and standard error
	}{
		{"version", "", 0, built},
		{"--version", "", 0, built},
		{"run|--device|foo|--|./program", "", 2, `--device "foo" names no device type; there are sim, host, nvidia, cuda, radeon, default, not_host`},
		{"query|trace.db|SELECT * FROM nowhere", "", 1, "SQL: no such table: nowhere; the views are allocations, annotations, call_stacks,"},
		{"query|trace.db|SELECT size FROM kernels", "", 1, "SQL: 1:8: no such column: size\nkernels has record, process, thread, kernel,"},
		{"query|trace.db|SELEC 1", "", 1, `SQL: 1:1: near "SELEC": syntax error`},
		{"query|trace.db|-", "SELECT kernel, line FROM kernels", 0, "kernel          line\n--------------  ----\nmain._omp_fn.0     6\nmain._omp_fn.0     6\n"},
		{"query|--format|markdown|trace.db|SELECT kernel, line FROM kernels LIMIT 1", "", 0, "| kernel         | line |\n| -------------- | ---: |\n| main._omp_fn.0 |    6 |\n"},
		{"query|trace.db|.tables", "", 0, "\nkernels\n"},
		{"query|trace.db|.schema waits", "", 0, "\nwaits  duration\n"},
		{"query|trace.db|.schema nothing", "", 2, `there is no view "nothing"; there are allocations,`},
		{"query|trace.db|.dump", "", 2, ".schema VIEW"},
		{"info|--check|trace.db", "", 0, "\nwhole\n"},
		{"info|--check|--json|trace.db", "", 0, `"check": "whole"`},
		{"info|--check|damaged.db", "", 1, "damaged: damaged.db: the file is damaged: "},
		{"info|--check|--json|damaged.db", "", 1, `{"check":"damaged: damaged.db: `},
		{"info|--json|--format|text|trace.db", "", 2, "contradict"},
		{"info|empty.db", "", 1, "empty.db: not an accscope trace: it is an empty file\n"},
		{"info|one.db", "", 1, "one.db: not an accscope trace: it is no SQLite database, but a file of 1 B\n"},
		{"run|-o|-|--|./program", "", 2, "-o -: a trace is a database and cannot be written to a pipe; give a file"},
		{"import|-o|-|trace.db", "", 2, "-o -: a trace is a database"},
		{"report|--until|0s|trace.db", "", 2, "--until 0s: nothing is before the trace's begin"},
		{"info|text.db", "", 1, "text.db: not an accscope trace: it is no SQLite database\n"},
		{"info|nothing.db", "", 1, "cannot open trace nothing.db: no such file or directory\n"},
		{"report|--rank|first|trace.db", "", 2, `"first" is no number from 0 on`},
		{"report|--json|trace.db", "", 0, `"kernels":`},
		{"import|nothing", "", 1, "nothing is no file, folder or session"},
		{"import|", "", 1, "the name of a folder, session or trace is empty: is a variable of the script not set?\n"},
		{"report|", "", 1, "a trace's name is empty: is a variable of the script not set?\n"},
		{"serve|", "", 1, "a trace's name is empty"},
		{"compare|trace.db|", "", 1, "a trace's name is empty"},
		{"import|empty.db", "", 1, "empty.db: not an accscope trace: it is an empty file; import takes capture folders"},
		{"serve|nothing.db", "", 1, "cannot open trace nothing.db: no such file or directory\n"},
		{"run|--|./nothing", "", 127, "cannot run ./nothing: no such file or directory\n"},
		{"--tui|trace.db", "", 2, "unknown flag: --tui (see accscope --help; it is a flag of accscope run)\n"},
		{"report|--tui|trace.db", "", 2, "unknown flag: --tui (see accscope report --help; it is a flag of accscope run)\n"},
		{"report|--nothing|trace.db", "", 2, "unknown flag: --nothing (see accscope report --help)\n"},
		{"report|--present-at|99h|trace.db", "", 0, ", before that time"},
		{"doctor|./progarm", "", 1, "accscope: program ./progarm: no such file or directory; give the program's path\n"},
		{"doctor|ls", "", 1, "program ls: no such file or directory; give its path: /"},
		{"top|--picture|ranks|trace.db", "", 1, "trace.db is of no MPI job: it has no ranks\n"},
		{"export|trace.db", "", 2, "export: want --to FORMAT: chrome, clickhouse, csv,"},
		{"ls|--format|json", "", 0, "["},
		{"doctor|--format|json", "", 0, `"subject": "session folder"`},
		{"__complete|report|trace.db|--source|", "", 0, "program.c:6\n"},
		{"__complete|query|", "", 0, "db\n:8\n"},
	} {
		t.Run(test.arguments, func(t *testing.T) {
			command := exec.Command(accscope, strings.Split(test.arguments, "|")...)
			command.Dir, command.Stdin = folder, strings.NewReader(test.stdin)
			output, _ := command.CombinedOutput()
			if got := command.ProcessState.ExitCode(); got != test.status || !strings.Contains(string(output), test.want) {
				t.Errorf("status %d, want %d with %q:\n%s", got, test.status, test.want, output)
			}
			if strings.Contains(string(output), "sqlite:") {
				t.Errorf("a library's words: %s", output)
			}
		})
	}
	entries, err := filepath.Glob(filepath.Join(folder, "*.accscope.db"))
	if _, there := os.Lstat(filepath.Join(folder, "-")); there == nil {
		entries = append(entries, "-")
	}
	if err != nil || len(entries) > 0 {
		t.Errorf("a run that was refused left %v, %v", entries, err)
	}
}

// Without the right to read it the cause is said, not that it cannot be opened.
func TestTraceThatMayNotBeRead(t *testing.T) {
	folder, err := os.MkdirTemp("/tmp", "accscope-test")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "secret.db")
	if err := errors.Join(os.Chmod(folder, 0o755), os.WriteFile(file, []byte("x"), 0)); err != nil {
		t.Fatal(err)
	}
	output := asNobody(t, "info", file)
	if want := "cannot open trace " + file + ": permission denied\n"; !strings.Contains(output, want) {
		t.Errorf("%s\nwant %s", output, want)
	}
}

// Help fits the columns that there are, and names what a flag takes in capitals.
func TestHelpFits(t *testing.T) {
	for width, want := range map[string]int{"": 80, "0": 80, "many": 80, "80": 80, "92": 92, "300": helpWidth} {
		t.Setenv("COLUMNS", width)
		helpFits(t, want)
	}
}

func helpFits(t *testing.T, width int) {
	root := newRootCommand()
	for _, command := range append(root.Commands(), root) {
		var text strings.Builder
		command.SetOut(&text)
		if err := command.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(text.String(), "\n") {
			if len([]rune(line)) > width {
				t.Errorf("%s: %d columns of %d: %s", command.Name(), len([]rune(line)), width, line)
			}
			words := strings.Fields(line)
			if len(words) > 1 && strings.HasPrefix(words[0], "--") {
				switch words[1] {
				case "int", "string", "strings", "duration", "NUMBER,":
					t.Errorf("%s: what does %s take? %s", command.Name(), words[0], line)
				}
			}
		}
	}
}

// abandoned leaves a session of the folder's program behind, which kills its collector, and
// gives its name when the program has ended. No session is to be there before.
func abandoned(t *testing.T, folder string) string {
	t.Helper()
	invoke(t, folder, "run", "-q", "-o", "begun.db", "--", "sh", "-c", "chmod +x program; kill -KILL $PPID; ./program")
	var sessions []struct {
		Name    string
		Running int
	}
	for end := time.Now().Add(time.Minute); len(sessions) == 0 || sessions[0].Running > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the program does not end: %v", sessions)
		}
		if err := json.Unmarshal([]byte(invoke(t, folder, "ls", "--json").must(t).stdout), &sessions); err != nil {
			t.Fatal(err)
		}
	}
	return sessions[0].Name
}

// A session is imported by the name that ls shows.
func TestImportBySessionName(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", filepath.Join(folder, "sessions"))
	if err := os.CopyFS(folder, os.DirFS(record(t, twoKernels))); err != nil {
		t.Fatal(err)
	}
	name := abandoned(t, folder)
	if words := invoke(t, folder, "__complete", "import", name[:4]).must(t).stdout; !strings.HasPrefix(words, name+"\t") {
		t.Errorf("shells are offered: %s", words)
	}
	r := invoke(t, folder, "import", "-o", "imported.db", name).must(t)
	if !strings.Contains(r.stderr, "events in imported.db") {
		t.Errorf("standard error: %s", r.stderr)
	}
}
