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
		for _, arguments := range [][]string{
			{"fields"}, {"garbage"}, {"mixed", "3000"}, {"fill", "20000"}, {"threads", "40", "2000", "4"}, {"signals", "200"}, {"dlclose"},
		} {
			if sanitizer == "thread" && arguments[0] == "signals" {
				continue // its runtime delays handlers, so they never interrupt
			}
			t.Run(fmt.Sprint(name, " ", arguments[0]), func(t *testing.T) {
				session := t.TempDir()
				command := exec.Command(program, append([]string{lib}, arguments...)...)
				command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+session,
					"ASAN_OPTIONS=detect_leaks=0", "TSAN_OPTIONS=halt_on_error=1", "UBSAN_OPTIONS=halt_on_error=1")
				run(t, command)
				if len(events(t, openOne(t, session))) == 0 {
					t.Error("no event")
				}
			})
		}
	}
}
