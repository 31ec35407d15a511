package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/runtime/compilers"
)

// TestAdviceApplied: a program that does what a finding says gives the same results.
func TestAdviceApplied(t *testing.T) {
	for _, test := range []struct {
		program, rule, instead string
	}{
		{"row.c", "synchronous-construct", `line 15: #pragma acc parallel loop present(a[0:n], b[0:n]) async(1)
line 18: #pragma acc parallel loop present(a[0:n], b[0:n]) async(1)
and before the exit data at line 22: #pragma acc wait(1)`},
		{"scalars.c", "synchronous-construct", `line 19: #pragma acc parallel loop present(a[0:n], b[0:n]) firstprivate(weight) async(1)
line 22: #pragma acc parallel loop present(a[0:n], b[0:n]) firstprivate(step) async(1)
line 28: #pragma acc parallel loop reduction(+:sum) present(a[0:n]) wait(1)`},
		{"created.c", "mapped-in-loop", "around the loop at line 12 in main: #pragma acc data create(scratch)"},
	} {
		t.Run(test.program, func(t *testing.T) {
			source, err := filepath.Abs(filepath.Join(adviceFolder, "applied", test.program))
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			run := func(source, program string) string {
				execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-g", "-o", program, source).must(t)
				return execute(t, folder, nil, accscope, "run", "-q", "--no-summary", "--device", "sim", "-o", program+".db", "--", "./"+program).must(t).stdout
			}
			want := run(source, "bad")
			var found []*advice.Finding
			findings := findingsOf(t, folder, "bad.db")
			for i := range findings {
				if f := &findings[i]; f.Rule == test.rule {
					found = append(found, f)
				}
			}
			if len(found) != 1 || found[0].Instead != test.instead {
				t.Fatalf("found %+v", findings)
			}
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "mended.c"), []byte(applied(t, string(text), found[0])), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := run("mended.c", "mended"); got != want {
				t.Errorf("printed %q, before %q", got, want)
			}
			if again := findingsOf(t, folder, "mended.db"); slices.ContainsFunc(again, func(f advice.Finding) bool { return f.Rule == test.rule }) {
				t.Errorf("found again: %+v", again)
			}
		})
	}
}

// TestAdviceOfSwappedBuffers: each of two buffers that change places goes up and comes down.
func TestAdviceOfSwappedBuffers(t *testing.T) {
	folder := t.TempDir()
	source, err := filepath.Abs(filepath.Join(adviceFolder, "applied", "swap.c"))
	if err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-g", "-o", "bad", source).must(t)
	execute(t, folder, nil, accscope, "run", "-q", "--no-summary", "--device", "sim", "-o", "bad.db", "--", "./bad").must(t)
	found := false
	for _, f := range findingsOf(t, folder, "bad.db") {
		if strings.Contains(f.Instead, "copyin(") || strings.Contains(f.Instead, "copyout(") {
			t.Errorf("%s: %s", f.Rule, f.Instead)
		}
		if f.Rule == "mapped-in-loop" {
			found = true
			if !strings.Contains(f.Instead, "data copy(from[0:n], to[0:n])") {
				t.Errorf("%s: %s", f.Confidence, f.Instead)
			}
		}
	}
	if !found {
		t.Error("nothing found")
	}
}

// TestAdviceOfParts: blocks are set against each other by their bytes, and scalars that a
// construct copies by itself neither hide a finding nor are one.
func TestAdviceOfParts(t *testing.T) {
	folder := t.TempDir()
	source, err := filepath.Abs(filepath.Join(adviceFolder, "applied", "parts.c"))
	if err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-g", "-o", "program", source).must(t)
	for _, test := range []struct {
		function, rule string
		instead        []string // of each finding of the rule
		not            []string // rules that find nothing
	}{
		{"part", "queue-race", []string{"#pragma acc update self(c[0:N / 2]) async(2) wait(1)\nor the same queue for both"}, nil},
		{"blocks", "queue-race", []string{"#pragma acc update self(c[first:BLOCK]) async(queue + 1) wait(queue)\nor the same queue for both"}, nil},
		{"right", "", nil, []string{"queue-race", "needless-wait"}},
		{"halo", "small-transfers", []string{"before the loop at line 75 in halo: one update self of all parts of field together; where they lie apart, a kernel that gathers them in one array\n" +
			"behind the loop at line 75 in halo: one update device of all parts of field together; where they lie apart, one of an array with them, and a kernel that puts them in their places"}, nil},
		{"waits", "needless-wait", []string{"behind the loop at line 90, not in it: #pragma acc wait(1)\n" +
			"and at line 93, which copies step, weight back otherwise: #pragma acc parallel loop present(field) async(1) firstprivate(step, weight)"}, nil},
		{"counts", "", nil, []string{"needless-wait", "synchronous-construct"}},
		{"logs", "synchronous-construct", []string{"#pragma acc parallel loop present(field) async(1)\nand before the exit data at line 131: #pragma acc wait(1)"}, []string{"idle-queue"}},
	} {
		t.Run(test.function, func(t *testing.T) {
			execute(t, folder, nil, accscope, "run", "-q", "--no-summary", "--device", "sim", "-o", test.function+".db", "--", "./program", test.function).must(t)
			var said []string
			for _, f := range findingsOf(t, folder, test.function+".db") {
				if f.Rule == test.rule {
					said = append(said, f.Instead)
				}
				if slices.Contains(test.not, f.Rule) {
					t.Errorf("found %+v", f)
				}
			}
			slices.Sort(said)
			slices.Sort(test.instead)
			if !slices.Equal(said, test.instead) {
				t.Errorf("found %q", said)
			}
		})
	}
}

var (
	atLine   = regexp.MustCompile(`^line (\d+): (.*)`)
	aheadOf  = regexp.MustCompile(`^and before .* at line (\d+): (.*)`)
	here     = regexp.MustCompile(`^(?:and here: )?(#pragma acc .*)`)
	aroundIt = regexp.MustCompile(`^around the loop at line (\d+)[^:]*: (.*)`)
)

// applied is a C source with what a finding says instead.
func applied(t *testing.T, source string, f *advice.Finding) string {
	t.Helper()
	lines := strings.SplitAfter(source, "\n")
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > len(lines) {
			t.Fatalf("line %s (%v)", text, err)
		}
		return n
	}
	added := map[int]string{} // before a line
	for part := range strings.SplitSeq(f.Instead, "\n") {
		if m := atLine.FindStringSubmatch(part); m != nil {
			lines[number(m[1])-1] = m[2] + "\n"
		} else if m := aheadOf.FindStringSubmatch(part); m != nil {
			added[number(m[1])] += m[2] + "\n"
		} else if m := aroundIt.FindStringSubmatch(part); m != nil {
			added[number(m[1])] += m[2] + "\n"
		} else if m := here.FindStringSubmatch(part); m != nil {
			lines[f.Line-1] = m[1] + "\n"
		} else {
			t.Fatalf("cannot apply %q", part)
		}
	}
	for line, text := range added {
		lines[line-1] = text + lines[line-1]
	}
	return strings.Join(lines, "")
}
