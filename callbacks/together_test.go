package callbacks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// buildTogether compiles testdata/together.c with a dispatch.c that is changed as pairs
// of strings say, each of which it must have once.
func buildTogether(t *testing.T, options string, changes ...string) string {
	t.Helper()
	data, err := os.ReadFile("dispatch.c")
	must(t, err)
	source := string(data)
	for i := 0; i < len(changes); i += 2 {
		if strings.Count(source, changes[i]) != 1 {
			t.Fatalf("dispatch.c has not one %q", changes[i])
		}
		source = strings.Replace(source, changes[i], changes[i+1], 1)
	}
	build := t.TempDir()
	changed, program := filepath.Join(build, "dispatch.c"), filepath.Join(build, "together")
	must(t, os.WriteFile(changed, []byte(source), 0o666))
	arguments := append([]string{"-std=gnu11", "-Wall", "-Wextra", "-I.", "-I" + includes, "-o", program}, strings.Fields(options)...)
	if out, err := exec.Command(compilers.C(), append(arguments, "testdata/together.c", changed, "-ldl")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestEventsTogether holds what a tool that takes a plan's events together is told
// against what it is told of each (testdata/together.c).
func TestEventsTogether(t *testing.T) {
	for _, options := range []string{"-O2", "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"} {
		program := buildTogether(t, options)
		for _, seed := range []string{"1", "2"} {
			if out, err := exec.Command(program, seed, "8000").CombinedOutput(); err != nil {
				t.Errorf("%s, seed %s: %v\n%s", options, seed, err, out)
			}
		}
	}
}

// TestMistakesWithEventsTogetherAreFound shows that testdata/together.c fails where
// dispatch is wrong.
func TestMistakesWithEventsTogetherAreFound(t *testing.T) {
	for _, c := range []struct {
		name    string
		changes []string
	}{
		{"a tool is alone that is not", []string{"if (count == 1 && taker != NULL", "if (count >= 1 && taker != NULL"}},
		{"another tool is the taker", []string{" && entries[0].callback == (uintptr_t) taker->one", ""}},
		{"a tool stays alone when it leaves", []string{"__atomic_fetch_and (&d->taker_alone, ~bit, __ATOMIC_RELEASE);", ";"}},
		{"the thread's toggle is ignored", []string{"if (taker_alone == 0 || thread->disabled)", "if (taker_alone == 0)"}},
		{"a pair that another tool began", []string{"return LIKELY (pair->used == 1) && pair->slot[0].tool == tool;", "return true;"}},
		{"an end loses what its start has left", []string{"event_kind[s->event.event].half == END && pair->used > 0", "0"}},
		{"pairs of taken events are not ended", []string{"      acc_dispatch_pair_release (plan->step[n]->pair);", "      ;"}},
		{"taken events are raised again", []string{"  plan->done = end;\n", "  plan->done = first + 1;\n"}},
		{"calls of the runtime change nothing", []string{"return h->thread->calls == h->calls &&", "return"}},
		{"callbacks registered meanwhile are not called", []string{"h->thread->changes == h->changes", "1"}},
		{"callbacks switched off meanwhile are called", []string{"\n\t && !h->thread->disabled", ""}},
		{"an event that is raised has no number", []string{"      thread->correlation = e->correlation;\n", ""}},
		{"events that are not lasting are handed over", []string{"      if (!(s->event.flags & ACC_DISPATCH_LASTING)\n\t  || UNLIKELY", "      if (UNLIKELY"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := exec.Command(buildTogether(t, "-O1", c.changes...), "1", "3000").CombinedOutput()
			if err == nil {
				t.Error("the mistake was not found")
			}
			t.Logf("%.2000s", out)
		})
	}
}
