package main

import (
	"strings"
	"testing"
)

func TestRemovedAssertions(t *testing.T) {
	const list = `# what this is
test a.c b.c
reason §5.2.1: a reason
assert (x == -1);
test a.c
reason §5.2.2: another
assert (f (y) == z);
test d.c
reason §5.2.1: a third
in start
assert (x == -1);
`
	removed, err := parseRemovedAssertions("list", list)
	if err != nil {
		t.Fatal(err)
	}
	const source = "void start (int x)\n{\n  if (q)\n    assert (x == -1);\n}\nint main()\n{\n  assert (f (y) == z);\n  assert (x == -1);\n  assert (x == -12);\n}\n"
	for _, test := range []struct{ file, want string }{
		{"a.c", "void start (int x)\n{\n  if (q)\n(void) 0;\n}\nint main()\n{\n(void) 0;\n(void) 0;\n  assert (x == -12);\n}\n"},
		{"b.c", "void start (int x)\n{\n  if (q)\n(void) 0;\n}\nint main()\n{\n  assert (f (y) == z);\n(void) 0;\n  assert (x == -12);\n}\n"},
		{"c.c", source},
		{"d.c", strings.Replace(source, "    assert (x == -1);", "(void) 0;", 1)},
	} {
		text, patched, err := removed.apply(test.file, source)
		if err != nil || text != test.want || patched != (test.want != source) {
			t.Errorf("%s: %q, patched %v, error %v; want %q", test.file, text, patched, err, test.want)
		}
	}
	if _, _, err := removed.apply("a.c", "assert (x == -1);\n"); err == nil {
		t.Error("an assertion that the test doesn't have went unnoticed")
	}
}

func TestRemovedAssertionsErrors(t *testing.T) {
	for text, message := range map[string]string{
		"assert (x);":                       "before the first test line",
		"test a.c\nassert (x);":             "list:2: an assertion without a reason",
		"test a.c\nreason r\nexit (0);":     "not one whole assert",
		"test a.c\nreason r\nassert (x) &&": "not one whole assert",
		"test":                              "without a file name",
		"test a.c\nreason r\nin":            "without a function name",
	} {
		if _, err := parseRemovedAssertions("list", text); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("parse %q: error %v, want one with %q", text, err, message)
		}
	}
}

// Only what the specification leaves open may be taken out of a test.
func TestRemovedAssertionsStayWithinTheirFields(t *testing.T) {
	removed, err := readRemovedAssertions("removed-assertions.txt")
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"->device_type == acc_device_default", "->async == ", "parent_construct ==", "->device_api ==", "->version ==", "->thread_id ==", "->src_file ==", "->func_name ==", "line_no ==", "->vendor ==", "launch_event.valid_bytes =="}
	for file, list := range removed {
		if !strings.HasPrefix(file, "acc_prof-") {
			t.Errorf("%s is not a test of the profiling interface", file)
		}
		for _, assertion := range list {
			if !strings.Contains(assertion.reason, "§") {
				t.Errorf("%s: %s: the reason names no section", file, assertion.line)
			}
			within := false
			for _, field := range allowed {
				within = within || strings.Contains(assertion.line, field)
			}
			if !within {
				t.Errorf("%s: %s is about none of the fields that may differ", file, assertion.line)
			}
		}
	}
}
