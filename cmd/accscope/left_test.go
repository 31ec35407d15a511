package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// leaving ends in a region of a data construct, as its argument says, with data beside it that
// it would have had to delete.
const leaving = `#include <openacc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static double b[200], global[10];
#pragma acc declare create(global)
int main (int count, char **arguments)
{
  double a[1000] = { 0 }, absent[5];
#pragma acc enter data copyin(b)
#pragma acc data copy(a)
  for (int s = 0; s < 5; s++)
    {
#pragma acc parallel loop present(a)
      for (int i = 0; i < 1000; i++) a[i] += 1;
      if (s == 3)
	switch (atoi (arguments[1]))
	  {
	  case 1: kill (getpid (), SIGKILL);
	  case 2: _exit (3);
	  case 3: quick_exit (4);
	  case 4: execl ("/bin/echo", "echo", "replaced", (char *) 0);
	  case 5: *(volatile int *) 0 = 1;
	  case 6: exit (5);
	  case 7: abort ();
	  case 8: kill (getpid (), SIGINT);
	  case 9:
#pragma acc parallel loop present(absent)
	    for (int i = 0; i < 5; i++) absent[i] = i;
	  case 10: if (system (arguments[2]) != 0) exit (7);
	    exit (0);
	  }
    }
}
`

// Data of a region that a program ended in are not called leaked, and nothing of one that was
// ended is; of one that runs nothing at all is said.
func TestDataOfEnds(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "leaving")
	compiled(t, program, leaving, "-fopenacc", "-foffload=disable")
	const during = `until [ "$(accscope query --format csv t.db "SELECT count(*) FROM kernels" 2>/dev/null | tail -1)" = 4 ]; do sleep 0.05; done; accscope report t.db >during && accscope advise t.db >>during`
	leaks, open := regexp.MustCompile(`never deleted: b at source.c:11 \(1.56 KiB\);`), regexp.MustCompile(`open when the program ended: a at source.c:12 \(7.81 KiB\)\n`)
	for way, want := range map[string]struct{ leaks, open bool }{
		"0": {true, false}, "1": {false, true}, "2": {true, true}, "3": {true, true}, "4": {true, true}, "5": {false, true},
		"6": {true, true}, "7": {false, true}, "8": {false, true}, "9": {false, true}, "10": {true, true},
	} {
		t.Run(way, func(t *testing.T) {
			r := execute(t, folder, []string{"COLUMNS=200"}, accscope, "run", "--force", "--device", "sim", "-o", "t.db", "--", program, way,
				strings.ReplaceAll(during, "accscope ", "'"+accscope+"' "))
			said := invoke(t, folder, "report", "t.db").must(t).stdout
			if leaks.MatchString(r.stderr) != want.leaks || strings.Contains(r.stderr, "never deleted: ") != want.leaks || open.MatchString(r.stderr) != want.open {
				t.Errorf("the summary says\n%s", r.stderr)
			}
			_, listed, _ := strings.Cut(said, "Never deleted: ")
			listed, _, _ = strings.Cut(listed, "\n\n")
			if strings.Contains(listed, "source.c:11") != want.leaks || strings.Contains(listed, "source.c:12") || strings.Contains(said, "Open when the program ended") != want.open {
				t.Errorf("the report says\n%s", said)
			}
			if way == "10" {
				r.must(t)
				said, judged, advised := strings.Cut(execute(t, folder, nil, "cat", "during").must(t).stdout, "\n  judged")
				if !strings.Contains(said, "Where the time went") || !advised {
					t.Errorf("while it runs:\n%s%s", said, judged)
				}
				if strings.Contains(said, "Never deleted") || strings.Contains(said, "Open when") || strings.Contains(said, "never-deleted") {
					t.Errorf("while it runs:\n%s", said)
				}
			}
		})
	}
}
