package eventmatrix

import (
	"regexp"
	"slices"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/compilers"
)

// TestForgottenSites has a runtime that keeps nothing of the places of the program which call
// it (ACCSCOPE_SITES=0) raise the same events, say the same and end alike: what is kept is a
// shorter way, and no other one.
func TestForgottenSites(t *testing.T) {
	folder := t.TempDir()
	recorder := buildRecorder(t, folder)
	devices := map[string][]string{"sim": {"ACC_DEVICE_TYPE=sim"}, "host": {"ACC_DEVICE_TYPE=host"}}
	if driver := standInDriver(t, folder); driver != nil {
		devices["a GPU"] = driver
	}
	others := []program{
		{source: "queues.c", build: []string{compilers.C(), "-I", "../include"}},
		{source: "loops.c", build: []string{compilers.C(), "-I", "../include"}},
	}
	for _, p := range slices.Concat(programs, others) {
		binary := compile(t, folder, recorder, p)
		for name, device := range devices {
			want, said, ends := observe(t, recorder, binary, device...)
			got, says, end := observe(t, recorder, binary, append(slices.Clone(device), "ACCSCOPE_SITES=0")...)
			said, says = addresses.ReplaceAllString(said, "0x"), addresses.ReplaceAllString(says, "0x")
			if says != said || text(end) != text(ends) {
				t.Errorf("%s on %s ends with %v, says\n%s\nwith sites kept %v\n%s", p.source, name, end, says, ends, said)
			}
			if i := differs(want, got); i >= 0 {
				t.Errorf("%s on %s, of %d and %d events the first that differs is %s\n%+v\nwith sites kept %+v",
					p.source, name, len(got), len(want), place(p, i, at(got, i)), at(got, i), at(want, i))
			}
		}
	}
	t.Setenv("ACCSCOPE_SITES", "0")
	for name, test := range map[string]func(*testing.T){
		"routines in callbacks":        TestRoutinesInCallbacks,
		"callbacks that call":          TestCallbacksThatCall,
		"callbacks that do not return": TestCallbacksThatDoNotReturn,
	} {
		t.Run(name, test)
	}
}

// addresses are another one in each run.
var addresses = regexp.MustCompile("0x[0-9a-f]+")

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// differs is the first event that is another one, -1 for none.
func differs(want, got []row) int {
	for i := range max(len(want), len(got)) {
		if at(want, i) != at(got, i) {
			return i
		}
	}
	return -1
}

// at is row i, an empty one behind the last.
func at(rows []row, i int) row {
	if i < len(rows) {
		return rows[i]
	}
	return row{event: callbacks.None}
}
