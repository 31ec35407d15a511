package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// hashedProgram names its transfers by the line that they are on.
const hashedProgram = `#include <openacc.h>
#define N 1000
static double a[N];
int main (void)
{
#pragma acc data create(a)
  {
#pragma acc update device(a) /* sent */
#pragma acc update self(a) /* unchanged */
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      a[i] = i;
#pragma acc update self(a) /* changed */
#pragma acc update device(a) /* again */
#pragma acc update self(a) async(1) /* waited */
#pragma acc wait(1)
#pragma acc update self(a) async(1) /* tested */
    while (!acc_async_test (1))
      ;
    a[0]++;
#pragma acc wait(1)
#pragma acc update self(a) async(1) /* followed */
#pragma acc wait(1) async(2)
#pragma acc wait(2)
    a[0]++;
#pragma acc wait(1)
#pragma acc update self(a) async(1) /* all */
#pragma acc wait
#pragma acc update self(a) async(1) /* clause */
#pragma acc update device(a) wait(1) /* behind */
  }
  void *d = acc_copyin (a, sizeof a); /* copyin */
  acc_memcpy_from_device (a, d, sizeof a); /* memcpy */
  acc_copyout (a, sizeof a); /* copyout */
}
`

// TestHash: run --hash takes hashes of what is known to be there, whatever else is
// recorded, and none where the program may have changed it.
func TestHash(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "hashed.c")
	if err := os.WriteFile(source, []byte(hashedProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", "hashed", source).must(t)
	lines := strings.Split(hashedProgram, "\n")
	for _, test := range []struct {
		flags []string
		hash  bool
	}{{nil, false}, {[]string{"--hash"}, true}, {[]string{"--hash", "--events", "transfers"}, true}, {[]string{"--hash", "--callstack", "full"}, true}} {
		execute(t, folder, nil, accscope, slices.Concat([]string{"run", "-q", "--force", "--device", "sim", "-o", "trace.db"}, test.flags, []string{"--", "./hashed"})...).must(t)
		rows := invoke(t, folder, "query", "--format", "csv", "trace.db",
			"SELECT line, content IS NOT NULL, overwritten IS content, content IS (SELECT content FROM transfers WHERE record = (SELECT min(record) FROM transfers)) FROM transfers ORDER BY record").must(t).stdout
		var got []string
		for _, row := range strings.Split(strings.TrimSpace(rows), "\n")[1:] {
			var line int
			for _, digit := range strings.SplitN(row, ",", 2)[0] {
				line = 10*line + int(digit-'0')
			}
			_, name, _ := strings.Cut(lines[line-1], "/* ")
			name, _, _ = strings.Cut(name, " ")
			got = append(got, name+strings.TrimPrefix(row, strings.SplitN(row, ",", 2)[0]))
		}
		// Its hash is known; it overwrote the same; it is that of what was sent first.
		want := []string{"sent,1,0,1", "unchanged,1,1,1", "changed,1,0,0", "again,1,0,0", "waited,1,1,0", "tested,0,1,0", "followed,0,1,0", "all,1,0,0",
			"clause,1,1,0", "behind,1,0,0", "copyin,1,0,0", "memcpy,1,1,0", "copyout,1,1,0"}
		if !test.hash {
			for i := range want {
				want[i] = strings.SplitN(want[i], ",", 2)[0] + ",0,1,1"
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n%q, want\n%q", test.flags, got, want)
		}
	}
}
