package main

import (
	"strings"
	"testing"
)

// With too few descriptors, or too little address space, accscope says what it needs in
// one line, and fails; with a little more it works.
func TestFewResources(t *testing.T) {
	for _, test := range []struct {
		limit, says string
	}{
		{"ulimit -n 5", "(ulimit -n)"}, {"ulimit -n 8", "(ulimit -n)"}, {"ulimit -n 40", ""},
		{"ulimit -v 100000", "(ulimit -v)"}, {"ulimit -v 400000", "(ulimit -v)"}, {"ulimit -v 800000", "(ulimit -v)"}, {"ulimit -v 4000000", ""},
	} {
		for command, status := range map[string]int{"version": exitFailure, "run -q -- true": exitRunFailed} {
			t.Run(test.limit+" "+command, func(t *testing.T) {
				r := execute(t, t.TempDir(), nil, "sh", "-c", test.limit+`; exec "$0" `+command, accscope)
				if test.says == "" {
					r.must(t)
				} else if r.status != status || !strings.HasPrefix(r.stderr, "accscope: this process ") || !strings.Contains(r.stderr, test.says) || strings.Count(r.stderr, "\n") != 1 {
					t.Errorf("status %d: %s", r.status, r.stderr)
				}
			})
		}
	}
}
