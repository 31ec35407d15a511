package report

import (
	"encoding/json"
	"os"
	"testing"
)

// The page's format.test.mjs reads the same cases.
func TestNamesWithoutTheirNamespaces(t *testing.T) {
	text, err := os.ReadFile("testdata/names.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]*string
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		got, named := withoutOuter(*c[0])
		if named != (c[1] != nil) || named && got != *c[1] {
			t.Errorf("%s: %q, %t", *c[0], got, named)
		}
	}
	const name = "up.cc:4 parallel loop in long::longer<int>::solve"
	for most, want := range map[int]string{49: name, 48: "up.cc:4 parallel loop in longer<int>::solve", 40: "up.cc:4 parallel loop in solve", 5: "up.cc:4 parallel loop in solve"} {
		if got := Shortened(name, most); got != want {
			t.Errorf("in %d characters %q, want %q", most, got, want)
		}
	}
}
