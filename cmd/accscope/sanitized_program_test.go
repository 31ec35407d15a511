package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// Programs that are built with a sanitizer run as they do by themselves, are recorded,
// and are told of their own mistakes alone.
func TestSanitizedPrograms(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "doubles.c")
	if err := os.WriteFile(source, []byte(`#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static float *volatile kept;
static void reserve (unsigned long from, unsigned long to)
{
  if (mmap ((void *) from, to - from, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED
      && to - from > 64 << 20)
    {
      reserve (from, from + (to - from) / 2);
      reserve (from + (to - from) / 2, to);
    }
}
int main (int argc, char **argv)
{
  const char *mistake = argc > 1 ? argv[1] : "none";
  float *a = malloc (100 * sizeof *a);
  if (!strcmp (mistake, "crowded"))
    reserve (1ul << 32, 1ul << 46);
  for (int i = 0; i < 100; i++)
    a[i] = i;
  for (int k = 0; k < 300; k++)
    {
#pragma acc parallel loop copy(a[0:100]) async(k % 3) wait
      for (int i = 0; i < 100; i++)
        a[i] += 1;
    }
#pragma acc wait
  printf ("%g\n", a[50]);
  if (!strcmp (mistake, "beyond"))
    a[100 + argc] = 1;
  if (!strcmp (mistake, "leak"))
    {
      kept = malloc (12345);
      kept = 0;
    }
  free (a);
  return 0;
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	// As docs/process.md says.
	suppressions := filepath.Join(folder, "suppressions")
	if err := os.WriteFile(suppressions, []byte("called_from_lib:libopenacc-engine.so\ncalled_from_lib:libaccprof.so\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sanitizer string
		mistakes  map[string]string // what is said of each
	}{
		{"address", map[string]string{"beyond": "heap-buffer-overflow", "leak": "SUMMARY: AddressSanitizer: 12345 byte(s) leaked in 1 allocation(s)"}},
		{"address,undefined", map[string]string{"beyond": "heap-buffer-overflow"}},
		{"leak", map[string]string{"leak": "SUMMARY: LeakSanitizer: 12345 byte(s) leaked in 1 allocation(s)"}},
		{"undefined", nil},
		{"thread", nil},
	} {
		if test.sanitizer == "leak" && !opensLibraries(t, folder, test.sanitizer) {
			t.Logf("%s: left out: this compiler's sanitizer hangs where a program opens a library with variables of threads", test.sanitizer)
			continue
		}
		program := filepath.Join(folder, "doubles-"+strings.ReplaceAll(test.sanitizer, ",", "-"))
		if output, err := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-g", "-fsanitize="+test.sanitizer, "-o", program, source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		environment := []string{"TSAN_OPTIONS=suppressions=" + suppressions}
		if alone := execute(t, folder, nil, program); strings.Contains(alone.stderr, "LeakSanitizer has encountered a fatal error") {
			t.Logf("%s: leaks are not looked for: this machine does not let the checker trace the program", test.sanitizer)
			environment = append(environment, "ASAN_OPTIONS=detect_leaks=0", "LSAN_OPTIONS=detect_leaks=0")
			delete(test.mistakes, "leak")
		} else if alone.status != 0 {
			t.Fatalf("%s alone: status %d, %s", test.sanitizer, alone.status, alone.stderr)
		}
		commands := map[string][]string{"itself": {program}, "under a shell": {"sh", "-c", program + "; exit $?"}}
		if test.mistakes["leak"] != "" {
			// Go's heap is then among libraries, where not all that is mapped can be read.
			commands["in a crowded address space"] = []string{program, "crowded"}
		}
		for _, device := range []string{"sim", "host"} {
			t.Run(test.sanitizer+" on "+device, func(t *testing.T) {
				for name, command := range commands {
					folder := t.TempDir()
					r := execute(t, folder, environment, accscope, append([]string{"run", "--no-summary", "--device", device, "-o", "t.db", "--"}, command...)...)
					if r.status != 0 || r.stdout != "350\n" || strings.Contains(r.stderr, "Sanitizer") || strings.Contains(r.stderr, "runtime error") {
						t.Fatalf("%s: status %d, %s%s", name, r.status, r.stdout, r.stderr)
					}
					launches := invoke(t, folder, "query", "--format", "csv", "t.db", "SELECT count(*) FROM spans WHERE kind = 'enqueue_launch'").must(t).stdout
					if want := map[string]string{"sim": "count(*)\n300\n", "host": "count(*)\n0\n"}[device]; launches != want {
						t.Errorf("%s: launches %q, want %q", name, launches, want)
					}
				}
				for mistake, says := range test.mistakes {
					folder := t.TempDir()
					r := execute(t, folder, environment, accscope, "run", "--no-summary", "--device", device, "-o", "t.db", "--", program, mistake)
					if alone := execute(t, folder, environment, program, mistake); r.status != alone.status || r.status == 0 || !strings.Contains(r.stderr, says) {
						t.Errorf("%s: status %d, alone %d\n%.3000s", mistake, r.status, alone.status, r.stderr)
					}
					if events := countEvents(t, folder, "t.db"); events == "count(*)\n0\n" {
						t.Errorf("%s: no events", mistake)
					}
				}
			})
		}
	}
}

// opensLibraries says whether a program with the sanitizer, and with nothing of ours, can use
// the heap behind opening a library that has variables of threads, as the runtime has. It may take ten seconds of the
// processor for that, of which it needs a hundredth.
func opensLibraries(t *testing.T, folder, sanitizer string) bool {
	t.Helper()
	library, program := filepath.Join(folder, "counter.so"), filepath.Join(folder, "opens-"+sanitizer)
	for source, arguments := range map[string][]string{
		"__thread int counter = 1; int bump (void) { return ++counter; }\n": {"-shared", "-fPIC", "-o", library},
		"#include <dlfcn.h>\n#include <stdlib.h>\nint main (int argc, char **argv)\n{ void *volatile a; int opened = argc > 1 && dlopen (argv[1], RTLD_NOW) != 0; a = malloc (40); free (a); return !opened; }\n": {"-fsanitize=" + sanitizer, "-o", program},
	} {
		compile := exec.Command(compilers.C(), append(arguments, "-x", "c", "-", "-ldl")...)
		compile.Stdin = strings.NewReader(source)
		if output, err := compile.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	}
	r := execute(t, folder, []string{"LSAN_OPTIONS=detect_leaks=0"}, "sh", "-c", `ulimit -t 10; exec "$0" "$1"`, program, library)
	if r.status != 0 && r.status <= 128 {
		t.Fatalf("a program with -fsanitize=%s that opens a library: status %d, %s", sanitizer, r.status, r.stderr)
	}
	return r.status == 0
}
