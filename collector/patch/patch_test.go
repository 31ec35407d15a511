package patch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnified: what Unified writes makes of a file, by patch and by git apply, what Apply does.
func TestUnified(t *testing.T) {
	long := strings.Repeat("line\n", 3) + "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n"
	for name, test := range map[string]struct {
		text  string
		edits []Edit
		want  string
	}{
		"replace":         {"a\nb\nc\n", []Edit{{First: 2, Last: 2, Text: []string{"x", "y"}}}, "a\nx\ny\nc\n"},
		"insert first":    {"a\nb\n", []Edit{{First: 1, Last: 0, Text: []string{"x"}}}, "x\na\nb\n"},
		"insert at end":   {"a\nb\n", []Edit{{First: 3, Last: 2, Text: []string{"x"}}}, "a\nb\nx\n"},
		"no end":          {"a\nb", []Edit{{First: 3, Last: 2, Text: []string{"x"}}}, "a\nb\nx\n"},
		"no end, kept":    {"a\nb", []Edit{{First: 1, Last: 1, Text: []string{"x"}}}, "x\nb"},
		"delete":          {"a\nb\nc\n", []Edit{{First: 2, Last: 3}}, "a\n"},
		"carriage return": {"a\r\nb\r\nc\r\n", []Edit{{First: 2, Last: 2, Text: []string{"x"}}}, "a\r\nx\r\nc\r\n"},
		"two hunks": {long, []Edit{{First: 15, Last: 15}, {First: 2, Last: 1, Text: []string{"x"}}},
			"line\nx\nline\nline\na\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nm\n"},
		"one hunk": {long, []Edit{{First: 9, Last: 9}, {First: 4, Last: 3, Text: []string{"x"}}, {First: 5, Last: 5, Text: []string{"y"}}},
			"line\nline\nline\nx\na\ny\nc\nd\ne\ng\nh\ni\nj\nk\nl\nm\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Apply(test.text, test.edits)
			if err != nil || got != test.want {
				t.Errorf("%q (%v), want %q", got, err, test.want)
			}
			diff, err := Unified("./in/f.c", test.text, test.edits)
			if err != nil {
				t.Fatal(err)
			}
			for _, command := range [][]string{{"patch", "--binary", "-p0", "-i", "d"}, {"git", "apply", "d"}} {
				folder := t.TempDir()
				file := filepath.Join(folder, "in", "f.c")
				for path, text := range map[string]string{file: test.text, filepath.Join(folder, "d"): "# words\n" + diff} {
					if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				run := exec.Command(command[0], command[1:]...)
				run.Dir = folder
				if output, err := run.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s\n%s", command[0], err, output, diff)
				} else if text, err := os.ReadFile(file); err != nil || string(text) != test.want {
					t.Errorf("%s makes %q (%v), want %q", command[0], text, err, test.want)
				}
			}
		})
	}
	for _, edits := range [][]Edit{{{First: 0, Last: 1}}, {{First: 1, Last: 3}}, {{First: 4, Last: 3}}, {{First: 1, Last: 2}, {First: 2, Last: 2}},
		{{First: 2, Last: 1}, {First: 2, Last: 1}}, {{First: 1, Last: 2}, {First: 2, Last: 1}}} {
		if got, err := Apply("a\nb\n", edits); err == nil {
			t.Errorf("%v gives %q", edits, got)
		}
	}
}
