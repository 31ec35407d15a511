package threads

import (
	"regexp"
	"testing"
)

// TestStackBelowCallbacks: who walks the stack in a callback or a kernel comes from our
// library to the program, in whatever call and however deep; the Go part, where an unwinder
// would stop, is not in between.
func TestStackBelowCallbacks(t *testing.T) {
	program := compile(t, "below")
	line := regexp.MustCompile(`(?m)^(\w+) \d+: (.*)$`)
	want := map[string]*regexp.Regexp{
		"event":    regexp.MustCompile(`^below libopenacc\.so below\b`),
		"inside":   regexp.MustCompile(`^below libopenacc\.so below libopenacc\.so below\b`),
		"kernel":   regexp.MustCompile(`^below libopenacc\.so below\b`),
		"pointers": regexp.MustCompile(`^below$`),
	}
	for device, least := range map[string]map[string]int{
		"host": {"event": 14, "pointers": 14, "kernel": 1},
		"sim":  {"event": 50, "pointers": 56, "inside": 6, "kernel": 1},
	} {
		found := map[string]int{}
		for _, told := range line.FindAllStringSubmatch(run(t, device, program), -1) {
			found[told[1]]++
			if !want[told[1]].MatchString(told[2]) {
				t.Errorf("%s: %s, want %s", device, told[0], want[told[1]])
			}
		}
		for what, n := range least {
			if found[what] < n {
				t.Errorf("%s: %d lines of %s, want %d or more", device, found[what], what, n)
			}
		}
	}
}
