package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
	standin "github.com/accscope/accscope/runtime/cuda/standin/build"
)

// killedProgram waits for ten kernels; with an argument it enqueues five more,
// which never end. Then it is killed.
const killedProgram = `#include <signal.h>
#include <unistd.h>
static float a[1000];
static volatile int forever = 1;
int main (int argc, char **argv)
{
  (void) argv;
#pragma acc enter data copyin(a)
  for (int k = 0; k < 10; k++)
    {
#pragma acc parallel loop present(a) async(1)
      for (int i = 0; i < 1000; i++)
	a[i] = i * k;
    }
#pragma acc wait(1)
  for (int k = 0; k < 5 && argc > 1; k++)
    {
#pragma acc parallel present(a) async(1)
      while (a[0] >= 0 && forever)
	a[1] += 1;
    }
  kill (getpid (), SIGKILL);
}
`

// Of what a program has waited for, the device's times are in the trace however it
// ends then; where some are missing, info and report say of how many.
func TestKilledProgramKeepsDeviceTimes(t *testing.T) {
	folder := t.TempDir()
	source, program := filepath.Join(folder, "killed.c"), filepath.Join(folder, "killed")
	if err := os.WriteFile(source, []byte(killedProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", program, source).must(t)
	registrar, err := standin.Registrar(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := standin.Library(folder); err != nil {
		t.Fatal(err)
	}
	for _, device := range []struct {
		name, preload string
		environment   []string
	}{
		{name: "sim"},
		{"nvidia", registrar + " ", []string{"LD_LIBRARY_PATH=" + folder, "CUDA_CACHE_DISABLE=1", "ACCSCOPE_ACTIVITY=runtime"}},
	} {
		for name, arguments := range map[string][]string{"after a wait": nil, "before a wait": {"more"}} {
			t.Run(device.name+" "+name, func(t *testing.T) {
				session, trace := t.TempDir(), filepath.Join(t.TempDir(), "t.db")
				environment := append(device.environment, "ACC_DEVICE_TYPE="+device.name, "ACC_PROFLIB="+filepath.Join(project, "lib/libaccprof.so"),
					"LD_PRELOAD="+device.preload+filepath.Join(project, "lib/libopenacc.so"), "ACCSCOPE_SESSION="+session)
				if r := execute(t, folder, environment, program, arguments...); r.status == 0 {
					t.Fatalf("it was not killed: %+v", r)
				}
				captures, err := filepath.Glob(filepath.Join(session, "*"))
				if err != nil || len(captures) == 0 {
					t.Fatalf("no capture: %v", err)
				}
				invoke(t, folder, append([]string{"import", "-o", trace}, captures...)...).must(t)
				kernels := invoke(t, folder, "query", "--format", "csv", trace, "SELECT count(*) AS n FROM device_activity WHERE kind = 'kernel'").must(t).stdout
				if kernels != "n\n10\n" {
					t.Errorf("device times of %q kernels, want those of 10", kernels)
				}
				said := invoke(t, folder, "info", trace).must(t).stdout
				reported := invoke(t, folder, "report", trace).must(t).stdout
				missing := regexp.MustCompile(`device times are missing of 5 of the \d+ operations that process \d+ enqueued`)
				if want := arguments != nil; missing.MatchString(said) != want || missing.MatchString(reported) != want || !want && strings.Contains(said, "MISSING") {
					t.Errorf("info says\n%s\nreport says\n%s", said, reported)
				}
			})
		}
	}
}

// A program that waits for each of its kernels, as one without async does, keeps the
// times of those that its thread reported; what it had no share of its time left for
// (docs/process.md) was up to the runtime, and of that info says how many are missing.
func TestKilledProgramKeepsTimesOfEachLaunch(t *testing.T) {
	folder := t.TempDir()
	source, program := filepath.Join(folder, "killed.c"), filepath.Join(folder, "killed")
	if err := os.WriteFile(source, []byte(`#include <signal.h>
#include <unistd.h>
static float a[4];
int main (void)
{
#pragma acc enter data copyin(a)
  for (int k = 0; k < 1000; k++)
    {
#pragma acc parallel loop present(a)
      for (int i = 0; i < 4; i++)
	a[i] = i * k;
    }
  kill (getpid (), SIGKILL);
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", program, source).must(t)
	trace := filepath.Join(folder, "t.db")
	if r := invoke(t, folder, "run", "--device", "sim", "-o", trace, "--", program); r.status == 0 {
		t.Fatalf("it was not killed: %+v", r)
	}
	query := func(sql string) int {
		t.Helper()
		_, value, _ := strings.Cut(strings.TrimSpace(invoke(t, folder, "query", "--format", "csv", trace, sql).must(t).stdout), "\n")
		n, err := strconv.Atoi(value)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return n
	}
	kernels := query("SELECT count(*) AS n FROM device_activity WHERE kind = 'kernel'")
	if firstWaits := 64; kernels < firstWaits || kernels > 1000 {
		t.Errorf("device times of %d kernels, want those of 1000, at least of the first %d", kernels, firstWaits)
	}
	missing := 0
	said := invoke(t, folder, "info", trace).must(t).stdout
	if found := regexp.MustCompile(`device times are missing of (\d+) of the (\d+) operations`).FindStringSubmatch(said); found != nil {
		missing, _ = strconv.Atoi(found[1])
	}
	// The data are uploaded beside the launches.
	if known := query("SELECT count(*) AS n FROM device_activity"); known+missing != 1001 {
		t.Errorf("device times of %d operations are known and of %d are missing, want 1001 together; info says\n%s", known, missing, said)
	}
}
