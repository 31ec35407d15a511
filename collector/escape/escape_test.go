package escape_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/accscope/accscope/collector/escape"
)

func TestWriter(t *testing.T) {
	for text, want := range map[string]string{
		"a line\n\tof text, größer ≥ 3 µs 🎉\n":  "a line\n\tof text, größer ≥ 3 µs 🎉\n",
		"\x1b[2J\x1b]0;title\a":                 `\u001b[2J\u001b]0;title\u0007`,
		"back\b\r over\x7f":                     `back\u0008\u000d over\u007f`,
		"C1 \u009b31m \u0085":                   `C1 \u009b31m \u0085`,
		"raw C1 \x9b31m":                        `raw C1 \x9b31m`,
		"\u202eright \u2066to\u2069 \u200fleft": `\u202eright \u2066to\u2069 \u200fleft`,
	} {
		for part := 1; part <= len(text); part++ {
			var out bytes.Buffer
			w := escape.NewWriter(&out)
			for at := 0; at < len(text); at += part {
				piece := []byte(text[at:min(at+part, len(text))])
				if n, err := w.Write(piece); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			if out.String() != want {
				t.Errorf("%q by %d bytes is %q, want %q", text, part, out.String(), want)
			}
		}
	}
	if got := escape.Line("two\nlines\tand a tab"); got != `two\u000alines\u0009and a tab` {
		t.Errorf("a line is %q", got)
	}
}

// Whatever is written, nothing in it steers a terminal, and JSON stays the same JSON.
func FuzzWriter(f *testing.F) {
	f.Add("plain")
	f.Add("\x1b[0m \u009b \u202e \xff")
	f.Fuzz(func(t *testing.T, text string) {
		encoded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := escape.NewWriter(&out).Write(append(encoded, '\n')); err != nil {
			t.Fatal(err)
		}
		var got, want string
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%q is no JSON: %v", out.Bytes(), err)
		}
		if err := json.Unmarshal(encoded, &want); err != nil || got != want {
			t.Errorf("%q became %q (%v)", want, got, err)
		}
		for _, shown := range []string{escape.Line(text), escape.Line(out.String())} {
			for _, r := range shown {
				if escape.Steers(r) {
					t.Errorf("%q has %#x", shown, r)
				}
			}
			if !utf8.ValidString(shown) {
				t.Errorf("%q is no UTF-8", shown)
			}
		}
	})
}
