package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// Every way to end is told as what it is, of the program itself and of its children,
// by the trace, the report and info.
func TestWaysToEnd(t *testing.T) {
	folder := t.TempDir()
	source, program := filepath.Join(folder, "ends.c"), filepath.Join(folder, "ends")
	if err := os.WriteFile(source, []byte(`#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
int main (int argc, char **argv)
{
  static float a[100];
  if (!strcmp (argv[1], "renamed"))
    prctl (PR_SET_NAME, "worker");
  if (argc > 2 && fork () > 0)
    return wait (0) < 0;
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 100; i++)
    a[i] += 1;
  if (!strcmp (argv[1], "_exit"))
    _exit (0);
  if (!strcmp (argv[1], "quick_exit"))
    quick_exit (0);
  if (!strcmp (argv[1], "exec"))
    execlp ("sh", "sh", "-c", "n=0; until \"$TEST\" query t.db 'SELECT ended FROM processes' 2>&1 | grep -q exec || [ $n = 600 ]; do n=$((n + 1)); sleep 0.1; done", (char *) 0);
  if (!strcmp (argv[1], "exec at once"))
    execlp ("true", "true", (char *) 0);
  if (!strcmp (argv[1], "exec, killed"))
    execlp ("sh", "sh", "-c", "kill -9 $$", (char *) 0);
  if (!strcmp (argv[1], "exec itself"))
    execl (argv[0], argv[0], "exit", (char *) 0);
  if (!strcmp (argv[1], "exec fails") && execl ("/nowhere", "nowhere", (char *) 0))
    _exit (0);
  if (!strcmp (argv[1], "renamed"))
    _exit (0);
  if (!strcmp (argv[1], "killed"))
    raise (SIGKILL);
  return 0;
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-g", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, c := range []struct{ way, of, ended, report string }{
		{"exit", "", "exited", ""},
		{"_exit", "", "_exit", "ended by _exit"},
		{"quick_exit", "", "quick_exit", "ended by quick_exit"},
		{"exec", "", "exec", "went on as another program (exec)"},
		{"killed", "", "killed", "was ended by signal 9 (killed)"},
		{"exec at once", "", "exec", "went on as another program (exec)"},
		{"exec, killed", "", "exec", "went on as another program (exec)"},
		{"exec itself", "", "exec exited", "went on as another program (exec)"},
		{"exec fails", "", "_exit", "ended by _exit"},
		{"renamed", "", "_exit", "ended by _exit"},
		{"exit", "child", "exited", ""},
		{"_exit", "child", "unknown", "it was killed, called _exit, or went on as another program"},
		{"quick_exit", "child", "quick_exit", "ended by quick_exit"},
		{"exec", "child", "exec", "went on as another program (exec)"},
		{"exec itself", "child", "exec exited", "went on as another program (exec)"},
		{"killed", "child", "unknown", "it was killed, called _exit, or went on as another program"},
	} {
		t.Run(c.way+c.of, func(t *testing.T) {
			folder := t.TempDir()
			args := []string{"run", "--device", "sim", "-o", "t.db", "--", program, c.way}
			if c.of != "" {
				args = append(args, c.of)
			}
			run := execute(t, folder, []string{"TEST=" + accscope}, accscope, args...)
			ended := strings.TrimSpace(invoke(t, folder, "query", "--format", "csv", "t.db", "SELECT group_concat(ended, ' ') FROM (SELECT ended FROM processes ORDER BY process)").must(t).stdout)
			if c.way == "killed" && strings.HasSuffix(ended, "\nkilled") { // a child that the collector has seen run
				c.ended, c.report = "killed", "was ended by signal 9 (killed)"
			}
			if !strings.HasSuffix(ended, "\n"+c.ended) {
				t.Errorf("the trace says %q, want %s", ended, c.ended)
			}
			if !strings.Contains(strings.Join(strings.Fields(run.stderr), " "), c.report) || c.report == "" && strings.Contains(run.stderr, "WARNING") {
				t.Errorf("the run says\n%s", run.stderr)
			}
			for end := range strings.FieldsSeq(c.ended) {
				if info := invoke(t, folder, "info", "t.db").must(t).stdout; !strings.Contains(info, program+" "+end) {
					t.Errorf("info says\n%s", info)
				}
			}
		})
	}
}
