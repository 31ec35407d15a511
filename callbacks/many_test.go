package callbacks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// buildMany compiles testdata/many.c with a dispatch.c that is changed as pairs of
// strings say, each of which it must have once.
func buildMany(t *testing.T, options string, changes ...string) string {
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
	changed, program := filepath.Join(build, "dispatch.c"), filepath.Join(build, "many")
	must(t, os.WriteFile(changed, []byte(source), 0o666))
	arguments := append([]string{"-std=gnu11", "-Wall", "-Wextra", "-I.", "-I" + includes, "-o", program}, strings.Fields(options)...)
	if out, err := exec.Command(compilers.C(), append(arguments, "testdata/many.c", changed, "-ldl", "-pthread")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestManyEventsAtOnce holds what a tool that takes many events at once is told
// against what it is told of each (testdata/many.c).
func TestManyEventsAtOnce(t *testing.T) {
	for _, variant := range []struct{ name, options, rounds string }{
		{"plain", "-O2", "20000"},
		{"thread", "-O1 -g -fsanitize=thread", "1000"},
		{"address and undefined", "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all", "8000"},
	} {
		t.Run(variant.name, func(t *testing.T) {
			program := buildMany(t, variant.options)
			for _, seed := range []string{"1", "2"} {
				// Without address randomisation: see TestDispatchUnderSanitizers.
				command := exec.Command("setarch", "-R", program, seed, variant.rounds)
				if variant.name != "thread" {
					command = exec.Command(program, seed, variant.rounds)
				}
				if out, err := command.CombinedOutput(); err != nil {
					t.Errorf("seed %s: %v\n%s", seed, err, out)
				}
			}
		})
	}
}

// TestMistakesWithManyEventsAreFound shows that testdata/many.c fails where dispatch
// is wrong.
func TestMistakesWithManyEventsAreFound(t *testing.T) {
	for _, c := range []struct {
		name    string
		changes []string
	}{
		{"a tool is alone that is not", []string{"if (count == 1 && LOAD (d->many)", "if (count >= 1 && LOAD (d->many)"}},
		{"a tool stays alone when it leaves", []string{"__atomic_fetch_and (&d->sole, ~bit, __ATOMIC_RELEASE);", ";"}},
		{"the thread's toggle is ignored", []string{"if (sole == 0 || thread->disabled)", "if (sole == 0)"}},
		{"one event for many is enough", []string{"for (n = batch->done; n < batch->count; n++)", "for (n = batch->done; n < batch->done + 1; n++)"}},
		{"events that are not kept", []string{"if (!batch->kept || UNLIKELY", "if (UNLIKELY"}},
		{"a pair that another tool began", []string{"return LIKELY (pair->used == 1) && pair->slot[0].tool == tool;", "return true;"}},
		{"an end loses what its start has left", []string{"if (event_kind[s->event].half == END && pair->used > 0)", "if (0)"}},
		{"pairs of taken events are not ended", []string{"    end_pair (&batch->step[n]);", "    ;"}},
		{"taken events are raised again", []string{"  batch->done = end;\n", ""}},
		{"who wants events is asked once", []string{"if (batch->kept && acc_dispatch_together (d, thread, batch))", "if (batch->kept && hand_over (d, batch))"}},
		{"calls of the runtime change nothing", []string{"if (UNLIKELY (thread->calls != calls))", "if (0)"}},
		{"an event that many leaves has no number", []string{"thread->correlation = s->correlation;", ""}},
		{"the memo is not the tool's", []string{"  batch->done = end;\n", "  batch->done = end;\n  if (n > 0)\n    batch->step[n - 1].memo[0] = 0;\n"}},
		{"a second tool's declaration counts", []string{"(d->one != NULL && d->one != one)", "0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := exec.Command(buildMany(t, "-O1", c.changes...), "1", "3000").CombinedOutput()
			if err == nil {
				t.Error("the mistake was not found")
			}
			t.Logf("%s", out)
		})
	}
}
