package capture

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The library is clean under the sanitizers in every case of the raiser.
func TestSanitizers(t *testing.T) {
	for _, sanitizer := range []string{"address,undefined", "thread"} {
		flag := "-fsanitize=" + sanitizer
		name := strings.ReplaceAll(sanitizer, ",", "-")
		lib := compile(t, "libaccprof-"+name+".so", append(sources(t), append(libraryFlags, "-O1", flag)...)...)
		program := compile(t, "raise-"+name, "-O1", flag, "testdata/raise.c", "-pthread")
		record := func(t *testing.T, variable string, arguments ...string) *Process {
			session := t.TempDir()
			command := exec.Command(program, append([]string{lib}, arguments...)...)
			command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+session, variable,
				"ASAN_OPTIONS=detect_leaks=0", "TSAN_OPTIONS=halt_on_error=1", "UBSAN_OPTIONS=halt_on_error=1")
			run(t, command)
			return openOne(t, session)
		}
		for _, arguments := range [][]string{
			{"fields"}, {"garbage"}, {"mixed", "3000"}, {"fill", "20000"}, {"threads", "40", "2000", "4"}, {"signals", "200"}, {"dlclose"},
		} {
			if sanitizer == "thread" && arguments[0] == "signals" {
				continue // its runtime delays handlers, so they never interrupt
			}
			t.Run(fmt.Sprint(name, " ", arguments[0]), func(t *testing.T) {
				if len(events(t, record(t, "ACCSCOPE_LAST=", arguments...))) == 0 {
					t.Error("no event")
				}
			})
		}
		t.Run(name+" flight recorder", func(t *testing.T) {
			if c := counters(t, record(t, "ACCSCOPE_LAST=1MiB", "threads", "8", "60000", "8")); c.RecycledBytes == 0 {
				t.Errorf("nothing was given back: %+v", c)
			}
		})
	}
}
