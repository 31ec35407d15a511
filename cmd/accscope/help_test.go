package main

import "testing"

func TestFold(t *testing.T) {
	const text = "Words that stand on\ntwo lines, one too wide.\n\n  NAME    what it is for\n  accscope run -o a.db -- ./p    a trace\n  accscope run -o another.db -- ./program\n          alone, in its column\nShort:"
	for width, want := range map[int]string{
		80: text,
		20: "Words that stand on\ntwo lines, one too\nwide.\n\n  NAME    what it is\n          for\n  accscope run -o a.db -- ./p\n      a trace\n  accscope run -o another.db -- ./program\n          alone, in\n          its column\nShort:",
	} {
		if got := fold(text, width); got != want {
			t.Errorf("%d columns: got\n%s\nwant\n%s", width, got, want)
		}
	}
}
