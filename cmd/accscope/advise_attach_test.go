package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/runtime/compilers"
)

// attachedLate sends field in each part, in which a kernel uses it where the argument says
// so (k), and says so and waits for a line before each.
const attachedLate = `
#include <stdio.h>
static double field[1000], result[1000];
int main (int count, char **arguments)
{
  (void) count;
  for (const char *part = arguments[1]; *part; part++)
    {
      printf ("next\n");
      fflush (stdout);
      getchar ();
#pragma acc data copyin(field) create(result)
      {
        if (*part == 'k')
          {
#pragma acc parallel loop present(field, result)
            for (int i = 0; i < 1000; i++)
              result[i] = field[i];
          }
        else
          {
#pragma acc parallel loop present(result)
            for (int i = 0; i < 1000; i++)
              result[i] = i;
          }
      }
    }
  return 0;
}
`

// TestAdviceOfWhatWasMissed: that no kernel had any use of data is not said where one used
// them before capture was switched on, or while it was off.
func TestAdviceOfWhatWasMissed(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "late.c")
	if err := os.WriteFile(source, []byte(attachedLate), 0o600); err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", "late", source).must(t)
	for _, test := range []struct {
		name   string
		flags  []string
		parts  string
		before map[int]string // a part, and what is done before it
		found  bool
		told   string // of the trace, and that advice does not know across it
	}{
		{"all the time", nil, "nnn", nil, true, ""},
		{"from later on", []string{"--paused"}, "knn", map[int]string{1: "attach"}, false, "; recorded from an attach on"},
		{"with a gap", nil, "nkn", map[int]string{1: "detach", 2: "attach"}, false, "was switched off for "},
		{"to the end", nil, "nkk", map[int]string{1: "detach"}, false, ", to its end: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			trace := strings.ReplaceAll(test.name, " ", "-") + ".db"
			command := exec.Command(accscope, append(append([]string{"run", "-q", "--device", "sim"}, test.flags...),
				"-o", trace, "--", "sh", "-c", "echo $$; exec ./late "+test.parts)...)
			command.Dir = folder
			command.Stderr = os.Stderr
			input, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			output, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(output)
			lines.Scan()
			pid := lines.Text()
			for part := 0; lines.Scan(); part++ {
				if verb := test.before[part]; verb != "" {
					invoke(t, folder, verb, pid).must(t)
				}
				fmt.Fprintln(input)
			}
			io.Copy(io.Discard, output) //nolint:errcheck // the pipe ends with the program
			if err := command.Wait(); err != nil {
				t.Fatal(err)
			}
			if told := invoke(t, folder, "info", trace).must(t).stdout; strings.Contains(told, "GAP ") != slices.Contains(slices.Collect(maps.Values(test.before)), "detach") || !strings.Contains(told, test.told) {
				t.Errorf("no %q in\n%s", test.told, told)
			}
			if told := invoke(t, folder, "advise", trace).must(t).stdout; strings.Contains(told, "across a gap") != slices.Contains(slices.Collect(maps.Values(test.before)), "detach") {
				t.Errorf("advice of gaps in\n%s", told)
			}
			said := invoke(t, folder, "advise", "--min-gain", "1ns", "--format", "json", trace).must(t).stdout
			var findings []advice.Finding
			if err := json.Unmarshal([]byte(said), &findings); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			found := false
			for _, f := range findings {
				found = found || f.Rule == "unused-transfer" && f.Subject == "field" && strings.Contains(f.What, "no kernel had any use of it")
			}
			if found != test.found {
				t.Errorf("found: %v\n%s", found, said)
			}
		})
	}
}
