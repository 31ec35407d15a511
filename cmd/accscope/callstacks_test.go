package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

const callingProgram = `#include "accscope_annotation.h"
static float a[1000];
__attribute__ ((noinline)) void advance (int n)
{
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 1000; i++) a[i] += n;
  __asm__ volatile ("");
}
__attribute__ ((noinline)) void solve (int n)
{
  accscope_range_push ("inner");
  advance (n);
  accscope_range_pop ();
  advance (n + 1);
  __asm__ volatile ("");
}
int main (void)
{
  for (int n = 0; n < 3; n++)
    {
      accscope_frame_begin ("step", n);
      solve (n);
      accscope_frame_end ();
    }
  advance (7);
  return 0;
}
`

// Whole call stacks are a tree in the report, from main on, whose functions' times are
// those of what they call; filters choose as in other tables.
func TestCallStacksInTheReport(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "program.c"), []byte(callingProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-I"+filepath.Join(project, "include"), "-o", "program", "program.c").must(t)
	invoke(t, folder, "run", "-q", "--callstack", "full", "--device", "sim", "-o", "trace.db", "--", "./program").must(t)
	tree := func(flags ...string) (stacks []string, rows map[string]map[string]any) {
		rows = map[string]map[string]any{}
		for _, row := range reportedRows(t, folder, "call_stacks", flags...) {
			stack := fmt.Sprint(row["stack"])
			if rows[stack] == nil && strings.HasPrefix(stack, "main") {
				stacks = append(stacks, stack)
			}
			rows[stack] = row
		}
		slices.Sort(stacks)
		return stacks, rows
	}
	want := []string{"main", "main;advance", "main;advance;parallel", "main;solve", "main;solve;advance", "main;solve;advance;parallel"}
	stacks, rows := tree("--top", "0")
	if !slices.Equal(stacks, want) {
		t.Fatalf("stacks %q, want %q", stacks, want)
	}
	number := func(stack, column string) float64 {
		value, _ := rows[stack][column].(float64)
		return value
	}
	for _, stack := range want {
		sum := number(stack, "self_ns")
		for _, below := range want {
			if rest, inside := strings.CutPrefix(below, stack+";"); inside && !strings.Contains(rest, ";") {
				sum += number(below, "inclusive_ns")
			}
		}
		if own := strings.HasSuffix(stack, "parallel"); number(stack, "inclusive_ns") != sum || sum == 0 || own != (number(stack, "self_ns") > 0) || number(stack, "device_ns") == 0 {
			t.Errorf("%s: %v, of parts of %v ns", stack, rows[stack], sum)
		}
	}
	if n, all := number("main;solve;advance;parallel", "count"), number("main;advance;parallel", "count"); n < 6*4 || all < 4 {
		t.Errorf("%v and %v events", n, all)
	}
	if place := rows["main;solve;advance;parallel"]["source"]; place != "program.c:5" {
		t.Errorf("the construct is at %v", place)
	}
	// A frame: one turn of three, and nothing behind the loop.
	within, of := tree("--inside", "step 1", "--top", "0")
	if !slices.Equal(within, []string{"main", "main;solve", "main;solve;advance", "main;solve;advance;parallel"}) || of["main"]["count"].(float64) >= number("main", "count")/2 {
		t.Errorf("in a frame: %q, %v of %v", within, of["main"], rows["main"])
	}
	// The rows with the most time are a tree, too: what calls each is among them. Which they
	// are, the time that the program's end takes decides.
	_, most := tree("--top", "2")
	if len(most) != 2 {
		t.Errorf("the first two: %v", most)
	}
	for stack := range most {
		if end := strings.LastIndex(stack, ";"); end > 0 && most[stack[:end]] == nil {
			t.Errorf("%s is shown without what calls it: %v", stack, most)
		}
	}
	text := invoke(t, folder, "report", "--by", "callstack", "trace.db").must(t).stdout
	if !strings.Contains(text, "\n  main ") || !strings.Contains(text, "\n    solve ") || !strings.Contains(text, "\n      advance ") {
		t.Errorf("as a text:\n%s", text)
	}
	// In flame graphs the functions stand around what they called.
	invoke(t, folder, "export", "--to", "speedscope", "-o", "trace.json", "trace.db").must(t)
	exported, err := os.ReadFile(filepath.Join(folder, "trace.json"))
	if err != nil {
		t.Fatal(err)
	}
	var profile struct {
		Shared   struct{ Frames []struct{ Name string } }
		Profiles []struct {
			Name    string
			Samples [][]int
		}
	}
	if err := json.Unmarshal(exported, &profile); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, p := range profile.Profiles {
		for _, sample := range p.Samples {
			var names []string
			for _, frame := range sample {
				names = append(names, profile.Shared.Frames[frame].Name)
			}
			found[strings.Join(names, ";")] = true
		}
	}
	for _, want := range []string{"frame step;solve;range inner;advance;compute_construct", "frame step;solve;advance;compute_construct", "main;advance;compute_construct"} {
		if !slices.ContainsFunc(slicesOf(found), func(stack string) bool {
			return strings.HasPrefix(stack, want) || strings.HasPrefix(stack, "main;"+want)
		}) {
			t.Errorf("no stack %s among %q", want, slicesOf(found))
		}
	}
	// Where there are none, the report says how to get them.
	invoke(t, folder, "run", "-q", "--device", "sim", "-o", "caller.db", "--", "./program").must(t)
	for _, flags := range [][]string{{}, {"--by", "callstack"}} {
		if out := invoke(t, folder, append([]string{"report", "caller.db"}, flags...)...).must(t).stdout; !strings.Contains(out, "accscope run --callstack full") {
			t.Errorf("%q without call stacks:\n%s", flags, out)
		}
	}
}

func slicesOf(set map[string]bool) (list []string) {
	for s := range set {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}
