package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/ending"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/runtime/compilers"
)

// A program whose status is its first argument; 9: it kills itself. It ends once as many
// files of the name here-RANK are there as the second argument says.
const exiting = `#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static float a[1000];
int main (int argc, char **argv)
{
  const char *rank = getenv ("OMPI_COMM_WORLD_RANK");
  char name[64];
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 1000; i++) a[i] += 1;
  snprintf (name, sizeof name, "here-%s", rank ? rank : "");
  FILE *here = fopen (name, "w");
  if (!here || fclose (here) != 0)
    return 99;
  for (int i = 0; argc > 2 && i < 120000; i++)
    {
      glob_t found;
      if (glob ("here-*", 0, NULL, &found) == 0 && (int) found.gl_pathc >= atoi (argv[2]))
	break;
      usleep (1000);
    }
  int status = argc > 1 ? atoi (argv[1]) : 0;
  if (status == 9)
    raise (SIGKILL);
  exit (status);
}
`

// exitProgram gives a folder with the program above.
func exitProgram(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", filepath.Join(folder, "sessions"))
	if err := os.WriteFile(filepath.Join(folder, "program.c"), []byte(exiting), 0o644); err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", "program", "program.c").must(t)
	return folder
}

// endsOf are the ranks of a trace and how they ended.
func endsOf(t *testing.T, folder, trace string) string {
	t.Helper()
	out := invoke(t, folder, "query", "--format", "csv", trace,
		"SELECT coalesce(rank, '-'), ended, coalesce(exit, '-') FROM processes WHERE rank IS NOT NULL ORDER BY rank, exit").must(t).stdout
	return strings.ReplaceAll(strings.TrimSpace(out[strings.Index(out, "\n")+1:]), "\n", "; ")
}

// Ranks that a launcher has started say themselves with which status they exit; merged
// traces have what each had, also of processes of one number.
func TestStatusesOfRanks(t *testing.T) {
	folder := exitProgram(t)
	for _, name := range []string{"one.db", "two.db"} {
		r := invoke(t, folder, "run", "--device", "sim", "-o", name, "--", "sh", "-c",
			"for rank in 0 1 2; do OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3 ./program $((rank * 3)); done; exit 0").must(t)
		if !strings.Contains(strings.Join(strings.Fields(r.stderr), " "), "2 of the ranks ended with a status other than 0: rank 1 (status 3), rank 2 (status 6)") {
			t.Errorf("the summary does not name the ranks:\n%s", r.stderr)
		}
	}
	const want = "0,exited,status 0; 1,exited,status 3; 2,exited,status 6"
	if got := endsOf(t, folder, "one.db"); got != want {
		t.Errorf("the ranks ended so: %s", got)
	}
	for _, command := range [][]string{{"info", "one.db"}, {"top", "--picture", "program", "one.db"}} {
		if out := invoke(t, folder, command...).must(t).stdout; !strings.Contains(out, "exited, status 3") {
			t.Errorf("%v does not say how rank 1 ended:\n%s", command, out)
		}
	}
	if out := invoke(t, folder, "report", "one.db").must(t).stdout; !strings.Contains(out, "rank 2 (status 6)") {
		t.Errorf("the report does not say how rank 2 ended:\n%s", out)
	}
	// In the second trace rank 0 has the number that rank 1 has in the first.
	query := func(trace, sql string) string {
		out := invoke(t, folder, "query", "--format", "csv", trace, sql).must(t).stdout
		return strings.Fields(out)[1]
	}
	pid := query("one.db", "SELECT pid FROM processes WHERE rank = 1")
	tracetest.Change(t, filepath.Join(folder, "two.db"), "UPDATE process SET pid = "+pid+" WHERE rank = 0")
	invoke(t, folder, "import", "-o", "both.db", "one.db", "two.db").must(t)
	if got, both := endsOf(t, folder, "both.db"), "0,exited,status 0; 0,exited,status 0; 1,exited,status 3; 1,exited,status 3; 2,exited,status 6; 2,exited,status 6"; got != both {
		t.Errorf("merged: %s", got)
	}
}

// Of ranks that each have an accscope the one that collects knows how all ended, also by
// a signal.
func TestSignalsOfRanks(t *testing.T) {
	folder := exitProgram(t)
	var ranks []*exec.Cmd
	for rank, status := range []string{"4", "9"} {
		command := exec.Command(accscope, "run", "-q", "--device", "sim", "-o", "trace.db", "--", "./program", status, "2")
		command.Dir = folder
		command.Env = append(os.Environ(), "PMIX_NAMESPACE=exits", "OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK="+string(rune('0'+rank)))
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { command.Process.Kill() }) //nolint:errcheck // mostly it has ended
		ranks = append(ranks, command)
	}
	for _, command := range ranks {
		command.Wait() //nolint:errcheck // it ends as its program does
	}
	if got := endsOf(t, folder, "trace.db"); got != "0,exited,status 4; 1,killed,signal 9 (killed)" {
		t.Errorf("the ranks ended so: %s", got)
	}
	if entries, err := os.ReadDir(filepath.Join(folder, "sessions")); err == nil && len(entries) > 0 {
		t.Errorf("the session is left: %v", entries)
	}
}

// Of ranks that a launcher has started and waits for, the kernel says which signal ended
// one, where it can.
func TestSignalsOfLaunchedRanks(t *testing.T) {
	folder := exitProgram(t)
	command := exec.Command(accscope, "run", "--device", "sim", "-o", "trace.db", "--", "sh", "-c",
		"for rank in 0 1; do OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 ./program $((rank * 9)) 3 & done; wait")
	command.Dir = folder
	var said strings.Builder
	command.Stderr = &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	// They end once both are in the trace, which is being written.
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		r := invoke(t, folder, "query", "--format", "csv", "trace.db", "SELECT count(*) FROM processes WHERE rank IS NOT NULL")
		if r.status == 0 && strings.HasSuffix(strings.TrimSpace(r.stdout), "\n2") {
			break
		}
		if time.Now().After(deadline) {
			command.Process.Kill() //nolint:errcheck // the test has failed
			t.Fatalf("the ranks are not in the trace: %s%s", r.stdout, r.stderr)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "here-go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	const told, untold = "0,exited,status 0; 1,killed,signal 9 (killed)", "0,exited,status 0; 1,unknown,-"
	switch got := endsOf(t, folder, "trace.db"); {
	case got == told:
		if flat := strings.Join(strings.Fields(said.String()), " "); !strings.Contains(flat, "(rank 1) was ended by signal 9 (killed)") {
			t.Errorf("the summary does not say it:\n%s", said.String())
		}
	case got == untold && !toldAfterWait(t):
		t.Log("this kernel does not tell how processes ended that others have waited for")
	default:
		t.Errorf("the ranks ended so: %s", got)
	}
}

// toldAfterWait says whether the kernel tells how a process ended that was waited for.
func toldAfterWait(t *testing.T) bool {
	t.Helper()
	command := exec.Command("cat")
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := ending.Open(command.Process.Pid)
	input.Close()
	command.Wait() //nolint:errcheck // it ends with its input
	if err != nil {
		return false
	}
	defer w.Close()
	_, known := w.Status()
	return known
}
