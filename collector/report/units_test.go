package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"testing"
)

// The page's format.test.mjs reads the same cases.
func TestValuesForPeople(t *testing.T) {
	text, err := os.ReadFile("testdata/units.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][3]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&cases); err != nil {
		t.Fatal(err)
	}
	units := map[string]Unit{"text": Text, "count": Count, "ns": Nanoseconds, "bytes": Bytes, "bytes/s": BytesPerSecond,
		"fraction": Fraction, "address": Address, "variables": Variables}
	seen := map[string]bool{}
	for _, c := range cases {
		name := c[0].(string)
		unit, known := units[name]
		if !known {
			t.Fatalf("no unit %q", name)
		}
		seen[name] = true
		if got := Show(c[1], unit); got != c[2] {
			t.Errorf("%v %s: %q, not %q", c[1], name, got, c[2])
		}
		if n, ok := c[1].(float64); ok && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			if got := Show(int64(n), unit); got != c[2] {
				t.Errorf("whole %v %s: %q, not %q", n, name, got, c[2])
			}
		}
	}
	if len(seen) != len(units) {
		t.Errorf("cases of %d units, of %d", len(seen), len(units))
	}
}

// Sampled figures, too.
func TestFiguresForPeople(t *testing.T) {
	text, err := os.ReadFile("testdata/figures.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][3]any
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if got := ShowFigure(c[1].(float64), c[0].(string)); got != c[2] {
			t.Errorf("%v %s: %q, not %q", c[1], c[0], got, c[2])
		}
	}
}
